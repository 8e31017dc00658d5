import type { Scheduler } from '../api/scheduler';
import { checkList, toJobKey, toTriggerKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Unscheduling = Pick<Scheduler, 'unscheduleJob' | 'unscheduleJobs' | 'deleteJob' | 'deleteJobs' | 'clear'>;

/** The part of the scheduler that deletes. A list is one transaction. */
export function unscheduling({ writer }: SchedulerParts): Unscheduling {
  return {
    async unscheduleJob(key) {
      return (await writer.applyOne({ type: 'deleteTrigger', key: toTriggerKey(key) })).status === 'deleted';
    },
    async unscheduleJobs(keys) {
      const triggerKeys = checkList(keys, 'trigger keys').map(toTriggerKey);
      const outcomes = await writer.apply(triggerKeys.map((key) => ({ type: 'deleteTrigger', key })));
      return outcomes.every(({ status }) => status === 'deleted');
    },
    async deleteJob(key) {
      return (await writer.applyOne({ type: 'deleteJob', key: toJobKey(key) })).status === 'deleted';
    },
    async deleteJobs(keys) {
      const jobKeys = checkList(keys, 'job keys').map(toJobKey);
      const outcomes = await writer.apply(jobKeys.map((key) => ({ type: 'deleteJob', key })));
      return outcomes.every(({ status }) => status === 'deleted');
    },
    async clear() {
      await writer.applyOne({ type: 'clear' });
    },
  };
}
