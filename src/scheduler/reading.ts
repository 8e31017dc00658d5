import type { JobListOptions, PageOptions, Scheduler, TriggerListOptions } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import { SchedulerError } from '../base/errors';
import type { GroupMatcher } from '../domain/keys';
import { toPublicState } from '../domain/trigger-state';
import type { JobQuery, ScheduleReader, TriggerQuery } from '../store/job-store';
import { checkMatcher, toJobKey, toTriggerKey } from './checked-input';
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
>;

/** Everything that matches, in one page. */
const ALL = { skip: 0, take: Number.MAX_SAFE_INTEGER } as const;
const DEFAULT_PAGE = 100;
const LONGEST_PAGE = 1000;

/** The part of the scheduler that reads the schedule. */
export function reading({ store, lifecycle }: SchedulerParts): Reading {
  const reader = (): ScheduleReader => {
    lifecycle.assertUsable();
    return store;
  };
  const jobsIn = async (matcher: GroupMatcher) =>
    (await reader().queryJobs({ group: checkMatcher(matcher), ...ALL })).items;
  const triggerOf = async (key: Parameters<Scheduler['getTrigger']>[0]) =>
    (await reader().getTriggers([toTriggerKey(key)]))[0] ?? null;
  const jobOf = async (key: Parameters<Scheduler['getJobDetail']>[0]) =>
    (await reader().getJobs([toJobKey(key)]))[0] ?? null;

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
      return (await ('job' in key ? jobOf(key.job) : triggerOf(key.trigger))) !== null;
    },
    async listJobs(options = {}) {
      return reader().queryJobs(toJobQuery(options));
    },
    async listTriggers(options = {}) {
      const { items, total } = await reader().queryTriggers(toTriggerQuery(options));
      return { items: items.map(({ trigger, state }) => ({ trigger: toTrigger(trigger), state })), total };
    },
  };
}

function toJobQuery(options: JobListOptions): JobQuery {
  const { group, ...rest } = options;
  return { ...rest, ...pageOf(options), ...(group !== undefined && { group: checkMatcher(group) }) };
}

function toTriggerQuery(options: TriggerListOptions): TriggerQuery {
  const { group, jobKey, ...rest } = options;
  return {
    ...rest,
    ...pageOf(options),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(jobKey !== undefined && { jobKey: toJobKey(jobKey) }),
  };
}

function pageOf({ skip = 0, take = DEFAULT_PAGE }: PageOptions): { readonly skip: number; readonly take: number } {
  return {
    skip: checkCount(skip, 'skip', Number.MAX_SAFE_INTEGER),
    take: checkCount(take, 'take', LONGEST_PAGE),
  };
}

function checkCount(count: unknown, what: string, greatest: number): number {
  if (Number.isInteger(count) && (count as number) >= 0 && (count as number) <= greatest) return count as number;
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a whole number from 0 to ${greatest} as ${what}, found ${String(count)}.`,
  );
}
