import type { EpochMs } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import { nearestName } from '../../base/nearest-name';
import { systemTimeZone } from '../time/system-time-zone';
import { type TimeZone, timeZoneOf } from '../time/time-zone';
import { MAX_TIME, MAX_YEAR } from '../trigger';
import type { Calendar, CalendarData } from './calendar';
import { describeField, expectField, InvalidCalendarError } from './invalid-calendar-error';

/** Options that every calendar's constructor takes. */
export interface CalendarOptions {
  /** Description for readers. Default: none. */
  readonly description?: string | null;
  /** IANA zone in which days and times of day are read. Default: the zone of this process. */
  readonly timeZone?: string | null;
  /** Another calendar, whose exclusions also hold. */
  readonly base?: Calendar | null;
}

const COMMON_FIELDS = ['description', 'timeZone', 'base'];

/** Checks constructor options for unknown fields, and returns them. Throws INVALID_CALENDAR. */
export function knownFields<Options extends object>(options: Options, own: readonly string[]): Options {
  const known = [...COMMON_FIELDS, ...own];
  for (const field of Object.keys(options ?? {})) {
    if (known.includes(field)) continue;
    const nearest = nearestName(field, known);
    const advice = nearest === null ? `known: ${known.join(', ')}` : `did you mean ${nearest}?`;
    expectField(false, options[field as keyof Options], [field], `a known field (${advice})`);
  }
  return options;
}

const MAX_CHAIN = 16;

/**
 * Maximum number of days, times or cron runs that one search may visit, over the whole chain. A single holiday calendar reaches 27 years ahead. The
 * longest search found by a test takes under 20 ms.
 */
const MAX_STEPS = 10_000;

/** Cron ends with the last day of the last year; in the easternmost zone that day begins on the day before. */
const LAST_SEARCHED = Date.UTC(MAX_YEAR, 11, 31);

/** Remaining budget of one search. Without it, a search of a chain that includes nothing would never end. */
export class SearchSteps {
  #left = MAX_STEPS;

  /** Spends the cost of checking `time` in a chain of `depth` calendars. False if the budget is used up and the search has to stop. */
  mayLookAt(time: EpochMs, depth: number): boolean {
    this.#left -= depth;
    return this.#left >= 0 && time < LAST_SEARCHED;
  }
}

/**
 * Base class of all calendars: description, zone, and base calendar. Immutable. Subclasses decide which times they include and how to search; this
 * class handles the chain.
 */
export abstract class ChainedCalendar implements Calendar {
  /** Description for readers; null: none. */
  readonly description: string | null;
  /** IANA name of the zone. */
  readonly timeZone: string;
  /** A calendar whose excluded times are excluded here, too; null: none. */
  readonly base: Calendar | null;
  /** The zone in which days begin. */
  protected readonly zone: TimeZone;
  /** Number of calendars in the chain, including this one; at most 16. */
  protected readonly depth: number;

  constructor(options: CalendarOptions = {}) {
    expectField(
      typeof options === 'object' && options !== null,
      options,
      [],
      'an object with the fields of a calendar',
    );
    const { description = null, timeZone = null, base = null } = options;
    expectField(description === null || typeof description === 'string', description, ['description'], 'a string');
    expectField(base === null || isCalendar(base), base, ['base'], 'a calendar');
    this.description = description;
    this.zone = zoneOf(timeZone ?? systemTimeZone());
    this.timeZone = this.zone.name;
    this.base = base;
    this.depth = base instanceof ChainedCalendar ? base.depth + 1 : base === null ? 1 : 2;
    expectField(this.depth <= MAX_CHAIN, base, ['base'], `a chain of at most ${MAX_CHAIN} calendars`);
  }

  /** False at times this calendar or one below it excludes. Throws INVALID_ARGUMENT unless `time` is an instant. */
  isIncluded(time: EpochMs): boolean {
    this.checkTime(time);
    return (this.base === null || this.base.isIncluded(time)) && this.includes(time);
  }

  /**
   * Returns the next included time, or null if a bounded search before the end of 2130 finds none. Same results as Quartz: only daily and cron
   * calendars return a strictly later time, and only annual, daily and cron calendars check the result against their base. Throws INVALID_ARGUMENT
   * unless `time` is an instant.
   */
  nextIncludedTime(time: EpochMs): EpochMs | null {
    return this.#nextIncluded(time, new SearchSteps());
  }

