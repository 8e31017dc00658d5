import { DAY_MS, type EpochMs } from '../../base/clock';
import type { LocalMs, TimeZone } from '../time/time-zone';
import { dayOf, startOfDay } from '../time/wall-clock';
import type { CalendarData } from './calendar';
import { type CalendarOptions, knownFields, type SearchSteps } from './chained-calendar';
import { DayCalendar } from './day-calendar';
import { expectField, readList, sortedUnique } from './invalid-calendar-error';

/** Excludes individual dates. */
export class HolidayCalendar extends DayCalendar {
  /** Excluded dates, as YYYY-MM-DD. */
  readonly excludedDates: readonly string[];
  readonly #excluded: ReadonlySet<number>;

  /** `excludedDates`: list of 'YYYY-MM-DD' or Date values. A Date excludes its whole day in the calendar's time zone. Throws INVALID_CALENDAR. */
  constructor(options: CalendarOptions & { readonly excludedDates?: readonly (string | Date)[] } = {}) {
    super(knownFields(options, ['excludedDates'], "{ excludedDates: ['2026-12-25'] }"));
    const dates = readList(options.excludedDates ?? [], 'excludedDates', (date, path) =>
      readDate(date, path, this.zone),
    );
    const days = sortedUnique(dates);
    this.#excluded = new Set(days);
    this.excludedDates = Object.freeze(days.map(dateText));
  }

  toJSON(): CalendarData {
    return { type: 'holiday', excludedDates: this.excludedDates, ...this.common() };
  }

  protected excludesDay(local: LocalMs): boolean {
    return this.#excluded.has(dayOf(local));
  }

  /** Returns the start of the first included day at or after `time`. As in Quartz, returns the start of a day even if `time` itself is included. */
  protected override search(time: EpochMs, steps: SearchSteps): EpochMs | null {
    const from = this.notBefore(time, steps);
    return from === null ? null : this.firstDayFrom(startOfDay(this.zone, from), steps);
  }

  protected override acceptsDay(start: EpochMs): boolean {
    return this.isIncluded(start);
  }
}

function readDate(value: unknown, path: readonly (string | number)[], zone: TimeZone): number {
  const local = value instanceof Date ? zone.localAt(value.getTime()) : midnightOf(value);
  expectField(!Number.isNaN(local), value, path, "a date such as '2026-12-25'");
  return dayOf(local);
}

/** Returns NaN if the date does not exist. */
function midnightOf(value: unknown): LocalMs {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return Number.NaN;
  const local = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(local) && dateText(dayOf(local)) === value ? local : Number.NaN;
}

function dateText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
