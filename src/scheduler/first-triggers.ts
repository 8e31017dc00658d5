import { addAll } from '../base/lists';
import type { KeyPage, ScheduleReader, StoredTrigger, TriggerPageQuery, TriggerPlace } from '../store/job-store';

/** Returns a page with as many triggers as requested, or fewer if the list has ended. Continues the search while the store returns short pages. */
export async function firstTriggers(
  store: Pick<ScheduleReader, 'pageTriggers'>,
  query: TriggerPageQuery,
): Promise<KeyPage<StoredTrigger, TriggerPlace>> {
  const first = await store.pageTriggers(query);
  const items = [...first.items];
  let { next } = first;
  while (next !== null && items.length < query.take) {
    const page = await store.pageTriggers({ ...query, after: next, take: query.take - items.length });
    addAll(items, page.items);
    next = page.next;
  }
  return { ...first, items, next };
}
