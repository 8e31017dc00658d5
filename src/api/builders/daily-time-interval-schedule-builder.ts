import { invalidArgument, unmet } from '../../domain/check-text';
import { REPEAT_INDEFINITELY, secondOfDay, type TimeOfDay, timeOfDayText } from '../../domain/trigger';
import type { DailyTimeIntervalTrigger } from '../trigger';
import { checkOneOf, checkWhole } from './check-arguments';
import { type ScheduleBuilder, type ScheduleOf, WallClockSchedule } from './schedule-builder';
import { checkTimeOfDay, timeOfDay } from './time-of-day';

type Unit = DailyTimeIntervalTrigger['repeatIntervalUnit'];

/** Length of each unit in seconds, and number of units per day. */
const UNITS = {
  SECOND: { seconds: 1, perDay: 86_400 },
  MINUTE: { seconds: 60, perDay: 1_440 },
  HOUR: { seconds: 3_600, perDay: 24 },
} as const satisfies Record<Unit, object>;

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7] as const;
const MONDAY_THROUGH_FRIDAY = [2, 3, 4, 5, 6] as const;
const SATURDAY_AND_SUNDAY = [1, 7] as const;
const LAST_SECOND_OF_DAY = 86_399;

/** Schedule that repeats between two times of day, on given days of the week: `dailyTimeIntervalSchedule()`. Default: every minute, every day. */
export class DailyTimeIntervalScheduleBuilder
  extends WallClockSchedule
  implements ScheduleBuilder<DailyTimeIntervalTrigger>
{
  #interval = 1;
  #unit: Unit = 'MINUTE';
  #daysOfWeek: readonly number[] = EVERY_DAY;
  #startTimeOfDay: TimeOfDay = timeOfDay(0, 0);
  #end: { readonly at: TimeOfDay } | { readonly afterCount: number } = { at: timeOfDay(23, 59, 59) };
  #repeatCount = REPEAT_INDEFINITELY;

  /** Sets the interval: a whole number of units, at least 1 and at most a day. Default: one minute. Throws INVALID_ARGUMENT for any other value. */
  withInterval(interval: number, unit: Unit): this {
    checkOneOf(unit, 'the unit of the interval', Object.keys(UNITS) as Unit[]);
    this.#interval = checkWhole(interval, `the interval (${unit})`, 1, UNITS[unit].perDay);
    this.#unit = unit;
    return this;
  }

  /** Sets the interval in seconds, from 1 to 86,400. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInSeconds(interval: number): this {
    return this.withInterval(interval, 'SECOND');
  }

  /** Sets the interval in minutes, from 1 to 1,440. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInMinutes(interval: number): this {
    return this.withInterval(interval, 'MINUTE');
  }

  /** Sets the interval in hours, from 1 to 24. Throws INVALID_ARGUMENT for any other value. */
  withIntervalInHours(interval: number): this {
    return this.withInterval(interval, 'HOUR');
  }

  /** Sets the days of the week of the firings: 1 = Sunday … 7 = Saturday. Default: all. Throws INVALID_ARGUMENT for other values or no day. */
  onDaysOfTheWeek(...daysOfWeek: readonly number[]): this {
    if (daysOfWeek.length === 0) throw unmet('at least one day, 1 (Sunday) to 7 (Saturday)', 'none');
    const days = new Set(daysOfWeek.map((day) => checkWhole(day, 'a day of the week', 1, 7)));
    this.#daysOfWeek = EVERY_DAY.filter((day) => days.has(day));
    return this;
  }

  /** Fires on Mondays to Fridays only. */
  onMondayThroughFriday(): this {
    this.#daysOfWeek = MONDAY_THROUGH_FRIDAY;
    return this;
  }

  /** Fires on Saturdays and Sundays only. */
  onSaturdayAndSunday(): this {
    this.#daysOfWeek = SATURDAY_AND_SUNDAY;
    return this;
  }

  /** Fires on all days of the week. This is the default. */
  onEveryDay(): this {
    this.#daysOfWeek = EVERY_DAY;
    return this;
  }

  /** Sets the time of the first firing of each day. Default: 00:00:00. Throws INVALID_ARGUMENT for an invalid time. */
  startingDailyAt(start: TimeOfDay): this {
    this.#startTimeOfDay = checkTimeOfDay(start);
    return this;
  }

  /** Sets the latest time of day for a firing, inclusive. Default: 23:59:59. Throws INVALID_ARGUMENT for an invalid time. */
  endingDailyAt(end: TimeOfDay): this {
    this.#end = { at: checkTimeOfDay(end) };
    return this;
  }

  /**
   * Sets the number of firings each day, at least 1, instead of an end time (`endingDailyAt`). Throws INVALID_ARGUMENT for any other value. `build`
   * throws INVALID_ARGUMENT if the firings do not fit into a day.
   */
  endingDailyAfterCount(count: number): this {
    this.#end = { afterCount: checkWhole(count, 'the number of firings a day', 1) };
    return this;
  }

  /** Sets the number of firings after the first, over all days: 0 or more, or -1 (default) for no limit. Throws INVALID_ARGUMENT for other values. */
  withRepeatCount(repeatCount: number): this {
    this.#repeatCount = checkWhole(repeatCount, 'the repeat count (-1 for no limit)', REPEAT_INDEFINITELY);
    return this;
  }

  build(): ScheduleOf<DailyTimeIntervalTrigger> {
    return {
      kind: 'DAILY_I',
      repeatInterval: this.#interval,
      repeatIntervalUnit: this.#unit,
      startTimeOfDay: this.#startTimeOfDay,
      endTimeOfDay: this.#endTimeOfDay(),
      daysOfWeek: this.#daysOfWeek,
      repeatCount: this.#repeatCount,
      timeZone: this.timeZone,
      timesTriggered: 0,
      misfireInstruction: this.misfireInstruction,
    };
  }

  #endTimeOfDay(): TimeOfDay {
    const start = secondOfDay(this.#startTimeOfDay);
    if ('at' in this.#end) {
      if (secondOfDay(this.#end.at) >= start) return this.#end.at;
      throw invalidArgument(
        `endingDailyAt at or after startingDailyAt (${timeOfDayText(this.#startTimeOfDay)})`,
        timeOfDayText(this.#end.at),
      );
    }
    const seconds = this.#interval * UNITS[this.#unit].seconds;
    const max = Math.floor((LAST_SECOND_OF_DAY - start) / seconds) + 1;
    if (this.#end.afterCount > max) {
      throw invalidArgument(
        `at most ${max} firing${max === 1 ? '' : 's'} a day from ${timeOfDayText(this.#startTimeOfDay)} on`,
        this.#end.afterCount,
      );
    }
    const end = start + (this.#end.afterCount - 1) * seconds;
    return timeOfDay(Math.floor(end / 3_600), Math.floor(end / 60) % 60, end % 60);
  }
}

/** Returns a builder of a daily-time-interval schedule. */
export function dailyTimeIntervalSchedule(): DailyTimeIntervalScheduleBuilder {
  return new DailyTimeIntervalScheduleBuilder();
}
