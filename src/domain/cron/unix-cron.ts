import type { CronFieldCollection } from 'cron-parser';
import { toError } from '../../base/errors';
import type { TriggerKey } from '../keys';
import { CRON_FIELDS, type CronField } from './cron-fields';
import { type CronFault, CronSyntaxError } from './cron-syntax-error';
import type { DayRule } from './day-rules';
import { formatDays, formatValues } from './format-cron';
import { type CronText, splitFields } from './split-cron';
import { drawn, firstSpread, isSpread, NO_KEY, spreadProblem } from './spread';

const { second, minute, hour, dayOfMonth, month, dayOfWeek } = CRON_FIELDS;
/** Fields of a crontab expression, with seconds first. Crontab counts days of the week from 0 = Sunday. */
const UNIX_FIELDS: readonly CronField[] = [second, minute, hour, dayOfMonth, month, { ...dayOfWeek, min: 0, max: 6 }];

/** Accepts five fields, six with seconds first, or a name such as `@daily`. Replaces `H` by a value hashed from `key`. Throws CronSyntaxError. */
export function toQuartzCron(expression: string, { key }: { readonly key?: TriggerKey } = {}): string {
  const source = { expression, texts: splitFields(expression) };
  refuseMiscounted(source);
  const texts = withoutSpread(source, key).map(withoutRepetition);

  const fields = readFields(source, texts);
  const days = formatDays(dayRule(source, fields));
  return [
    formatValues(fields.second.values, second),
    formatValues(fields.minute.values, minute),
    formatValues(fields.hour.values, hour),
    days.dayOfMonth,
    formatValues(fields.month.values, month),
    days.dayOfWeek,
  ].join(' ');
}

interface Source {
  readonly expression: string;
  readonly texts: readonly CronText[];
}

function refuseMiscounted({ expression, texts }: Source): void {
  if (texts.length === 5 || texts.length === 6 || (texts.length === 1 && texts[0]?.text.startsWith('@'))) return;
  throw new CronSyntaxError({
    expression,
    field: null,
    position: 0,
    problem: `expected 5 fields (minute first) or 6 (second first), found ${texts.length}.`,
    hint: "Examples: '*/5 * * * *', '@daily'.",
  });
}

/** Replaces each `H` by a value hashed from the key. Done before parsing, because cron-parser would choose different values in each process. */
function withoutSpread(source: Source, key: TriggerKey | undefined): readonly string[] {
  const texts = source.texts.map(({ text }) => text);
  const first = firstSpread(source.texts);
  if (first < 0) return texts;
  const fieldOf = (index: number) => UNIX_FIELDS[index + UNIX_FIELDS.length - texts.length] as CronField;
  for (const [index, { text, position }] of source.texts.entries()) {
    let offset = position;
    for (const item of text.split(',')) {
      const problem = isSpread(item) ? spreadProblem(item, fieldOf(index), false) : null;
      if (problem !== null) throw faultOf(source, index, problem, { position: offset });
      offset += item.length + 1;
    }
  }
  if (key === undefined) throw faultOf(source, first, NO_KEY.problem, { hint: NO_KEY.hint });
  return texts.map((text, index) => drawn(text, fieldOf(index), key));
}

/** Names of the fields in the answer of cron-parser, seconds first. */
const PARSED = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;

/** Writes each value of a list once, because crontab allows `1-5,3`, but cron-parser does not. Returns a list with another mistake unchanged. */
function withoutRepetition(text: string, index: number, texts: readonly string[]): string {
  const alone = (part: string) => tryFields(texts.map((_, other) => (other === index ? part : '*')).join(' '));
  if (!text.includes(',') || !(alone(text) instanceof Error)) return text;
  const name = PARSED[index + PARSED.length - texts.length] as (typeof PARSED)[number];
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const parsed = item === '' ? null : alone(item);
    if (parsed === null || parsed instanceof Error) return text;
    for (const value of parsed[name].values) {
      if (typeof value !== 'number') return text;
      values.add(name === 'dayOfWeek' ? value % 7 : value);
    }
  }
  return [...values].sort((a, b) => a - b).join(',');
}

function readFields(source: Source, texts: readonly string[]): CronFieldCollection {
  const outcome = tryFields(texts.length === 1 ? source.expression.trim() : texts.join(' '));
  if (!(outcome instanceof Error)) return outcome;
  const faulty = texts.findIndex((text, index) => {
    const alone = texts.map((_, other) => (other === index ? text : '*'));
    return tryFields(alone.join(' ')) instanceof Error;
  });
  throw faultOf(source, texts.length === 1 ? -1 : faulty, `${reworded(outcome.message)}.`);
}

