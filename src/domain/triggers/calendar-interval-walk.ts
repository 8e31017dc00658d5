import type { EpochMs } from '../../base/clock';
import { movesTimeOfDay } from '../time/day-shape';
import { type TimeZone, timeZoneOf } from '../time/time-zone';
import { atHour, hourOf, plusDays, plusMonths } from '../time/wall-clock';
import { type CalendarIntervalTrigger, MAX_YEAR } from '../trigger';
import { type FireTimeSequence, walkedSequence } from './fire-time-sequence';
import { MAX_TIME } from './validation';

/*
 * Days, weeks, months and years have no fixed length, so Quartz walks from the start time, one interval at a time. What a
 * step leaves behind stays: an hour moved by a daylight-saving gap, a 31st pinned to a 30th. Its answers are therefore
 * defined by the walk, and only walking gives them.
 */

const DAY = 86_400_000;

/** Where walks end, on the wall clock. */
const END_OF_WALK = Date.UTC(MAX_YEAR, 0, 1);

/** One step of a walk: an interval later. */
type Step = (time: EpochMs) => EpochMs;

/** The fire time after a time, asked in ascending order; null when it lies beyond MAX_YEAR. */
export type FireTimes = (after: EpochMs) => EpochMs | null;

/** Walks from the start of a trigger in steps of `days`. */
export function dayWalk(trigger: CalendarIntervalTrigger, days: number): FireTimes {
  const zone = timeZoneOf(trigger.timeZone);
  const step: Step = (time) => plusDays(zone, time, days);
  return (after) => {
    const leap = days * leapOf(trigger.startTime, days, after);
    let time = leap === 0 ? trigger.startTime : plusDays(zone, trigger.startTime, leap);
    while (time <= after && isWalkable(zone, time)) time = step(leapWithinOffset(zone, time, { days, after }));
    return settled(trigger, zone, { time, after, step });
  };
}

/** The fire times of a day walk, `after`: some may be left out if no change of the clocks moves any of them. */
export function daySequence(trigger: CalendarIntervalTrigger, after: FireTimes): FireTimeSequence {
  const zone = timeZoneOf(trigger.timeZone);
  const walked = walkedSequence(after);
  const leap = (time: EpochMs, bound: EpochMs) => {
    const first = after(time);
    if (first === null || first >= bound) return first;
    const next = after(bound - 1);
    return isNeverMoved(zone, trigger.startTime, next ?? bound) ? next : walked.leap(first, bound);
  };
  return { ...walked, leap };
}

/** Whether the time of day of `startTime` is read exactly once on each day until `until`. */
function isNeverMoved(zone: TimeZone, startTime: EpochMs, until: EpochMs): boolean {
  const local = zone.localAt(startTime);
  for (let change = zone.steadyUntil(startTime - DAY); change < until + DAY; change = zone.steadyUntil(change)) {
    if (movesTimeOfDay(zone, change, local)) return false;
  }
  return true;
}

/** Walks from the start of a trigger in steps of `months`: always the same way, so each call goes on from the last. */
export function monthWalk(trigger: CalendarIntervalTrigger, months: number): FireTimes {
  const zone = timeZoneOf(trigger.timeZone);
  const step: Step = (time) => plusMonths(zone, time, months);
  let time = trigger.startTime;
  return (after) => {
    while (time <= after && isWalkable(zone, time)) time = step(time);
    return settled(trigger, zone, { time, after, step });
  };
}

/** How many intervals Quartz adds at once before it walks: days it leaps over leave nothing behind. */
function leapOf(startTime: EpochMs, days: number, after: EpochMs): number {
  const secondsAfterStart = 1 + Math.floor((after - startTime) / 1_000);
  const intervals = Math.floor(secondsAfterStart / (days * 86_400));
  if (intervals <= 20) return 0;
  if (intervals < 50) return Math.floor(intervals * 0.8);
  if (intervals < 500) return Math.floor(intervals * 0.9);
  return Math.floor(intervals * 0.95);
}

/** As many steps as stay before `after` and within the present offset: there, each is exactly so many times 24 hours. */
function leapWithinOffset(
  zone: TimeZone,
  time: EpochMs,
  { days, after }: { readonly days: number; readonly after: EpochMs },
): EpochMs {
  const interval = days * DAY;
  const limit = Math.min(after, zone.spanAt(time).settledUntil - 1);
  return time + Math.max(0, Math.floor((limit - time) / interval)) * interval;
}

/**
 * The end of a walk: with `preserveHourOfDayAcrossDaylightSavings`, a time whose hour was moved gets the start's hour
 * back, and goes on walking where that hour does not exist (if such days are skipped) or is not after `after` any more.
 */
function settled(
  trigger: CalendarIntervalTrigger,
  zone: TimeZone,
  { time: reached, after, step }: { readonly time: EpochMs; readonly after: EpochMs; readonly step: Step },
): EpochMs | null {
  let time = reached;
  if (trigger.preserveHourOfDayAcrossDaylightSavings) {
    const hour = hourOf(zone.localAt(trigger.startTime));
    while (hourOf(zone.localAt(time)) !== hour) {
      time = atHour(zone, time, hour);
      const hourExists = hourOf(zone.localAt(time)) === hour;
      const goesOn = hourExists ? time <= after : trigger.skipDayIfHourDoesNotExist;
      if (!goesOn || !isWalkable(zone, time)) break;
      time = step(time);
    }
  }
  return time > after && time <= MAX_TIME ? time : null;
}

function isWalkable(zone: TimeZone, time: EpochMs): boolean {
  return zone.localAt(time) < END_OF_WALK;
}
