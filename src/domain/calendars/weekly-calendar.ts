import type { LocalMs } from '../time/time-zone';
import type { CalendarData } from './calendar';
import { readList, readWholeNumber, sortedUnique } from './calendar-fields';
import type { CalendarOptions } from './chained-calendar';
import { DayCalendar } from './day-calendar';
import { dayOfWeek } from './local-days';

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
const SUNDAY = 1;
const SATURDAY = 7;

/** 1 = Sunday … 7 = Saturday, or an English name: 'SAT', 'saturday'. */
export type DayOfWeek = number | string;

/** Excludes days of the week. */
export class WeeklyCalendar extends DayCalendar {
  /** The excluded days. */
  readonly excludedDays: readonly number[];

  /** Excludes Saturday and Sunday when no days are given. Throws INVALID_CALENDAR. */
  constructor(options: CalendarOptions & { readonly excludedDays?: readonly DayOfWeek[] } = {}) {
    super(options);
    const { excludedDays = [SUNDAY, SATURDAY] } = options;
    this.excludedDays = sortedUnique(readList(excludedDays, 'excludedDays', readDayOfWeek));
  }

  toJSON(): CalendarData {
    return { type: 'weekly', excludedDays: this.excludedDays, ...this.common() };
  }

  protected excludesDay(local: LocalMs): boolean {
    return this.excludedDays.includes(dayOfWeek(local));
  }
}

function readDayOfWeek(value: unknown, path: readonly (string | number)[]): number {
  const index = typeof value === 'string' && value.length >= 3 ? DAYS.findIndex((day) => isNameOf(day, value)) : -1;
  return index >= 0
    ? index + 1
    : readWholeNumber(value, path, { from: SUNDAY, to: SATURDAY, orElse: 'a name such as MON' });
}

function isNameOf(day: string, text: string): boolean {
  const name = text.toUpperCase();
  return name === day || name === day.slice(0, 3);
}
