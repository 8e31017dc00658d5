import { DAY_MS, type EpochMs } from '../../base/clock';
import { sharedClass } from '../../base/shared-class';
import { checkOptions, refuseUndefined } from '../check-options';
import { invalidArgument, timeOf } from '../check-text';
import type { TriggerKeyLike } from '../keys';
import { type ClockChanges, checkClockChanges, checkRules, DEFAULT_RULES, type Rules } from '../rules';
import { FIRST_YEAR } from '../time/months';
import { systemTimeZone } from '../time/system-time-zone';
import { type LocalMs, type TimeZone, timeZoneOf } from '../time/time-zone';
import { MAX_YEAR } from '../trigger';
import { CRON_FIELDS, FIELDS } from './cron-fields';
import { CronSyntaxError } from './cron-syntax-error';
import {
  type CronTable,
  compileCron,
  dateMatches,
  endOfRun,
  type LocalSeconds,
  matches,
  NO_MATCH,
  nextMatch,
  previousMatch,
  quartzStep,
} from './cron-table';
import { formatFields } from './format-cron';
import { lastBefore } from './last-before';
import { NaturalTimes } from './natural-times';
import { parseCron, spreadCron } from './parse-cron';
import { readAsQuartz } from './read-fields';
import { splitFields } from './split-cron';
import { spreadKey } from './spread';
import { toQuartzCron } from './unix-cron';

/*
 * Searches fire times in local time and converts the result to an instant. Unless `clockChanges` is `natural` (natural-times.ts):
 * - If a local time occurs twice (clocks set back), the later instant counts, so the first of the two hours never fires.
 * - If a local time is skipped (clocks set forward), it does not fire.
 * Under Quartz's rules, the result near a clock change also depends on where the search begins. From within the first of two equal hours, it continues
 * at the same local time of the second. Quartz advances one field after another. When a time that it reaches is in a gap, Quartz moves this time
 * forward by the length of the gap and continues there; `walk` repeats these steps.
 */

const HOURS = FIELDS.indexOf(CRON_FIELDS.hour);

const EARLIEST: EpochMs = Date.UTC(FIRST_YEAR, 0, 1) - 2 * DAY_MS;
const LATEST: EpochMs = Date.UTC(MAX_YEAR + 1, 0, 1) + 2 * DAY_MS;

/** Options of a cron expression. */
export interface CronExpressionOptions {
  /** IANA time zone in which the expression is evaluated. Default: the time zone of this process. */
  readonly timeZone?: string;
  /** Accept all expressions that Quartz accepts, with Quartz's meaning, as for stored rows. Default: false. */
  readonly lenient?: boolean;
  /** Dialect. `unix`: five fields as in crontab, or six with seconds. Default: `quartz`. */
  readonly dialect?: 'quartz' | 'unix';
  /** Key of the trigger, or its name in the group DEFAULT. The values of `H` are derived from a hash of this key; without a key, `H` is rejected. */
  readonly key?: TriggerKeyLike;
  /** Effect of clock changes: as in Quartz, or `natural`. Default: `quartz`. */
  readonly clockChanges?: ClockChanges;
  /** Rules of the scheduler (`scheduler.rules`). Default: `safe`. */
  readonly rules?: Rules;
}

const OPTIONS = { timeZone: true, lenient: true, dialect: true, key: true, clockChanges: true, rules: true } as const;

/** A parsed cron expression in a time zone. Immutable. */
export class CronExpression {
  static {
    sharedClass(CronExpression, 'CronExpression');
  }

  /** The expression in Quartz's dialect: upper case, fields separated by one space, each `H` replaced by its hashed value. */
  readonly cronExpression: string;
  /** IANA name of the time zone in which the expression is evaluated. */
  readonly timeZone: string;
  readonly #table: CronTable;
  readonly #zone: TimeZone;
  readonly #rules: Rules;
  /** Instants of matching local times under natural clock changes; null under Quartz's. */
  readonly #natural: NaturalTimes | null;

  /** Throws CronSyntaxError (CRON_SYNTAX), or SchedulerError (UNKNOWN_TIME_ZONE, or INVALID_ARGUMENT for invalid options). */
  constructor(expression: string, options: CronExpressionOptions = {}) {
    const { timeZone = systemTimeZone(), lenient = false } = checkOptions(options, OPTIONS);
    refuseUndefined(options, { timeZone: "the machine's time zone" });
    const { rules = DEFAULT_RULES, clockChanges = 'quartz' } = options;
    const quartz = plainCron(expression, options);
    this.#table = compileCron(parseCron(quartz, lenient), checkRules(rules));
    this.#rules = rules;
    this.#zone = timeZoneOf(timeZone);
    this.timeZone = this.#zone.name;
    const fields = splitFields(quartz).map((field) => field.text);
    this.cronExpression = fields.join(' ');
    const isNatural = checkClockChanges(clockChanges, 'the cron expression') === 'natural';
    this.#natural = isNatural ? new NaturalTimes(this.#table, this.#zone, fields[HOURS] ?? '') : null;
  }

