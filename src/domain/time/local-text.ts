import { DAY_MS, type EpochMs } from '../../base/clock';
import { DAY_NAMES, MONTH_NAMES } from './names';
import type { TimeZone } from './time-zone';
import { fixedOffsetOf, offsetText } from './zone-name';

/** Formats a time in a time zone in ISO-8601, with its offset: `2027-03-28T03:00:00.000+02:00`. The offset of UTC is `Z`. */
export function isoText(time: EpochMs, zone: TimeZone): string {
  const local = localText(time, zone, "yyyy-MM-dd'T'HH:mm:ss.SSS");
  return local + (zone.name === 'UTC' || zone.name === 'GMT' ? 'Z' : offsetText(zone.offsetAt(time) / 60_000, ':'));
}

const PATTERN = /'((?:[^']|'')*)'|([A-Za-z])\2*/g;

/**
 * Formats a time in a time zone with a pattern of Java's SimpleDateFormat, in English. Supports the letters `GyMLdDEuaHkKhmsSzZX`; other letters stay.
 * `YYYY` is the year of the ISO week.
 */
export function localText(time: EpochMs, zone: TimeZone, pattern: string): string {
  const local = new Date(zone.localAt(time));
  return pattern.replace(PATTERN, (part: string, quoted: string | undefined, letter = '') => {
    if (quoted !== undefined) return part === "''" ? "'" : quoted.replaceAll("''", "'");
    return fieldText(letter, part.length, { time, zone, local });
  });
}

interface LocalTime {
  readonly time: EpochMs;
  readonly zone: TimeZone;
  /** The local time, as if it were UTC. */
  readonly local: Date;
}

/** Text of one field of a pattern: `count` times the letter. */
function fieldText(letter: string, count: number, { time, zone, local }: LocalTime): string {
  const padded = (value: number) => String(value).padStart(count, '0');
  const hour = local.getUTCHours();
  switch (letter) {
    case 'G':
      return local.getUTCFullYear() > 0 ? 'AD' : 'BC';
    case 'y':
      return yearText(local.getUTCFullYear(), count);
    case 'Y':
      return yearText(yearOfWeek(local), count);
    case 'M':
    case 'L':
      return count < 3 ? padded(local.getUTCMonth() + 1) : nameIn(MONTH_NAMES, local.getUTCMonth(), count);
    case 'd':
      return padded(local.getUTCDate());
    case 'D':
      return padded(Math.floor((local.getTime() - new Date(local).setUTCMonth(0, 0)) / DAY_MS));
    case 'E':
      return nameIn(DAY_NAMES, local.getUTCDay(), count);
    case 'u':
      return padded(local.getUTCDay() || 7);
    case 'a':
      return hour < 12 ? 'AM' : 'PM';
    case 'H':
      return padded(hour);
    case 'k':
      return padded(hour || 24);
    case 'K':
      return padded(hour % 12);
    case 'h':
      return padded(hour % 12 || 12);
    case 'm':
      return padded(local.getUTCMinutes());
    case 's':
      return padded(local.getUTCSeconds());
    case 'S':
      return padded(local.getUTCMilliseconds());
    case 'z':
      return zoneText(time, zone, count < 4 ? 'short' : 'long');
    case 'Z':
      return offsetText(zone.offsetAt(time) / 60_000, '');
    case 'X':
      return offsetText(zone.offsetAt(time) / 60_000, ':');
    default:
      return letter.repeat(count);
  }
}

const yearText = (year: number, count: number) =>
  count === 2 ? String(year % 100).padStart(2, '0') : String(year).padStart(count, '0');

const nameIn = (names: readonly string[], index: number, count: number) =>
  count > 3 ? (names[index] as string) : (names[index] as string).slice(0, 3);

/** Year of the ISO week: the year of its Thursday. */
function yearOfWeek(local: Date): number {
  const sinceMonday = (local.getUTCDay() + 6) % 7;
  return new Date(local.getTime() + (3 - sinceMonday) * DAY_MS).getUTCFullYear();
}

/** Name of the zone at a time, such as `GMT+2`, or with `long`, `Central European Summer Time`. */
function zoneText(time: EpochMs, { name }: TimeZone, timeZoneName: 'short' | 'long'): string {
  if (fixedOffsetOf(name) !== null) return name; // Intl of Node 20 does not know it
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName }).formatToParts(time);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? name;
}
