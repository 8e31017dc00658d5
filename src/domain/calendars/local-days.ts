import type { EpochMs } from '../../base/clock';
import type { LocalMs, TimeZone } from '../time/time-zone';

const DAY = 86_400_000;

/** The day of a wall-clock reading, counted from 1970-01-01. */
export function dayNumber(local: LocalMs): number {
  return Math.floor(local / DAY);
}

/** 1 = Sunday … 7 = Saturday. */
export function dayOfWeek(local: LocalMs): number {
  const THURSDAY = 4; // 1970-01-01 was one
  return ((((dayNumber(local) + THURSDAY) % 7) + 7) % 7) + 1;
}

/** A time of day, as milliseconds since midnight on the wall clock, on the day of `time`. */
export function timeOnDayOf(zone: TimeZone, time: EpochMs, millisOfDay: number): EpochMs {
  return zone.instantOf(dayNumber(zone.localAt(time)) * DAY + millisOfDay);
}

/** Midnight, or the first later time where midnight is skipped. */
export function startOfDay(zone: TimeZone, time: EpochMs): EpochMs {
  return timeOnDayOf(zone, time, 0);
}

/** The last millisecond of the day of `time`. */
export function endOfDay(zone: TimeZone, time: EpochMs): EpochMs {
  return timeOnDayOf(zone, time, DAY - 1);
}

/**
 * The same wall-clock time a day later, as Java adds days, whose results Quartz's calendars return: a time the clock
 * skips keeps its old offset and reads later, and stays so on the days after; a time read twice is the first one.
 */
export function nextDay(zone: TimeZone, time: EpochMs): EpochMs {
  const offset = zone.offsetAt(time);
  const target = time + offset + DAY;
  const sameOffset = target - offset;
  const adjusted = sameOffset + offset - zone.offsetAt(sameOffset);
  return dayNumber(zone.localAt(adjusted)) === dayNumber(target) ? adjusted : sameOffset;
}
