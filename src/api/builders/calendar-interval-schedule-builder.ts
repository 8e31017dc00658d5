import { checkFlag } from '../../domain/limits';
import type { IntervalUnit } from '../../domain/trigger';
import type { CalendarIntervalTrigger } from '../trigger';
import { checkOneOf, checkWhole } from './check-arguments';
import { type ScheduleBuilder, type ScheduleOf, WallClockSchedule } from './schedule-builder';

const UNITS: readonly IntervalUnit[] = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'];

/** Schedule that repeats every n calendar units, such as days or months, which differ in length: `calendarIntervalSchedule()`. Default: every day. */
export class CalendarIntervalScheduleBuilder
  extends WallClockSchedule
  implements ScheduleBuilder<CalendarIntervalTrigger>
{
  #interval = 1;
  #unit: IntervalUnit = 'DAY';
  #preserveHour = false;
  #skipDay = false;

  /** Sets the interval: a whole number of units, at least 1. Default: one day. Throws INVALID_ARGUMENT for any other value. */
  withInterval(interval: number, unit: IntervalUnit): this {
    this.#unit = checkOneOf(unit, 'the unit of the interval', UNITS);
    this.#interval = checkWhole(interval, 'the interval', 1);
    return this;
  }

  /** Sets the interval in seconds, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInSeconds(interval: number): this {
    return this.withInterval(interval, 'SECOND');
  }

  /** Sets the interval in minutes, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInMinutes(interval: number): this {
    return this.withInterval(interval, 'MINUTE');
  }

  /** Sets the interval in hours, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInHours(interval: number): this {
    return this.withInterval(interval, 'HOUR');
  }

  /** Sets the interval in calendar days, at least 1. A calendar day may have 23 or 25 hours. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInDays(interval: number): this {
    return this.withInterval(interval, 'DAY');
  }

  /** Sets the interval in weeks, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInWeeks(interval: number): this {
    return this.withInterval(interval, 'WEEK');
  }

  /**
   * Sets the interval in months, at least 1. If the day of the first firing does not exist in a month, the trigger fires on the last day of that
   * month. Throws INVALID_ARGUMENT for any other value.
   */
  withIntervalInMonths(interval: number): this {
    return this.withInterval(interval, 'MONTH');
  }

  /** Sets the interval in years, at least 1. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInYears(interval: number): this {
    return this.withInterval(interval, 'YEAR');
  }

  /**
   * If true, the trigger always fires at the hour of day of its first firing, even after a day on which that hour did not exist. Only for intervals
   * of days and longer. Default: false.
   */
  preserveHourOfDayAcrossDaylightSavings(preserve: boolean): this {
    this.#preserveHour = checkFlag(preserve, 'preserveHourOfDayAcrossDaylightSavings');
    return this;
  }

  /** If true, skips a day without that hour; if false (default), fires an hour later. Only with `preserveHourOfDayAcrossDaylightSavings`. */
  skipDayIfHourDoesNotExist(skip: boolean): this {
    this.#skipDay = checkFlag(skip, 'skipDayIfHourDoesNotExist');
    return this;
  }

  build(): ScheduleOf<CalendarIntervalTrigger> {
    return {
      kind: 'CAL_INT',
      repeatInterval: this.#interval,
      repeatIntervalUnit: this.#unit,
      timeZone: this.timeZone,
      preserveHourOfDayAcrossDaylightSavings: this.#preserveHour,
      skipDayIfHourDoesNotExist: this.#skipDay,
      timesTriggered: 0,
      misfireInstruction: this.misfireInstruction,
    };
  }
}

/** Returns a builder of a calendar-interval schedule. */
export function calendarIntervalSchedule(): CalendarIntervalScheduleBuilder {
  return new CalendarIntervalScheduleBuilder();
}