  /**
   * Returns a time after `time`, but not after the next included time. Unlike `nextIncludedTime`, which follows Quartz, it skips no time that any
   * calendar of the chain includes. Throws INVALID_ARGUMENT unless `time` is an instant.
   */
  nextPossiblyIncludedTime(time: EpochMs): EpochMs | null {
    this.checkTime(time);
    const own = this.includes(time) ? time + 1 : this.excludedUntil(time);
    if (this.base === null || this.base.isIncluded(time)) return own;
    const inBase = nextPossiblyIncluded(this.base, time);
    return inBase === null ? null : Math.max(own, inBase);
  }

  /** Returns a text that is equal for two UTC days, given by their first instants, if the calendar includes the same times of both. Null: unknown. */
  dayShape(day: EpochMs): string | null {
    if (this.base === null) return this.ownDayShape(day);
    const inBase = shapeOfDay(this.base, day);
    return inBase === null ? null : `${this.ownDayShape(day)};${inBase}`;
  }

  abstract toJSON(): CalendarData;

  /** True if this calendar, without its base, includes the time. */
  protected abstract includes(time: EpochMs): boolean;

  /** Returns a later time up to which (exclusive) this calendar, without its base, excludes every time. The calendar must exclude `time`. */
  protected abstract excludedUntil(time: EpochMs): EpochMs;

  /** Returns the `dayShape` of this calendar without its base. */
  protected abstract ownDayShape(day: EpochMs): string;

  /** Finds the next included time within the remaining budget; by default the first included time after `time`. */
  protected search(time: EpochMs, steps: SearchSteps): EpochMs | null {
    let next: EpochMs | null = time + 1;
    while (next !== null && steps.mayLookAt(next, this.depth)) {
      if (this.isIncluded(next)) return next;
      next = this.includes(next) ? this.nextIncludedInBase(next, steps) : this.excludedUntil(next);
    }
    return null;
  }

  /** Quartz's rule for every type except daily and cron: times up to 1970-01-01T00:00Z are refused. */
  protected checkTime(time: EpochMs): void {
    checkInstant(time);
    if (time <= 0) throw invalidTime(time, 'a time after 1970-01-01T00:00:00Z');
  }

  /** Returns the next included time of the base, or `time` itself if there is no base. */
  protected nextIncludedInBase(time: EpochMs, steps: SearchSteps): EpochMs | null {
    if (this.base === null) return time;
    return this.base instanceof ChainedCalendar
      ? this.base.#nextIncluded(time, steps)
      : this.base.nextIncludedTime(time);
  }

  /** Returns the fields that every calendar's JSON form has. */
  protected common(): Pick<CalendarData, 'description' | 'timeZone' | 'base'> {
    return { description: this.description, timeZone: this.timeZone, base: this.base?.toJSON() ?? null };
  }

  #nextIncluded(time: EpochMs, steps: SearchSteps): EpochMs | null {
    this.checkTime(time);
    return this.search(time, steps);
  }
}

/** Returns a time after `time`, but not after the next time that the calendar includes. Works for any calendar. */
export function nextPossiblyIncluded(calendar: Calendar, time: EpochMs): EpochMs | null {
  if (calendar.nextPossiblyIncludedTime !== undefined) return calendar.nextPossiblyIncludedTime(time);
  const next = calendar.nextIncludedTime(time);
  return next === null ? null : Math.max(time + 1, next);
}

/** Returns the `dayShape` of any calendar, or null if it has none. */
export function shapeOfDay(calendar: Calendar, day: EpochMs): string | null {
  return calendar instanceof ChainedCalendar ? calendar.dayShape(day) : null;
}

/** Throws INVALID_ARGUMENT unless the value is an instant that a Date can hold. */
export function checkInstant(time: EpochMs): void {
  if (typeof time !== 'number' || !(Math.abs(time) <= MAX_TIME)) {
    throw invalidTime(time, 'a time in epoch milliseconds (date.getTime())');
  }
}

function invalidTime(time: unknown, expected: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', `Expected ${expected}, found ${describeField(time)}.`);
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
