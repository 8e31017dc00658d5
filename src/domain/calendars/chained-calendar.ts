import { type EpochMs, MAX_TIME } from '../../base/clock';
import { badArgument, type SchedulerError } from '../../base/errors';
import { nearestName } from '../../base/nearest-name';
import type { Rules } from '../rules';
import { systemTimeZone } from '../time/system-time-zone';
import { type TimeZone, timeZoneOf } from '../time/time-zone';
import { MAX_YEAR } from '../trigger';
import type { Calendar, CalendarData } from './calendar';
import { describeField, expectField, InvalidCalendarError } from './invalid-calendar-error';

/** Constructor options that all calendars share. */
export interface CalendarOptions {
  /** Human-readable description. Default: none. */
  readonly description?: string | null;
  /** IANA time zone of the calendar's days and times of day. Default: the time zone of this process. */
  readonly timeZone?: string | null;
  /** Base calendar, whose exclusions also apply. Default: none. */
  readonly base?: Calendar | null;
}

const COMMON_FIELDS = ['description', 'timeZone', 'base'];

/**
 * Returns the constructor options unchanged. Throws INVALID_CALENDAR if they contain an unknown field, or are no object, such as the arguments of
 * Quartz's constructors. `example` shows the options.
 */
export function knownFields<Options extends object>(
  options: Options,
  own: readonly string[],
  example: string,
): Options {
  const isObject =
    options === undefined || (typeof options === 'object' && options !== null && !Array.isArray(options));
  expectField(isObject, options, [], `an object such as ${example}`);
  const known = [...COMMON_FIELDS, ...own];
  for (const field of Object.keys(options ?? {})) {
    if (known.includes(field)) continue;
    const nearest = nearestName(field, known);
    const advice = nearest === null ? `known: ${known.join(', ')}` : `did you mean ${nearest}?`;
    const expected = `a known field (${advice})`;
    throw new InvalidCalendarError({ path: [field], expected, found: describeField(field) });
  }
  return options;
}

const MAX_CHAIN = 16;

/** Each day, time or range of cron seconds that a search visits costs one per calendar in the chain. Enough for one holiday calendar and 27 years. */
const MAX_STEPS = 10_000;

/** Exclusive end of searches: ten hours later, the easternmost zones (UTC+14) enter the year after the last year that cron expressions cover. */
const LAST_SEARCHED = Date.UTC(MAX_YEAR, 11, 31);

/** Remaining steps of one search. Without a limit, the search of a chain that excludes every time would never end. */
export class SearchSteps {
  #left = MAX_STEPS;

  /** Deducts the cost of checking `time` in a chain of `depth` calendars. Returns false if the limit is exceeded or `time` is too late. */
  mayCheck(time: EpochMs, depth: number): boolean {
    this.#left -= depth;
    return this.#left >= 0 && time < LAST_SEARCHED;
  }
}

/** Base class of all calendars, which also applies the exclusions of the base calendar. Subclasses define which times they include. Immutable. */
export abstract class ChainedCalendar implements Calendar {
  /** Human-readable description; null: none. */
  readonly description: string | null;
  /** IANA name of the time zone. */
  readonly timeZone: string;
  /** Base calendar, whose exclusions also apply; null: none. */
  readonly base: Calendar | null;
  /** Time zone of the calendar's days. */
  protected readonly zone: TimeZone;
  /** Number of calendars in the chain, including this calendar. At most 16. */
  protected readonly depth: number;

  constructor(options: CalendarOptions = {}) {
    const { description = null, timeZone = null, base = null } = options;
    expectField(description === null || typeof description === 'string', description, ['description'], 'a string');
    expectField(base === null || isCalendar(base), base, ['base'], 'a calendar');
    this.description = description;
    this.zone = zoneOf(timeZone ?? systemTimeZone());
    this.timeZone = this.zone.name;
    this.base = base;
    this.depth = base instanceof ChainedCalendar ? base.depth + 1 : base === null ? 1 : 2;
    if (this.depth > MAX_CHAIN) {
      const expected = `a chain of at most ${MAX_CHAIN} calendars`;
      throw new InvalidCalendarError({ path: ['base'], expected, found: `a chain of ${this.depth}` });
    }
  }

  /** Returns false if this calendar or a base calendar in its chain excludes `time`. Throws INVALID_ARGUMENT if `time` is invalid. */
  isIncluded(time: EpochMs): boolean {
    this.checkTime(time);
    return (this.base === null || this.base.isIncluded(time)) && this.includes(time);
  }

  /**
   * Returns the next included time, or null if the search reaches its limit or the end of 2130. Results match Quartz: only daily and cron calendars
   * always return a time later than `time`. Weekly and monthly calendars do not check the result against their base. Throws INVALID_ARGUMENT if
   * `time` is invalid.
   */
  nextIncludedTime(time: EpochMs): EpochMs | null {
    return this.#nextIncluded(time, new SearchSteps());
  }

