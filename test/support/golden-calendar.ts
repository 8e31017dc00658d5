import { AnnualCalendar } from '../../src/domain/calendars/annual-calendar';
import { BaseCalendar } from '../../src/domain/calendars/base-calendar';
import type { Calendar } from '../../src/domain/calendars/calendar';
import { CronCalendar } from '../../src/domain/calendars/cron-calendar';
import { DailyCalendar } from '../../src/domain/calendars/daily-calendar';
import { HolidayCalendar } from '../../src/domain/calendars/holiday-calendar';
import { MonthlyCalendar } from '../../src/domain/calendars/monthly-calendar';
import { WeeklyCalendar } from '../../src/domain/calendars/weekly-calendar';
import type { Rules } from '../../src/domain/rules';

/** A calendar of the golden rows. `t`: type; `tz`: null for the default zone. */
export type GoldenCalendar = { readonly tz: string | null; readonly base: GoldenCalendar | null } & (
  | { readonly t: 'base' }
  | { readonly t: 'weekly' | 'monthly'; readonly days: readonly number[] }
  | { readonly t: 'annual'; readonly days: readonly (readonly [number, number])[] }
  | { readonly t: 'holiday'; readonly dates: readonly number[] }
  | { readonly t: 'daily'; readonly from: string; readonly to: string; readonly invert: boolean }
  | { readonly t: 'cron'; readonly expr: string }
);

/** Builds the calendar of a golden row; null for null. */
export function calendarFromGolden(
  spec: GoldenCalendar | null,
  defaultTz: string,
  rules: Rules = 'quartz',
): Calendar | null {
  if (spec === null) return null;
  const common = { timeZone: spec.tz ?? defaultTz, base: calendarFromGolden(spec.base, defaultTz, rules) };
  switch (spec.t) {
    case 'base':
      return new BaseCalendar(common);
    case 'weekly':
      return new WeeklyCalendar({ ...common, excludedDays: spec.days });
    case 'monthly':
      return new MonthlyCalendar({ ...common, excludedDays: spec.days });
    case 'annual':
      return new AnnualCalendar({ ...common, excludedDays: spec.days });
    case 'holiday':
      return new HolidayCalendar({ ...common, excludedDates: spec.dates.map((date) => new Date(date)) });
    case 'daily':
      return new DailyCalendar({ ...common, from: spec.from, to: spec.to, invert: spec.invert, rules });
    case 'cron':
      return new CronCalendar({ ...common, cronExpression: spec.expr, lenient: true, rules });
  }
}
