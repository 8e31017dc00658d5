import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { checkCalendarName, checkCalendarSize, checkJobDetail, checkKey, checkTrigger } from '../domain/limits';
import type { ScheduleChange } from '../domain/schedule-change';
import type { Trigger } from '../domain/trigger';
import { validateTrigger } from '../domain/trigger-behaviour';
import { checkMatcher } from './checked-input';

/**
 * The changes as frozen copies, every value of them checked: what the store is given can be kept by any store.
 * Throws for the first that is wrong, before anything is applied.
 */
export function checkChanges(changes: readonly ScheduleChange[]): readonly ScheduleChange[] {
  return changes.map(checkChange);
}

function checkChange(change: ScheduleChange): ScheduleChange {
  switch (change.type) {
    case 'storeJob':
      return { ...change, job: checkJobDetail(change.job) };
    case 'storeTrigger':
      return { ...change, trigger: checkWholeTrigger(change.trigger) };
    case 'replaceTrigger':
      return { ...change, key: checkKey(change.key, 'trigger'), trigger: checkWholeTrigger(change.trigger) };
    case 'deleteTrigger':
      return { ...change, key: checkKey(change.key, 'trigger') };
    case 'deleteJob':
      return { ...change, key: checkKey(change.key, 'job') };
    case 'storeCalendar':
      return checkCalendar(change);
    case 'deleteCalendar':
      return { ...change, name: checkCalendarName(change.name) };
    case 'deleteJobsInGroup':
    case 'deleteTriggersInGroup':
      return { ...change, group: checkMatcher(change.group), exceptGroups: [...change.exceptGroups] };
    case 'clear':
      return { type: 'clear' };
  }
}

function checkCalendar(change: ScheduleChange & { readonly type: 'storeCalendar' }): ScheduleChange {
  const name = checkCalendarName(change.name);
  return { ...change, name, calendar: checkCalendarSize(calendarFrom(change.calendar).toJSON(), name) };
}

function checkWholeTrigger(trigger: Trigger): Trigger {
  const copy = checkTrigger(trigger);
  validateTrigger(copy);
  return copy;
}
