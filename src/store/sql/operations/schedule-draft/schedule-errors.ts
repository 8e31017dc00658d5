import { SchedulerError } from '../../../../base/errors';
import type { JobDetail } from '../../../../domain/job-detail';
import { formatKey, type JobKey } from '../../../../domain/keys';
import type { Trigger } from '../../../../domain/trigger';

/*
 * Why a change set is refused.
 */

export function jobNotFound({ key, jobKey }: Trigger): SchedulerError {
  return new SchedulerError(
    'JOB_NOT_FOUND',
    `Expected the job '${formatKey(jobKey)}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the job first, or schedule both together.',
  );
}

export function calendarNotFound({ key, calendarName }: Trigger): SchedulerError {
  return new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${calendarName}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

export function calendarInUse(name: string, users: number, example: string): SchedulerError {
  return new SchedulerError(
    'CALENDAR_IN_USE',
    `Expected no trigger to refer to the calendar '${name}', found ${users}, among them '${example}'. ` +
      'Delete or reschedule them first.',
  );
}

export function triggerRequired({ key }: JobDetail): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected the job '${formatKey(key)}' to be durable or to have a trigger. ` +
      'Build it with storeDurably(), or schedule it.',
  );
}

export function jobUnreadable(key: JobKey): SchedulerError {
  return new SchedulerError(
    'INVALID_JOB_DATA',
    `Expected data that this node can read in the job '${formatKey(key)}', found other data (listUnreadable() names the cause). ` +
      'It would not run here: store the job anew with addJob and replace, or trigger it on a node that reads its data.',
  );
}
