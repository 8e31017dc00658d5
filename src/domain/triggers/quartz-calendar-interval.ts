import { DAY_MS, type EpochMs, MAX_TIME } from '../../base/clock';
import { isNameIn } from '../check-text';
import { movesTimeOfDay } from '../time/day-shape';
import { type TimeZone, timeZoneOf } from '../time/time-zone';
import { atHour, hourOf, plusDays, plusMonths } from '../time/wall-clock';
import { type CalendarIntervalTrigger, MAX_INT, MAX_YEAR } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { evenSequence, type FireTimeSequence, walkedSequence } from './fire-time-sequence';
import { INTERVAL_UNITS, lengthOf } from './interval-units';
import { invalidTrigger, requireInteger, validateCommon } from './validation';

/*
 * Under Quartz's rules: days, weeks, months and years vary in length, so Quartz advances from the start time, one interval at a time. Later steps keep the effects of an
 * earlier step: an hour that a daylight-saving gap moved, or a 31st that became a 30th. Therefore, the fire times can only be found by repeating
 * these steps.
 */

const SECOND_MS = 1_000;

const END_OF_WALK = Date.UTC(MAX_YEAR, 0, 1);

/** Returns the fire time after `after`, or null if there is none before MAX_YEAR. Call this function with ascending times. */
type FireTimes = (after: EpochMs) => EpochMs | null;

function validate(trigger: CalendarIntervalTrigger): void {
  const { repeatInterval, repeatIntervalUnit: unit } = trigger;
  validateCommon(trigger);
  requireInteger(trigger, 'repeatInterval', repeatInterval, { min: 1, max: MAX_INT });
  if (!isNameIn(INTERVAL_UNITS, unit)) {
    throw invalidTrigger(trigger, 'repeatIntervalUnit', `one of ${Object.keys(INTERVAL_UNITS).join(', ')}`, unit);
  }
  timeZoneOf(trigger.timeZone);
}

/** Calendar-interval triggers under Quartz's rules: they fire at the start time and then one interval after another, in local time, before the end. */
export const quartzCalendarIntervalBehaviour: TriggerBehaviour<CalendarIntervalTrigger> = {
  validate,

  firstFireTime: ({ startTime }) => startTime,

  fireTimeAfter: (trigger, after) => fireTimesOf(trigger)(after),

  fireTimes(trigger) {
    const after = fireTimesOf(trigger);
    const { of, length } = lengthOf(trigger);
    if (of === 'milliseconds') return evenSequence(after, trigger.startTime, length);
    return of === 'days' ? daySequence(trigger, after) : walkedSequence(after);
  },

  finalFireTime(trigger) {
    const { endTime } = trigger;
    if (endTime === null) return null;
    const time = unendingFireTimes(trigger)(endTime - 1_000);
    return time === null || time === endTime ? time : plusIntervals(trigger, time, -1);
  },
};

/** As in Quartz, the start time fires even if it is not before the end time. */
function fireTimesOf(trigger: CalendarIntervalTrigger): FireTimes {
  const { startTime, endTime } = trigger;
  const fireTimeAfter = unendingFireTimes(trigger);
  if (endTime === null) return fireTimeAfter;
  return (after) => {
    const time = after < endTime ? fireTimeAfter(after) : null;
    return time === null || (time >= endTime && time !== startTime) ? null : time;
  };
}

/** Ignores the end time. */
function unendingFireTimes(trigger: CalendarIntervalTrigger): FireTimes {
  const { of, length } = lengthOf(trigger);
  if (of === 'days') return dayWalk(trigger, length);
  if (of === 'months') return monthWalk(trigger);
  return (after) => {
    if (after < trigger.startTime) return trigger.startTime;
    const msAfterStart = (1 + Math.floor((after - trigger.startTime) / SECOND_MS)) * SECOND_MS;
    const time = trigger.startTime + Math.ceil(msAfterStart / length) * length;
    return time > MAX_TIME ? null : time;
  };
}

