import type { Clock } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import { settlesWithin } from '../../base/sleep';
import type { StoreNode } from './store-node';

/** Even when the deadline has passed: a store that answers needs no longer. Milliseconds. */
const LEAST_PATIENCE = 250;

/** A store that is open, and how its node leaves the cluster. */
export interface OpenStore {
  readonly store: StoreNode['store'];
  readonly leave: () => Promise<void>;
}

/**
 * Leaves the cluster and closes the store, in `deadline` milliseconds all together. A store that does not answer is cut off; what it was
 * not told is returned. Rejects with what leaving or closing failed with in time.
 */
export async function closeStore(
  { store, leave }: OpenStore,
  clock: Clock,
  deadline: number,
): Promise<readonly string[]> {
  const end = clock.monotonic() + deadline;
  const timeLeft = () => Math.max(LEAST_PATIENCE, end - clock.monotonic());
  const undone: string[] = [];
  const left = leave();
  if (await settlesWithin(clock, timeLeft(), left)) await left;
  else {
    undone.push('leaving the cluster');
    left.catch(() => undefined);
  }
  await store.close(timeLeft());
  return undone;
}

/** What a shutdown says that has met its deadline and left something undone. */
export function notDone(undone: readonly string[]): SchedulerError {
  return new SchedulerError(
    'STORE_FAILURE',
    `The store did not answer before the deadline. Left undone: ${undone.join(', ')}. Other nodes, or this one when it starts again, recover ` +
      'what it held.',
  );
}
