import { DAY_MS, type EpochMs } from '../../base/clock';
import { atOnce, type Steps } from '../../base/steps';
import type { Calendar } from '../calendars/calendar';
import { nextPossiblyIncluded, shapeOfDay } from '../calendars/chained-calendar';
import { EmptyDays } from '../time/day-shape';
import type { TimeZone } from '../time/time-zone';
import { MAX_YEAR } from '../trigger';

/** Latest possible fire time: the end of MAX_YEAR, in UTC. */
export const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/** Fire times, for searches that skip many. As in Quartz, each results from `after` with the previous one; near clock changes, the start matters. */
export interface FireTimeSequence {
  after(time: EpochMs): EpochMs | null;
  /** Returns a fire time after `time`: the first fire time at or after `bound`, or an earlier one. Null if there is none. */
  leap(time: EpochMs, bound: EpochMs): EpochMs | null;
  /** String that is equal for UTC days with the same fire times of day. `day`: first instant of the day. Null if the fire times are unknown. */
  dayShape(day: EpochMs): string | null;
}

type FireTimeAfter = (after: EpochMs) => EpochMs | null;

/** Returns the sequence of fire times at a fixed interval in milliseconds, independent of clock changes. */
export function evenSequence(after: FireTimeAfter, startTime: EpochMs, interval: number): FireTimeSequence {
  return {
    after,
    leap: (time, bound) => after(Math.max(time, bound - 1)),
    dayShape: (day) => String((day - startTime) % interval),
  };
}

/** Returns a sequence in which each fire time depends on the previous fire time, so that a search cannot skip any of them. */
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
  /** End time; null if there is none. Near the end time, the result of `after` depends on the time at which the search starts. */
  readonly endTime: EpochMs | null;
  /** Time after a clock change for which the result of `after` depends on where the search starts. Milliseconds, at most `MAX_UNSTABLE_MS`. */
  unstableAfter(change: EpochMs): number;
}

/** Upper bound of `unstableAfter`. No trigger searches further ahead than the same day of the next week. */
export const MAX_UNSTABLE_MS = 9 * DAY_MS;

/** Requires that, at a constant offset, `after` does not depend on the start. A leap and the search after it stay between the same clock changes. */
export function wallClockSequence(fireTimes: WallClockFireTimes): FireTimeSequence {
  const { zone, endTime, after } = fireTimes;
  const leap = (time: EpochMs, bound: EpochMs) => {
    const target = endTime === null ? bound - 1 : Math.min(bound - 1, endTime - 2 * DAY_MS);
    for (let back = 0; target - back > time; back = back * 2 || 1_000) {
      const from = awayFromChange(fireTimes, target - back);
      if (from <= time) break;
      const next = after(from);
      if (next === null && endTime === null) return null;
      if (next !== null && next < zone.spanAt(from).stableUntil && (endTime === null || next <= endTime)) return next;
    }
    return after(time);
  };
  return { after, leap, dayShape: fireTimes.dayShape };
}

/** Returns the latest instant up to `time` outside gaps and overlaps for which `unstableAfter` has passed since the last clock change. */
function awayFromChange(fireTimes: WallClockFireTimes, time: EpochMs): EpochMs {
  const { zone } = fireTimes;
  const stable = Math.min(time, zone.spanAt(time).stableUntil - 1);
  for (let span = zone.spanAt(stable); stable < span.start + MAX_UNSTABLE_MS; ) {
    const before = zone.spanAt(span.start - 1);
    const isChange = before.offset !== span.offset;
    const unstable = Math.max(
      Math.abs(span.offset - before.offset),
      isChange ? fireTimes.unstableAfter(span.start) : 0,
    );
    if (stable < span.start + unstable) return awayFromChange(fireTimes, span.start - 1);
    span = before;
  }
  return stable;
}

/*
 * A search skips a fire time only if the calendar certainly excludes it: because the calendar includes no time until later, or because a day of the
 * same shape had no included fire time. Therefore, the result equals that of checking each fire time. The search ends with the last supported year
 * (ADR 0018).
 */

/** Inclusive end of searches. Ten hours later, the easternmost time zones (UTC+14) enter the year after the last year that cron expressions cover. */
const LAST_SEARCHED = Date.UTC(MAX_YEAR, 11, 31) - 1;

/** Number of excluded fire times after which shapes of empty days are stored. For fewer, storing them would cost more than it saves. */
const FEW_REFUSALS = 50;

/** Number of excluded fire times after which the calendar alone is searched, because it may exclude all times. */
const MANY_REFUSALS = 2_000;

/** Calendar steps per excluded fire time before `MANY_REFUSALS`. Enough for a hundred years of whole days, or a few minutes of seconds. */
const FEW_STEPS = 200;

/** Number of excluded fire times that are skipped by Quartz's rule after a calendar was replaced. After them, the normal search continues. */
const QUARTZ_STEPS = 10_000;

/** Returns `first` if the calendar includes it, otherwise the next included fire time. Null if there is none up to the last supported year. */
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

/** Searches the next included fire time. Yields after each excluded fire time, because the calendar may exclude very many. */
export function* searchIncluded(
  first: EpochMs | null,
  calendar: Calendar | null,
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

/** As in Quartz, after an excluded time in the past, skips the next fire time too if it is older than the misfire threshold. */
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

/** Exclusive end of a period from `time` on without included times; `time` must be excluded. With `days`, the first included time, or Infinity. */
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

function daysOfBoth(time: EpochMs, calendar: Calendar, fireTimes: FireTimeSequence): EmptyDays {
  return new EmptyDays(time, LAST_SEARCHED, (day) => {
    const ofTrigger = fireTimes.dayShape(day);
    const ofCalendar = ofTrigger === null ? null : shapeOfDay(calendar, day);
    return ofCalendar === null ? null : `${ofTrigger};${ofCalendar}`;
  });
}
