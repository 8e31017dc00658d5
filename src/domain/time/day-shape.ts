import type { EpochMs } from '../../base/clock';
import type { LocalMs, TimeZone } from './time-zone';

// Days of UTC of equal shape have the same times: the clocks of the zone and the dates around them are the same.

const DAY = 86_400_000;

/** Whether a change of the clocks skips a time of day, in milliseconds, or shows it twice. */
export function movesTimeOfDay(zone: TimeZone, change: EpochMs, timeOfDay: number): boolean {
  const before = change + zone.offsetAt(change - 1);
  const after = change + zone.offsetAt(change);
  const sinceFirst = (timeOfDay - Math.min(before, after)) % DAY;
  return (sinceFirst < 0 ? sinceFirst + DAY : sinceFirst) < Math.abs(after - before);
}

/** The offsets of a zone around a day, and when they change. */
export function clockShape(zone: TimeZone, day: EpochMs): string {
  const from = day - 2 * DAY;
  const to = day + 3 * DAY;
  let offset = zone.offsetAt(from);
  let shape = String(offset);
  for (let at = zone.steadyUntil(from); at < to; at = zone.steadyUntil(at)) {
    const changed = zone.offsetAt(at);
    if (changed !== offset) shape += `,${at - day}:${changed}`;
    offset = changed;
  }
  return shape;
}

/** Which of the dates that a clock can show on a day, or on so many days before it, are such as `isSuch` says. */
export function dateShape(day: EpochMs, isSuch: (date: LocalMs) => boolean, daysBefore = 1): string {
  let shape = '';
  for (let date = day - (daysBefore + 1) * DAY; date <= day + DAY; date += DAY) shape += isSuch(date) ? '1' : '0';
  return shape;
}
