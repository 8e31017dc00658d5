import type { LocalMs } from '../time/time-zone';
import { dayOfWeekOf } from '../time/wall-clock';
import type { CalendarData } from './calendar';
import { type CalendarOptions, knownFields } from './chained-calendar';
import { DayCalendar } from './day-calendar';
import { expectField, readList, sortedUnique } from './invalid-calendar-error';

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
const SUNDAY = 1;
const SATURDAY = 7;

/** Day of the week: 1 (Sunday) to 7 (Saturday), or an English name such as 'SAT' or 'saturday'. */
type DayOfWeek = number | string;

/** Excludes the same days every week. */
export class WeeklyCalendar extends DayCalendar {
  /** Excluded days, ascending: 1 (Sunday) to 7 (Saturday). */
  readonly excludedDays: readonly number[];

  /** `excludedDays` defaults to Saturday and Sunday. Throws INVALID_CALENDAR. */
  constructor(options: CalendarOptions & { readonly excludedDays?: readonly DayOfWeek[] } = {}) {
    super(knownFields(options, ['excludedDays'], "{ excludedDays: ['SAT', 'SUN'] }"));
    const { excludedDays = [SUNDAY, SATURDAY] } = options;
    this.excludedDays = sortedUnique(readList(excludedDays, 'excludedDays', readDayOfWeek));
  }

  toJSON(): CalendarData {
    return { type: 'weekly', excludedDays: this.excludedDays, ...this.common() };
  }

  protected excludesDay(local: LocalMs): boolean {
    return this.excludedDays.includes(dayOfWeekOf(local));
  }
}

function readDayOfWeek(value: unknown, path: readonly (string | number)[]): number {
  const name = typeof value === 'string' ? value.toUpperCase() : null;
  const day = name === null ? value : DAYS.findIndex((each) => name === each || name === each.slice(0, 3)) + 1;
  const isDay = Number.isInteger(day) && (day as number) >= SUNDAY && (day as number) <= SATURDAY;
  expectField(isDay, value, path, `a whole number from ${SUNDAY} to ${SATURDAY} or a name such as MON`);
  return day as number;
}
