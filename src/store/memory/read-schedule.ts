import { SchedulerError } from '../../base/errors';
import { partition } from '../../base/lists';
import type { StoredCalendar } from '../../domain/firing';
import type { JobDetail } from '../../domain/job-detail';
import {
  formatKey,
  type GroupMatcher,
  type JobKey,
  keyContains,
  keyText,
  matchesGroup,
  sameKey,
  type TriggerKey,
} from '../../domain/keys';
import type { Trigger } from '../../domain/trigger';
import type { JobPageQuery, StoredTrigger, TriggerPageQuery } from '../job-store';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import type { GroupIndex } from './indexed-set';
import type { MemoryTables } from './memory-tables';

/** Returns the matching jobs, in no order. */
export function foundJobs(
  tables: MemoryTables,
  query: Pick<JobPageQuery, 'group' | 'jobType' | 'search'>,
): readonly JobDetail[] {
  const isFound = keyFilter(query.search);
  return inGroups(tables.jobs, tables.jobGroups, query.group)
    .map(({ detail }) => detail)
    .filter(({ key, jobType }) => (query.jobType === undefined || jobType === query.jobType) && isFound(key));
}

type TriggerFilter = Omit<TriggerPageQuery, 'sort' | 'after' | 'take' | 'omitTotal'>;

/** Returns the matching triggers, in no order. */
export function foundTriggers(tables: MemoryTables, query: TriggerFilter): readonly TriggerEntry[] {
  const entries = candidates(tables, query).filter((entry) => matches(entry, query));
  const isFound = keyFilter(query.search);
  return entries.filter(({ trigger }) => isFound(trigger.key));
}

/** Returns a trigger with its effective state, which may be BLOCKED or PAUSED_BLOCKED. */
export function toStoredTrigger(entry: TriggerEntry): StoredTrigger {
  return { trigger: entry.trigger, state: stateOf(entry) };
}

/** Returns the calendar of a trigger; null if the trigger uses none. Throws CALENDAR_NOT_FOUND if the calendar is not stored. */
export function calendarOf(tables: MemoryTables, { key, calendarName }: Trigger): StoredCalendar | null {
  if (calendarName === null) return null;
  const calendar = tables.calendars.get(calendarName);
  if (calendar !== undefined) return calendar;
  throw new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${calendarName}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

/** Returns the triggers from the narrowest index that serves the filter. */
function candidates(tables: MemoryTables, query: TriggerFilter): readonly TriggerEntry[] {
  if (query.waitsFor !== undefined) return tables.followers.of(keyText(query.waitsFor));
  if (query.jobKey !== undefined) return tables.job(query.jobKey)?.triggers.toArray() ?? [];
  if (query.calendarName !== undefined) return [...(tables.calendars.get(query.calendarName)?.triggers ?? [])];
  return inGroups(tables.triggers, tables.triggerGroups, query.group);
}

function matches(entry: TriggerEntry, query: TriggerFilter): boolean {
  const { trigger } = entry;
  return (
    (query.group === undefined || matchesGroup(query.group, trigger.key.group)) &&
    (query.jobKey === undefined || sameKey(query.jobKey, trigger.jobKey)) &&
    (query.calendarName === undefined || trigger.calendarName === query.calendarName) &&
    (query.states === undefined || query.states.includes(stateOf(entry)))
  );
}

function inGroups<Entry extends JobEntry | TriggerEntry>(
  all: ReadonlyMap<string, Entry>,
  groups: GroupIndex<Entry>,
  matcher: GroupMatcher | undefined,
): readonly Entry[] {
  if (matcher === undefined || matcher.operator === 'any') return [...all.values()];
  return groups.membersOf(groups.matching(matcher));
}

function keyFilter(search: string | undefined): (key: JobKey | TriggerKey) => boolean {
  if (search === undefined || search === '') return () => true;
  return (key) => keyContains(key, search);
}

/** Largest page for which inserting into a sorted page is cheaper than sorting all items. No operation requests larger pages. */
const MAX_PARTIAL_SORT = 2_000;

/** Returns the first items in order. For a few of many items, most items need only one comparison. */
export function firstInOrder<T>(items: readonly T[], compare: (a: T, b: T) => number, take: number): readonly T[] {
  const isSmall = take <= Math.min(MAX_PARTIAL_SORT, items.length / 4);
  return isSmall ? smallest(items, compare, take) : [...items].sort(compare).slice(0, take);
}

function smallest<T>(items: readonly T[], compare: (a: T, b: T) => number, count: number): readonly T[] {
  const sorted = items.slice(0, count).sort(compare);
  for (const item of count > 0 ? items.slice(count) : []) {
    if (compare(item, sorted[count - 1] as T) >= 0) continue;
    sorted.pop();
    sorted.splice(
      partition(sorted, (other) => compare(other, item) <= 0),
      0,
      item,
    );
  }
  return sorted;
}