const OUT_OF_RANGE = /^Constraint error, got (?:value|range) (\S+) expected range (\S+)$/;

function reworded(message: string): string {
  return message
    .replace(OUT_OF_RANGE, '$1 is out of range; expected $2')
    .replace(/^(?:Constraint|Validation) error, /, '');
}

/**
 * Loads cron-parser when the first crontab expression is read. Most programs read none, and the package takes a fourth of the time to import this one.
 * `require`, because a cron expression is read without waiting.
 */
const loadParser = () => require('cron-parser') as typeof import('cron-parser');

/** Returns the error of an invalid expression. The constant date and time zone do not affect the fields; cron-parser would read the system's. */
function tryFields(expression: string): CronFieldCollection | Error {
  try {
    return loadParser().CronExpressionParser.parse(expression, { currentDate: new Date(0), tz: 'UTC' }).fields;
  } catch (error) {
    return toError(error);
  }
}

const EVERY_DAY = Array.from({ length: dayOfMonth.max }, (_, index) => index + 1);

function bothDays({ texts }: Source, needsBoth: boolean): [problem: string, more: Pick<CronFault, 'hint'>] {
  const without = (field: number) => `'${texts.map(({ text }, index) => (index === field ? '*' : text)).join(' ')}'`;
  const last = texts.length - 1;
  return needsBoth
    ? [
        "crontab fires when both day fields match, because one of them begins with '*', which a single Quartz expression cannot express.",
        { hint: `Use ${without(last)} or ${without(last - 2)}, and exclude the other days with a calendar.` },
      ]
    : [
        'crontab fires when either day field matches, which a single Quartz expression cannot express.',
        { hint: `Use two triggers, ${without(last)} and ${without(last - 2)}. On days that match both, both fire.` },
      ];
}

/** Crontab fires if either day field matches, but only if both match when one of them begins with `*`. */
function dayRule(source: Source, { dayOfMonth: ofMonth, dayOfWeek: ofWeek }: CronFieldCollection): DayRule {
  const last = source.texts.length - 1;
  const [monthText, weekText] = last === 0 ? ['*', '*'] : [source.texts[last - 2]?.text, source.texts[last]?.text];
  const needsBoth = [monthText, weekText].some((text) => /^[*?]/.test(text ?? ''));
  const isEveryDay = ofMonth.values.length === dayOfMonth.max;
  const isEveryWeekday =
    new Set(ofWeek.values.map((value) => (typeof value === 'number' ? value % 7 : value))).size === 7;
  if (!isEveryDay && !isEveryWeekday) throw faultOf(source, last, ...bothDays(source, needsBoth));
  if (!needsBoth) return { kind: 'daysOfMonth', days: EVERY_DAY };
  const usesMonth = isEveryWeekday;
  const values: readonly unknown[] = usesMonth ? ofMonth.values : ofWeek.values;
  const isLast = values.some((value) => typeof value !== 'number');
  if (isLast && values.length > 1) {
    const index = usesMonth ? last - 2 : last;
    throw faultOf(source, index, "'L' is not allowed in a list.", { hint: 'Use two triggers.' });
  }
  if (usesMonth) {
    return isLast
      ? { kind: 'lastDay', offset: 0, nearestWeekday: false }
      : { kind: 'daysOfMonth', days: values.map(Number) };
  }
  // Crontab counts days of the week from 0 (or 7) = Sunday, Quartz from 1 = Sunday.
  const days = [...new Set(values.map((value) => (Number.parseInt(String(value), 10) % 7) + 1))].sort();
  const day = days[0] as number;
  if (ofWeek.nthDay > 0) return { kind: 'nthDayOfWeek', day, nth: ofWeek.nthDay };
  return isLast ? { kind: 'lastDayOfWeek', day } : { kind: 'daysOfWeek', days };
}

function faultOf(
  { expression, texts }: Source,
  index: number,
  problem: string,
  more: Partial<Pick<CronFault, 'hint' | 'position'>> = {},
): CronSyntaxError {
  const field = UNIX_FIELDS[index + UNIX_FIELDS.length - texts.length]?.name ?? null;
  const position = texts[index]?.position ?? 0;
  return new CronSyntaxError({ expression, field: index < 0 ? null : field, position, problem, ...more });
}