  /** True if the constructor accepts the expression. Throws INVALID_ARGUMENT or UNKNOWN_TIME_ZONE if an option is invalid. */
  static isValidExpression(expression: string, options: CronExpressionOptions = {}): boolean {
    try {
      CronExpression.validateExpression(expression, options);
      return true;
    } catch (error) {
      if (error instanceof CronSyntaxError) return false;
      throw error;
    }
  }

  /** Throws CronSyntaxError if the constructor would reject the expression. Throws INVALID_ARGUMENT or UNKNOWN_TIME_ZONE if an option is invalid. */
  static validateExpression(expression: string, options: CronExpressionOptions = {}): void {
    // The time zone does not affect whether the expression is valid. Detecting the machine's time zone would take most of the time.
    new CronExpression(expression, { ...options, timeZone: options.timeZone ?? 'UTC' });
  }

  /** Returns the first fire time after `date`. Null if there is none up to the end of 2130. Throws INVALID_ARGUMENT if `date` is invalid. */
  getNextValidTimeAfter(date: Date): Date | null {
    return toDate(this.nextTimeAfter(timeOf(date, 'a valid Date')));
  }

  /** Returns the last fire time before `date`. Null if there is none since 1970. Throws INVALID_ARGUMENT if `date` is invalid. */
  getTimeBefore(date: Date): Date | null {
    return toDate(this.timeBefore(timeOf(date, 'a valid Date')));
  }

  /** Returns the first second after `date` that is not a fire time. Throws INVALID_ARGUMENT if `date` is invalid. */
  getNextInvalidTimeAfter(date: Date): Date {
    return new Date(this.nextInvalidTimeAfter(timeOf(date, 'a valid Date')));
  }

