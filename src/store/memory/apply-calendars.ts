import { ObjectAlreadyExistsError, SchedulerError } from '../../base/errors';
import { calendarFrom } from '../../domain/calendars/calendar-from-data';
import { formatKey } from '../../domain/keys';
import { sameData } from '../../domain/same-data';
import type { ScheduleChange, ScheduleOutcome } from '../../domain/schedule-change';
import { withNewCalendar } from '../../domain/trigger-behaviour';
import type { ApplyOptions } from '../job-store';
import { type CalendarEntry, stateOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { KEPT, NOT_FOUND, outcome } from './outcomes';

type StoreCalendar = Extract<ScheduleChange, { readonly type: 'storeCalendar' }>;

/** Stores a calendar; with `updateTriggers`, its triggers go on by it at once. Throws INVALID_CALENDAR. */
export function storeCalendar(tables: MemoryTables, change: StoreCalendar, options: ApplyOptions): ScheduleOutcome {
  const { name, ifExists, updateTriggers } = change;
  const stored = tables.calendars.get(name);
  if (stored !== undefined && ifExists === 'fail') throw new ObjectAlreadyExistsError('calendar', name);
  if (stored !== undefined && ifExists === 'keep') return KEPT;
  const calendar = calendarFrom(change.calendar);
  if (stored !== undefined && sameData(stored.data, change.calendar)) return outcome('unchanged');

  const entry = tables.putCalendar(name, { calendar, data: change.calendar });
  if (updateTriggers) for (const trigger of [...entry.triggers]) reschedule(tables, trigger, entry, options);
  return outcome(stored === undefined ? 'created' : 'replaced');
}

function reschedule(
  tables: MemoryTables,
  entry: TriggerEntry,
  { calendar }: CalendarEntry,
  options: ApplyOptions,
): void {
  // What has fired its last time stays finished, whatever the calendar now includes.
  if (entry.state === 'COMPLETE' || entry.trigger.nextFireTime === null) return;
  const trigger = withNewCalendar(entry.trigger, calendar, options.now, options.misfireThreshold);
  if (trigger.nextFireTime === entry.trigger.nextFireTime) return;
  if (trigger.nextFireTime === null) tables.updateTrigger(entry, trigger, 'COMPLETE');
  // A reservation was for another time, so it ends.
  else tables.updateTrigger(entry, trigger, entry.state === 'ACQUIRED' ? 'WAITING' : stateOf(entry));
}

/** Throws CALENDAR_IN_USE while a trigger refers to it. */
export function deleteCalendar(tables: MemoryTables, name: string): ScheduleOutcome {
  const stored = tables.calendars.get(name);
  if (stored === undefined) return NOT_FOUND;
  const [user] = stored.triggers;
  if (user !== undefined) {
    throw new SchedulerError(
      'CALENDAR_IN_USE',
      `Expected no trigger to refer to the calendar '${name}', found ${stored.triggers.size}, ` +
        `among them '${formatKey(user.trigger.key)}'. Delete or reschedule them first.`,
    );
  }
  tables.removeCalendar(name);
  return outcome('deleted');
}
