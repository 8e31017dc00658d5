import type { PauseReport, Scheduler } from '../api/scheduler';
import { REQUEST_PATIENCE } from '../cluster/cluster-requests';
import { GroupMatcher } from '../domain/keys';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import { requireFound } from './require-found';
import type { SchedulerParts } from './scheduler-parts';

type Pausing = Pick<Scheduler, 'pauseTrigger' | 'pauseTriggers' | 'pauseJob' | 'pauseJobs' | 'pauseAll'>;

/**
 * The part of the scheduler that pauses. Each event is published once the store has committed; when a method resolves, the jobs of all
 * that was fired before have begun on every node, so that nothing of what is paused begins any more; or it names the nodes that did not
 * say so in time.
 */
export function pausing({ config, store, engine, requests, announce, lifecycle }: SchedulerParts): Pausing {
  const writable = () => {
    lifecycle.assertUsable();
    return store;
  };

  async function settled(): Promise<PauseReport> {
    const [isBegun, others] = await Promise.all([
      engine.whenBegun(REQUEST_PATIENCE),
      requests === null ? [] : requests.settle().then(({ silent }) => silent),
    ]);
    return { unconfirmed: isBegun ? others : [config.instanceId, ...others] };
  }

  async function pauseTriggers(given: GroupMatcher): Promise<PauseReport> {
    const matcher = checkMatcher(given);
    await writable().pauseTriggers(matcher);
    const report = await settled();
    announce({ type: 'triggersPaused', matcher });
    return report;
  }

  return {
    pauseTriggers,
    pauseAll: () => pauseTriggers(GroupMatcher.anyGroup()),
    async pauseTrigger(key) {
      const triggerKey = toTriggerKey(key);
      requireFound(await writable().pauseTriggers([triggerKey]), { triggerKey });
      const report = await settled();
      announce({ type: 'triggerPaused', triggerKey });
      return report;
    },
    async pauseJob(key) {
      const jobKey = toJobKey(key);
      requireFound(await writable().pauseJobs([jobKey]), { jobKey });
      const report = await settled();
      announce({ type: 'jobPaused', jobKey });
      return report;
    },
    async pauseJobs(given) {
      const matcher = checkMatcher(given);
      await writable().pauseJobs(matcher);
      const report = await settled();
      announce({ type: 'jobsPaused', matcher });
      return report;
    },
  };
}
