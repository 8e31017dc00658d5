import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
import { toError } from '../../base/errors';
import { CRON_FIELDS, type CronField } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import type { DayRule } from './day-rules';
import { formatDays, formatValues } from './format-cron';
import { type CronText, splitFields } from './split-cron';

const { second, minute, hour, dayOfMonth, month, dayOfWeek } = CRON_FIELDS;
const FIELD_ORDER: readonly CronField[] = [second, minute, hour, dayOfMonth, month, dayOfWeek];

/**
 * A crontab expression as the Quartz expression with the same fire times: five fields, six with seconds first, or a
 * name such as `@daily`. `seed` is what `H` is drawn from: one seed always gives the same time. Throws CronSyntaxError.
 */
export function toQuartzCron(expression: string, { seed }: { readonly seed?: string } = {}): string {
  const source = { expression, texts: splitFields(expression) };
  refuseMiscounted(source);
  if (seed === undefined) refuseHash(source);

  const fields = readFields(source, seed);
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

function dayRule(source: Source, { dayOfMonth: ofMonth, dayOfWeek: ofWeek }: CronFieldCollection): DayRule {
  const last = source.texts.length - 1;
  if (!ofMonth.isWildcard && !ofWeek.isWildcard) {
    const problem = 'unix cron fires when either day field matches, which one Quartz expression cannot say.';
    throw faultOf(source, last, problem, 'Use two triggers, one for each day field.');
  }
  const values: readonly unknown[] = ofWeek.isWildcard ? ofMonth.values : ofWeek.values;
  const isLast = values.some((value) => typeof value !== 'number');
  if (isLast && values.length > 1) {
    throw faultOf(source, ofWeek.isWildcard ? last - 2 : last, "'L' cannot stand in a list.", 'Use two triggers.');
  }
  if (ofWeek.isWildcard) {
    return isLast
      ? { kind: 'lastDay', offset: 0, nearestWeekday: false }
      : { kind: 'daysOfMonth', days: values.map(Number) };
  }
  const days = [...new Set(values.map((value) => quartzDay(Number.parseInt(String(value), 10))))].sort();
  const day = days[0] as number;
  if (ofWeek.nthDay > 0) return { kind: 'nthDayOfWeek', day, nth: ofWeek.nthDay };
  return isLast ? { kind: 'lastDayOfWeek', day } : { kind: 'daysOfWeek', days };
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
