import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import { nextPossiblyIncluded, shapeOfDay } from '../calendars/chained-calendar';
import { MAX_YEAR } from '../trigger';
import { EmptyDays } from './empty-days';
import type { FireTimeSequence } from './fire-time-sequence';

/*
 * A search passes over a fire time only when it is proven to be excluded: by the calendar, which says up to when it includes
 * nothing, or because a day of the same shape had nothing. So it finds what going from one fire time to the next would find, and
 * ends where that ends: with the last year, not with patience (ADR 0018).
 */

/** Where fire times end. */
export const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/** Where searches end. Cron ends with the last year; in the easternmost zone that is in the day before, in UTC. */
const LAST_SEARCHED = Date.UTC(MAX_YEAR, 11, 31) - 1;

/** Refusals after which a search remembers empty days: up to here that costs more than it saves. */
const FEW_REFUSALS = 50;

/** Refusals after which the calendar is searched by itself: it may include nothing at all, second by second. */
const MANY_REFUSALS = 2_000;

/** Steps that the calendar takes ahead of the trigger up to then: a hundred years of whole days, or a few minutes of seconds. */
const FEW_STEPS = 200;

/** Refused fire times that are passed over as Quartz does when a calendar was replaced; then as anywhere. */
const QUARTZ_STEPS = 10_000;

/** `first`, or the earliest fire time after it that the calendar includes; null when there is none up to the last year. */
export function firstIncluded(
  first: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
): EpochMs | null {
  if (first === null || calendar === null || calendar.isIncluded(first)) return first;
  let days: EmptyDays | null = null;
  let calendarDays: EmptyDays | null = null;
  let time: EpochMs | null = first;
  for (let refusals = 1; time !== null && time <= LAST_SEARCHED; refusals++) {
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
 * `from`, or the fire time a trigger goes on with when its calendar was replaced and refuses `from`. As in Quartz, a
 * refused time in the past takes with it one more that is older than the misfire threshold.
 */
export function nextOnNewCalendar(
  from: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
  { now, misfireThreshold }: { readonly now: EpochMs; readonly misfireThreshold: number },
): EpochMs | null {
  let time = from;
  if (calendar === null) return time;
  for (let refusals = 0; time !== null && time < now && !calendar.isIncluded(time); refusals++) {
    if (refusals === QUARTZ_STEPS) return firstIncluded(time, calendar, fireTimes);
    time = fireTimes.after(time);
    if (time !== null && time < now && now - time >= misfireThreshold) time = fireTimes.after(time);
  }
  return time === null || time < now ? time : firstIncluded(time, calendar, fireTimes);
}

/**
 * A time before which a calendar that refuses `time` includes none; with `days`, the first one that it includes. Infinity when it
 * never includes one again.
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

/** Days in which the trigger fires at no time that the calendar includes. */
function daysOfBoth(time: EpochMs, calendar: Calendar, fireTimes: FireTimeSequence): EmptyDays {
  return new EmptyDays(time, LAST_SEARCHED, (day) => {
    const ofTrigger = fireTimes.dayShape(day);
    const ofCalendar = ofTrigger === null ? null : shapeOfDay(calendar, day);
    return ofCalendar === null ? null : `${ofTrigger};${ofCalendar}`;
  });
}
