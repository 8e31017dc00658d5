import type { EpochMs } from '../../base/clock';
import { checkOptions } from '../check-options';
import { invalidArgument, timeOf } from '../check-text';
import type { TriggerKeyLike } from '../keys';
import { systemTimeZone } from '../time/system-time-zone';
import { type LocalMs, type TimeZone, timeZoneOf } from '../time/time-zone';
import { CRON_FIELDS } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import { type CronTable, compileCron, dateMatches } from './cron-table';
import { fireTimeAfter, fireTimeBefore, isFireTime, matchingUntil, noFireTimeAfter } from './fire-times';
import { formatFields } from './format-cron';
import { readAsQuartz } from './lenient-reading';
import { parseCron, spreadCron } from './parse-cron';
import { splitFields } from './split-cron';
import { spreadKey } from './spread';
import { toQuartzCron } from './unix-cron';

/** How a cron expression is read. */
export interface CronExpressionOptions {
  /** IANA zone whose wall clock the fields name; default: the zone of this process. */
  readonly timeZone?: string;
  /** Accept whatever Quartz accepts, with its meaning, as when reading stored rows; default false. */
  readonly lenient?: boolean;
  /** `unix`: five fields, or six with seconds, as crontab has them; default `quartz`. */
  readonly dialect?: 'quartz' | 'unix';
  /** The key of the trigger, or its name in the group DEFAULT, from which `H` is drawn; without it, `H` is refused. */
  readonly key?: TriggerKeyLike;
}

const OPTIONS = { timeZone: true, lenient: true, dialect: true, key: true } as const;

/** A parsed cron expression in a time zone: when it fires, and when it does not. Immutable. */
export class CronExpression {
  /** The expression in Quartz's dialect, upper case, fields separated by one blank, each `H` replaced by what was drawn. */
  readonly cronExpression: string;
  /** IANA name of the zone whose clock it is read by. */
  readonly timeZone: string;
  readonly #table: CronTable;
  readonly #zone: TimeZone;

  /** Throws CronSyntaxError (CRON_SYNTAX), or SchedulerError (UNKNOWN_TIME_ZONE). */
  constructor(expression: string, options: CronExpressionOptions = {}) {
    const { timeZone = systemTimeZone(), lenient = false } = checkOptions(options, OPTIONS);
    const quartz = plainCron(expression, options);
    this.#table = compileCron(parseCron(quartz, lenient));
    this.#zone = timeZoneOf(timeZone);
    this.timeZone = this.#zone.name;
    this.cronExpression = splitFields(quartz)
      .map((field) => field.text)
      .join(' ');
  }

  /** Whether `new CronExpression` would accept it. */
  static isValidExpression(expression: string, options: CronExpressionOptions = {}): boolean {
    try {
      CronExpression.validateExpression(expression, options);
      return true;
    } catch (error) {
      if (error instanceof CronSyntaxError) return false;
      throw error;
    }
  }

  /** Throws CronSyntaxError unless `new CronExpression` would accept it. */
  static validateExpression(expression: string, options: CronExpressionOptions = {}): void {
    // The zone does not matter here, and finding out the machine's own takes longer than all the rest.
    new CronExpression(expression, { ...options, timeZone: options.timeZone ?? 'UTC' });
  }

  /** The first fire time after `date`; null: none up to the end of 2130. Throws INVALID_ARGUMENT for what is no date. */
  getNextValidTimeAfter(date: Date): Date | null {
    return toDate(this.nextTimeAfter(timeOf(date, 'a valid Date')));
  }

  /** The last fire time before `date`; null: none since 1970. Throws INVALID_ARGUMENT for what is no date. */
  getTimeBefore(date: Date): Date | null {
    return toDate(this.timeBefore(timeOf(date, 'a valid Date')));
  }

  /** The first second after `date` that is not a fire time. Throws INVALID_ARGUMENT for what is no date. */
  getNextInvalidTimeAfter(date: Date): Date {
    return new Date(this.nextInvalidTimeAfter(timeOf(date, 'a valid Date')));
  }

  /** Whether the second that `at` lies in is a fire time. */
  isSatisfiedBy(at: Date | EpochMs): boolean {
    return isFireTime(this.#table, this.#zone, typeof at === 'number' ? at : timeOf(at, 'a valid Date'));
  }

  /** A time after `at` (epoch milliseconds), which satisfies the expression, up to which, exclusive, all others do too. */
  satisfiedUntil(at: EpochMs): EpochMs {
    return matchingUntil(this.#table, this.#zone, at);
  }

  /** Whether the expression names any time of a date on the wall clock. */
  matchesDate(date: LocalMs): boolean {
    return dateMatches(this.#table, date / 1000);
  }

  /** As `getNextValidTimeAfter`, in epoch milliseconds. */
  nextTimeAfter(after: EpochMs): EpochMs | null {
    return fireTimeAfter(this.#table, this.#zone, after);
  }

  /** As `getTimeBefore`, in epoch milliseconds. */
  timeBefore(before: EpochMs): EpochMs | null {
    return fireTimeBefore(this.#table, this.#zone, before);
  }

  /** As `getNextInvalidTimeAfter`, in epoch milliseconds. */
  nextInvalidTimeAfter(after: EpochMs): EpochMs {
    return noFireTimeAfter(this.#table, this.#zone, after);
  }

  /** The matching values field by field, one line each: `second: 0`, `minute: 0/5` … */
  getExpressionSummary(): string {
    const texts = formatFields(readAsQuartz(this.cronExpression));
    return Object.values(CRON_FIELDS)
      .map(({ name }, index) => `${name}: ${texts[index]}`)
      .join('\n');
  }

  /** The expression. */
  toString(): string {
    return this.cronExpression;
  }
}

/**
 * The expression in Quartz's dialect, with values drawn from the key in place of each `H`: what is stored. One in that dialect, without
 * `H`, is returned as it is, unchecked. Throws CronSyntaxError.
 */
export function plainCron(expression: string, options: Omit<CronExpressionOptions, 'timeZone'>): string {
  const { dialect = 'quartz', lenient = false, key } = options;
  switch (dialect) {
    case 'quartz':
      return key === undefined || lenient ? expression : spreadCron(expression, spreadKey(key));
    case 'unix':
      return toQuartzCron(expression, key === undefined ? {} : { key: spreadKey(key) });
    default:
      throw invalidArgument("the dialect 'quartz' or 'unix'", dialect);
  }
}

function toDate(time: EpochMs | null): Date | null {
  return time === null ? null : new Date(time);
}

/** Parsed expressions by how they are read, and by their text. */
const parsed = new Map<string, Map<string, CronExpression>>();
const MAX_PARSED = 10_000;
let parsedCount = 0;

/** The expression in that zone, parsed once and kept until 10,000 others are. Throws as `new CronExpression` does. */
export function cronExpressionOf(
  expression: string,
  timeZone: string,
  { lenient = false }: { readonly lenient?: boolean } = {},
): CronExpression {
  const reading = lenient ? `lenient ${timeZone}` : timeZone;
  const known = parsed.get(reading)?.get(expression);
  if (known !== undefined) return known;

  const created = new CronExpression(expression, { timeZone, lenient });
  if (parsedCount++ === MAX_PARSED) {
    parsed.clear();
    parsedCount = 1;
  }
  const alike = parsed.get(reading) ?? new Map<string, CronExpression>();
  parsed.set(reading, alike.set(expression, created));
  return created;
}
