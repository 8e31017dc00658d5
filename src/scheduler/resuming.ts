import type { Scheduler } from '../api/scheduler';
import { GroupMatcher } from '../domain/keys';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import { requireFound } from './require-found';
import type { SchedulerParts } from './scheduler-parts';

type Resuming = Pick<
  Scheduler,
  'resumeTrigger' | 'resumeTriggers' | 'resumeJob' | 'resumeJobs' | 'resumeAll' | 'resetTriggerFromErrorState'
>;

/** The part of the scheduler that undoes pauses and errors. Each event is published once the store has committed. */
export function resuming({ store, writer, announce, lifecycle }: SchedulerParts): Resuming {
  const writable = () => {
    lifecycle.assertUsable();
    return store;
  };

  async function resumeTriggers(given: GroupMatcher): Promise<void> {
    const matcher = checkMatcher(given);
    await writable().resumeTriggers(matcher, writer.options());
    announce({ type: 'triggersResumed', matcher });
  }

  return {
    resumeTriggers,
    resumeAll: () => resumeTriggers(GroupMatcher.anyGroup()),
    async resumeTrigger(key) {
      const triggerKey = toTriggerKey(key);
      requireFound(await writable().resumeTriggers([triggerKey], writer.options()), { triggerKey });
      announce({ type: 'triggerResumed', triggerKey });
    },
    async resumeJob(key) {
      const jobKey = toJobKey(key);
      requireFound(await writable().resumeJobs([jobKey], writer.options()), { jobKey });
      announce({ type: 'jobResumed', jobKey });
    },
    async resumeJobs(given) {
      const matcher = checkMatcher(given);
      await writable().resumeJobs(matcher, writer.options());
      announce({ type: 'jobsResumed', matcher });
    },
    async resetTriggerFromErrorState(key) {
      const triggerKey = toTriggerKey(key);
      requireFound(await writable().resetTriggersFromError([triggerKey]), { triggerKey });
    },
  };
}
