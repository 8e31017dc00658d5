import { CRON_FIELDS, type CronField, type CronFields, type DayRule } from './cron-fields';
import { checkGrammar } from './cron-grammar';
import { CronSyntaxError } from './cron-syntax-error';
import { type FieldReading, NONE, readField } from './quartz-reading';
import { type CronText, splitFields } from './split-cron';

/** The width of Quartz's column; a longer expression could not be stored. */
export const MAX_CRON_LENGTH = 120;

/**
 * The fields of a Quartz cron expression. Lenient: whatever Quartz 2.3.2 accepts, with the meaning Quartz gives it.
 * Otherwise only what follows the documented grammar, of which Quartz honours every word.
 * Throws CronSyntaxError, and nothing else.
 */
export function parseCron(expression: string, lenient: boolean): CronFields {
  checkLength(expression);
  const texts = splitFields(expression);
  if (!lenient) checkGrammar(expression, texts);
  return readAsQuartz(expression, texts);
}

function checkLength(expression: unknown): void {
  const refuse = (problem: string): never => {
    throw new CronSyntaxError({ expression: String(expression), field: null, position: 0, problem });
  };
  if (typeof expression !== 'string') refuse(`expected a string, found ${typeof expression}.`);
  const { length } = expression as string;
  if (length > MAX_CRON_LENGTH) refuse(`expected at most ${MAX_CRON_LENGTH} characters, found ${length}.`);
}

const ORDER: readonly CronField[] = Object.values(CRON_FIELDS);
const DAY_OF_MONTH = 3;
const DAY_OF_WEEK = 5;
const EVERY_YEAR: CronText = { text: '*', position: 0 };

/** Quartz's reading of an expression that is split into fields; an eighth field and later ones are ignored. */
function readAsQuartz(expression: string, texts: readonly CronText[]): CronFields {
  const refuse = (index: number, problem: string): never => {
    const field = ORDER[index]?.name ?? null;
    throw new CronSyntaxError({ expression, field, position: texts[index]?.position ?? expression.length, problem });
  };
  if (texts.length < 6) refuse(-1, `expected 6 or 7 fields, found ${texts.length}.`);
  const readings = ORDER.map((field, index) => readField(texts[index] ?? EVERY_YEAR, field, expression));
  const valuesOf = (index: number): readonly number[] => {
    const values = datesWithin(readings[index] as FieldReading, ORDER[index] as CronField);
    return values.length > 0 ? values : refuse(index, 'names no value.');
  };
  return {
    seconds: valuesOf(0),
    minutes: valuesOf(1),
    hours: valuesOf(2),
    days: dayRule(readings, valuesOf) ?? refuse(DAY_OF_WEEK, "expected '?' in exactly one of the two day fields."),
    months: valuesOf(4),
    years: datesWithin(readings[6] as FieldReading, CRON_FIELDS.year),
  };
}

/** Markers and numbers that no date has drop out. */
function datesWithin({ values }: FieldReading, { min, max }: CronField): number[] {
  return [...values].filter((value) => value >= min && value <= max).sort((a, b) => a - b);
}

/** The rule of the day field that is not `?`; null unless exactly one is. */
function dayRule(readings: readonly FieldReading[], valuesOf: (index: number) => readonly number[]): DayRule | null {
  const month = readings[DAY_OF_MONTH] as FieldReading;
  const week = readings[DAY_OF_WEEK] as FieldReading;
  const usesMonth = !month.values.has(NONE);
  if (usesMonth === !week.values.has(NONE)) return null;
  if (usesMonth) return dayOfMonthRule(month) ?? { kind: 'daysOfMonth', days: valuesOf(DAY_OF_MONTH) };
  return dayOfWeekRule(week) ?? { kind: 'daysOfWeek', days: valuesOf(DAY_OF_WEEK) };
}

/** Beside `W` Quartz honours only the smallest value of a list. */
function dayOfMonthRule({ values, lastDayOffset, nearestWeekday }: FieldReading): DayRule | null {
  if (lastDayOffset !== null) return { kind: 'lastDay', offset: lastDayOffset, nearestWeekday };
  return nearestWeekday ? { kind: 'nearestWeekday', day: Math.min(...values) } : null;
}

/** Beside `#` Quartz honours only the smallest value of a list, unchecked: 0 is Saturday, and above 7 it never fires. */
function dayOfWeekRule({ values, lastDayOfWeek, nth }: FieldReading): DayRule | null {
  const day = Math.min(...values) || 7;
  if (lastDayOfWeek) return { kind: 'lastDayOfWeek', day };
  if (nth === null) return null;
  return day > 7 ? { kind: 'daysOfWeek', days: [] } : { kind: 'nthDayOfWeek', day, nth };
}
