import { DAY_MS, type EpochMs } from '../../base/clock';
import { daysInMonth } from './months';
import type { LocalMs, TimeZone } from './time-zone';

// Calculates with local days, months and hours. The results equal those of Java's GregorianCalendar, which Quartz uses.

const HOUR_MS = 3_600_000;

/**
 * Returns the instant with the same local time `days` later. If that local time occurs twice, returns the earlier instant. If it is skipped, returns
 * the time that is EARLIER by the length of the gap (02:30 becomes 01:30), unless that time is on the previous day.
 */
export function plusDays(zone: TimeZone, time: EpochMs, days: number): EpochMs {
  const offset = zone.offsetAt(time);
  const keepingOffset = time + days * DAY_MS;
  const shift = offset - zone.offsetAt(keepingOffset);
  if (shift === 0) return keepingOffset;
  const keepingTimeOfDay = keepingOffset + shift;
  return dayOf(zone.localAt(keepingTimeOfDay)) === dayOf(keepingOffset + offset) ? keepingTimeOfDay : keepingOffset;
}

/**
 * Returns the instant with the same day of the month and local time `months` later. If that month is too short, uses its last day. If the local time
 * occurs twice, returns the later instant. If it is skipped, returns the time that is later by the length of the gap.
 */
export function plusMonths(zone: TimeZone, time: EpochMs, months: number): EpochMs {
  const local = zone.localAt(time);
  const date = new Date(local);
  const count = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const year = Math.floor(count / 12);
  const month = count - year * 12;
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month + 1));
  return zone.instantOf(Date.UTC(year, month, day) + timeOfDay(local));
}

/** Returns the instant of a local time of day on the local date of `time`. `msOfDay`: milliseconds since midnight. */
export function atTimeOfDay(zone: TimeZone, time: EpochMs, msOfDay: number): EpochMs {
  return zone.instantOf(dayOf(zone.localAt(time)) * DAY_MS + msOfDay);
}

/** Returns the start of the local date of `time`: midnight, or the first later time if midnight is skipped. */
export function startOfDay(zone: TimeZone, time: EpochMs): EpochMs {
  return atTimeOfDay(zone, time, 0);
}

/** Returns the instant with another hour on the same local date, later by the length of the gap if that local time is skipped. */
export function atHour(zone: TimeZone, time: EpochMs, hour: number): EpochMs {
  const local = zone.localAt(time);
  return zone.instantOf(dayOf(local) * DAY_MS + hour * HOUR_MS + (timeOfDay(local) % HOUR_MS));
}

export function hourOf(local: LocalMs): number {
  return Math.floor(timeOfDay(local) / HOUR_MS);
}

/** Returns the number of days from 1970-01-01 to the date of a local time. */
export function dayOf(local: LocalMs): number {
  return Math.floor(local / DAY_MS);
}

/** Returns the day of the week of a local time: 1 (Sunday) to 7 (Saturday). */
export function dayOfWeekOf(local: LocalMs): number {
  const sinceThursday = dayOf(local) % 7; // 1970-01-01 was a Thursday
  return ((sinceThursday + 11) % 7) + 1;
}

function timeOfDay(local: LocalMs): number {
  return local - dayOf(local) * DAY_MS;
}
