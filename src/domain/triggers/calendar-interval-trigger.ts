import { DAY_MS, type EpochMs, MAX_TIME } from '../../base/clock';
import { daysInMonth } from '../time/months';
import { type LocalMs, type TimeZone, timeZoneOf } from '../time/time-zone';
import type { CalendarIntervalTrigger } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { evenSequence, LAST_TIME } from './fire-time-sequence';
import { lengthOf } from './interval-units';
import { quartzCalendarIntervalBehaviour } from './quartz-calendar-interval';

/*
 * Under safe rules, each fire time is computed from the start time: the n-th one has the start's day of the month and time of day, n intervals
 * later. A day that the month does not have becomes its last day, a skipped time of day moves forward by the length of the gap, and a repeated one
 * fires at its first occurrence. The next fire time is exact again, so no clock change and no short month has a lasting effect.
 */

/** Latest local time for which an instant is computed. */
const LAST_LOCAL = MAX_TIME - 2 * DAY_MS;

/** Calendar-interval triggers under safe rules: they fire at the start time and then after each interval, in local time. The end time is inclusive. */
export const calendarIntervalBehaviour: TriggerBehaviour<CalendarIntervalTrigger> = {
  validate: quartzCalendarIntervalBehaviour.validate,

  firstFireTime: ({ startTime, endTime }) => (endTime !== null && startTime > endTime ? null : startTime),

  fireTimeAfter,

  fireTimes(trigger) {
    const after = (time: EpochMs) => fireTimeAfter(trigger, time);
    const { of, length } = lengthOf(trigger);
    if (of === 'milliseconds') return evenSequence(after, trigger.startTime, length);
    return { after, leap: (time, bound) => after(Math.max(time, bound - 1)), dayShape: () => null };
  },

  finalFireTime(trigger) {
    const { startTime, endTime } = trigger;
    if (endTime === null || endTime < startTime) return null;
    const { of, length } = lengthOf(trigger);
    if (of === 'milliseconds') return startTime + Math.floor((endTime - startTime) / length) * length;
    const grid = gridOf(trigger);
    for (let count = grid.countNear(endTime) + 2; count > 0; count--) {
      const time = grid.timeAt(count);
      if (time !== null && time <= endTime) return time;
    }
    return startTime;
  },
};

function fireTimeAfter(trigger: CalendarIntervalTrigger, after: EpochMs): EpochMs | null {
  const time = endlessFireTimeAfter(trigger, after);
  return time === null || (trigger.endTime !== null && time > trigger.endTime) ? null : time;
}

/** Ignores the end time. */
function endlessFireTimeAfter(trigger: CalendarIntervalTrigger, after: EpochMs): EpochMs | null {
  const { startTime } = trigger;
  if (after < startTime) return startTime;
  const { of, length } = lengthOf(trigger);
  if (of === 'milliseconds') {
    const time = startTime + (Math.floor((after - startTime) / length) + 1) * length;
    return time > MAX_TIME ? null : time;
  }
  if (after > LAST_TIME) return null;
  const grid = gridOf(trigger);
  for (let count = Math.max(1, grid.countNear(after) - 1); grid.exists(count); count++) {
    const time = grid.timeAt(count);
    if (time !== null && time > after) return time > MAX_TIME ? null : time;
  }
  return null;
}

/** Fire times of a trigger by their number; the start has the number 0. */
interface Grid {
  /** False if the fire time is later than any time that can be computed. */
  exists(count: number): boolean;
  /** Fire time; null if the trigger skips it, because its time of day does not exist. */
  timeAt(count: number): EpochMs | null;
  /** Number of a fire time near `time`, at most two too high or one too low. */
  countNear(time: EpochMs): number;
}

function gridOf(trigger: CalendarIntervalTrigger): Grid {
  const zone = timeZoneOf(trigger.timeZone);
  const start = zone.localAt(trigger.startTime);
  const { of, length } = lengthOf(trigger);
  const localAt = of === 'days' ? (count: number) => start + count * length * DAY_MS : monthsFrom(start, length);
  const skips = trigger.preserveHourOfDayAcrossDaylightSavings && trigger.skipDayIfHourDoesNotExist;
  return {
    exists: (count) => localAt(count) <= LAST_LOCAL,
    timeAt: (count) => (count === 0 ? trigger.startTime : instantOf(zone, localAt(count), skips)),
    countNear: (time) => Math.floor(unitsBetween(of, start, zone.localAt(time)) / length),
  };
}

function instantOf(zone: TimeZone, local: LocalMs, skips: boolean): EpochMs | null {
  const instant = zone.firstInstantOf(local);
  return skips && zone.localAt(instant) !== local ? null : instant;
}

/** Returns a function for the local time `count` intervals after `start`, on the same day of the month or on the last day of a shorter month. */
function monthsFrom(start: LocalMs, length: number): (count: number) => LocalMs {
  const timeOfDay = start - Math.floor(start / DAY_MS) * DAY_MS;
  const dayOfMonth = new Date(start).getUTCDate();
  const first = monthNumber(start);
  return (count) => {
    const months = first + count * length;
    const year = Math.floor(months / 12);
    if (year > 275_000) return Number.POSITIVE_INFINITY;
    const month = months - year * 12;
    return Date.UTC(year, month, Math.min(dayOfMonth, daysInMonth(year, month + 1))) + timeOfDay;
  };
}

function unitsBetween(of: 'days' | 'months' | 'milliseconds', start: LocalMs, local: LocalMs): number {
  return of === 'days' ? (local - start) / DAY_MS : monthNumber(local) - monthNumber(start);
}

function monthNumber(local: LocalMs): number {
  const date = new Date(local);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
