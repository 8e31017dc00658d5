import { SchedulerError } from '../base/errors';
import { nearestName } from '../config/nearest-name';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey } from '../domain/keys';
import { checkCalendarName, checkCalendarSize, checkJobDetail, checkKey, checkTrigger } from '../domain/limits';
import type { ScheduleChange } from '../domain/schedule-change';
import type { Trigger } from '../domain/trigger';
import { validateTrigger } from '../domain/trigger-behaviour';
import { checkMatcher } from './checked-input';

/** The job types a change may name; null when other processes may run what this one cannot. */
export type RunnableTypes = readonly string[] | null;

/**
 * The changes as frozen copies, every value of them checked: what the store is given can be kept by any store.
 * Throws for the first that is wrong, before anything is applied.
 */
export function checkChanges(changes: readonly ScheduleChange[], runnable: RunnableTypes): readonly ScheduleChange[] {
  return changes.map((change) => checkChange(change, runnable));
}

function checkChange(change: ScheduleChange, runnable: RunnableTypes): ScheduleChange {
  switch (change.type) {
    case 'storeJob':
      return { ...change, job: checkJob(change.job, runnable) };
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

function checkJob(job: JobDetail, runnable: RunnableTypes): JobDetail {
  const copy = checkJobDetail(job);
  if (runnable !== null && !runnable.includes(copy.jobType)) throw unknownJobType(copy, runnable);
  return copy;
}

function unknownJobType(job: JobDetail, runnable: readonly string[]): SchedulerError {
  const nearest = nearestName(job.jobType, runnable);
  const advice =
    nearest === null
      ? 'Register it first, with createScheduler({ jobs }) or registerJob.'
      : `Did you mean '${nearest}'?`;
  return new SchedulerError(
    'UNKNOWN_JOB_TYPE',
    `Job '${formatKey(job.key)}' is of type '${job.jobType}', which is not registered, and no other process can run it. ${advice}`,
  );
}
