import { checkObject, checkWhole } from '../api/builders/check-arguments';
import type {
  JobListOptions,
  ListedOverdue,
  ListedPause,
  ListedTrigger,
  ListPage,
  PageOptions,
  TriggerListOptions,
} from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { toDate, toTrigger } from '../api/trigger';
import { checkOptional, checkOptions } from '../domain/check-options';
import { invalidArgument } from '../domain/check-text';
import type { Expectation } from '../domain/expectation';
import type { GroupMatcher, JobKeyLike, TriggerKeyLike } from '../domain/keys';
import { checkFlag } from '../domain/limits';
import { type ExplainedPause, explainedBy, pausedTriggerOf } from '../domain/pause';
import { isPaused, TRIGGER_STATES } from '../domain/trigger-state';
import type { JobQuery, ScheduleReader, StoredTrigger, TriggerQuery } from '../store/job-store';
import { checkList, checkMatcher, checkOneOf, checkString, toJobKey, toTriggerKey } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

const ALL = { skip: 0, take: Number.MAX_SAFE_INTEGER } as const;

export function readMethods(parts: SchedulerParts) {
  const { usableStore } = parts;
  const jobsIn = async (matcher: GroupMatcher) =>
    (await usableStore().queryJobs({ group: checkMatcher(matcher), ...ALL })).items;
  const triggerOf = async (key: TriggerKeyLike) => (await usableStore().getTriggers([toTriggerKey(key)]))[0] ?? null;
  const jobOf = async (key: JobKeyLike) => (await usableStore().getJobs([toJobKey(key)]))[0] ?? null;

  return {
    getJobGroupNames: async () => usableStore().getJobGroupNames(),
    getTriggerGroupNames: async () => usableStore().getTriggerGroupNames(),
    getPausedTriggerGroups: async () => usableStore().getPausedTriggerGroups(),
    getJobDetail: jobOf,
    getJobDetails: jobsIn,
    getJobKeys: async (matcher) => (await jobsIn(matcher)).map(({ key }) => key),
    async getTriggerKeys(matcher) {
      const { items } = await usableStore().queryTriggers({ group: checkMatcher(matcher), ...ALL });
      return items.map(({ trigger }) => trigger.key);
    },
    async getTriggersOfJob(key) {
      const { items } = await usableStore().queryTriggers({ jobKey: toJobKey(key), ...ALL });
      return items.map(({ trigger }) => toTrigger(trigger));
    },
    async getTrigger(key) {
      const found = await triggerOf(key);
      return found === null ? null : toTrigger(found.trigger);
    },
    getTriggerState: async (key) => (await triggerOf(key))?.state ?? null,
    async checkExists(key) {
      const given = checkOptions<{ job?: JobKeyLike; trigger?: TriggerKeyLike }>(
        checkObject(key, '{ job } or { trigger }'),
        { job: true, trigger: true },
        { jobKey: 'job', triggerKey: 'trigger' },
      );
      if (given.job !== undefined) return (await jobOf(given.job)) !== null;
      return (await triggerOf(given.trigger as TriggerKeyLike)) !== null;
    },
    async listUnreadable() {
      const rows = await usableStore().getUnreadableRows();
      return rows.map(({ since, ...row }) => ({ ...row, since: new Date(since) }));
    },
    ...listMethods(parts),
  } satisfies Partial<Scheduler>;
}

function listMethods({ usableStore, clock }: SchedulerParts) {
  return {
    listOverdue: async (options) => (await usableStore().listOverdue(clock.now(), toMost(options))).map(toOverdue),
    async listJobs(options) {
      const query = toJobQuery(options);
      const { items, total } = await usableStore().queryJobs(query);
      return toListPage(items, total, query);
    },
    async listTriggers(options) {
      const query = toTriggerQuery(options);
      const { items, total } = await usableStore().queryTriggers(query);
      const pauses = await pausesOf(usableStore(), items);
      const listed = items.map((item, index) => toListed(item, pauses[index] ?? null));
      return toListPage(listed, total, query);
    },
  } satisfies Partial<Scheduler>;
}

function toMost(options?: { readonly limit?: number }): number {
  const { limit = MAX_OVERDUE } = checkOptional(options, { limit: true }, { take: 'limit' });
  return checkWhole(limit, 'limit', 1, MAX_OVERDUE);
}