  /**
   * Returns a time later than `time` and not after the next included time. Unlike `nextIncludedTime`, which follows Quartz, this method never skips
   * an included time. Throws INVALID_ARGUMENT if `time` is invalid.
   */
  nextPossiblyIncludedTime(time: EpochMs): EpochMs | null {
    this.checkTime(time);
    const own = this.includes(time) ? time + 1 : this.excludedUntil(time);
    if (this.base === null || this.base.isIncluded(time)) return own;
    const inBase = nextPossiblyIncluded(this.base, time);
    return inBase === null ? null : Math.max(own, inBase);
  }

  /** String that is equal for UTC days with the same included times. `day`: first instant of the day. Null if the base calendar is not built in. */
  dayShape(day: EpochMs): string | null {
    if (this.base === null) return this.ownDayShape(day);
    const inBase = shapeOfDay(this.base, day);
    return inBase === null ? null : `${this.ownDayShape(day)};${inBase}`;
  }

  abstract toJSON(): CalendarData;

  /** True if this calendar includes the time, regardless of its base calendar. */
  protected abstract includes(time: EpochMs): boolean;

  /** Returns the exclusive end of a period from `time` on that this calendar, without its base, excludes. Requires that it excludes `time`. */
  protected abstract excludedUntil(time: EpochMs): EpochMs;

  /** Returns the string that `dayShape` would return if this calendar had no base calendar. */
  protected abstract ownDayShape(day: EpochMs): string;

  /** Returns the next included time, or null when the search reaches its limit. This default implementation starts after `time`. */
  protected search(time: EpochMs, steps: SearchSteps): EpochMs | null {
    let next: EpochMs | null = time + 1;
    while (next !== null && steps.mayCheck(next, this.depth)) {
      if (this.isIncluded(next)) return next;
      next = this.includes(next) ? this.nextIncludedInBase(next, steps) : this.excludedUntil(next);
    }
    return null;
  }

  /** Rejects times up to 1970-01-01T00:00Z, as Quartz does in every calendar type except daily and cron. Throws INVALID_ARGUMENT. */
  protected checkTime(time: EpochMs): void {
    checkInstant(time);
    if (time <= 0) throw invalidTime(time, 'a time after 1970-01-01T00:00:00Z');
  }

  /** Returns the base calendar's next included time, or `time` if there is no base calendar. */
  protected nextIncludedInBase(time: EpochMs, steps: SearchSteps): EpochMs | null {
    if (this.base === null) return time;
    return this.base instanceof ChainedCalendar
      ? this.base.#nextIncluded(time, steps)
      : this.base.nextIncludedTime(time);
  }

  /** Returns the fields that all calendar types share in JSON. */
  protected common(): Pick<CalendarData, 'description' | 'timeZone' | 'base'> {
    return { description: this.description, timeZone: this.timeZone, base: this.base?.toJSON() ?? null };
  }

  #nextIncluded(time: EpochMs, steps: SearchSteps): EpochMs | null {
    this.checkTime(time);
    return this.search(time, steps);
  }
}

/** Returns a time later than `time` and not after the calendar's next included time, or null. Works with any calendar implementation. */
export function nextPossiblyIncluded(calendar: Calendar, time: EpochMs): EpochMs | null {
  if (calendar.nextPossiblyIncludedTime !== undefined) return calendar.nextPossiblyIncludedTime(time);
  const next = calendar.nextIncludedTime(time);
  return next === null ? null : Math.max(time + 1, next);
}

/** Returns the calendar's `dayShape`; null for a calendar that is not built in. */
export function shapeOfDay(calendar: Calendar, day: EpochMs): string | null {
  return calendar instanceof ChainedCalendar ? calendar.dayShape(day) : null;
}

/** Throws INVALID_ARGUMENT if `time` is not a number of epoch milliseconds that a Date can represent. */
export function checkInstant(time: EpochMs): void {
  if (typeof time !== 'number' || !(Math.abs(time) <= MAX_TIME)) {
    throw invalidTime(time, 'a time in epoch milliseconds (date.getTime())');
  }
}

function invalidTime(time: unknown, expected: string): SchedulerError {
  return badArgument(`Expected ${expected}, found ${describeField(time)}.`);
}

/** Returns the rules option of a calendar. Throws INVALID_CALENDAR. */
export function readRules(rules: unknown): Rules {
  expectField(rules === 'safe' || rules === 'quartz', rules, ['rules'], "'safe' or 'quartz'");
  return rules;
}

function isCalendar(value: unknown): boolean {
  const calendar = value as Partial<Calendar>;
  return typeof calendar.isIncluded === 'function' && typeof calendar.toJSON === 'function';
}

function zoneOf(name: string): TimeZone {
  try {
    return timeZoneOf(name);
  } catch (cause) {
    const expected = 'an IANA time zone such as Europe/Berlin, or an offset such as GMT+08:00';
    throw new InvalidCalendarError({ path: ['timeZone'], expected, found: describeField(name) }, { cause });
  }
}
