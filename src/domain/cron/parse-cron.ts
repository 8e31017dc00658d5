import { CRON_FIELDS, type CronField, type CronFields, type DayRule } from './cron-fields';
import { findGrammarFault } from './cron-grammar';
import { CronSyntaxError } from './cron-syntax-error';
import { formatFields } from './format-cron';
import { type FieldReading, NONE, readField } from './parse-field';
import { type CronText, splitFields } from './split-cron';

/**
 * The fields of a Quartz cron expression. Lenient: whatever Quartz 2.3.2 accepts, with the meaning Quartz gives it.
 * Otherwise only what follows the documented grammar, of which Quartz honours every word.
 * Throws CronSyntaxError, and nothing else.
 */
export function parseCron(expression: string, lenient: boolean): CronFields {
  const texts = splitFields(expression);
  const fault = lenient ? null : findGrammarFault(expression, texts);
  if (fault === null) return readAsQuartz(expression, texts);

  const { index, position, problem } = fault;
  const hint = fault.hint ?? (index === null ? undefined : quartzMeaning(expression, texts, index));
  const field = index === null ? null : (ORDER[index] as CronField).name;
  throw new CronSyntaxError({ expression, field, position, problem, ...(hint === undefined ? {} : { hint }) });
}

/** What Quartz makes of a field that the grammar refuses, when it accepts the expression at all. */
function quartzMeaning(expression: string, texts: readonly CronText[], index: number): string | undefined {
  try {
    const meaning = formatFields(readAsQuartz(expression, texts))[index];
    if (meaning === '') return 'Quartz accepts it, and never fires.';
    return `Quartz reads it as '${meaning}': write that, or pass { lenient: true }.`;
  } catch {
    return undefined; // Quartz refuses it too
  }
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
  if (usesMonth)
    return (
      dayOfMonthRule(month, datesWithin(month, CRON_FIELDS.dayOfMonth)) ?? {
        kind: 'daysOfMonth',
        days: valuesOf(DAY_OF_MONTH),
      }
    );
  return dayOfWeekRule(week) ?? { kind: 'daysOfWeek', days: valuesOf(DAY_OF_WEEK) };
}

/** A list with `L` or `W` names what any of its items does, as in Quartz since 2.4. */
function dayOfMonthRule({ specialDays }: FieldReading, days: readonly number[]): DayRule | null {
  const rules: DayRule[] = days.length === 0 ? [...specialDays] : [{ kind: 'daysOfMonth', days }, ...specialDays];
  return rules.length > 1 ? { kind: 'anyOf', rules } : (specialDays[0] ?? null);
}

/** Beside `#` Quartz honours only the smallest value of a list, unchecked: 0 is Saturday, and above 7 it never fires. */
function dayOfWeekRule({ values, lastDayOfWeek, nth }: FieldReading): DayRule | null {
  const day = Math.min(...values) || 7;
  if (lastDayOfWeek) return { kind: 'lastDayOfWeek', day };
  if (nth === null) return null;
  return day > 7 ? { kind: 'daysOfWeek', days: [] } : { kind: 'nthDayOfWeek', day, nth };
}
