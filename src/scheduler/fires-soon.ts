import type { Clock } from '../base/clock';
import type { TriggerState } from '../domain/trigger-state';
import type { JobStore } from '../store/job-store';

/** A large portion of changes takes less than this, in milliseconds. */
const SOON_MS = 1_000;

const FIRING_NEXT: readonly TriggerState[] = ['WAITING', 'ACQUIRED'];

/** Whether a trigger of the cluster is due, or will be before a large portion of changes is stored: it would wait for that. */
export function firesSoon(store: Pick<JobStore, 'pageTriggers'>, clock: Clock): () => Promise<boolean> {
  return async () => {
    const { items } = await store.pageTriggers({ states: FIRING_NEXT, sort: 'nextFireTime', take: 1, omitTotal: true });
    const time = items[0]?.trigger.nextFireTime ?? null;
    return time !== null && time < clock.now() + SOON_MS;
  };
}
