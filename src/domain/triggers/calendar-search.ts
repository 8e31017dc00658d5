import type { EpochMs } from '../../base/clock';
import type { Calendar } from '../calendars/calendar';
import { ChainedCalendar, nextPossiblyIncluded } from '../calendars/chained-calendar';
import { MAX_YEAR } from '../trigger';
import { EmptyDays } from './empty-days';
import type { FireTimeSequence } from './fire-time-sequence';

/*
 * A search passes over a fire time only when it is proven to be excluded: by the calendar, which says up to when it includes
 * nothing, or because a day of the same shape had none. So it finds what going from one fire time to the next would find, and
 * ends where that ends: with the last year, not with patience.
 */

/** Where searches end. */
export const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/** Refusals after which a search looks for days that repeat: up to here that would cost more than it saves. */
const FEW_REFUSALS = 50;

/** Steps that a calendar may take ahead of the trigger: enough for a hundred years of whole days. */
const CALENDAR_STEPS = 200;

/** Refused fire times that are passed over as Quartz does when a calendar was replaced; then as anywhere. */
const QUARTZ_STEPS = 10_000;

/** `first`, or the earliest fire time after it that the calendar includes; null when there is none up to LAST_TIME. */
export function firstIncluded(
  first: EpochMs | null,
  calendar: Calendar | null,
  fireTimes: FireTimeSequence,
): EpochMs | null {
  if (first === null || calendar === null || calendar.isIncluded(first)) return first;
  let emptyDays: EmptyDays | null = null;
  let time = first;
  for (let refusals = 1; ; refusals++) {
    let bound = refusedUntil(calendar, time);
    if (refusals === FEW_REFUSALS) emptyDays = new EmptyDays(time, LAST_TIME, dayShapeOf(calendar, fireTimes));
    if (emptyDays !== null) bound = Math.max(bound, emptyDays.emptyUntil(time));
    if (bound > LAST_TIME) return null;
    const next = fireTimes.leap(time, bound);
    if (next === null || next > LAST_TIME) return null;
    if (calendar.isIncluded(next)) return next;
    time = next;
  }
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

/** A time before which a calendar that refuses `time` includes none; Infinity when it never includes one again. */
function refusedUntil(calendar: Calendar, time: EpochMs): EpochMs {
  let bound = time;
  for (let step = 0; step < CALENDAR_STEPS && bound <= LAST_TIME; step++) {
    const next = nextPossiblyIncluded(calendar, bound);
    if (next === null) return Number.POSITIVE_INFINITY;
    bound = next;
    if (calendar.isIncluded(bound)) break;
  }
  return bound;
}

function dayShapeOf(calendar: Calendar, fireTimes: FireTimeSequence): (day: EpochMs) => string | null {
  return (day) => {
    const ofTrigger = fireTimes.dayShape(day);
    const ofCalendar = ofTrigger !== null && calendar instanceof ChainedCalendar ? calendar.dayShape(day) : null;
    return ofCalendar === null ? null : `${ofTrigger};${ofCalendar}`;
  };
}
