import type { EpochMs } from '../base/clock';
import { type Path, quoted } from '../config/source-document';
import { parseDuration } from '../domain/time/duration';
import { parseIsoTime } from '../domain/time/iso-time';
import type { TimeZone } from '../domain/time/time-zone';
import type { TimeOfDay } from '../domain/trigger';
import type { ScheduleFileReading } from './schedule-file-reading';

const TIME_OF_DAY = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

interface Place {
  readonly path: Path;
  readonly zone: TimeZone;
}

/** Reads an ISO-8601 time. A time without an offset is interpreted in `zone`. Reports a problem and returns null if the time is invalid. */
export function readTime(reading: ScheduleFileReading, text: string, { path, zone }: Place): EpochMs | null {
  const time = parseIsoTime(text, zone);
  if (time !== null) return time;
  reading.report({
    path,
    expected: `a time such as '2026-12-24T18:00' (in ${zone.name}) or '2026-12-24T18:00:00Z'`,
    found: quoted(text),
  });
  return null;
}

/** Reads a time of day such as `08:30` or `08:30:15`. Reports a problem and returns null for anything else. */
export function readTimeOfDay(reading: ScheduleFileReading, text: string, path: Path): TimeOfDay | null {
  const [, hour, minute, second = '0'] = TIME_OF_DAY.exec(text) ?? [];
  if (hour !== undefined) return { hour: Number(hour), minute: Number(minute), second: Number(second) };
  reading.report({ path, expected: "a time of day such as '08:30' or '08:30:15'", found: quoted(text) });
  return null;
}

/** Reads milliseconds or a duration of fixed length, such as `90s`, `1d` (24 hours) or `PT1M30S`. Reports anything else and returns null. */
export function readDuration(reading: ScheduleFileReading, value: number | string, path: Path): number | null {
  if (typeof value === 'number') return value;
  const milliseconds = /^P[^T]*[YMW]/i.test(value)
    ? Number.NaN
    : parseDuration(value.toUpperCase().startsWith('P') ? value.toUpperCase() : value);
  if (!Number.isNaN(milliseconds)) return Math.round(milliseconds);
  const message = `expected milliseconds, or a duration such as '90s', '1d' or 'PT1M30S', found ${quoted(value)}`;
  reading.report({
    path,
    message: /^P\d/i.test(value) ? `${message}; use calendarInterval for weeks and longer` : message,
  });
  return null;
}
