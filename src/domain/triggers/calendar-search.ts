import type { EpochMs } from '../../base/clock';
import type { Calendar, CalendarData } from '../calendars/calendar';
import { calendarFrom } from '../calendars/calendar-from-data';
import { MAX_YEAR } from '../trigger';

/** The fire time after a time, for the trigger at hand. */
type FireTimeAfter = (after: EpochMs) => EpochMs | null;

/** Where searches end. */
export const LAST_TIME = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/** How many fire times a calendar may refuse in a row before we give up: one on each day of 27 years. */
const MAX_REFUSALS = 10_000;

/** `first`, or the earliest fire time after it that the calendar includes; null when there is none. */
export function firstIncluded(
  first: EpochMs | null,
  calendar: Calendar | null,
  fireTimeAfter: FireTimeAfter,
): EpochMs | null {
  let time = first;
  if (calendar === null) return time;
  for (let refusals = 0; time !== null && !calendar.isIncluded(time); refusals++) {
    if (refusals === MAX_REFUSALS || time > LAST_TIME) return null;
    const refusedUntil = endOfRefusal(calendar, time);
    if (refusedUntil === null) return null;
    time = fireTimeAfter(Math.max(time, refusedUntil - 1));
  }
  return time;
}

/**
 * `from`, or the fire time a trigger goes on with when its calendar was replaced and refuses `from`. As in Quartz, a
 * refused time in the past takes with it one more that is older than the misfire threshold.
 */
export function nextOnNewCalendar(
  from: EpochMs | null,
  calendar: Calendar | null,
  fireTimeAfter: FireTimeAfter,
  { now, misfireThreshold }: { readonly now: EpochMs; readonly misfireThreshold: number },
): EpochMs | null {
  let time = from;
  if (calendar === null) return time;
  for (let refusals = 0; time !== null && time < now && !calendar.isIncluded(time); refusals++) {
    time = fireTimeAfter(refusals === MAX_REFUSALS ? now : time);
    if (time !== null && time < now && now - time >= misfireThreshold) time = fireTimeAfter(time);
  }
  return time === null || time < now ? time : firstIncluded(time, calendar, fireTimeAfter);
}

/** Each calendar of a chain by itself, without those below it. */
const links = new WeakMap<Calendar, readonly Calendar[]>();

/**
 * A time before which a calendar that refuses `time` includes none; null when it never includes one again. The whole
 * chain cannot be asked: holiday and annual calendars ask the calendar below them about midnight only, as Quartz's do,
 * and leap over times that are included.
 */
function endOfRefusal(calendar: Calendar, time: EpochMs): EpochMs | null {
  let end = time;
  for (const link of linksOf(calendar)) {
    if (link.isIncluded(time)) continue;
    const included = link.nextIncludedTime(time);
    if (included === null) return null;
    end = Math.max(end, included);
  }
  return end;
}

function linksOf(calendar: Calendar): readonly Calendar[] {
  let known = links.get(calendar);
  if (known === undefined) {
    const chain: Calendar[] = [];
    for (let data: CalendarData | null = calendar.toJSON(); data !== null; data = data.base) {
      chain.push(calendarFrom({ ...data, base: null }));
    }
    known = chain;
    links.set(calendar, known);
  }
  return known;
}
