import { SchedulerError } from '../base/errors';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';

/**
 * Throws JOB_NOT_FOUND or TRIGGER_NOT_FOUND where the store found nothing under the key: pausing what is not there would look like
 * success. `groups` is the store's answer to the change itself, so that nobody can delete in between what was found.
 */
export function requireFound(
  groups: readonly string[],
  key: { readonly jobKey: JobKey } | { readonly triggerKey: TriggerKey },
): void {
  if (groups.length > 0) return;
  if ('jobKey' in key) throw new SchedulerError('JOB_NOT_FOUND', message('job', key.jobKey, 'listJobs()'));
  throw new SchedulerError('TRIGGER_NOT_FOUND', message('trigger', key.triggerKey, 'listTriggers()'));
}

function message(what: string, key: JobKey | TriggerKey, list: string): string {
  return `Expected the ${what} '${formatKey(key)}' to be stored, found none. Check name and group: ${list} shows what there is.`;
}
