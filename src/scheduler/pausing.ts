import type { Scheduler } from '../api/scheduler';
import { GroupMatcher } from '../domain/keys';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Pausing = Pick<Scheduler, 'pauseTrigger' | 'pauseTriggers' | 'pauseJob' | 'pauseJobs' | 'pauseAll'>;

/** The part of the scheduler that pauses. Each event is published once the store has committed. */
export function pausing({ store, announce, lifecycle }: SchedulerParts): Pausing {
  const writable = () => {
    lifecycle.assertUsable();
    return store;
  };

  async function pauseTriggers(given: GroupMatcher): Promise<void> {
    const matcher = checkMatcher(given);
    await writable().pauseTriggers(matcher);
    announce({ type: 'triggersPaused', matcher });
  }

  return {
    pauseTriggers,
    pauseAll: () => pauseTriggers(GroupMatcher.anyGroup()),
    async pauseTrigger(key) {
      const triggerKey = toTriggerKey(key);
      await writable().pauseTriggers([triggerKey]);
      announce({ type: 'triggerPaused', triggerKey });
    },
    async pauseJob(key) {
      const jobKey = toJobKey(key);
      await writable().pauseJobs([jobKey]);
      announce({ type: 'jobPaused', jobKey });
    },
    async pauseJobs(given) {
      const matcher = checkMatcher(given);
      await writable().pauseJobs(matcher);
      announce({ type: 'jobsPaused', matcher });
    },
  };
}