function plusIntervals(trigger: CalendarIntervalTrigger, time: EpochMs, count: number): EpochMs {
  const { of, length } = lengthOf(trigger);
  if (of === 'milliseconds') return time + count * length;
  const zone = timeZoneOf(trigger.timeZone);
  return of === 'days' ? plusDays(zone, time, count * length) : plusMonths(zone, time, count * length);
}

function dayWalk(trigger: CalendarIntervalTrigger, days: number): FireTimes {
  const zone = timeZoneOf(trigger.timeZone);
  return (after) => {
    const leap = days * leapOf(trigger.startTime, days, after);
    let time = leap === 0 ? trigger.startTime : plusDays(zone, trigger.startTime, leap);
    while (time <= after && isWalkable(zone, time)) {
      // Combines all steps before `after` with the current offset, because the offset does not change between them and each day has exactly 24 hours.
      const limit = Math.min(after, zone.spanAt(time).stableUntil - 1);
      const stableSteps = Math.max(0, Math.floor((limit - time) / (days * DAY_MS)));
      time = plusDays(zone, time + stableSteps * days * DAY_MS, days);
    }
    return endOfWalk(trigger, zone, time, after);
  };
}

/** Each step depends on the previous step, so each call continues where the last call ended. */
function monthWalk(trigger: CalendarIntervalTrigger): FireTimes {
  const zone = timeZoneOf(trigger.timeZone);
  let time = trigger.startTime;
  return (after) => {
    while (time <= after && isWalkable(zone, time)) time = plusIntervals(trigger, time, 1);
    return endOfWalk(trigger, zone, time, after);
  };
}

/** Number of intervals that Quartz skips in one step before it continues one by one. The skipped fire times do not affect later ones. */
function leapOf(startTime: EpochMs, days: number, after: EpochMs): number {
  const secondsAfterStart = 1 + Math.floor((after - startTime) / SECOND_MS);
  const intervals = Math.floor(secondsAfterStart / (days * 86_400));
  if (intervals <= 20) return 0;
  if (intervals < 50) return Math.floor(intervals * 0.8);
  if (intervals < 500) return Math.floor(intervals * 0.9);
  return Math.floor(intervals * 0.95);
}

/**
 * With `preserveHourOfDayAcrossDaylightSavings`, restores the hour of the start time if a clock change has moved it. Advances to the next interval if
 * that hour does not exist and such days are skipped, or if the restored time is not after `after`.
 */
function endOfWalk(trigger: CalendarIntervalTrigger, zone: TimeZone, reached: EpochMs, after: EpochMs): EpochMs | null {
  let time = reached;
  if (trigger.preserveHourOfDayAcrossDaylightSavings) {
    const hour = hourOf(zone.localAt(trigger.startTime));
    while (hourOf(zone.localAt(time)) !== hour) {
      time = atHour(zone, time, hour);
      const hourExists = hourOf(zone.localAt(time)) === hour;
      const goesOn = hourExists ? time <= after : trigger.skipDayIfHourDoesNotExist;
      if (!goesOn || !isWalkable(zone, time)) break;
      time = plusIntervals(trigger, time, 1);
    }
  }
  return time > after && time <= MAX_TIME ? time : null;
}

function isWalkable(zone: TimeZone, time: EpochMs): boolean {
  return zone.localAt(time) < END_OF_WALK;
}

/** Skips ahead only if no clock change moves any of the fire times. */
function daySequence(trigger: CalendarIntervalTrigger, after: FireTimes): FireTimeSequence {
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

/** True if the local time of day of `startTime` occurs exactly once on each day until `until`. */
function isNeverMoved(zone: TimeZone, startTime: EpochMs, until: EpochMs): boolean {
  const local = zone.localAt(startTime);
  for (let change = zone.steadyUntil(startTime - DAY_MS); change < until + DAY_MS; change = zone.steadyUntil(change)) {
    if (movesTimeOfDay(zone, change, local)) return false;
  }
  return true;
}
