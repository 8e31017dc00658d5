import type { EpochMs } from '../../base/clock';
import { daysInMonth } from './months';
import type { LocalMs, TimeZone } from './time-zone';

// Arithmetic on days, months and hours of a zone. Results are those of Java's GregorianCalendar, which Quartz uses.

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Returns the same wall-clock time `days` later. If that time occurs twice, returns the first instant. If it is skipped, returns the time one
 * gap EARLIER (02:30 becomes 01:30), unless that is on the day before.
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
 * Returns the same day of the month and time `months` later, or the month's last day if it is too short. If that time occurs twice, returns
 * the later instant. If it is skipped, returns the time one gap later.
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

/** Returns the instant of a time of day on the day of `time`. The time of day is in milliseconds since midnight on the wall clock. */
export function atTimeOfDay(zone: TimeZone, time: EpochMs, msOfDay: number): EpochMs {
  return zone.instantOf(dayOf(zone.localAt(time)) * DAY_MS + msOfDay);
}

/** Returns midnight, or the first later time if midnight is skipped. */
export function startOfDay(zone: TimeZone, time: EpochMs): EpochMs {
  return atTimeOfDay(zone, time, 0);
}

/** Returns the instant with another hour on the same day. If it is skipped, returns the time one gap later. */
export function atHour(zone: TimeZone, time: EpochMs, hour: number): EpochMs {
  const local = zone.localAt(time);
  return zone.instantOf(dayOf(local) * DAY_MS + hour * HOUR_MS + (timeOfDay(local) % HOUR_MS));
}

/** Returns the hour that a wall clock shows, 0 to 23. */
export function hourOf(local: LocalMs): number {
  return Math.floor(timeOfDay(local) / HOUR_MS);
}

/** Returns the days since 1970-01-01 on the wall clock. */
export function dayOf(local: LocalMs): number {
  return Math.floor(local / DAY_MS);
}

/** Returns the day of the week: 1 = Sunday … 7 = Saturday. */
export function dayOfWeekOf(local: LocalMs): number {
  const sinceThursday = dayOf(local) % 7; // 1970-01-01 was a Thursday
  return ((sinceThursday + 11) % 7) + 1;
}

function timeOfDay(local: LocalMs): number {
  return local - dayOf(local) * DAY_MS;
}
