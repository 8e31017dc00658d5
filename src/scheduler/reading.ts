import type { Scheduler } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import type { GroupMatcher, JobKeyLike, TriggerKeyLike } from '../domain/keys';
import { toPublicState } from '../domain/trigger-state';
import type { UnreadableRow } from '../domain/unreadable-row';
import type { ScheduleReader } from '../store/job-store';
import { checkMatcher, checkObject, toJobKey, toTriggerKey } from './checked-input';
import { toJobQuery, toTriggerQuery } from './list-queries';
import type { SchedulerParts } from './scheduler-parts';

type Reading = Pick<
  Scheduler,
  | 'getJobGroupNames'
  | 'getJobKeys'
  | 'getTriggerGroupNames'
  | 'getTriggerKeys'
  | 'getPausedTriggerGroups'
  | 'getTriggersOfJob'
  | 'getJobDetail'
  | 'getJobDetails'
  | 'getTrigger'
  | 'getTriggerState'
  | 'listJobs'
  | 'listTriggers'
  | 'checkExists'
  | 'listUnreadable'
>;

/** Everything that matches, in one page. */
const ALL = { skip: 0, take: Number.MAX_SAFE_INTEGER } as const;

const dated = ({ since, ...row }: UnreadableRow) => ({ ...row, since: new Date(since) });

/** The part of the scheduler that reads the schedule. */
export function reading({ store, lifecycle }: SchedulerParts): Reading {
  const reader = (): ScheduleReader => {
    lifecycle.assertUsable();
    return store;
  };
  const jobsIn = async (matcher: GroupMatcher) =>
    (await reader().queryJobs({ group: checkMatcher(matcher), ...ALL })).items;
  const triggerOf = async (key: TriggerKeyLike) => (await reader().getTriggers([toTriggerKey(key)]))[0] ?? null;
  const jobOf = async (key: JobKeyLike) => (await reader().getJobs([toJobKey(key)]))[0] ?? null;

  return {
    getJobGroupNames: async () => reader().getJobGroupNames(),
    getTriggerGroupNames: async () => reader().getTriggerGroupNames(),
    getPausedTriggerGroups: async () => reader().getPausedTriggerGroups(),
    getJobDetail: jobOf,
    getJobDetails: jobsIn,
    getJobKeys: async (matcher) => (await jobsIn(matcher)).map(({ key }) => key),

    async getTriggerKeys(matcher) {
      const { items } = await reader().queryTriggers({ group: checkMatcher(matcher), ...ALL });
      return items.map(({ trigger }) => trigger.key);
    },
    async getTriggersOfJob(key) {
      const { items } = await reader().queryTriggers({ jobKey: toJobKey(key), ...ALL });
      return items.map(({ trigger }) => toTrigger(trigger));
    },
    async getTrigger(key) {
      const found = await triggerOf(key);
      return found === null ? null : toTrigger(found.trigger);
    },
    async getTriggerState(key) {
      const found = await triggerOf(key);
      return toPublicState(found?.state ?? null);
    },
    async checkExists(key) {
      const { job, trigger } = checkObject<{ job?: JobKeyLike; trigger?: TriggerKeyLike }>(
        key,
        '{ job } or { trigger }',
      );
      return (job === undefined ? await triggerOf(trigger as TriggerKeyLike) : await jobOf(job)) !== null;
    },
    listUnreadable: async () => (await reader().getUnreadableRows()).map(dated),
    async listJobs(options = {}) {
      return reader().queryJobs(toJobQuery(options));
    },
    async listTriggers(options = {}) {
      const { items, total } = await reader().queryTriggers(toTriggerQuery(options));
      return { items: items.map(({ trigger, state }) => ({ trigger: toTrigger(trigger), state })), total };
    },
  };
}
