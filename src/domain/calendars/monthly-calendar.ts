import type { LocalMs } from '../time/time-zone';
import type { CalendarData } from './calendar';
import { type CalendarOptions, knownFields } from './chained-calendar';
import { DayCalendar } from './day-calendar';
import { expectField, readList, sortedUnique } from './invalid-calendar-error';

/** Excludes the same days every month. */
export class MonthlyCalendar extends DayCalendar {
  /** Excluded days of the month, ascending. */
  readonly excludedDays: readonly number[];

  /** `excludedDays`: list of days, 1-31. Throws INVALID_CALENDAR. */
  constructor(options: CalendarOptions & { readonly excludedDays?: readonly number[] } = {}) {
    super(knownFields(options, ['excludedDays'], '{ excludedDays: [1, 31] }'));
    this.excludedDays = sortedUnique(readList(options.excludedDays ?? [], 'excludedDays', readDayOfMonth));
  }

  toJSON(): CalendarData {
    return { type: 'monthly', excludedDays: this.excludedDays, ...this.common() };
  }

  protected excludesDay(local: LocalMs): boolean {
    return this.excludedDays.includes(new Date(local).getUTCDate());
  }
}

function readDayOfMonth(value: unknown, path: readonly (string | number)[]): number {
  const isDay = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 31;
  expectField(isDay, value, path, 'a whole number from 1 to 31');
  return value as number;
}
