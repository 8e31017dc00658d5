import type { EpochMs } from '../../base/clock';
import { type Path, quoted } from '../../config/source-document';
import { parseShortDuration } from '../../domain/time/short-duration';
import type { TimeZone } from '../../domain/time/time-zone';
import type { TimeOfDay } from '../../domain/trigger';
import type { ScheduleFileReading } from './schedule-file-reading';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_AND_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?$/;
const TIME_OF_DAY = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

interface Place {
  readonly path: Path;
  readonly zone: TimeZone;
}

/** An ISO-8601 time; without an offset it is read on the clock of the zone. Null, and the problem reported, otherwise. */
export function readTime(reading: ScheduleFileReading, text: string, { path, zone }: Place): EpochMs | null {
  const time = parseTime(text, zone);
  if (time !== null) return time;
  reading.report({
    path,
    expected: `a time such as '2026-12-24T18:00' (in ${zone.name}) or '2026-12-24T18:00:00Z'`,
    found: quoted(text),
  });
  return null;
}

function parseTime(text: string, zone: TimeZone): EpochMs | null {
  const [, local, offset] = DATE_AND_TIME.exec(DATE.test(text) ? `${text}T00:00` : text) ?? [];
  if (local === undefined) return null;
  const wallClock = Date.parse(`${local}Z`);
  // Date.parse lets 30 February be 2 March.
  if (Number.isNaN(wallClock) || !new Date(wallClock).toISOString().startsWith(local.slice(0, 16))) return null;
  if (offset === undefined) return zone.instantOf(wallClock);
  const time = Date.parse(local + offset);
  return Number.isNaN(time) ? null : time;
}

/** 'HH:MM' or 'HH:MM:SS'; null, and the problem reported, otherwise. */
export function readTimeOfDay(reading: ScheduleFileReading, text: string, path: Path): TimeOfDay | null {
  const [, hour, minute, second = '0'] = TIME_OF_DAY.exec(text) ?? [];
  if (hour !== undefined) return { hour: Number(hour), minute: Number(minute), second: Number(second) };
  reading.report({ path, expected: "a time of day such as '08:30' or '08:30:15'", found: quoted(text) });
  return null;
}

/** Hours, minutes and seconds; a day or a month has no fixed length. */
const DURATION = /^PT(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,3})?)S)?$/i;

/** Milliseconds, or an ISO-8601 duration of hours, minutes and seconds; null, and the problem reported, otherwise. */
export function readDuration(reading: ScheduleFileReading, value: number | string, path: Path): number | null {
  if (typeof value === 'number') return value;
  const milliseconds = /\dd/.test(value) ? Number.NaN : parseShortDuration(value);
  if (!Number.isNaN(milliseconds)) return Math.round(milliseconds);
  const parts = DURATION.exec(value);
  if (parts !== null) {
    const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part = '0') => Number(part));
    return Math.round(hours * 3_600_000 + minutes * 60_000 + seconds * 1_000);
  }
  const message = `expected milliseconds, or a duration of hours, minutes and seconds such as '90s' or 'PT1M30S', found ${quoted(value)}`;
  reading.report({
    path,
    message: /^P\d|\dd/i.test(value) ? `${message}; days and longer are for calendarInterval` : message,
  });
  return null;
}
