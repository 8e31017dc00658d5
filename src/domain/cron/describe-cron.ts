import { checkOptions } from '../check-options';
import { DAY_OF_MONTH } from './cron-fields';
import type { DayRule } from './day-rules';
import { formatDays, formatFields } from './format-cron';
import { parseCron } from './parse-cron';
import { splitFields } from './split-cron';

/** Options of `describeCron`. */
export interface DescribeCronOptions {
  /** Accept all expressions that Quartz accepts. Default: false. */
  readonly lenient?: boolean;
}

/** Describes a Quartz cron expression in English, such as "At 12:00, Monday through Friday". Throws CronSyntaxError for an invalid expression. */
export function describeCron(expression: string, options: DescribeCronOptions = {}): string {
  const { lenient = false } = checkOptions(options, { lenient: true });
  const fields = parseCron(expression, lenient);
  // For a lenient expression, passes newly formatted fields, because cronstrue would also describe text that Quartz ignores. A strict expression is
  // passed as written, because cronstrue describes `22-2` better than `0-2,22,23`.
  const texts = lenient ? formatFields(fields) : splitFields(expression).map((field) => field.text);
  if (fields.years.length === 0) return 'Never';
  const { days } = fields;
  if (days.kind !== 'anyOf') return describeDays(texts, days);
  // cronstrue does not support lists that contain `L` or `W`.
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
  // cronstrue does not support `L-nW`.
  return words.replace(/\d+ days? before the last day of the month/, 'on the weekday nearest to $&');
}

/** Loads cronstrue when the first expression is described. `require`, because an expression is described without waiting. */
const loadWords = () => require('cronstrue') as typeof import('cronstrue');

/** Describes the fields. First removes leading zeros and adds `*` before a leading `/n`, because cronstrue supports neither form. */
function inWords(texts: readonly string[]): string {
  const plain = texts.map((text) => text.replace(/\b0+(?=\d)/g, '').replace(/(^|,)\//g, '$1*/'));
  return loadWords().toString(plain.join(' '), { dayOfWeekStartIndexZero: false, use24HourTimeFormat: true });
}
