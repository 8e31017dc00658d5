import { checkOptions } from '../check-options';
import { DEFAULT_RULES } from '../rules';
import { type CronExpressionOptions, plainCron } from './cron-expression';
import type { CronFields } from './cron-fields';
import { compileCron, NO_MATCH, nextMatch } from './cron-table';
import { isEveryYear, monthWords, ruleWords, yearWords } from './date-words';
import { parseCron } from './parse-cron';
import { timeWords } from './time-words';

/** Options of `describeCron`. */
export type DescribeCronOptions = Omit<CronExpressionOptions, 'timeZone' | 'rules' | 'clockChanges'>;

/** Returns an expression in English, such as "At 12:00, Monday to Friday". Throws CronSyntaxError for an invalid expression. */
export function describeCron(expression: string, options: DescribeCronOptions = {}): string {
  const given = checkOptions(options, { lenient: true, dialect: true, key: true });
  const fields = parseCron(plainCron(expression, given), given.lenient ?? false);
  return fieldsInWords(fields);
}

/** Describes parsed fields, so that the words cannot differ from the fire times, however the expression is written. */
function fieldsInWords(fields: CronFields): string {
  const { seconds, minutes, hours, days, months, years } = fields;
  if (nextMatch(compileCron(fields, DEFAULT_RULES), 0) === NO_MATCH) return 'Never';
  const parts = [
    timeWords(seconds, minutes, hours),
    ruleWords(days),
    monthWords(months),
    isEveryYear(years) ? '' : yearWords(years),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
