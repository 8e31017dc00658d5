import type { JobDetail } from '../../domain/job-detail';
import { compareKeys, compareTexts, type JobKey, type TriggerKey } from '../../domain/keys';
import {
  type ExplainedPause,
  type PausedTrigger,
  type PausePlace,
  type PauseTarget,
  placeOfPause,
  targetsThatName,
} from '../../domain/pause';
import { isDormant } from '../../domain/trigger-state';
import {
  type JobPageQuery,
  type KeyPage,
  MAX_COUNT,
  type NamedCalendar,
  type NamePageQuery,
  type StoredTrigger,
  type TargetPageQuery,
  type TriggerPageQuery,
  type TriggerPlace,
} from '../job-store';
import type { TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { firstInOrder, foundJobs, foundTriggers, toStoredTrigger } from './read-schedule';

export function pageJobs(
  tables: MemoryTables,
  { after, omitTotal = false, ...query }: JobPageQuery,
): KeyPage<JobDetail, JobKey> {
  const jobs = foundJobs(tables, query);
  const compare = (a: JobDetail, b: JobDetail) => byName(a.key, b.key);
  const isBehind = after && (({ key }: JobDetail) => byName(key, after) > 0);
  const { items, last, total } = pageOf(jobs, compare, { take: query.take, isBehind });
  return { items, next: last?.key ?? null, total: omitTotal ? null : total };
}

interface Placed {
  readonly entry: TriggerEntry;
  readonly place: TriggerPlace;
}

export function pageTriggers(
  tables: MemoryTables,
  { sort, after, omitTotal = false, ...query }: TriggerPageQuery,
): KeyPage<StoredTrigger, TriggerPlace> {
  const found = foundTriggers(tables, query);
  const placed = found.map((entry): Placed => ({ entry, place: placeOf(entry) }));
  const order = sort === 'key' ? byKey : byTime;
  const compare = (a: Placed, b: Placed) => order(a.place, b.place);
  const isBehind = after && (({ place }: Placed) => order(place, after) > 0);
  const { items, last, total } = pageOf(placed, compare, { take: query.take, isBehind });
  return {
    items: items.map(({ entry }) => toStoredTrigger(entry)),
    next: last?.place ?? null,
    total: omitTotal ? null : total,
  };
}

/** Returns the pauses with a reason, author or end time. With `of`, only pauses of groups and pauses that name these triggers or their jobs. */
export function selectPauses({ pauses }: MemoryTables, of?: readonly PausedTrigger[]): readonly ExplainedPause[] {
  if (of === undefined) return [...pauses.values()];
  const texts = new Set(of.flatMap(targetsThatName));
  const named = [...texts].flatMap((text) => pauses.get(text) ?? []);
  return [...named, ...[...pauses.values()].filter(({ target }) => 'matcher' in target)];
}

export function pagePauses(tables: MemoryTables, { after, take }: TargetPageQuery) {
  const compare = (a: PauseTarget, b: PauseTarget) => comparePlaces(placeOfPause(a), placeOfPause(b));
  const isBehind = after && (({ target }: ExplainedPause) => compare(target, after) > 0);
  const order = (a: ExplainedPause, b: ExplainedPause) => compare(a.target, b.target);
  const { items, last } = pageOf([...tables.pauses.values()], order, { take, isBehind });
  return { items, next: last?.target ?? null };
}

function comparePlaces(a: PausePlace, b: PausePlace): number {
  return compareTexts(a[0], b[0]) || compareTexts(a[1], b[1]) || compareTexts(a[2], b[2]);
}

export function pageCalendars(tables: MemoryTables, { after, take }: NamePageQuery) {
  const named = [...tables.calendars].map(([name, { data }]) => ({ name, data }));
  const isBehind = after === undefined ? undefined : ({ name }: NamedCalendar) => compareTexts(name, after) > 0;
  const order = (a: NamedCalendar, b: NamedCalendar) => compareTexts(a.name, b.name);
  const { items, last } = pageOf<NamedCalendar>(named, order, { take, isBehind });
  return { items, next: last?.name ?? null };
}

function pageOf<T>(
  found: readonly T[],
  compare: (a: T, b: T) => number,
  { take, isBehind }: { readonly take: number; readonly isBehind: ((item: T) => boolean) | undefined },
): Pick<KeyPage<T, never>, 'items' | 'total'> & { readonly last: T | null } {
  const rest = isBehind === undefined ? found : found.filter(isBehind);
  const items = firstInOrder(rest, compare, take);
  const total = { count: Math.min(found.length, MAX_COUNT), isExact: found.length <= MAX_COUNT };
  const last = rest.length > items.length ? (items.at(-1) ?? null) : null;
  return { items, last, total: isBehind === undefined ? total : null };
}

function byName(a: JobKey | TriggerKey, b: JobKey | TriggerKey): number {
  return compareTexts(a.name, b.name) || compareTexts(a.group, b.group);
}

const byKey = (a: TriggerPlace, b: TriggerPlace) => byName(a.key, b.key);

function placeOf({ trigger, state }: TriggerEntry): TriggerPlace {
  const { key, kind, nextFireTime, priority } = trigger;
  return { key, kind, nextFireTime, priority, isDormant: isDormant(state) };
}

function byTime(a: TriggerPlace, b: TriggerPlace): number {
  if (rankOf(a) !== rankOf(b)) return rankOf(a) - rankOf(b);
  const [timeOfA, timeOfB] = [timeOf(a), timeOf(b)];
  if (timeOfA !== timeOfB) return timeOfA < timeOfB ? -1 : 1;
  return b.priority - a.priority || compareKeys(a.key, b.key);
}

/** Returns the sort rank: 0 for triggers that will fire, 1 for dormant triggers, 2 for triggers that will never fire. */
function rankOf(place: TriggerPlace): number {
  if (timeOf(place) === Number.POSITIVE_INFINITY) return 2;
  return place.isDormant ? 1 : 0;
}

/** Returns the sort time. Triggers that wait for other jobs come after every fire time; triggers that will never fire come last. */
function timeOf({ nextFireTime, kind }: TriggerPlace): number {
  if (kind === 'AFTER') return Number.MAX_VALUE;
  return nextFireTime ?? Number.POSITIVE_INFINITY;
}
