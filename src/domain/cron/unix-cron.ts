import type { TriggerKey } from '../keys';
import { daysInMonth } from '../time/months';
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
  const [seconds, minutes, hours, ofMonth, months, ofWeek] = readFields(source, withoutSpread(source, key));
  checkDays(source, ofMonth, months);
  const days = formatDays(dayRule(source, ofMonth, ofWeek));
  return [
    formatValues(seconds.values, second),
    formatValues(minutes.values, minute),
    formatValues(hours.values, hour),
    days.dayOfMonth,
    formatValues(months.values, month),
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

/** Replaces each `H` by a value hashed from the key. */
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

/** Names for whole expressions, with the fields that they stand for, seconds first. */
const PREDEFINED = new Map([
  ['@yearly', '0 0 0 1 1 *'],
  ['@annually', '0 0 0 1 1 *'],
  ['@monthly', '0 0 0 1 * *'],
  ['@weekly', '0 0 0 * * 0'],
  ['@weekdays', '0 0 0 * * 1-5'],
  ['@weekends', '0 0 0 * * 0,6'],
  ['@daily', '0 0 0 * * *'],
  ['@hourly', '0 0 * * * *'],
  ['@minutely', '0 * * * * *'],
  ['@secondly', '* * * * * *'],
]);

/** A field: its values, ascending and without duplicates, or the rule of `L` and `#`, which stand alone. */
interface Field {
  readonly values: readonly number[];
  readonly rule: DayRule | null;
}
type Fields = readonly [Field, Field, Field, Field, Field, Field];

class FieldFault extends Error {
  readonly hint: string | undefined;

  constructor(problem: string, hint?: string) {
    super(problem);
    this.hint = hint;
  }
}

function readFields(source: Source, texts: readonly string[]): Fields {
  const predefined = texts.length === 1 ? PREDEFINED.get(String(texts[0]).toLowerCase()) : undefined;
  if (texts.length === 1 && predefined === undefined)
    throw faultOf(
      source,
      -1,
      `expected one of ${[...PREDEFINED.keys()].join(', ')}, found '${source.expression.trim()}'.`,
    );
  const written = predefined?.split(' ') ?? texts;
  const fields = written.map((text, index) => {
    try {
      return readField(text, UNIX_FIELDS[index + UNIX_FIELDS.length - written.length] as CronField);
    } catch (error) {
      if (!(error instanceof FieldFault)) throw error;
      throw faultOf(source, index, error.message, error.hint === undefined ? {} : { hint: error.hint });
    }
  });
  if (fields.length < UNIX_FIELDS.length) fields.unshift({ values: [0], rule: null });
  return fields as unknown as Fields;
}

function readField(text: string, field: CronField): Field {
  const rule = specialRule(text, field);
  if (rule !== null) return { values: [], rule };
  const values = new Set(text.split(',').flatMap((item) => readItem(item, field)));
  return { values: [...values].sort((a, b) => a - b), rule: null };
}

/** Reads a day field that consists of `L`, `5L` or `5#3`. Returns null for any other text. */
function specialRule(text: string, field: CronField): DayRule | null {
  if (field.name === 'day-of-month' && text === 'L') return { kind: 'lastDay', offset: 0, nearestWeekday: false };
  const [, dayText, nth] = (field.name === 'day-of-week' && /^([^,/-]+)(?:L|#(\d+))$/.exec(text)) || [];
  if (dayText === undefined) return null;
  const day = (readValue(dayText, field) % 7) + 1; // Quartz counts from 1 = Sunday
  if (nth === undefined) return { kind: 'lastDayOfWeek', day };
  if (Number(nth) < 1 || Number(nth) > 5) throw new FieldFault(`'#${nth}' is out of range; expected #1-#5.`);
  return { kind: 'nthDayOfWeek', day, nth: Number(nth) };
}

const ITEM = /^(?:([*?])|([^-/]+?)(?:-([^-/]+))?)(?:\/(\d+))?$/;

/** Values of an item of a list: `*`, `a`, `a-b`, each with an optional step. `a/n` ends at the greatest value of the field. */
function readItem(item: string, field: CronField): readonly number[] {
  if (/^(\w*L|\w+#\w+)$/.test(item) && field.name.startsWith('day'))
    throw new FieldFault(`'${item.includes('#') ? '#' : 'L'}' is not allowed in a list.`, 'Use two triggers.');
  const [, every, firstText = '', lastText, stepText] = ITEM.exec(item) ?? [];
  if (every === undefined && firstText === '')
    throw new FieldFault(`expected a value, a range such as 1-5 or a step such as */5, found '${item}'.`);
  const step = Number(stepText ?? 1);
  if (step < 1) throw new FieldFault(`the step of '${item}' must be at least 1.`);
  const first = every === undefined ? readValue(firstText, field) : field.min;
  const end = every === undefined && stepText === undefined ? first : greatestOf(field);
  const last = lastText === undefined ? end : readValue(lastText, field);
  if (first > last) throw new FieldFault(`'${item}': the range runs backwards.`);
  const values = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
  return field.name === 'day-of-week' ? values.map((value) => value % 7) : values;
}

/** Sunday is 0 and 7. */
const greatestOf = ({ name, max }: CronField) => (name === 'day-of-week' ? 7 : max);

function readValue(text: string, field: CronField): number {
  const named = field.names.indexOf(text.toUpperCase());
  if (named >= 0) return field.min + named;
  if (!/^\d+$/.test(text))
    throw new FieldFault(`expected a number${field.names.length > 0 ? ' or a name' : ''}, found '${text}'.`);
  const value = Number(text);
  if (value >= field.min && value <= greatestOf(field)) return value;
  throw new FieldFault(`${text} is out of range; expected ${field.min}-${greatestOf(field)}.`);
}

const LEAP_YEAR = 2000;

/** Throws if none of the days exists in any of the months. */
function checkDays(source: Source, { values: days }: Field, { values: months }: Field): void {
  const [first = 1] = days;
  if (months.some((each) => first <= daysInMonth(LEAP_YEAR, each))) return;
  throw faultOf(source, -1, `day ${first} exists in none of the months.`);
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
function dayRule(source: Source, ofMonth: Field, ofWeek: Field): DayRule {
  const last = source.texts.length - 1;
  const [monthText, weekText] = last === 0 ? ['*', '*'] : [source.texts[last - 2]?.text, source.texts[last]?.text];
  const needsBoth = [monthText, weekText].some((text) => /^[*?]/.test(text ?? ''));
  const isEveryDay = ofMonth.values.length === dayOfMonth.max;
  const isEveryWeekday = ofWeek.values.length === 7;
  if (!isEveryDay && !isEveryWeekday) throw faultOf(source, last, ...bothDays(source, needsBoth));
  if (!needsBoth) return { kind: 'daysOfMonth', days: EVERY_DAY };
  if (isEveryWeekday) return ofMonth.rule ?? { kind: 'daysOfMonth', days: ofMonth.values };
  // Crontab counts days of the week from 0 = Sunday, Quartz from 1 = Sunday.
  return ofWeek.rule ?? { kind: 'daysOfWeek', days: ofWeek.values.map((value) => value + 1) };
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
