import { checkFlag } from '../../domain/limits';
import type { IntervalUnit } from '../../domain/trigger';
import type { CalendarIntervalTrigger } from '../trigger';
import { checkOneOf, checkWhole } from './check-arguments';
import { type ScheduleBuilder, type ScheduleOf, WallClockSchedule } from './schedule-builder';

const UNITS: readonly IntervalUnit[] = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'];

/** A schedule that repeats on the calendar, where days and months differ in length: `calendarIntervalSchedule()`. Default: every day. */
export class CalendarIntervalScheduleBuilder
  extends WallClockSchedule
  implements ScheduleBuilder<CalendarIntervalTrigger>
{
  #interval = 1;
  #unit: IntervalUnit = 'DAY';
  #preserveHour = false;
  #skipDay = false;

  /** An interval of so many units, whole and at least 1 (default: one day). Throws INVALID_ARGUMENT for anything else. */
  withInterval(interval: number, unit: IntervalUnit): this {
    this.#unit = checkOneOf(unit, 'the unit of the interval', UNITS);
    this.#interval = checkWhole(interval, 'the interval', 1);
    return this;
  }

  /** An interval of so many seconds, at least 1. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInSeconds(interval: number): this {
    return this.withInterval(interval, 'SECOND');
  }

  /** An interval of so many minutes, at least 1. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInMinutes(interval: number): this {
    return this.withInterval(interval, 'MINUTE');
  }

  /** An interval of so many hours, at least 1. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInHours(interval: number): this {
    return this.withInterval(interval, 'HOUR');
  }

  /** An interval of so many days, at least 1, whatever their length. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInDays(interval: number): this {
    return this.withInterval(interval, 'DAY');
  }

  /** An interval of so many weeks, at least 1. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInWeeks(interval: number): this {
    return this.withInterval(interval, 'WEEK');
  }

  /** An interval of so many months, at least 1; a day that a month lacks becomes its last. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInMonths(interval: number): this {
    return this.withInterval(interval, 'MONTH');
  }

  /** An interval of so many years, at least 1. Throws INVALID_ARGUMENT for anything else. */
  withIntervalInYears(interval: number): this {
    return this.withInterval(interval, 'YEAR');
  }

  /** Intervals of days and longer: keep the start's hour, even after it did not exist on a day (default false). */
  preserveHourOfDayAcrossDaylightSavings(preserve: boolean): this {
    this.#preserveHour = checkFlag(preserve, 'preserveHourOfDayAcrossDaylightSavings');
    return this;
  }

  /** With the hour preserved: skip a day on which it does not exist, instead of firing an hour later (default false). */
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

/** A calendar-interval schedule to be described. */
export function calendarIntervalSchedule(): CalendarIntervalScheduleBuilder {
  return new CalendarIntervalScheduleBuilder();
}
