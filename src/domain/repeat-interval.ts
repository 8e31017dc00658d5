import type { SchedulerError } from '../base/errors';
import { invalidArgument, unmet } from './check-text';
import { parseIsoDuration, parseShortDuration } from './time/duration';
import { type IntervalUnit, REPEAT_INDEFINITELY } from './trigger';

/** Fields of a trigger that fires once, at its start time. */
export const ONCE = { kind: 'SIMPLE', repeatCount: 0, repeatInterval: 0, timesTriggered: 0 } as const;

/** Returns the trigger fields for `every` in code or a schedule file, without the misfire instruction. Throws INVALID_ARGUMENT. */
export function repeatSchedule(every: number | string, timeZone: string) {
  const interval = readRepeatInterval(every);
  if (interval.kind === 'SIMPLE') return { ...interval, repeatCount: REPEAT_INDEFINITELY, timesTriggered: 0 };
  return {
    ...interval,
    timeZone,
    // Calendar intervals preserve the hour of the start time across daylight saving changes.
    preserveHourOfDayAcrossDaylightSavings: true,
    skipDayIfHourDoesNotExist: false,
    timesTriggered: 0,
  };
}

/** Interval of a repetition: a fixed duration, or a number of calendar units of varying length. */
type RepeatInterval =
  | { readonly kind: 'SIMPLE'; readonly repeatInterval: number }
  | { readonly kind: 'CAL_INT'; readonly repeatInterval: number; readonly repeatIntervalUnit: IntervalUnit };

const CALENDAR_UNITS = { years: 'YEAR', months: 'MONTH', weeks: 'WEEK', days: 'DAY' } as const;

/** Maximum length of a duration string, in characters. Longer strings are rejected without parsing. */
const MAX_TEXT = 64;

/**
 * Parses `every`: milliseconds, a short duration such as '5m' or '1d', or an ISO-8601 duration. Hours, minutes and seconds are a fixed duration.
 * Years, months, weeks and days are calendar units, of which only one may be used. Throws INVALID_ARGUMENT.
 */
export function readRepeatInterval(every: number | string): RepeatInterval {
  if (typeof every === 'number') return { kind: 'SIMPLE', repeatInterval: checkCount(every, every) };
  if (typeof every !== 'string' || every.length > MAX_TEXT) throw unreadable(every);
  const duration = parseIsoDuration(/\dd/.test(every) ? isoOfShort(every) : every);
  if (duration === null) {
    const milliseconds = Math.round(parseShortDuration(every));
    if (Number.isNaN(milliseconds)) throw unreadable(every);
    return { kind: 'SIMPLE', repeatInterval: checkCount(milliseconds, every) };
  }
  const calendarUnits = (Object.keys(CALENDAR_UNITS) as (keyof typeof CALENDAR_UNITS)[]).filter(
    (unit) => duration[unit] !== 0,
  );
  const [unit] = calendarUnits;
  if (unit === undefined) return { kind: 'SIMPLE', repeatInterval: checkCount(duration.milliseconds, every) };
  if (calendarUnits.length > 1 || duration.milliseconds !== 0) throw mixed(every);
  return {
    kind: 'CAL_INT',
    repeatInterval: checkCount(duration[unit], every),
    repeatIntervalUnit: CALENDAR_UNITS[unit],
  };
}

/** Converts a short duration with days to ISO-8601, so that `1d` becomes `P1D`, a calendar day. Returns any other string unchanged. */
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
  const durations = "'5m', '1h30m', '1d', 'PT5M' or 'P1D'";
  return invalidArgument(`a positive number of milliseconds, or a duration such as ${durations}, as every`, found);
}

function mixed(found: string): SchedulerError {
  return unmet(
    'a duration of one calendar unit (P1D, P2W, P1M, P1Y) or of hours, minutes and seconds (PT36H) as every',
    `'${found}'. A day is not always 24 hours, so calendar units and hours cannot be mixed`,
  );
}
