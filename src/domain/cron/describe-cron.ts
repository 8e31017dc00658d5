import cronstrue from 'cronstrue';
import { checkOptions } from '../check-options';
import type { DayRule } from './day-rules';
import { formatDays, formatFields } from './format-cron';
import { parseCron } from './parse-cron';
import { splitFields } from './split-cron';

/** Options for describing an expression. */
export interface DescribeCronOptions {
  /** Accept whatever Quartz accepts; default false. */
  readonly lenient?: boolean;
}

/** Describes a Quartz cron expression as an English phrase: "At 12:00, Monday through Friday". Throws CronSyntaxError, unlike cronstrue. */
export function describeCron(expression: string, options: DescribeCronOptions = {}): string {
  const { lenient = false } = checkOptions(options, { lenient: true });
  const fields = parseCron(expression, lenient);
  // For lenient text, cronstrue would describe the junk too. For strict text, it describes 22-2 better than 0-2,22,23.
  const texts = lenient ? formatFields(fields) : splitFields(expression).map((field) => field.text);
  if (fields.years.length === 0) return 'Never';
  const { days } = fields;
  if (days.kind !== 'anyOf') return describeDays(texts, days);
  // cronstrue does not support lists with L or W.
  const [first = '', ...others] = days.rules.map((rule) =>
    describeDays(texts.with(DAY_OF_MONTH, formatDays(rule).dayOfMonth), rule),
  );
  return [first, ...others.map((each) => each.replace(/^./, (letter) => letter.toLowerCase()))].join('; ');
}

function describeDays(texts: readonly string[], days: DayRule): string {
  if (days.kind !== 'lastDay') return inWords(texts);
  const plain = formatDays({ ...days, nearestWeekday: days.nearestWeekday && days.offset === 0 }).dayOfMonth;
  const words = inWords(texts.with(DAY_OF_MONTH, plain));
  if (!days.nearestWeekday || days.offset === 0) return words;
  // cronstrue does not support L-nW.
  return words.replace(/\d+ days? before the last day of the month/, 'on the weekday nearest to $&');
}

const DAY_OF_MONTH = 3;

/** Removes leading zeros and replaces `/n` (short for any value, stepped), which cronstrue does not support. */
function inWords(texts: readonly string[]): string {
  const plain = texts.map((text) => text.replace(/\b0+(?=\d)/g, '').replace(/(^|,)\//g, '$1*/'));
  return cronstrue.toString(plain.join(' '), { dayOfWeekStartIndexZero: false, use24HourTimeFormat: true });
}
