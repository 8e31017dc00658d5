import cronstrue from 'cronstrue';
import { toError } from '../../base/errors';
import { formatFields } from './format-cron';
import { parseCron } from './parse-cron';

/** How to describe an expression. */
export interface DescribeCronOptions {
  /** Accept whatever Quartz accepts; default false. */
  readonly lenient?: boolean;
}

/**
 * What a Quartz cron expression says, as an English phrase: "At 12:00, Monday through Friday".
 * Throws CronSyntaxError, because cronstrue would describe nonsense too.
 */
export function describeCron(expression: string, { lenient = false }: DescribeCronOptions = {}): string {
  const fields = parseCron(expression, lenient);
  // Lenient text may hold junk that cronstrue would put into words; what Quartz makes of it does not.
  const text = lenient ? formatFields(fields).join(' ') : expression.trim().toUpperCase();
  try {
    return cronstrue.toString(text, {
      dayOfWeekStartIndexZero: false,
      use24HourTimeFormat: true,
      throwExceptionOnParseError: true,
    });
  } catch (error) {
    return `${text} (${toError(error).message})`;
  }
}
