import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
import { toError } from '../../base/errors';
import { CRON_FIELDS, type CronField, type DayRule } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import { formatDays, formatValues } from './format-cron';
import { type CronText, splitFields } from './split-cron';

/** Settings of the unix dialect. */
export interface UnixCronOptions {
  /** What `H` is drawn from: one seed always gives the same time. A trigger's name spreads triggers evenly. */
  readonly seed?: string;
}

/**
 * A crontab expression as the Quartz expression with the same fire times: five fields, six with seconds first, or a
 * name such as `@daily`. cron-parser reads it; only the translation is stored and evaluated. Throws CronSyntaxError.
 */
export function toQuartzCron(expression: string, { seed }: UnixCronOptions = {}): string {
  const source = { expression, texts: splitFields(expression) };
  refuseMiscounted(source);
  if (seed === undefined) refuseHash(source);

  const fields = readFields(source, seed);
  const { dayOfMonth, dayOfWeek } = formatDays(dayRule(source, fields));
  const { second, minute, hour, month } = CRON_FIELDS;
  return [
    formatValues(fields.second.values, second),
    formatValues(fields.minute.values, minute),
    formatValues(fields.hour.values, hour),
    dayOfMonth,
    formatValues(fields.month.values, month),
    dayOfWeek,
  ].join(' ');
}

interface Source {
  readonly expression: string;
  readonly texts: readonly CronText[];
}

const { second, minute, hour, dayOfMonth, month, dayOfWeek } = CRON_FIELDS;
const FIELD_ORDER: readonly CronField[] = [second, minute, hour, dayOfMonth, month, dayOfWeek];

function refuseMiscounted({ expression, texts }: Source): void {
  if (texts.length === 5 || texts.length === 6 || (texts.length === 1 && texts[0]?.text.startsWith('@'))) return;
  throw new CronSyntaxError({
    expression,
    field: null,
    position: 0,
    problem: `a unix expression has 5 fields (minute first), or 6 (second first); found ${texts.length}.`,
    hint: "Examples: '*/5 * * * *', '@daily'.",
  });
}

/** cron-parser would draw a random time, another one in each process. */
function refuseHash(source: Source): void {
  const hashed = source.texts.findIndex(({ text }) => text.replace(/[A-Z]{3}/g, '').includes('H'));
  if (hashed < 0) return;
  throw faultOf(source, hashed, "'H' stands for a time drawn from a seed, and none is given.", 'Pass { seed }.');
}

function readFields(source: Source, seed: string | undefined): CronFieldCollection {
  const outcome = tryFields(source.expression.trim(), seed);
  if (!(outcome instanceof Error)) return outcome;
  const count = source.texts.length;
  const faulty = source.texts.findIndex(({ text }, index) => {
    const alone = source.texts.map((_, other) => (other === index ? text : '*'));
    return tryFields(alone.join(' '), seed) instanceof Error;
  });
  throw faultOf(source, count === 1 ? -1 : faulty, `${outcome.message}.`);
}

/** Date and zone are given so that cron-parser does not ask the system for them; they do not matter to the fields. */
function tryFields(expression: string, seed: string | undefined): CronFieldCollection | Error {
  try {
    const hash = seed === undefined ? {} : { hashSeed: seed };
    return CronExpressionParser.parse(expression, { currentDate: new Date(0), tz: 'UTC', ...hash }).fields;
  } catch (error) {
    return toError(error);
  }
}

function dayRule(source: Source, fields: CronFieldCollection): DayRule {
  const { dayOfMonth: ofMonth, dayOfWeek: ofWeek } = fields;
  const last = source.texts.length - 1;
  if (!ofMonth.isWildcard && !ofWeek.isWildcard) {
    const problem = 'unix cron fires when either day field matches, which one Quartz expression cannot say.';
    throw faultOf(source, last, problem, 'Use two triggers, one for each day field.');
  }
  return ofWeek.isWildcard
    ? dayOfMonthRule(ofMonth.values, () =>
        faultOf(source, last - 2, "'L' cannot stand in a list.", 'Use two triggers.'),
      )
    : dayOfWeekRule(ofWeek, () => faultOf(source, last, "'L' cannot stand in a list.", 'Use two triggers.'));
}

function dayOfMonthRule(values: readonly unknown[], lastInList: () => Error): DayRule {
  if (values.every((value) => typeof value === 'number')) return { kind: 'daysOfMonth', days: values };
  if (values.length > 1) throw lastInList();
  return { kind: 'lastDay', offset: 0, nearestWeekday: false };
}

function dayOfWeekRule({ values, nthDay }: CronFieldCollection['dayOfWeek'], lastInList: () => Error): DayRule {
  const days = [...new Set(values.map((value) => quartzDay(Number.parseInt(String(value), 10))))].sort();
  const day = days[0] as number;
  if (nthDay > 0) return { kind: 'nthDayOfWeek', day, nth: nthDay };
  if (values.every((value) => typeof value === 'number')) return { kind: 'daysOfWeek', days };
  if (values.length > 1) throw lastInList();
  return { kind: 'lastDayOfWeek', day };
}

/** Unix counts 0 (or 7) = Sunday … 6 = Saturday, Quartz 1 = Sunday … 7 = Saturday. */
function quartzDay(unixDay: number): number {
  return (unixDay % 7) + 1;
}

function faultOf({ expression, texts }: Source, index: number, problem: string, hint?: string): CronSyntaxError {
  const field = FIELD_ORDER[index + FIELD_ORDER.length - texts.length]?.name ?? null;
  const fault = { expression, field: index < 0 ? null : field, position: texts[index]?.position ?? 0, problem };
  return new CronSyntaxError(hint === undefined ? fault : { ...fault, hint });
}
