import { addAll } from '../base/lists';
import type { JobDetail } from '../domain/job-detail';
import type { JobKey } from '../domain/keys';
import type { Trigger } from '../domain/trigger';
import type {
  JobPageQuery,
  KeyPage,
  ScheduleReader,
  StoredTrigger,
  TriggerPageQuery,
  TriggerPlace,
} from '../store/job-store';

/** More items than a store holds: a whole list is requested at once, because each further page of a list in memory reads the list again. */
const ALL = 2 ** 40;

type Store = Pick<ScheduleReader, 'pageJobs' | 'pageTriggers'>;

/** Returns a page with as many jobs as requested, or fewer if the list has ended. */
export function firstJobs(store: Pick<Store, 'pageJobs'>, query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>> {
  return filled((part) => store.pageJobs({ ...query, ...part }), query.take);
}

/** Returns a page with as many triggers as requested, or fewer if the list has ended. */
export function firstTriggers(
  store: Pick<Store, 'pageTriggers'>,
  query: TriggerPageQuery,
): Promise<KeyPage<StoredTrigger, TriggerPlace>> {
  return filled((part) => store.pageTriggers({ ...query, ...part }), query.take);
}

/** Returns all jobs that match, sorted by name and group. */
export async function readJobs(
  store: Pick<Store, 'pageJobs'>,
  which: Pick<JobPageQuery, 'group'>,
): Promise<readonly JobDetail[]> {
  const { items } = await filled<JobDetail, JobKey>(
    (part) => store.pageJobs({ ...which, ...part, omitTotal: true }),
    ALL,
  );
  return items;
}

/** Returns all triggers that match, sorted by name and group. */
export async function readTriggers(
  store: Pick<Store, 'pageTriggers'>,
  which: Pick<TriggerPageQuery, 'group' | 'jobKey'>,
): Promise<readonly Trigger[]> {
  const { items } = await filled<StoredTrigger, TriggerPlace>(
    (part) => store.pageTriggers({ ...which, ...part, sort: 'key', omitTotal: true }),
    ALL,
  );
  return items.map(({ trigger }) => trigger);
}

/** Requests pages until `take` items are found or the list has ended: the store may return short pages, because each call searches only a part. */
async function filled<Item, Place>(
  page: (part: { readonly take: number; readonly after?: Place }) => Promise<KeyPage<Item, Place>>,
  take: number,
): Promise<KeyPage<Item, Place>> {
  const first = await page({ take });
  const items = [...first.items];
  let { next } = first;
  while (next !== null && items.length < take) {
    const following = await page({ take: take - items.length, after: next });
    addAll(items, following.items);
    next = following.next;
  }
  return { ...first, items, next };
}
