import type { Scheduler } from '../api/scheduler';
import { GroupMatcher } from '../domain/keys';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Pausing = Pick<
  Scheduler,
  | 'pauseTrigger'
  | 'pauseTriggers'
  | 'resumeTrigger'
  | 'resumeTriggers'
  | 'pauseJob'
  | 'pauseJobs'
  | 'resumeJob'
  | 'resumeJobs'
  | 'pauseAll'
  | 'resumeAll'
  | 'resetTriggerFromErrorState'
>;

/** The part of the scheduler that pauses and resumes. Each event is published once the store has committed. */
export function pausing({ store, announce, writer, lifecycle }: SchedulerParts): Pausing {
  const writable = () => {
    lifecycle.assertUsable();
    return store;
  };

  async function pauseTriggers(matcher: GroupMatcher): Promise<void> {
    const group = checkMatcher(matcher);
    await writable().pauseTriggers(group);
    announce({ type: 'triggersPaused', matcher: group });
  }

  async function resumeTriggers(matcher: GroupMatcher): Promise<void> {
    const group = checkMatcher(matcher);
    await writable().resumeTriggers(group, writer.options());
    announce({ type: 'triggersResumed', matcher: group });
  }

  return {
    pauseTriggers,
    resumeTriggers,
    pauseAll: () => pauseTriggers(GroupMatcher.anyGroup()),
    resumeAll: () => resumeTriggers(GroupMatcher.anyGroup()),

    async pauseTrigger(key) {
      const triggerKey = toTriggerKey(key);
      await writable().pauseTriggers([triggerKey]);
      announce({ type: 'triggerPaused', triggerKey });
    },
    async resumeTrigger(key) {
      const triggerKey = toTriggerKey(key);
      await writable().resumeTriggers([triggerKey], writer.options());
      announce({ type: 'triggerResumed', triggerKey });
    },
    async pauseJob(key) {
      const jobKey = toJobKey(key);
      await writable().pauseJobs([jobKey]);
      announce({ type: 'jobPaused', jobKey });
    },
    async resumeJob(key) {
      const jobKey = toJobKey(key);
      await writable().resumeJobs([jobKey], writer.options());
      announce({ type: 'jobResumed', jobKey });
    },
    async pauseJobs(matcher) {
      const group = checkMatcher(matcher);
      await writable().pauseJobs(group);
      announce({ type: 'jobsPaused', matcher: group });
    },
    async resumeJobs(matcher) {
      const group = checkMatcher(matcher);
      await writable().resumeJobs(group, writer.options());
      announce({ type: 'jobsResumed', matcher: group });
    },
    async resetTriggerFromErrorState(key) {
      const triggerKey = toTriggerKey(key);
      await writable().resetTriggersFromError([triggerKey]);
    },
  };
}
