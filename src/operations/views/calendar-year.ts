import { DAY_MS } from '../../base/clock';
import { yieldToEventLoop } from '../../base/yield-to-event-loop';
import type { Calendar, CalendarData } from '../../domain/calendars/calendar';
import { calendarFrom } from '../../domain/calendars/calendar-from-data';
import { CronExpression } from '../../domain/cron/cron-expression';
import type { Rules } from '../../domain/rules';
import { timeZoneOf } from '../../domain/time/time-zone';

/** A day in the calendar's time zone, from `start` (inclusive) to `end` (exclusive). */
interface Day {
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the days of a year that a calendar excludes at least in part. Yields to the event loop, as a cron calendar may exclude every second. */
export async function excludedDays(calendar: Calendar, year: number, rules: Rules) {
  const data = calendar.toJSON();
  const excludes = chainOf(data).map((each) => excludesSomething(each, rules));
  const whole: string[] = [];
  const part: string[] = [];
  for (const day of daysOf(year, data.timeZone)) {
    if (isWhole(calendar, day)) whole.push(day.date);
    else if (excludes.some((isExcluded) => isExcluded(day))) part.push(day.date);
    await yieldToEventLoop();
  }
  return { timeZone: data.timeZone, whole, part };
}

function daysOf(year: number, timeZone: string): readonly Day[] {
  const zone = timeZoneOf(timeZone);
  const [first, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  return Array.from({ length: (end - first) / DAY_MS }, (_, index) => {
    const local = first + index * DAY_MS;
    const date = new Date(local).toISOString().slice(0, 10);
    return { date, start: zone.firstInstantOf(local), end: zone.firstInstantOf(local + DAY_MS) };
  });
}

function isWhole(calendar: Calendar, { start, end }: Day): boolean {
  if (calendar.isIncluded(start)) return false;
  const next = calendar.nextIncludedTime(start);
  return next === null || next >= end;
}

/** Returns the calendar and its base calendars as separate calendars without a base. */
function chainOf({ base, ...data }: CalendarData): readonly CalendarData[] {
  return [{ ...data, base: null } as CalendarData, ...(base === null ? [] : chainOf(base))];
}

/** Returns a predicate that is true if this calendar, without its base, excludes any time of a day. */
function excludesSomething(data: CalendarData, rules: Rules): (day: Day) => boolean {
  switch (data.type) {
    case 'base':
      return () => false;
    case 'daily':
      return () => true; // its range is a part of each day
    case 'cron': {
      const cron = new CronExpression(data.cronExpression, { timeZone: data.timeZone, lenient: true, rules });
      return ({ start, end }) => (cron.nextTimeAfter(start - 1) ?? end) < end;
    }
    default: {
      // These calendars exclude whole days of their own time zone. A day of this zone overlaps at most three of them.
      const calendar = calendarFrom(data, rules);
      return ({ start, end }) =>
        [start, Math.floor((start + end) / 2), end - 1].some((time) => !calendar.isIncluded(time));
    }
  }
}
