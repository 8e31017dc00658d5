import { DAY_MS } from '../../base/clock';
import { invalidArgument } from '../../domain/check-text';
import { timeZoneOf } from '../../domain/time/time-zone';
import { checkWhole } from './check-arguments';
import { type DateOptions, nowOf, zoneOf } from './dates';

/** Numbers of the days of the week, as in Quartz: 1 (Sunday) to 7 (Saturday). */
export const DayOfWeek = {
  SUNDAY: 1,
  MONDAY: 2,
  TUESDAY: 3,
  WEDNESDAY: 4,
  THURSDAY: 5,
  FRIDAY: 6,
  SATURDAY: 7,
} as const;

type DatePart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

/** Builds a date field by field: `newDate().inTimeZone('Europe/Berlin').onDay(24).inMonth(12).build()`. */
export class DateBuilder {
  #options: DateOptions;
  #parts: Readonly<Partial<Record<DatePart, number>>> = {};

  constructor(options: DateOptions = {}) {
    this.#options = options;
    if (options.timeZone !== undefined) this.inTimeZone(options.timeZone);
  }

  /** Sets the time zone by its IANA name. Throws UNKNOWN_TIME_ZONE for any other name. */
  inTimeZone(timeZone: string): this {
    this.#options = { ...this.#options, timeZone: timeZoneOf(timeZone).name };
    return this;
  }

  /** Sets the hour (0 to 23), minute and second (0 to 59). Throws INVALID_ARGUMENT for any other value. */
  atHourMinuteAndSecond(hour: number, minute: number, second: number): this {
    return this.atHourOfDay(hour).atMinute(minute).atSecond(second);
  }

  /** Sets the hour, 0 to 23. Throws INVALID_ARGUMENT for any other value. */
  atHourOfDay(hour: number): this {
    validateHour(hour);
    return this.#with({ hour });
  }

  /** Sets the minute, 0 to 59. Throws INVALID_ARGUMENT for any other value. */
  atMinute(minute: number): this {
    validateMinute(minute);
    return this.#with({ minute });
  }

  /** Sets the second, 0 to 59. Throws INVALID_ARGUMENT for any other value. */
  atSecond(second: number): this {
    validateSecond(second);
    return this.#with({ second });
  }

  /** Sets the day of the month, 1 to 31. Throws INVALID_ARGUMENT for any other value. */
  onDay(dayOfMonth: number): this {
    validateDayOfMonth(dayOfMonth);
    return this.#with({ day: dayOfMonth });
  }

  /** Sets the month, 1 to 12. Throws INVALID_ARGUMENT for any other value. */
  inMonth(month: number): this {
    validateMonth(month);
    return this.#with({ month });
  }

  /** Sets the month (1 to 12) and the day of the month (1 to 31). Throws INVALID_ARGUMENT for any other value. */
  inMonthOnDay(month: number, dayOfMonth: number): this {
    return this.inMonth(month).onDay(dayOfMonth);
  }

  /** Sets the year, 1970 to 2199, as in Quartz. Throws INVALID_ARGUMENT for any other value. */
  inYear(year: number): this {
    validateYear(year);
    return this.#with({ year });
  }

  /**
   * Builds the date. Fields that were not set default to the current date and time in the time zone, to the second. Throws INVALID_ARGUMENT if the
   * month does not have the day.
   */
  build(): Date {
    const zone = zoneOf(this.#options);
    const now = new Date(zone.localAt(nowOf(this.#options)));
    const { year = now.getUTCFullYear(), month = now.getUTCMonth() + 1, day = now.getUTCDate() } = this.#parts;
    const { hour = now.getUTCHours(), minute = now.getUTCMinutes(), second = now.getUTCSeconds() } = this.#parts;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    if (new Date(local).getUTCDate() !== day) {
      throw invalidArgument(`a day that exists in month ${month} of ${year}`, day);
    }
    return new Date(zone.instantOf(local));
  }

  #with(part: Readonly<Partial<Record<DatePart, number>>>): this {
    this.#parts = { ...this.#parts, ...part };
    return this;
  }
}

/** Returns a builder of a date. If no field is set, `build` returns the current time, to the second. */
export function newDate(options: DateOptions = {}): DateBuilder {
  return new DateBuilder(options);
}

/**
 * Returns the date with this time of day (hour 0–23, minute and second 0–59) in the time zone of this process. Day (1–31), month (1–12) and year
 * (1970–2199) default to today's. Throws INVALID_ARGUMENT for any other value.
 */
export function dateOf(
  ...[hour, minute, second, day, month, year]: [
    hour: number,
    minute: number,
    second: number,
    dayOfMonth?: number,
    month?: number,
    year?: number,
  ]
): Date {
  const date = newDate().atHourMinuteAndSecond(hour, minute, second);
  if (day !== undefined) date.onDay(day);
  if (month !== undefined) date.inMonth(month);
  if (year !== undefined) date.inYear(year);
  return date.build();
}

/** Returns today's date at the given time of day: hour 0–23, minute and second 0–59. Throws INVALID_ARGUMENT for any other value. */
export function todayAt(hour: number, minute: number, second: number, options: DateOptions = {}): Date {
  return newDate(options).atHourMinuteAndSecond(hour, minute, second).build();
}

/** Returns tomorrow's date at the given time of day: hour 0–23, minute and second 0–59. Throws INVALID_ARGUMENT for any other value. */
export function tomorrowAt(hour: number, minute: number, second: number, options: DateOptions = {}): Date {
  // Counted from today's date, because today's clock may skip this time of day.
  const date = new Date(zoneOf(options).localAt(nowOf(options)) + DAY_MS);
  return newDate(options)
    .inYear(date.getUTCFullYear())
    .inMonthOnDay(date.getUTCMonth() + 1, date.getUTCDate())
    .atHourMinuteAndSecond(hour, minute, second)
    .build();
}

/** Throws INVALID_ARGUMENT unless the day of the week is 1 (Sunday) to 7 (Saturday). */
export function validateDayOfWeek(dayOfWeek: number): void {
  checkWhole(dayOfWeek, 'the day of the week', 1, 7);
}

/** Throws INVALID_ARGUMENT unless the hour is 0 to 23. */
export function validateHour(hour: number): void {
  checkWhole(hour, 'the hour', 0, 23);
}

/** Throws INVALID_ARGUMENT unless the minute is 0 to 59. */
export function validateMinute(minute: number): void {
  checkWhole(minute, 'the minute', 0, 59);
}

/** Throws INVALID_ARGUMENT unless the second is 0 to 59. */
export function validateSecond(second: number): void {
  checkWhole(second, 'the second', 0, 59);
}

/** Throws INVALID_ARGUMENT unless the day of the month is 1 to 31. */
export function validateDayOfMonth(dayOfMonth: number): void {
  checkWhole(dayOfMonth, 'the day of the month', 1, 31);
}

/** Throws INVALID_ARGUMENT unless the month is 1 to 12. */
export function validateMonth(month: number): void {
  checkWhole(month, 'the month', 1, 12);
}

/** Throws INVALID_ARGUMENT unless the year is 1970 to 2199, as in Quartz. */
export function validateYear(year: number): void {
  checkWhole(year, 'the year', 1970, 2199);
}
