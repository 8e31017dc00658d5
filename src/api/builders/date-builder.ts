import { timeZoneOf } from '../../domain/time/time-zone';
import { plusDays, plusMonths } from '../../domain/time/wall-clock';
import type { IntervalUnit } from '../../domain/trigger';
import { checkDate, checkOneOf, checkWhole, invalidArgument, MAX_INT } from './check-arguments';
import { type DateOptions, nowOf, zoneOf } from './date-options';
import {
  validateDayOfMonth,
  validateHour,
  validateMinute,
  validateMonth,
  validateSecond,
  validateYear,
} from './date-validation';

/** Quartz's numbers of the days of the week. */
export const DayOfWeek = {
  SUNDAY: 1,
  MONDAY: 2,
  TUESDAY: 3,
  WEDNESDAY: 4,
  THURSDAY: 5,
  FRIDAY: 6,
  SATURDAY: 7,
} as const;

/** What `futureDate` counts in. */
export type DateUnit = IntervalUnit | 'MILLISECOND';

const ELAPSED: Readonly<Partial<Record<DateUnit, number>>> = {
  MILLISECOND: 1,
  SECOND: 1_000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
};
const DAYS: Readonly<Partial<Record<DateUnit, number>>> = { DAY: 1, WEEK: 7 };
const MONTHS: Readonly<Partial<Record<DateUnit, number>>> = { MONTH: 1, YEAR: 12 };
const UNITS = Object.keys({ ...ELAPSED, ...DAYS, ...MONTHS }) as DateUnit[];
const DAY = 86_400_000;

/** Describes a date part by part: `newDate().inTimeZone('Europe/Berlin').onDay(24).inMonth(12).build()`. */
export class DateBuilder {
  readonly #clock: Pick<DateOptions, 'clock'>;
  #timeZone: Pick<DateOptions, 'timeZone'> = {};
  #hour: number | null = null;
  #minute: number | null = null;
  #second: number | null = null;
  #day: number | null = null;
  #month: number | null = null;
  #year: number | null = null;

  constructor({ timeZone, ...clock }: DateOptions = {}) {
    this.#clock = clock;
    if (timeZone !== undefined) this.inTimeZone(timeZone);
  }

  /** IANA name. Throws UNKNOWN_TIME_ZONE. */
  inTimeZone(timeZone: string): this {
    this.#timeZone = { timeZone: timeZoneOf(timeZone).name };
    return this;
  }

  /** Hour 0 to 23, minute and second 0 to 59. Throws INVALID_ARGUMENT outside of that. */
  atHourMinuteAndSecond(hour: number, minute: number, second: number): this {
    return this.atHourOfDay(hour).atMinute(minute).atSecond(second);
  }

  /** The hour, 0 to 23. Throws INVALID_ARGUMENT outside of that. */
  atHourOfDay(hour: number): this {
    validateHour(hour);
    this.#hour = hour;
    return this;
  }

  /** The minute, 0 to 59. Throws INVALID_ARGUMENT outside of that. */
  atMinute(minute: number): this {
    validateMinute(minute);
    this.#minute = minute;
    return this;
  }

  /** The second, 0 to 59. Throws INVALID_ARGUMENT outside of that. */
  atSecond(second: number): this {
    validateSecond(second);
    this.#second = second;
    return this;
  }

  /** The day of the month, 1 to 31. Throws INVALID_ARGUMENT outside of that. */
  onDay(dayOfMonth: number): this {
    validateDayOfMonth(dayOfMonth);
    this.#day = dayOfMonth;
    return this;
  }

  /** The month, 1 to 12. Throws INVALID_ARGUMENT outside of that. */
  inMonth(month: number): this {
    validateMonth(month);
    this.#month = month;
    return this;
  }

  /** Month, 1 to 12, and day of the month, 1 to 31. Throws INVALID_ARGUMENT outside of that. */
  inMonthOnDay(month: number, dayOfMonth: number): this {
    return this.inMonth(month).onDay(dayOfMonth);
  }

  /** The year, 1970 to 2199, as in Quartz. Throws INVALID_ARGUMENT outside of that. */
  inYear(year: number): this {
    validateYear(year);
    this.#year = year;
    return this;
  }

  /** What was not said is what the wall clock shows now. Throws INVALID_ARGUMENT for a day its month does not have. */
  build(): Date {
    const zone = zoneOf(this.#timeZone);
    const now = new Date(zone.localAt(nowOf(this.#clock)));
    const year = this.#year ?? now.getUTCFullYear();
    const month = this.#month ?? now.getUTCMonth() + 1;
    const day = this.#day ?? now.getUTCDate();
    const hour = this.#hour ?? now.getUTCHours();
    const minute = this.#minute ?? now.getUTCMinutes();
    const second = this.#second ?? now.getUTCSeconds();
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    if (new Date(local).getUTCDate() !== day) {
      throw invalidArgument(`a day that month ${month} of ${year} has`, day);
    }
    return new Date(zone.instantOf(local));
  }
}

/** A date to be described; now, to the second, if nothing else is said. */
export function newDate(options: DateOptions = {}): DateBuilder {
  return new DateBuilder(options);
}

/**
 * A wall-clock time (hour 0–23, minute and second 0–59) in the zone of this process, on the day (1–31), in the month (1–12) and the year
 * (1970–2199) given; today's where they are left out. Throws INVALID_ARGUMENT.
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

/** Today at a time of day: hour 0–23, minute and second 0–59. Throws INVALID_ARGUMENT. */
export function todayAt(hour: number, minute: number, second: number, options: DateOptions = {}): Date {
  return newDate(options).atHourMinuteAndSecond(hour, minute, second).build();
}

/** Tomorrow at a time of day: hour 0–23, minute and second 0–59. Throws INVALID_ARGUMENT. */
export function tomorrowAt(hour: number, minute: number, second: number, options: DateOptions = {}): Date {
  const zone = zoneOf(options);
  const today = zone.localAt(todayAt(hour, minute, second, options).getTime());
  return new Date(zone.instantOf(today + DAY));
}

/** So many units from now, whole, negative for the past; days to years are counted on the calendar. Throws INVALID_ARGUMENT. */
export function futureDate(interval: number, unit: DateUnit, options: DateOptions = {}): Date {
  checkOneOf(unit, 'the unit', UNITS);
  checkWhole(interval, 'the interval', -MAX_INT);
  const now = nowOf(options);
  const zone = zoneOf(options);
  const days = DAYS[unit];
  if (days !== undefined) return new Date(plusDays(zone, now, interval * days));
  const months = MONTHS[unit];
  if (months !== undefined) return new Date(plusMonths(zone, now, interval * months));
  return new Date(now + interval * (ELAPSED[unit] as number));
}

/** When a clock in `to` shows what a clock in `from` shows at `date`. Throws UNKNOWN_TIME_ZONE. */
export function translateTime(date: Date, from: string, to: string): Date {
  const time = checkDate(date, 'the date').getTime();
  return new Date(time - (timeZoneOf(to).offsetAt(time) - timeZoneOf(from).offsetAt(time)));
}
