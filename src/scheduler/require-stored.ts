import { SchedulerError } from '../base/errors';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import type { ScheduleReader } from '../store/job-store';

/**
 * Rejects with JOB_NOT_FOUND or TRIGGER_NOT_FOUND unless the key is stored: pausing what is not there would look like
 * success. Looked up before the change, so it says what was meant; the change itself does not depend on it.
 */
export async function requireStored(
  store: Pick<ScheduleReader, 'getJobs' | 'getTriggers'>,
  key: { readonly jobKey: JobKey } | { readonly triggerKey: TriggerKey },
): Promise<void> {
  if ('jobKey' in key) {
    const [job] = await store.getJobs([key.jobKey]);
    if (job === undefined) throw new SchedulerError('JOB_NOT_FOUND', message('job', key.jobKey, 'listJobs()'));
  } else {
    const [trigger] = await store.getTriggers([key.triggerKey]);
    if (trigger === undefined)
      throw new SchedulerError('TRIGGER_NOT_FOUND', message('trigger', key.triggerKey, 'listTriggers()'));
  }
}

function message(what: string, key: JobKey | TriggerKey, list: string): string {
  return `Expected the ${what} '${formatKey(key)}' to be stored, found none. Check name and group: ${list} shows what there is.`;
}
