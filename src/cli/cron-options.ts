import { type Command, InvalidArgumentError, Option } from 'commander';
import { SchedulerError } from '../base/errors';
import { nearestTimeZone } from '../config/nearest-time-zone';
import type { CronExpression } from '../domain/cron/cron-expression';

/** What every `cron` command can be told about its expression. */
export interface CronOptions {
  readonly tz?: string;
  readonly dialect: 'quartz' | 'unix';
  readonly lenient?: boolean;
  readonly json?: boolean;
}

/** Adds the options of `CronOptions` to a command, and its argument. */
export function withCronOptions(command: Command): Command {
  return command
    .argument('<expression>', "the expression, in quotes: '0 0 6 ? * MON-FRI'")
    .option('--tz <zone>', "IANA time zone (default: the machine's)")
    .addOption(new Option('--dialect <dialect>', 'how to read it').choices(['quartz', 'unix']).default('quartz'))
    .option('--lenient', 'accept whatever Java Quartz accepts, with its meaning')
    .option('--json', 'print JSON');
}

/** The expression as those options say. Throws CRON_SYNTAX or UNKNOWN_TIME_ZONE. */
export async function readCron(expression: string, options: CronOptions): Promise<CronExpression> {
  const { CronExpression } = await import('../domain/cron/cron-expression');
  const { tz, dialect, lenient = false } = options;
  try {
    return new CronExpression(expression, { dialect, lenient, ...(tz === undefined ? {} : { timeZone: tz }) });
  } catch (error) {
    if (!(error instanceof SchedulerError) || error.code !== 'UNKNOWN_TIME_ZONE') throw error;
    const nearest = nearestTimeZone(tz ?? '');
    throw nearest === null ? error : new SchedulerError(error.code, `${error.message} Did you mean '${nearest}'?`);
  }
}

/** Reads an option that is a whole number within bounds. */
export function wholeNumberOption(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${minimum} to ${maximum}.`);
  };
}
