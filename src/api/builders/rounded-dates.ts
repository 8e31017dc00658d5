import { checkDate, checkWhole } from './check-arguments';
import { type DateOptions, nowOf, zoneOf } from './date-options';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** The next full hour after `date` (null: now), also when that is a full hour itself. Throws INVALID_ARGUMENT for what is no date. */
export function evenHourDate(date: Date | null = null, options: DateOptions = {}): Date {
  return nextFull(HOUR, date, options);
}

/** The full hour at or before `date` (null: now). Throws INVALID_ARGUMENT for what is no date. */
export function evenHourDateBefore(date: Date | null = null, options: DateOptions = {}): Date {
  return lastFull(HOUR, date, options);
}

/** The next full hour. */
export function evenHourDateAfterNow(options: DateOptions = {}): Date {
  return nextFull(HOUR, null, options);
}

/** The next full minute after `date` (null: now), also when that is a full minute itself. Throws INVALID_ARGUMENT for what is no date. */
export function evenMinuteDate(date: Date | null = null, options: DateOptions = {}): Date {
  return nextFull(MINUTE, date, options);
}

/** The full minute at or before `date` (null: now). Throws INVALID_ARGUMENT for what is no date. */
export function evenMinuteDateBefore(date: Date | null = null, options: DateOptions = {}): Date {
  return lastFull(MINUTE, date, options);
}

/** The next full minute. */
export function evenMinuteDateAfterNow(options: DateOptions = {}): Date {
  return nextFull(MINUTE, null, options);
}

/** The next full second after `date` (null: now), also when that is a full second itself. Throws INVALID_ARGUMENT for what is no date. */
export function evenSecondDate(date: Date | null = null, options: DateOptions = {}): Date {
  return nextFull(SECOND, date, options);
}

/** The full second at or before `date` (null: now). Throws INVALID_ARGUMENT for what is no date. */
export function evenSecondDateBefore(date: Date | null = null, options: DateOptions = {}): Date {
  return lastFull(SECOND, date, options);
}

/** The next full second. */
export function evenSecondDateAfterNow(options: DateOptions = {}): Date {
  return nextFull(SECOND, null, options);
}

/**
 * The next minute after `date` (null: now) that is a multiple of `minuteBase` (0–59); a full hour always is, 0 only that. Throws
 * INVALID_ARGUMENT.
 */
export function nextGivenMinuteDate(date: Date | null, minuteBase: number, options: DateOptions = {}): Date {
  const base = checkWhole(minuteBase, 'the base of the minutes', 0, 59);
  return nextWithin({ whole: HOUR, part: base * MINUTE }, date, options);
}

/**
 * The next second after `date` (null: now) that is a multiple of `secondBase` (0–59); a full minute always is, 0 only that. Throws
 * INVALID_ARGUMENT.
 */
export function nextGivenSecondDate(date: Date | null, secondBase: number, options: DateOptions = {}): Date {
  const base = checkWhole(secondBase, 'the base of the seconds', 0, 59);
  return nextWithin({ whole: MINUTE, part: base * SECOND }, date, options);
}

function nextFull(unit: number, date: Date | null, options: DateOptions): Date {
  return new Date(lastFull(unit, date, options).getTime() + unit);
}

function lastFull(unit: number, date: Date | null, options: DateOptions): Date {
  const time = date === null ? nowOf(options) : checkDate(date, 'the date').getTime();
  const local = zoneOf(options).localAt(time);
  return new Date(time - (local - Math.floor(local / unit) * unit));
}

/** The next multiple of `part` since the last full `whole`, or the next full `whole` if that comes first. */
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
