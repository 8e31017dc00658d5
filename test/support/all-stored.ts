import { compareKeys } from '../../src/domain/keys';
import { readJobs } from '../../src/scheduler/read-pages';
import type { JobStore, StoredTrigger, TriggerPageQuery } from '../../src/store/job-store';

type Which = Omit<TriggerPageQuery, 'sort' | 'after' | 'take' | 'omitTotal'>;

/** Returns all triggers that match, sorted by group and name, and their number. */
export async function allTriggers(store: Pick<JobStore, 'pageTriggers'>, which: Which = {}) {
  const items: StoredTrigger[] = [];
  for (let after: TriggerPageQuery['after'] | null; after !== null; ) {
    const place: Pick<TriggerPageQuery, 'after'> = after === undefined ? {} : { after };
    const page = await store.pageTriggers({ ...which, ...place, sort: 'key', take: 1_000 });
    items.push(...page.items);
    after = page.next;
  }
  items.sort((a, b) => compareKeys(a.trigger.key, b.trigger.key));
  return { items, total: items.length };
}

/** Returns all jobs, sorted by group and name, and their number. */
export async function allJobs(store: Pick<JobStore, 'pageJobs'>) {
  const items = [...(await readJobs(store, {}))].sort((a, b) => compareKeys(a.key, b.key));
  return { items, total: items.length };
}
