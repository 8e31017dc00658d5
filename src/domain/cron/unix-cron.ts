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
  const texts = withoutSpread(source, key);

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

function readFields(source: Source, texts: readonly string[]): CronFieldCollection {
  const outcome = tryFields(firstSpread(source.texts) < 0 ? source.expression.trim() : texts.join(' '));
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

function dayRule(source: Source, { dayOfMonth: ofMonth, dayOfWeek: ofWeek }: CronFieldCollection): DayRule {
  const last = source.texts.length - 1;
  if (!ofMonth.isWildcard && !ofWeek.isWildcard) {
    const problem = 'crontab fires when either day field matches, which a single Quartz expression cannot express.';
    throw faultOf(source, last, problem, { hint: 'Use two triggers, one for each day field.' });
  }
  const values: readonly unknown[] = ofWeek.isWildcard ? ofMonth.values : ofWeek.values;
  const isLast = values.some((value) => typeof value !== 'number');
  if (isLast && values.length > 1) {
    const index = ofWeek.isWildcard ? last - 2 : last;
    throw faultOf(source, index, "'L' is not allowed in a list.", { hint: 'Use two triggers.' });
  }
  if (ofWeek.isWildcard) {
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
