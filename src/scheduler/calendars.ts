import type { Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import type { Calendar } from '../domain/calendars/calendar';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { describeValue } from '../domain/check-text';
import { checkCalendarName } from '../domain/limits';
import { checkOptions } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Calendars = Pick<Scheduler, 'addCalendar' | 'deleteCalendar' | 'getCalendar' | 'getCalendarNames'>;

/** The part of the scheduler that keeps calendars. */
export function calendars({ store, writer, lifecycle }: SchedulerParts): Calendars {
  return {
    async addCalendar(name, calendar, options = {}) {
      const { replace = false, updateTriggers = false } = checkOptions(options, {
        replace: true,
        updateTriggers: true,
      });
      await writer.applyOne({
        type: 'storeCalendar',
        name,
        calendar: dataOf(calendar),
        ifExists: replace ? 'replace' : 'fail',
        updateTriggers,
      });
    },
    async deleteCalendar(name) {
      return (await writer.applyOne({ type: 'deleteCalendar', name })).status === 'deleted';
    },
    async getCalendar(name) {
      lifecycle.assertUsable();
      const data = await store.getCalendar(checkCalendarName(name));
      return data === null ? null : calendarFrom(data);
    },
    async getCalendarNames() {
      lifecycle.assertUsable();
      return store.getCalendarNames();
    },
  };
}

function dataOf(calendar: Calendar) {
  if (typeof calendar?.toJSON === 'function') return calendar.toJSON();
  throw new SchedulerError(
    'INVALID_CALENDAR',
    `Expected a calendar such as new HolidayCalendar({ excludedDates: ['2027-01-01'] }), found ${describeValue(calendar)}.`,
  );
}
