import type { EpochMs } from '../../base/clock';
import type { LocalMs } from '../time/time-zone';
import type { CalendarData } from './calendar';
import { type CalendarOptions, knownFields } from './chained-calendar';
import { DayCalendar } from './day-calendar';
import { expectField, readList, sortedUnique } from './invalid-calendar-error';

/** Day of the year: [month 1-12, day 1-31]. */
type DayOfYear = readonly [number, number];

const LEAP_YEAR = 2000;

/** Excludes the same days every year. */
export class AnnualCalendar extends DayCalendar {
  /** Excluded days, in calendar order. */
  readonly excludedDays: readonly DayOfYear[];
  readonly #excluded: ReadonlySet<number>;

  /** `excludedDays`: list of days such as [12, 25] or '12-25'. Throws INVALID_CALENDAR. */
  constructor(options: CalendarOptions & { readonly excludedDays?: readonly (DayOfYear | string)[] } = {}) {
    super(knownFields(options, ['excludedDays'], "{ excludedDays: ['12-25'] }"));
    const days = sortedUnique(readList(options.excludedDays ?? [], 'excludedDays', readDayOfYear));
    this.#excluded = new Set(days);
    this.excludedDays = Object.freeze(days.map((day) => Object.freeze([Math.floor(day / 100), day % 100] as const)));
  }

  toJSON(): CalendarData {
    return { type: 'annual', excludedDays: this.excludedDays, ...this.common() };
  }

  protected excludesDay(local: LocalMs): boolean {
    const date = new Date(local);
    return this.#excluded.has(ordinal(date.getUTCMonth() + 1, date.getUTCDate()));
  }

  /** True if this calendar and its base include the start of the day. As in Quartz, weekly and monthly calendars check only themselves here. */
  protected override acceptsDay(start: EpochMs): boolean {
    return this.isIncluded(start);
  }
}

/** Returns a day of the year as a sortable number: 25 December is 1225. */
function ordinal(month: number, day: number): number {
  return month * 100 + day;
}

function readDayOfYear(value: unknown, path: readonly (string | number)[]): number {
  const [month, day, ...rest] = typeof value === 'string' ? monthAndDay(value) : Array.isArray(value) ? value : [];
  const date = new Date(Date.UTC(LEAP_YEAR, month - 1, day));
  const exists = rest.length === 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  expectField(exists, value, path, "a day of the year such as [12, 25] or '12-25'");
  return ordinal(month, day);
}

function monthAndDay(text: string): readonly number[] {
  return /^\d{1,2}-\d{1,2}$/.test(text) ? text.split('-').map(Number) : [];
}