function toOverdue({ since, lastSuccess, ...overdue }: Expectation): ListedOverdue {
  return { ...overdue, since: new Date(since), lastSuccess: toDate(lastSuccess) };
}

/** Reads the explanation of each trigger's pause, or null for none. Queries the store only if some trigger is paused. */
export async function pausesOf(
  store: Pick<ScheduleReader, 'getPauses'>,
  items: readonly StoredTrigger[],
): Promise<readonly (ListedPause | null)[]> {
  const paused = items.filter(({ state }) => isPaused(state)).map(({ trigger }) => pausedTriggerOf(trigger));
  const pauses = paused.length === 0 ? [] : await store.getPauses(paused);
  const explanationOf = explainedBy(pauses);
  return items.map(({ trigger, state }) => {
    const pause = isPaused(state) ? explanationOf(pausedTriggerOf(trigger)) : null;
    return pause && toListedPause(pause);
  });
}

function toListed({ trigger, state }: StoredTrigger, pause: ListedPause | null): ListedTrigger {
  const listed = { trigger: toTrigger(trigger), state };
  return pause === null ? listed : { ...listed, pause };
}

export function toListedPause({ target, reason, by, since, until, holdsRetries = true }: ExplainedPause): ListedPause {
  return { target, reason, by, since: new Date(since), until: until === null ? null : new Date(until), holdsRetries };
}

const MAX_OVERDUE = 10_000;
const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

const JOB_SORTS = ['key', 'jobType'] as const;
const TRIGGER_SORTS = ['key', 'nextFireTime', 'previousFireTime', 'priority'] as const;

const PAGE_OPTIONS = { limit: true, after: true, search: true, descending: true } as const;
const JOB_OPTIONS = { group: true, jobType: true, sort: true, ...PAGE_OPTIONS } as const;
const TRIGGER_OPTIONS = {
  group: true,
  job: true,
  waitsFor: true,
  states: true,
  calendarName: true,
  sort: true,
  ...PAGE_OPTIONS,
} as const;

function toJobQuery(options?: JobListOptions): JobQuery {
  const { group, jobType, sort, ...page } = checkOptional(options, JOB_OPTIONS, OTHER_NAMES);
  return {
    ...toPage(page),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(jobType !== undefined && { jobType: checkString(jobType, 'jobType') }),
    ...(sort !== undefined && { sort: checkOneOf(sort, 'sort', JOB_SORTS) }),
  };
}

function toTriggerQuery(options?: TriggerListOptions): TriggerQuery {
  const { group, job, waitsFor, states, calendarName, sort, ...page } = checkOptional(
    options,
    TRIGGER_OPTIONS,
    OTHER_NAMES,
  );
  return {
    ...toPage(page),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(job !== undefined && { jobKey: toJobKey(job) }),
    ...(waitsFor !== undefined && { after: toJobKey(waitsFor) }),
    ...(states !== undefined && {
      states: checkList(states, 'trigger states').map((state) => checkOneOf(state, 'state', TRIGGER_STATES)),
    }),
    ...(calendarName !== undefined && { calendarName: checkString(calendarName, 'calendarName') }),
    ...(sort !== undefined && { sort: checkOneOf(sort, 'sort', TRIGGER_SORTS) }),
  };
}

/** Names that other libraries use for these options, for hints in errors. */
const OTHER_NAMES = { take: 'limit', skip: 'after', cursor: 'after' } as const;

function toPage({ limit = DEFAULT_PAGE, after, search, descending }: PageOptions) {
  return {
    skip: after === undefined ? 0 : placeAfter(after),
    take: checkWhole(limit, 'limit', 1, MAX_PAGE),
    ...(search !== undefined && { search: checkString(search, 'search') }),
    ...(descending !== undefined && { descending: checkFlag(descending, 'descending') }),
  };
}

/** Decodes a cursor to the number of items before the page. Throws INVALID_ARGUMENT if it is not the `next` of a page. */
function placeAfter(after: string): number {
  const place = typeof after === 'string' && /^\d{1,15}$/.test(after) ? Number(after) : 0;
  if (place > 0) return place;
  throw invalidArgument('`next` of the previous page as after', after);
}

/** Returns a page of a list. Its cursor leads to the next page, or is null after the last item. */
function toListPage<Item>(items: readonly Item[], total: number, { skip }: { readonly skip: number }): ListPage<Item> {
  const end = skip + items.length;
  return { items, next: items.length > 0 && end < total ? String(end) : null, total };
}
