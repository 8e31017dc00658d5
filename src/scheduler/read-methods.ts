import { checkObject, checkWhole } from '../api/builders/check-arguments';
import type {
  JobListOptions,
  ListedOverdue,
  ListedPause,
  ListedTrigger,
  PageOptions,
  TriggerListOptions,
} from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { toDate, toTrigger } from '../api/trigger';
import { checkOptional, checkOptions } from '../domain/check-options';
import { invalidArgument } from '../domain/check-text';
import type { Expectation } from '../domain/expectation';
import {
  compareKeys,
  type GroupMatcher,
  type JobKey,
  type JobKeyLike,
  type TriggerKey,
  type TriggerKeyLike,
} from '../domain/keys';
import { checkFlag } from '../domain/limits';
import { type ExplainedPause, explainedBy, pausedTriggerOf } from '../domain/pause';
import { isPaused, TRIGGER_STATES } from '../domain/trigger-state';
import type { JobPageQuery, ScheduleReader, StoredTrigger, TriggerPageQuery } from '../store/job-store';
import { jobCursor, jobPlace, triggerCursor, triggerPlace } from '../store/list-cursor';
import { checkList, checkMatcher, checkOneOf, checkString, toJobKey, toTriggerKey } from './checked-input';
import { firstJobs, firstTriggers, readJobs, readTriggers } from './read-pages';
import type { SchedulerParts } from './scheduler-parts';

export function readMethods(parts: SchedulerParts) {
  const { usableStore } = parts;
  const jobsIn = async (matcher: GroupMatcher) =>
    inOrderOfKeys(await readJobs(usableStore(), { group: checkMatcher(matcher) }));
  const triggersOf = async (which: Pick<TriggerPageQuery, 'group' | 'jobKey'>) =>
    inOrderOfKeys(await readTriggers(usableStore(), which));
  const triggerOf = async (key: TriggerKeyLike) => (await usableStore().getTriggers([toTriggerKey(key)]))[0] ?? null;
  const jobOf = async (key: JobKeyLike) => (await usableStore().getJobs([toJobKey(key)]))[0] ?? null;

  return {
    getJobGroupNames: async () => usableStore().getJobGroupNames(),
    getTriggerGroupNames: async () => usableStore().getTriggerGroupNames(),
    getPausedTriggerGroups: async () => usableStore().getPausedTriggerGroups(),
    getJobDetail: jobOf,
    getJobDetails: jobsIn,
    getJobKeys: async (matcher) => (await jobsIn(matcher)).map(({ key }) => key),
    getTriggerKeys: async (matcher) => (await triggersOf({ group: checkMatcher(matcher) })).map(({ key }) => key),
    getTriggersOfJob: async (key) => (await triggersOf({ jobKey: toJobKey(key) })).map(toTrigger),
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
      const { items, next, total } = await firstJobs(usableStore(), toJobQuery(options));
      return { items, next: next && jobCursor(next), total };
    },
    async listTriggers(options) {
      const query = toTriggerQuery(options);
      const { items, next, total } = await firstTriggers(usableStore(), query);
      const pauses = await pausesOf(usableStore(), items);
      const listed = items.map((item, index) => toListed(item, pauses[index] ?? null));
      return { items: listed, next: next && triggerCursor(next, query.sort), total };
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

const TRIGGER_SORTS = ['key', 'nextFireTime'] as const;

const PAGE_OPTIONS = { limit: true, after: true, search: true, total: true } as const;
const JOB_OPTIONS = { group: true, jobType: true, ...PAGE_OPTIONS } as const;
const TRIGGER_OPTIONS = {
  group: true,
  job: true,
  waitsFor: true,
  states: true,
  calendarName: true,
  sort: true,
  ...PAGE_OPTIONS,
} as const;

function toJobQuery(options?: JobListOptions): JobPageQuery {
  const { group, jobType, after, ...page } = checkOptional(options, JOB_OPTIONS, OTHER_NAMES);
  return {
    ...toPage(page),
    ...(after !== undefined && { after: placeAfter(after, jobPlace) }),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(jobType !== undefined && { jobType: checkString(jobType, 'jobType') }),
  };
}

function toTriggerQuery(options?: TriggerListOptions): TriggerPageQuery {
  const {
    group,
    job,
    waitsFor,
    states,
    calendarName,
    sort = 'key',
    after,
    ...page
  } = checkOptional(options, TRIGGER_OPTIONS, OTHER_NAMES);
  const order = checkOneOf(sort, 'sort', TRIGGER_SORTS);
  return {
    ...toPage(page),
    sort: order,
    ...(after !== undefined && { after: placeAfter(after, (text) => triggerPlace(text, order)) }),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(job !== undefined && { jobKey: toJobKey(job) }),
    ...(waitsFor !== undefined && { waitsFor: toJobKey(waitsFor) }),
    ...(states !== undefined && {
      states: checkList(states, 'trigger states').map((state) => checkOneOf(state, 'state', TRIGGER_STATES)),
    }),
    ...(calendarName !== undefined && { calendarName: checkString(calendarName, 'calendarName') }),
  };
}

/** Names that other libraries use for these options, for hints in errors. */
const OTHER_NAMES = { take: 'limit', skip: 'after', cursor: 'after', count: 'total' } as const;

function toPage({ limit = DEFAULT_PAGE, search, total = false }: Omit<PageOptions, 'after'>) {
  return {
    take: checkWhole(limit, 'limit', 1, MAX_PAGE),
    omitTotal: !checkFlag(total, 'total'),
    ...(search !== undefined && { search: checkString(search, 'search') }),
  };
}

/** Decodes a cursor. Throws INVALID_ARGUMENT if it is not the `next` of a page of the same list. */
function placeAfter<Place>(after: string, placeOf: (text: string) => Place | null): Place {
  const place = placeOf(after);
  if (place !== null) return place;
  throw invalidArgument('`next` of the previous page as after', after);
}

function inOrderOfKeys<Item extends { readonly key: JobKey | TriggerKey }>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => compareKeys(a.key, b.key));
}
