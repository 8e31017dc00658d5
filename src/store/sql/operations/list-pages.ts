import type { JobDetail } from '../../../domain/job-detail';
import type { JobKey } from '../../../domain/keys';
import {
  type JobPageQuery,
  type KeyPage,
  MAX_COUNT,
  type StoredTrigger,
  type TriggerPageQuery,
  type TriggerPlace,
} from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { jobKeyOf } from '../rows/rows';
import { selectJobGroups, selectTriggerGroups } from './paused-groups';
import { getJobs, getTriggers, matchedGroups, searched } from './read-schedule';
import type { JobName } from './select-definitions';
import { MAX_READ, TriggerSearch } from './trigger-search';

export async function pageJobs(tx: NodeTransaction, query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>> {
  const { after, take, jobType = null } = query;
  const groups = await matchedGroups(query.group, (matcher) => selectJobGroups(tx, matcher));
  const search = searched(query.search);
  const behind = { afterName: after?.name ?? '', afterGroup: after?.group ?? '' };
  const isScan = [...Object.values(groups), jobType, search].some((filter) => filter !== null);
  const [end] = isScan ? await tx.all<JobName>('selectJobBoundary', { ...behind, scanned: MAX_READ }) : [];
  const rows = await tx.all<JobName>('listJobKeys', {
    ...behind,
    ...groups,
    ...{ jobType, search, take: rowsFor(query) },
    endName: end?.JOB_NAME ?? null,
    endGroup: end?.JOB_GROUP ?? null,
  });
  const items = await getJobs(tx, rows.slice(0, take).map(jobKeyOf));
  return { items, ...extentOf({ keys: rows.map(jobKeyOf), end: end === undefined ? null : jobKeyOf(end) }, query) };
}

export async function pageTriggers(
  tx: NodeTransaction,
  query: TriggerPageQuery,
): Promise<KeyPage<StoredTrigger, TriggerPlace>> {
  const groups = await matchedGroups(query.group, (matcher) => selectTriggerGroups(tx, matcher));
  const search = new TriggerSearch(tx, query, { take: rowsFor(query), groups });
  const { places, end } = await (query.sort === 'key' ? search.byKey() : search.byTime());
  const keys = places.slice(0, query.take).map(({ key }) => key);
  return { items: await getTriggers(tx, keys), ...extentOf({ keys: places, end }, query) };
}

type Extent = Pick<TriggerPageQuery, 'take' | 'omitTotal'> & { readonly after?: unknown };

function isCounted({ after, omitTotal = false }: Extent): boolean {
  return after === undefined && !omitTotal;
}

/** Returns the number of keys to read: one more than the page size. If the query requests a total, at least `MAX_COUNT` + 1. */
function rowsFor(query: Extent): number {
  return (isCounted(query) ? Math.max(query.take, MAX_COUNT) : query.take) + 1;
}

/**
 * Returns the next position and the total. `end`: last position searched; null if the search reached the end. The total is null if the query
 * requests none, or if the search ended early with at most `MAX_COUNT` keys.
 */
function extentOf<Place>(
  { keys, end }: { readonly keys: readonly Place[]; readonly end: Place | null },
  query: Extent,
): Pick<KeyPage<never, Place>, 'next' | 'total'> {
  const { take } = query;
  const next = keys.length > take ? (keys[take - 1] ?? null) : end;
  const total = { count: Math.min(keys.length, MAX_COUNT), isExact: keys.length <= MAX_COUNT };
  const isWhole = end === null || !total.isExact;
  return { next, total: isCounted(query) && isWhole ? total : null };
}
