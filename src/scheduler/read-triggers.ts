import { addAll } from '../base/lists';
import type { Trigger } from '../domain/trigger';
import type { JobStore, KeyPage, StoredTrigger, TriggerPageQuery, TriggerPlace } from '../store/job-store';

const PAGE = 500;

export async function readTriggers(
  store: Pick<JobStore, 'pageTriggers'>,
  which: Pick<TriggerPageQuery, 'group' | 'jobKey'>,
): Promise<readonly Trigger[]> {
  const triggers: Trigger[] = [];
  let after: TriggerPlace | null = null;
  do {
    const place = after === null ? {} : { after };
    const page: KeyPage<StoredTrigger, TriggerPlace> = await store.pageTriggers({
      ...{ ...which, sort: 'key', take: PAGE, omitTotal: true, ...place },
    });
    addAll(
      triggers,
      page.items.map(({ trigger }) => trigger),
    );
    after = page.next;
  } while (after !== null);
  return triggers;
}
