import type { JobDetail } from '../../domain/job-detail';
import { compareKeys, compareTexts, GroupMatcher, type JobKey, type TriggerKey } from '../../domain/keys';
import {
  type JobPageQuery,
  type KeyPage,
  LONGEST_COUNT,
  type StoredTrigger,
  type TriggerPageQuery,
  type TriggerPlace,
} from '../job-store';
import type { TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { foundJobs, foundTriggers, selectPage, toStoredTrigger } from './read-schedule';

/** The jobs that match, by name and group, behind a key. */
export function pageJobs(tables: MemoryTables, { group, after, ...query }: JobPageQuery): KeyPage<JobDetail> {
  const jobs = foundJobs(tables, { ...query, ...inGroup(group) });
  const compare = (a: JobDetail, b: JobDetail) => byName(a.key, b.key);
  return pageOf(jobs, compare, { take: query.take, isBehind: after && (({ key }) => byName(key, after) > 0) });
}

/** The triggers that match, in order, behind a place. */
export function pageTriggers(
  tables: MemoryTables,
  { group, sort, after, omitTotal = false, ...query }: TriggerPageQuery,
): KeyPage<StoredTrigger> {
  const entries = foundTriggers(tables, { ...query, ...inGroup(group) });
  const order = sort === 'key' ? byKey : byTime;
  const compare = (a: TriggerEntry, b: TriggerEntry) => order(a.trigger, b.trigger);
  const isBehind = after && (({ trigger }: TriggerEntry) => order(trigger, after) > 0);
  const page = pageOf(entries, compare, { take: query.take, isBehind });
  return { ...page, items: page.items.map(toStoredTrigger), total: omitTotal ? null : page.total };
}

const inGroup = (group: string | undefined) => (group === undefined ? {} : { group: GroupMatcher.groupEquals(group) });

function pageOf<T>(
  found: readonly T[],
  compare: (a: T, b: T) => number,
  { take, isBehind }: { readonly take: number; readonly isBehind: ((item: T) => boolean) | undefined },
): KeyPage<T> {
  const rest = isBehind === undefined ? found : found.filter(isBehind);
  const { items } = selectPage(rest, compare, { skip: 0, take });
  const total = { count: Math.min(found.length, LONGEST_COUNT), isExact: found.length <= LONGEST_COUNT };
  return { items, isMore: rest.length > items.length, total: isBehind === undefined ? total : null };
}

function byName(a: JobKey | TriggerKey, b: JobKey | TriggerKey): number {
  return compareTexts(a.name, b.name) || compareTexts(a.group, b.group);
}

const byKey = (a: TriggerPlace, b: TriggerPlace) => byName(a.key, b.key);

function byTime(a: TriggerPlace, b: TriggerPlace): number {
  const [timeOfA, timeOfB] = [timeOf(a), timeOf(b)];
  if (timeOfA !== timeOfB) return timeOfA < timeOfB ? -1 : 1;
  return b.priority - a.priority || compareKeys(a.key, b.key);
}

/** What waits for other jobs comes behind every time, what never fires behind that. */
function timeOf({ nextFireTime, kind }: TriggerPlace): number {
  if (kind === 'AFTER') return Number.MAX_VALUE;
  return nextFireTime ?? Number.POSITIVE_INFINITY;
}
