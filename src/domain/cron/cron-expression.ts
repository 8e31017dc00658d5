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

/** Options for reading a cron expression. */
export interface CronExpressionOptions {
  /** IANA zone in which the fields are read; default: the zone of this process. */
  readonly timeZone?: string;
  /** Accept whatever Quartz accepts, with its meaning, as when reading stored rows; default false. */
  readonly lenient?: boolean;
  /** `unix`: five fields, or six with seconds, as crontab has them; default `quartz`. */
  readonly dialect?: 'quartz' | 'unix';
  /** The key of the trigger, or its name in the group DEFAULT, from which `H` is drawn; without it, `H` is refused. */
  readonly key?: TriggerKeyLike;
}

const OPTIONS = { timeZone: true, lenient: true, dialect: true, key: true } as const;

/** A parsed cron expression in a time zone. Immutable. */
export class CronExpression {
  /** The expression in Quartz's dialect, upper case, with fields separated by one blank and each `H` replaced by its drawn value. */
  readonly cronExpression: string;
  /** IANA name of the zone in which the expression is read. */
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

  /** True if `new CronExpression` would accept the expression. */
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
    // The zone does not matter here, and detecting the machine's zone takes longer than everything else.
    new CronExpression(expression, { ...options, timeZone: options.timeZone ?? 'UTC' });
  }

  /**
   * Returns the first fire time after `date`, or null if there is none up to the end of 2130. Throws INVALID_ARGUMENT unless `date` is a valid date.
   */
  getNextValidTimeAfter(date: Date): Date | null {
    return toDate(this.nextTimeAfter(timeOf(date, 'a valid Date')));
  }

  /** Returns the last fire time before `date`, or null if there is none since 1970. Throws INVALID_ARGUMENT unless `date` is a valid date. */
  getTimeBefore(date: Date): Date | null {
    return toDate(this.timeBefore(timeOf(date, 'a valid Date')));
  }

  /** Returns the first second after `date` that is not a fire time. Throws INVALID_ARGUMENT unless `date` is a valid date. */
  getNextInvalidTimeAfter(date: Date): Date {
    return new Date(this.nextInvalidTimeAfter(timeOf(date, 'a valid Date')));
  }

  /** True if the second that contains `at` is a fire time. */
  isSatisfiedBy(at: Date | EpochMs): boolean {
    return isFireTime(this.#table, this.#zone, typeof at === 'number' ? at : timeOf(at, 'a valid Date'));
  }

  /** Returns a later time up to which (exclusive) all times satisfy the expression. Epoch milliseconds. `at` must satisfy it. */
  satisfiedUntil(at: EpochMs): EpochMs {
    return matchingUntil(this.#table, this.#zone, at);
  }

  /** True if the expression matches any time of a wall-clock date. */
  matchesDate(date: LocalMs): boolean {
    return dateMatches(this.#table, date / 1000);
  }

  /** Same as `getNextValidTimeAfter`, in epoch milliseconds. */
  nextTimeAfter(after: EpochMs): EpochMs | null {
    return fireTimeAfter(this.#table, this.#zone, after);
  }

  /** Same as `getTimeBefore`, in epoch milliseconds. */
  timeBefore(before: EpochMs): EpochMs | null {
    return fireTimeBefore(this.#table, this.#zone, before);
  }

  /** Same as `getNextInvalidTimeAfter`, in epoch milliseconds. */
  nextInvalidTimeAfter(after: EpochMs): EpochMs {
    return noFireTimeAfter(this.#table, this.#zone, after);
  }

  /** Returns the matching values field by field, one line each: `second: 0`, `minute: 0/5` … */
  getExpressionSummary(): string {
    const texts = formatFields(readAsQuartz(this.cronExpression));
    return Object.values(CRON_FIELDS)
      .map(({ name }, index) => `${name}: ${texts[index]}`)
      .join('\n');
  }

  /** Returns the expression. */
  toString(): string {
    return this.cronExpression;
  }
}

/**
 * Returns the expression in Quartz's dialect, with each `H` replaced by a value drawn from the key. Stores keep this form. A Quartz expression
 * without `H` is returned unchanged and unchecked. Throws CronSyntaxError.
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

/** Parsed expressions by reading options, then by text. */
const parsed = new Map<string, Map<string, CronExpression>>();
const MAX_PARSED = 10_000;
let parsedCount = 0;

/** Returns the expression in that zone. It is parsed once and cached until 10,000 others are. Throws as `new CronExpression` does. */
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
