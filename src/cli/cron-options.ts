import { type Command, InvalidArgumentError, Option } from 'commander';
import { DateTime } from 'luxon';
import { type EpochMs, SystemClock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { nearestTimeZone } from '../config/nearest-name';
import type { CronExpression } from '../domain/cron/cron-expression';
import { luxonNameOf } from '../domain/time/zone-name';
import { CommandFailure } from './exit-codes';

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

/** Where a list of fire times begins. */
export interface FromOption {
  readonly from?: string;
}

export const FROM_OPTION = ['--from <time>', 'fire times after this instant, ISO-8601 (default: now)'] as const;

/** That instant; a time without an offset is read in the zone. Throws CommandFailure. */
export function readFrom({ from }: FromOption, timeZone: string): EpochMs {
  if (from === undefined) return new SystemClock().now();
  const time = DateTime.fromISO(from, { zone: luxonNameOf(timeZone) }).toMillis();
  if (Number.isFinite(time)) return time;
  throw new CommandFailure(
    'USAGE',
    `Expected an ISO-8601 time such as 2027-01-31T08:00 or 2027-01-31T08:00Z as --from, found '${from}'.`,
  );
}

/** Reads an option that is a whole number within bounds. */
export function wholeNumberOption(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${minimum} to ${maximum}.`);
  };
}
