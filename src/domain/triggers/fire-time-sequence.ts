import type { EpochMs } from '../../base/clock';
import { atOnce, type Steps } from '../../base/steps';
import type { Calendar } from '../calendars/calendar';
import { nextPossiblyIncluded, shapeOfDay } from '../calendars/chained-calendar';
import { EmptyDays } from '../time/day-shape';
import type { TimeZone } from '../time/time-zone';
import { MAX_YEAR } from '../trigger';

/** End of all fire times. */
export const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/**
 * The fire times of a trigger, for searches that skip many of them. As in Quartz they are defined by repeated calls of `after`. Near clock changes,
 * the first time decides which times follow.
 */
export interface FireTimeSequence {
  /** Returns the fire time after another one, or null if there is none. */
  after(time: EpochMs): EpochMs | null;
  /** Returns a fire time among the times that follow `time`: the first at or after `bound`, or an earlier one. Null if none is left. */
  leap(time: EpochMs, bound: EpochMs): EpochMs | null;
  /** Returns a text that is equal for two UTC days, given by their first instants, if the trigger fires at the same times of both. Null: unknown. */
  dayShape(day: EpochMs): string | null;
}

type FireTimeAfter = (after: EpochMs) => EpochMs | null;

const DAY_MS = 86_400_000;

/** Returns the sequence of fire times that are `interval` milliseconds apart, regardless of clock changes. */
export function evenSequence(after: FireTimeAfter, startTime: EpochMs, interval: number): FireTimeSequence {
  return {
    after,
    leap: (time, bound) => after(Math.max(time, bound - 1)),
    dayShape: (day) => String((day - startTime) % interval),
  };
}

/** Sequence of fire times that depend on the ones before them, so none can be skipped. */
export function walkedSequence(after: FireTimeAfter): FireTimeSequence {
  const leap = (time: EpochMs, bound: EpochMs) => {
    let next = after(time);
    while (next !== null && next < bound) next = after(next);
    return next;
  };
  return { after, leap, dayShape: () => null };
}

interface WallClockFireTimes extends Pick<FireTimeSequence, 'after' | 'dayShape'> {
  readonly zone: TimeZone;
  /** End time, near which `after` depends on its starting point; null if there is none. */
  readonly endTime: EpochMs | null;
  /** Returns the time after a clock change for which `after` also depends on its starting point. Milliseconds, at most `MAX_UNSETTLED_MS`. */
  unsettledAfter(change: EpochMs): number;
}

/** Upper bound of `unsettledAfter`. No trigger searches further ahead than the same day of the next week. */
export const MAX_UNSETTLED_MS = 9 * DAY_MS;

/**
 * Sequence of fire times on a wall clock, where `after` gives the same times from any starting point while the offset stays. A leap therefore lands
 * between two clock changes, and so does the fire time that it finds.
 */
export function wallClockSequence(fireTimes: WallClockFireTimes): FireTimeSequence {
  const { zone, endTime, after } = fireTimes;
  const leap = (time: EpochMs, bound: EpochMs) => {
    const target = endTime === null ? bound - 1 : Math.min(bound - 1, endTime - 2 * DAY_MS);
    for (let back = 0; target - back > time; back = back * 2 || 1_000) {
      const from = awayFromChange(fireTimes, target - back);
      if (from <= time) break;
      const next = after(from);
      if (next === null && endTime === null) return null;
      if (next !== null && next < zone.spanAt(from).settledUntil && (endTime === null || next <= endTime)) return next;
    }
    return after(time);
  };
  return { after, leap, dayShape: fireTimes.dayShape };
}

/** Returns the last instant up to `time` that is in no gap, in no overlap, and not in the unsettled time after one. */
function awayFromChange(fireTimes: WallClockFireTimes, time: EpochMs): EpochMs {
  const { zone } = fireTimes;
  const settled = Math.min(time, zone.spanAt(time).settledUntil - 1);
  for (let span = zone.spanAt(settled); settled < span.start + MAX_UNSETTLED_MS; ) {
    const before = zone.spanAt(span.start - 1);
    const isChange = before.offset !== span.offset;
    const unsettled = Math.max(
      Math.abs(span.offset - before.offset),
      isChange ? fireTimes.unsettledAfter(span.start) : 0,
    );
    if (settled < span.start + unsettled) return awayFromChange(fireTimes, span.start - 1);
    span = before;
  }
  return settled;
}

/*
 * A search skips a fire time only if it is proven to be excluded: by the calendar, which knows until when it includes nothing, or because a
 * day of the same shape had no included fire time. The result is therefore the same as that of a walk from one fire time to the next, and
 * the search ends with the last year (ADR 0018).
 */

