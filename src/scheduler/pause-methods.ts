import type { PauseReport, Scheduler } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { REQUEST_TIMEOUT_MS } from '../cluster/signals';
import { formatKey, GroupMatcher, type JobKey, type TriggerKey } from '../domain/keys';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
import type { EventInput } from './schedule-events';
import type { SchedulerParts } from './scheduler-parts';

type PauseMethods = Pick<
  Scheduler,
  Extract<keyof Scheduler, `pause${string}` | `resume${string}`> | 'resetTriggerFromErrorState'
>;

/**
 * Pauses and resumes. Each event is published once the store has committed. When a pause resolves, the jobs of everything that was fired
 * before have begun on every node, so that nothing paused begins any more; or it names the nodes that did not confirm that in time.
 */
export function pauseMethods(parts: SchedulerParts): PauseMethods {
  const { store, writer, lifecycle } = parts;
  const methods: PauseMethods = {
    async pauseTriggers(given) {
      const matcher = checkMatcher(given);
      return pause(parts, () => store.pauseTriggers(matcher), { type: 'triggersPaused', matcher });
    },
    pauseAll: () => methods.pauseTriggers(GroupMatcher.anyGroup()),
    async pauseTrigger(key) {
      const triggerKey = toTriggerKey(key);
      const write = async () => requireTrigger(triggerKey, await store.pauseTriggers([triggerKey]));
      return pause(parts, write, { type: 'triggerPaused', triggerKey });
    },
    async pauseJob(key) {
      const jobKey = toJobKey(key);
      const write = async () => requireJob(jobKey, await store.pauseJobs([jobKey]));
      return pause(parts, write, { type: 'jobPaused', jobKey });
    },
    async pauseJobs(given) {
      const matcher = checkMatcher(given);
      return pause(parts, () => store.pauseJobs(matcher), { type: 'jobsPaused', matcher });
    },

    async resumeTriggers(given) {
      const matcher = checkMatcher(given);
      const write = () => store.resumeTriggers(matcher, writer.options());
      return resume(parts, write, { type: 'triggersResumed', matcher });
    },
    resumeAll: () => methods.resumeTriggers(GroupMatcher.anyGroup()),
    async resumeTrigger(key) {
      const triggerKey = toTriggerKey(key);
      const write = async () => requireTrigger(triggerKey, await store.resumeTriggers([triggerKey], writer.options()));
      return resume(parts, write, { type: 'triggerResumed', triggerKey });
    },
    async resumeJob(key) {
      const jobKey = toJobKey(key);
      const write = async () => requireJob(jobKey, await store.resumeJobs([jobKey], writer.options()));
      return resume(parts, write, { type: 'jobResumed', jobKey });
    },
    async resumeJobs(given) {
      const matcher = checkMatcher(given);
      return resume(parts, () => store.resumeJobs(matcher, writer.options()), { type: 'jobsResumed', matcher });
    },
    async resetTriggerFromErrorState(key) {
      const triggerKey = toTriggerKey(key);
      lifecycle.assertUsable();
      requireTrigger(triggerKey, await store.resetTriggersFromError([triggerKey]));
    },
  };
  return methods;
}

type Write = () => Promise<unknown>;

async function pause(parts: SchedulerParts, write: Write, event: EventInput): Promise<PauseReport> {
  const { config, engine, requests, announce, lifecycle } = parts;
  lifecycle.assertUsable();
  await write();
  const [isBegun, others] = await Promise.all([
    engine.whenBegun(REQUEST_TIMEOUT_MS),
    requests === null ? [] : requests.settle().then(({ silent }) => silent),
  ]);
  announce(event);
  return { unconfirmed: isBegun ? others : [config.instanceId, ...others] };
}

async function resume({ announce, lifecycle }: SchedulerParts, write: Write, event: EventInput): Promise<void> {
  lifecycle.assertUsable();
  await write();
  announce(event);
}

/**
 * Throws when nothing was found under the key: pausing what is not there would look like success. `groups` is the store's answer to the
 * change itself, so that nobody can delete in between what was found.
 */
function requireTrigger(key: TriggerKey, groups: readonly string[]): void {
  if (groups.length === 0) throw new SchedulerError('TRIGGER_NOT_FOUND', notStored('trigger', key, 'listTriggers()'));
}

/** As `requireTrigger`. */
function requireJob(key: JobKey, groups: readonly string[]): void {
  if (groups.length === 0) throw new SchedulerError('JOB_NOT_FOUND', notStored('job', key, 'listJobs()'));
}

function notStored(what: string, key: JobKey | TriggerKey, list: string): string {
  return `Expected the ${what} '${formatKey(key)}' to be stored, found none. Check name and group: ${list} shows what there is.`;
}