  /** True if the second that contains `at` is a fire time. Throws INVALID_ARGUMENT if `at` is an invalid Date. */
  isSatisfiedBy(at: Date | EpochMs): boolean {
    if (typeof at !== 'number') return this.isSatisfiedBy(timeOf(at, 'a valid Date'));
    if (!(at > EARLIEST && at < LATEST)) return false;
    // As in Quartz, if the clocks are set back and an hour occurs twice, both occurrences match.
    return matches(this.#table, this.#zone.localAt(Math.floor(at / 1000) * 1000) / 1000);
  }

  /** Returns a time later than `at`, before which all times from `at` on satisfy the expression. Requires that `at` satisfies it. */
  satisfiedUntil(at: EpochMs): EpochMs {
    const offset = this.#zone.offsetAt(at);
    const end = this.#zone.steadyUntil(at);
    let local = Math.floor((at + offset) / 1000);
    do local = endOfRun(this.#table, local) + 1;
    while (local * 1000 - offset < end && matches(this.#table, local));
    return Math.min(local * 1000 - offset, end);
  }

  /** True if the expression matches at least one time on a local date. */
  matchesDate(date: LocalMs): boolean {
    return dateMatches(this.#table, date / 1000);
  }

  /** Same as `getNextValidTimeAfter`, in epoch milliseconds. */
  nextTimeAfter(after: EpochMs): EpochMs | null {
    if (!(after < LATEST)) return null;
    const start = (Math.floor((after < EARLIEST ? EARLIEST : after) / 1000) + 1) * 1000;
    if (this.#natural !== null) return this.#natural.from(start);
    const span = this.#zone.spanAt(start);
    const isSafe = this.#rules === 'safe';
    // All local times of a repeated hour fire in its second pass. A search from within the first pass must therefore find all of them.
    const from = Math.ceil(((isSafe && start > span.stableUntil ? span.stableUntil : start) + span.offset) / 1000);
    const local = nextMatch(this.#table, from);
    if (local === NO_MATCH) return null;
    const instant = local * 1000 - span.offset;
    if (instant < span.stableUntil) return instant;
    return isSafe ? existing(this.#table, this.#zone, local) : acrossChange(this.#table, this.#zone, from, local);
  }

  /** Same as `getTimeBefore`, in epoch milliseconds. */
  timeBefore(before: EpochMs): EpochMs | null {
    if (!(before > EARLIEST)) return null;
    const end = Math.ceil(Math.min(before, LATEST) / 1000) * 1000;
    if (this.#natural !== null) return lastBefore((time) => this.nextTimeAfter(time), end, EARLIEST);
    let local = this.#zone.localAt(end) / 1000;
    for (;;) {
      local = previousMatch(this.#table, local);
      if (local === NO_MATCH) return null;
      const instant = this.#zone.instantOf(local * 1000);
      // Skips a local time in a gap, which has no instant. Also skips a local time that occurs twice if its instant is not before `before`.
      if (instant < end && this.#zone.localAt(instant) === local * 1000) return instant;
    }
  }

  /** Same as `getNextInvalidTimeAfter`, in epoch milliseconds. */
  nextInvalidTimeAfter(after: EpochMs): EpochMs {
    const second = Math.floor(after / 1000) * 1000;
    if (!(after > EARLIEST && after < LATEST)) return second + 1000;
    let last = this.#zone.instantOf(this.#zone.localAt(second));
    for (let next = this.nextTimeAfter(last); next === last + 1000; next = this.nextTimeAfter(last)) {
      const span = this.#zone.spanAt(next);
      const end = endOfRun(this.#table, (next + span.offset) / 1000) * 1000 - span.offset;
      const stable = Math.ceil(span.stableUntil / 1000) * 1000 - 1000;
      last = Math.max(next, Math.min(end, stable));
    }
    return last + 1000;
  }

  /** Returns the matching values of each field, one field per line, such as `minute: 0/5`. */
  getExpressionSummary(): string {
    const texts = formatFields(readAsQuartz(this.cronExpression));
    return Object.values(CRON_FIELDS)
      .map(({ name }, index) => `${name}: ${texts[index]}`)
      .join('\n');
  }

  /** Returns `cronExpression`. */
  toString(): string {
    return this.cronExpression;
  }
}

/**
 * Converts an expression to Quartz's dialect and replaces each `H` by a value hashed from the key. Stores contain expressions in this form. Without a
 * key, returns a Quartz expression unchanged and unchecked. Throws CronSyntaxError.
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

/** Returns the instant of the first matching local time from `local` on that is not in a gap. Null if there is none. */
function existing(table: CronTable, zone: TimeZone, local: LocalSeconds): EpochMs | null {
  for (let match = local; match !== NO_MATCH; ) {
    const instant = zone.instantOf(match * 1000);
    if (zone.localAt(instant) === match * 1000) return instant;
    match = nextMatch(table, Math.ceil(zone.localAt(zone.spanAt(instant).start) / 1000));
  }
  return null;
}

/** Returns the fire time for the matching local time `local`, which is after the next change of the UTC offset. Null if no time matches. */
function acrossChange(table: CronTable, zone: TimeZone, from: LocalSeconds, local: LocalSeconds): EpochMs | null {
  const instant = zone.instantOf(local * 1000);
  const span = zone.spanAt(instant);
  const gap = span.offset - zone.offsetAt(span.start - 1);
  // Quartz's steps lead to a different result only in the gap, or within one gap length after it.
  const untouched = instant - span.start >= gap || from * 1000 >= span.start + span.offset;
  return untouched ? instant : walk(table, zone, from);
}

/** Repeats Quartz's steps until a time matches. Moves each step that ends in a gap forward out of the gap. Null if no time matches. */
function walk(table: CronTable, zone: TimeZone, from: LocalSeconds): EpochMs | null {
  for (let local = from; ; ) {
    const visit = quartzStep(table, local);
    if (visit === NO_MATCH) return null;
    const instant = zone.instantOf(visit * 1000);
    if (visit === local) return instant;
    local = zone.localAt(instant) / 1000;
  }
}

function toDate(time: EpochMs | null): Date | null {
  return time === null ? null : new Date(time);
}

/** Cache of parsed expressions, by options, then by expression. */
const parsed = new Map<string, Map<string, CronExpression>>();
const MAX_PARSED = 10_000;
let parsedCount = 0;

/** Caches up to 10,000 expressions, and empties the cache when it is full. Throws the same errors as the constructor. */
export function cronExpressionOf(
  expression: string,
  timeZone: string,
  {
    lenient = false,
    rules = DEFAULT_RULES,
    clockChanges = 'quartz',
  }: Pick<CronExpressionOptions, 'lenient' | 'rules' | 'clockChanges'> = {},
): CronExpression {
  const natural = clockChanges === 'natural' ? 'natural ' : '';
  const reading = `${lenient ? 'lenient ' : ''}${rules === 'quartz' ? 'quartz ' : ''}${natural}${timeZone}`;
  const known = parsed.get(reading)?.get(expression);
  if (known !== undefined) return known;

  const created = new CronExpression(expression, { timeZone, lenient, rules, clockChanges });
  if (parsedCount++ === MAX_PARSED) {
    parsed.clear();
    parsedCount = 1;
  }
  const alike = parsed.get(reading) ?? new Map<string, CronExpression>();
  parsed.set(reading, alike.set(expression, created));
  return created;
}
