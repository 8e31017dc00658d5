import { Duration } from 'luxon';
import { SchedulerError } from '../base/errors';
import { describeValue } from './check-text';
import { parseShortDuration } from './time/short-duration';
import { type IntervalUnit, REPEAT_INDEFINITELY } from './trigger';

/** A trigger that fires once, at its start. */
export const ONCE = { kind: 'SIMPLE', repeatCount: 0, repeatInterval: 0, timesTriggered: 0 } as const;

/** Builds the schedule of `every`, in code and in schedule files: a trigger without its misfire instruction. Throws INVALID_ARGUMENT. */
export function repeatSchedule(every: number | string, timeZone: string) {
  const interval = readRepeatInterval(every);
  if (interval.kind === 'SIMPLE') return { ...interval, repeatCount: REPEAT_INDEFINITELY, timesTriggered: 0 };
  return {
    ...interval,
    timeZone,
    // Days keep the hour of the start across daylight saving changes.
    preserveHourOfDayAcrossDaylightSavings: true,
    skipDayIfHourDoesNotExist: false,
    timesTriggered: 0,
  };
}

/** Interval of a repetition: on the clock, or on the calendar, where days and months differ in length. */
type RepeatInterval =
  | { readonly kind: 'SIMPLE'; readonly repeatInterval: number }
  | { readonly kind: 'CAL_INT'; readonly repeatInterval: number; readonly repeatIntervalUnit: IntervalUnit };

const CALENDAR_UNITS = { years: 'YEAR', months: 'MONTH', weeks: 'WEEK', days: 'DAY' } as const;

/** Maximum length of a duration text. Longer texts are not parsed. */
const MAX_TEXT = 64;

/**
 * Reads `every` of the short form: milliseconds, a short duration such as '5m' or '1d', or an ISO-8601 duration. Hours, minutes and seconds count on the
 * clock; one of years, months, weeks and days counts on the calendar. Throws INVALID_ARGUMENT.
 */
export function readRepeatInterval(every: number | string): RepeatInterval {
  if (typeof every === 'number') return { kind: 'SIMPLE', repeatInterval: checkCount(every, every) };
  if (typeof every !== 'string' || every.length > MAX_TEXT) throw unreadable(every);
  const duration = Duration.fromISO(/\dd/.test(every) ? isoOfShort(every) : every);
  const milliseconds = duration.isValid ? Number.NaN : Math.round(parseShortDuration(every));
  if (!Number.isNaN(milliseconds)) return { kind: 'SIMPLE', repeatInterval: checkCount(milliseconds, every) };
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

/** Converts a short duration to ISO-8601: `1d` becomes `P1D`, also a day of the calendar. The ISO-8601 reader detects mixed durations. */
function isoOfShort(every: string): string {
  if (Number.isNaN(parseShortDuration(every))) return every;
  const [, days = '', rest = ''] = /^(\d+(?:\.\d+)?)d(.*)$/.exec(every) ?? [];
  return rest === '' ? `P${days}D` : `P${days}DT${rest.toUpperCase()}`;
}

function checkCount(count: number, found: number | string): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw unreadable(found);
}

function unreadable(found: unknown): SchedulerError {
  return bad(
    `Expected a positive number of milliseconds, or a duration such as '5m', '1h30m', '1d', 'PT5M' or 'P1D', as every, found ${describeValue(found)}.`,
  );
}

function mixed(found: string): SchedulerError {
  return bad(
    'Expected a duration of one calendar unit (P1D, P2W, P1M, P1Y) or of hours, minutes and seconds (PT36H) as every, ' +
      `found '${found}'. A day is not always 24 hours, so calendar units and hours cannot be mixed.`,
  );
}

function bad(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}
