import type { Clock } from '../base/clock';
import { TimeSlice } from '../base/yield-to-event-loop';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { checkCalendarName, checkCalendarSize, checkJobDetail, checkKey, checkTrigger } from '../domain/limits';
import type { ChangeOf, ChangeSet, ScheduleChange } from '../domain/schedule-change';
import { validateTrigger } from '../domain/trigger-behaviour';
import { checkMatcher } from './checked-input';

/** Number of changes to check between two checks whether the time slice has ended. */
const CHECKED_AT_ONCE = 50;

/** Returns frozen copies of the changes with every value checked. Rejects with the error of the first invalid change. */
export async function checkChanges(changes: ChangeSet, clock: Clock): Promise<ChangeSet> {
  const slice = new TimeSlice(clock);
  const checked: ScheduleChange[] = [];
  for (const change of changes) {
    if (checked.length % CHECKED_AT_ONCE === 0 && slice.isOver()) await slice.rest();
    checked.push(checkChange(change));
  }
  return checked;
}

function checkChange(change: ScheduleChange): ScheduleChange {
  switch (change.type) {
    case 'storeJob':
      return { ...change, job: checkJobDetail(change.job) };
    case 'storeTrigger':
      return { ...change, trigger: validateTrigger(checkTrigger(change.trigger)) };
    case 'replaceTrigger':
      return {
        ...change,
        key: checkKey(change.key, 'trigger'),
        trigger: validateTrigger(checkTrigger(change.trigger)),
      };
    case 'deleteTrigger':
      return { ...change, key: checkKey(change.key, 'trigger') };
    case 'deleteJob':
      return { ...change, key: checkKey(change.key, 'job') };
    case 'storeCalendar':
      return checkCalendar(change);
    case 'followCalendar':
    case 'setFireTime':
      return change;
    case 'deleteCalendar':
      return { ...change, name: checkCalendarName(change.name) };
    case 'deleteJobsInGroup':
    case 'deleteTriggersInGroup':
      return { ...change, group: checkMatcher(change.group), exceptGroups: [...change.exceptGroups] };
    case 'expect':
      if (change.what === 'calendar') return { ...change, name: checkCalendarName(change.name) };
      return { ...change, key: checkKey(change.key, change.what) };
    case 'clear':
      return { type: 'clear' };
  }
}

function checkCalendar(change: ChangeOf<'storeCalendar'>): ChangeOf<'storeCalendar'> {
  const name = checkCalendarName(change.name);
  return { ...change, name, calendar: checkCalendarSize(calendarFrom(change.calendar).toJSON(), name) };
}
