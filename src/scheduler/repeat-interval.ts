import { Duration } from 'luxon';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import { parseShortDuration } from '../domain/time/short-duration';
import type { IntervalUnit } from '../domain/trigger';

/** How often something repeats: on the clock, or on the calendar, where days and months differ in length. */
export type RepeatInterval =
  | { readonly kind: 'SIMPLE'; readonly repeatInterval: number }
  | { readonly kind: 'CAL_INT'; readonly repeatInterval: number; readonly repeatIntervalUnit: IntervalUnit };

const CALENDAR_UNITS = { years: 'YEAR', months: 'MONTH', weeks: 'WEEK', days: 'DAY' } as const;

/** Longer texts are no durations; they are not even parsed. */
const LONGEST_TEXT = 64;

/**
 * Reads `every` of the short form: milliseconds, a short duration such as '5m', or an ISO-8601 duration. Hours, minutes and seconds count on the
 * clock; one of years, months, weeks and days counts on the calendar. Throws INVALID_ARGUMENT.
 */
export function readRepeatInterval(every: number | string): RepeatInterval {
  if (typeof every === 'number') return { kind: 'SIMPLE', repeatInterval: checkCount(every, every) };
  if (typeof every !== 'string' || every.length > LONGEST_TEXT) throw unreadable(every);
  const milliseconds = readShort(every);
  if (!Number.isNaN(milliseconds)) return { kind: 'SIMPLE', repeatInterval: checkCount(milliseconds, every) };
  const duration = Duration.fromISO(every);
  if (!duration.isValid) throw unreadable(every);
  const calendarUnits = (Object.keys(CALENDAR_UNITS) as (keyof typeof CALENDAR_UNITS)[]).filter(
    (unit) => duration[unit] !== 0,
  );
  const [unit] = calendarUnits;
  if (unit === undefined) return { kind: 'SIMPLE', repeatInterval: checkCount(duration.toMillis(), every) };
  const rest = duration.set({ [unit]: 0 }).toMillis();
  if (calendarUnits.length > 1 || rest !== 0) throw mixed(every);
  return {
    kind: 'CAL_INT',
    repeatInterval: checkCount(duration[unit], every),
    repeatIntervalUnit: CALENDAR_UNITS[unit],
  };
}

/** Milliseconds of `5m`; NaN for what is written otherwise. Throws INVALID_ARGUMENT for days. */
function readShort(every: string): number {
  if (!/\dd/.test(every)) return Math.round(parseShortDuration(every));
  // On the clock or on the calendar: only one of them is meant, and 'd' does not say which.
  if (Number.isNaN(parseShortDuration(every))) return Number.NaN;
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected 'P1D' for a day of the calendar, or '24h' for hours of the clock, as every, found ${describeValue(every)}.`,
  );
}

function checkCount(count: number, found: number | string): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw unreadable(found);
}

function unreadable(found: unknown): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a positive number of milliseconds, or a duration such as '5m', '1h30m', 'PT5M' or 'P1D', as every, found ${describeValue(found)}.`,
  );
}

function mixed(found: string): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    'Expected a duration of one calendar unit (P1D, P2W, P1M, P1Y) or of hours, minutes and seconds (PT36H) as every, ' +
      `found '${found}'. A day is not always 24 hours, so the two do not mix.`,
  );
}
