import { type Clock, type EpochMs, SystemClock } from '../../base/clock';
import { checkOptions } from '../../domain/check-options';
import { systemTimeZone } from '../../domain/time/system-time-zone';
import { type TimeZone, timeZoneOf } from '../../domain/time/time-zone';
import { plusDays, plusMonths } from '../../domain/time/wall-clock';
import { type IntervalUnit, MAX_INT } from '../../domain/trigger';
import { checkDate, checkOneOf, checkWhole } from './check-arguments';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Options of functions that return dates. */
export interface DateOptions {
  /** IANA name of the time zone in which the wall clock is read. Default: the zone of this process. */
  readonly timeZone?: string;
  /** Source of the current time. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

const systemClock = new SystemClock();

const OPTIONS = { timeZone: true, clock: true } as const;

/** Returns the current time of the clock in the options. Throws INVALID_ARGUMENT for unknown options. */
export function nowOf(options: DateOptions): EpochMs {
  return (checkOptions(options, OPTIONS).clock ?? systemClock).now();
}

/** Returns the time zone in the options. Throws UNKNOWN_TIME_ZONE for an unknown name, and INVALID_ARGUMENT for unknown options. */
export function zoneOf(options: DateOptions): TimeZone {
  return timeZoneOf(checkOptions(options, OPTIONS).timeZone ?? systemTimeZone());
}

/** Units that `futureDate` accepts. */
export type DateUnit = IntervalUnit | 'MILLISECOND';

const ELAPSED_MS: Readonly<Partial<Record<DateUnit, number>>> = {
  MILLISECOND: 1,
  SECOND: SECOND_MS,
  MINUTE: MINUTE_MS,
  HOUR: HOUR_MS,
};
const DAYS: Readonly<Partial<Record<DateUnit, number>>> = { DAY: 1, WEEK: 7 };
const MONTHS: Readonly<Partial<Record<DateUnit, number>>> = { MONTH: 1, YEAR: 12 };
const UNITS = Object.keys({ ...ELAPSED_MS, ...DAYS, ...MONTHS }) as DateUnit[];

/**
 * Returns the date that is a whole number of units from now. A negative number gives a past date. Days, weeks, months and years follow the calendar
 * of the time zone. Throws INVALID_ARGUMENT for any other number or unit.
 */
export function futureDate(interval: number, unit: DateUnit, options: DateOptions = {}): Date {
  checkOneOf(unit, 'the unit', UNITS);
  checkWhole(interval, 'the interval', -MAX_INT);
  const now = nowOf(options);
  const zone = zoneOf(options);
  const [days, months] = [DAYS[unit], MONTHS[unit]];
  if (days !== undefined) return new Date(plusDays(zone, now, interval * days));
  if (months !== undefined) return new Date(plusMonths(zone, now, interval * months));
  return new Date(now + interval * (ELAPSED_MS[unit] as number));
}

/** Returns the time at which a clock in the zone `to` shows what a clock in the zone `from` shows at `date`. Throws UNKNOWN_TIME_ZONE. */
export function translateTime(date: Date, from: string, to: string): Date {
  const time = checkDate(date, 'the date').getTime();
  return new Date(time - (timeZoneOf(to).offsetAt(time) - timeZoneOf(from).offsetAt(time)));
}

/** Returns the first full hour after `date` (null: now), an hour later if `date` is a full hour. Throws INVALID_ARGUMENT for an invalid date. */
export function evenHourDate(date: Date | null = null, options: DateOptions = {}): Date {
  return nextFull(HOUR_MS, date, options);
}

/** Returns the latest full hour that is not after `date` (null: now). Throws INVALID_ARGUMENT for an invalid date. */
export function evenHourDateBefore(date: Date | null = null, options: DateOptions = {}): Date {
  return lastFull(HOUR_MS, date, options);
}

/** Returns the next full hour after now. */
export function evenHourDateAfterNow(options: DateOptions = {}): Date {
  return nextFull(HOUR_MS, null, options);
}

/** Returns the first full minute after `date` (null: now), a minute later if `date` is a full minute. Throws INVALID_ARGUMENT for an invalid date. */
export function evenMinuteDate(date: Date | null = null, options: DateOptions = {}): Date {
  return nextFull(MINUTE_MS, date, options);
}

/** Returns the latest full minute that is not after `date` (null: now). Throws INVALID_ARGUMENT for an invalid date. */
export function evenMinuteDateBefore(date: Date | null = null, options: DateOptions = {}): Date {
  return lastFull(MINUTE_MS, date, options);
}

/** Returns the next full minute after now. */
export function evenMinuteDateAfterNow(options: DateOptions = {}): Date {
  return nextFull(MINUTE_MS, null, options);
}

/** Returns the first full second after `date` (null: now), a second later if `date` is a full second. Throws INVALID_ARGUMENT for an invalid date. */
export function evenSecondDate(date: Date | null = null, options: DateOptions = {}): Date {
  return nextFull(SECOND_MS, date, options);
}

/** Returns the latest full second that is not after `date` (null: now). Throws INVALID_ARGUMENT for an invalid date. */
export function evenSecondDateBefore(date: Date | null = null, options: DateOptions = {}): Date {
  return lastFull(SECOND_MS, date, options);
}

/** Returns the next full second after now. */
export function evenSecondDateAfterNow(options: DateOptions = {}): Date {
  return nextFull(SECOND_MS, null, options);
}

/**
 * Returns the next minute after `date` (null: now) that is a multiple of `minuteBase` (0–59) within the hour. Returns the next full hour if that is
 * earlier, or if `minuteBase` is 0. Throws INVALID_ARGUMENT for any other value.
 */
export function nextGivenMinuteDate(date: Date | null, minuteBase: number, options: DateOptions = {}): Date {
  const base = checkWhole(minuteBase, 'the base of the minutes', 0, 59);
  return nextWithin({ whole: HOUR_MS, part: base * MINUTE_MS }, date, options);
}

/**
 * Returns the next second after `date` (null: now) that is a multiple of `secondBase` (0–59) within the minute. Returns the next full minute if
 * that is earlier, or if `secondBase` is 0. Throws INVALID_ARGUMENT for any other value.
 */
export function nextGivenSecondDate(date: Date | null, secondBase: number, options: DateOptions = {}): Date {
  const base = checkWhole(secondBase, 'the base of the seconds', 0, 59);
  return nextWithin({ whole: MINUTE_MS, part: base * SECOND_MS }, date, options);
}

function nextFull(unit: number, date: Date | null, options: DateOptions): Date {
  return new Date(lastFull(unit, date, options).getTime() + unit);
}

function lastFull(unit: number, date: Date | null, options: DateOptions): Date {
  const time = date === null ? nowOf(options) : checkDate(date, 'the date').getTime();
  const local = zoneOf(options).localAt(time);
  return new Date(time - (local - Math.floor(local / unit) * unit));
}

/**
 * Divides each full hour or minute (`whole`) into intervals of `part` milliseconds, and returns the first interval start after `date`. Returns the
 * next full `whole` if that is earlier, or if `part` is 0.
 */
function nextWithin(
  { whole, part }: { readonly whole: number; readonly part: number },
  date: Date | null,
  options: DateOptions,
): Date {
  const time = date === null ? nowOf(options) : checkDate(date, 'the date').getTime();
  const start = lastFull(whole, new Date(time), options).getTime();
  const next = part === 0 ? whole : (Math.floor((time - start) / part) + 1) * part;
  return new Date(start + Math.min(next, whole));
}