/** End of searches. Cron ends with the last day of the last year, which begins a day earlier in the easternmost zone. */
const LAST_SEARCHED = Date.UTC(MAX_YEAR, 11, 31) - 1;

/** Number of refusals after which a search remembers empty days. For fewer, that costs more than it saves. */
const FEW_REFUSALS = 50;

/** Number of refusals after which the calendar is searched alone, because it may include nothing at all, second by second. */
const MANY_REFUSALS = 2_000;

/** Number of steps that the calendar may take ahead of the trigger before that: a hundred years of whole days, or a few minutes of seconds. */
const FEW_STEPS = 200;

/** Number of refused fire times that are skipped in Quartz's way after a calendar was replaced. Later ones are skipped as in other searches. */
const QUARTZ_STEPS = 10_000;

/** Returns `first`, or the earliest fire time after it that the calendar includes. Null if there is none up to the last year. */
export function firstIncluded(
  first: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
): EpochMs | null {
  return isIncludedOrNone(first, calendar) ? first : atOnce(searchIncluded(first, calendar, fireTimes));
}

function isIncludedOrNone(time: EpochMs | null, calendar: Calendar | null): calendar is null {
  return time === null || calendar === null || calendar.isIncluded(time);
}

/** Takes one step for each refused fire time, because there may be very many. */
function* searchIncluded(
  first: EpochMs | null,
  calendar: Calendar,
  fireTimes: FireTimeSequence,
): Steps<EpochMs | null> {
  if (isIncludedOrNone(first, calendar)) return first;
  let days: EmptyDays | null = null;
  let calendarDays: EmptyDays | null = null;
  let time: EpochMs | null = first;
  for (let refusals = 1; time !== null && time <= LAST_SEARCHED; refusals++) {
    yield;
    if (refusals === FEW_REFUSALS) days = daysOfBoth(time, calendar, fireTimes);
    if (refusals === MANY_REFUSALS)
      calendarDays = new EmptyDays(time, LAST_SEARCHED, (day) => shapeOfDay(calendar, day));
    const bound = Math.max(refusedUntil(calendar, time, calendarDays), days?.emptyUntil(time) ?? time);
    if (bound > LAST_SEARCHED) return null;
    time = fireTimes.leap(time, bound);
    if (time !== null && calendar.isIncluded(time)) return time;
  }
  return null;
}

/**
 * Returns `from`, or the fire time with which a trigger continues if its new calendar refuses `from`. As in Quartz, a refused time in the
 * past also drops the next one if that is older than the misfire threshold.
 */
export function* nextOnNewCalendar(
  from: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
  { now, misfireThreshold }: { readonly now: EpochMs; readonly misfireThreshold: number },
): Steps<EpochMs | null> {
  let time = from;
  if (calendar === null) return time;
  for (let refusals = 0; time !== null && time < now && !calendar.isIncluded(time); refusals++) {
    if (refusals === QUARTZ_STEPS) return yield* searchIncluded(time, calendar, fireTimes);
    yield;
    time = fireTimes.after(time);
    if (time !== null && time < now && now - time >= misfireThreshold) time = fireTimes.after(time);
  }
  return time === null || time < now ? time : yield* searchIncluded(time, calendar, fireTimes);
}

/**
 * Returns a time before which a calendar that refuses `time` includes none. With `days`, returns the first time that it includes. Infinity if
 * it never includes one again.
 */
function refusedUntil(calendar: Calendar, time: EpochMs, days: EmptyDays | null): EpochMs {
  days?.beginAgain(time);
  let bound = time;
  for (let step = 0; bound <= LAST_SEARCHED && (step < FEW_STEPS || days !== null); step++) {
    const next = nextPossiblyIncluded(calendar, bound);
    if (next === null) return Number.POSITIVE_INFINITY;
    bound = days?.emptyUntil(next) ?? next;
    if (bound > LAST_SEARCHED || calendar.isIncluded(bound)) break;
  }
  return bound;
}

/** Days in which the calendar includes no fire time of the trigger. */
function daysOfBoth(time: EpochMs, calendar: Calendar, fireTimes: FireTimeSequence): EmptyDays {
  return new EmptyDays(time, LAST_SEARCHED, (day) => {
    const ofTrigger = fireTimes.dayShape(day);
    const ofCalendar = ofTrigger === null ? null : shapeOfDay(calendar, day);
    return ofCalendar === null ? null : `${ofTrigger};${ofCalendar}`;
  });
}
