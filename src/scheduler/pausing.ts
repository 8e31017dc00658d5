import type { Scheduler } from '../api/scheduler';
import { GroupMatcher } from '../domain/keys';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import { requireStored } from './require-stored';
import type { SchedulerParts } from './scheduler-parts';

type Pausing = Pick<Scheduler, 'pauseTrigger' | 'pauseTriggers' | 'pauseJob' | 'pauseJobs' | 'pauseAll'>;

/**
 * The part of the scheduler that pauses. Each event is published once the store has committed; when a method resolves, every
 * node has handed on what it had fired before, so that nothing of what is paused begins any more.
 */
export function pausing({ store, engine, requests, announce, lifecycle }: SchedulerParts): Pausing {
  const writable = () => {
    lifecycle.assertUsable();
    return store;
  };

  async function settled(): Promise<void> {
    if (requests === null) return;
    await Promise.all([engine.whenHandedOn(), requests.settle()]);
  }

  async function pauseTriggers(given: GroupMatcher): Promise<void> {
    const matcher = checkMatcher(given);
    await writable().pauseTriggers(matcher);
    await settled();
    announce({ type: 'triggersPaused', matcher });
  }

  return {
    pauseTriggers,
    pauseAll: () => pauseTriggers(GroupMatcher.anyGroup()),
    async pauseTrigger(key) {
      const triggerKey = toTriggerKey(key);
      await requireStored(writable(), { triggerKey });
      await writable().pauseTriggers([triggerKey]);
      await settled();
      announce({ type: 'triggerPaused', triggerKey });
    },
    async pauseJob(key) {
      const jobKey = toJobKey(key);
      await requireStored(writable(), { jobKey });
      await writable().pauseJobs([jobKey]);
      await settled();
      announce({ type: 'jobPaused', jobKey });
    },
    async pauseJobs(given) {
      const matcher = checkMatcher(given);
      await writable().pauseJobs(matcher);
      await settled();
      announce({ type: 'jobsPaused', matcher });
    },
  };
}
