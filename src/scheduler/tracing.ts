import { scheduledIn } from '../domain/carried-spans';
import type { ChangeSet } from '../domain/schedule-change';

export interface Tracing {
  /** Calls `store` in a span. `store` receives the `traceparent` of new triggers, or null for none. Rejects with the error of `store`. */
  scheduling<T>(changes: ChangeSet, store: (traceparent: string | null) => Promise<T>): Promise<T>;
}

/** Reference to the current tracing. If it is null, no spans are recorded, at no cost. */
export interface TracingPlace {
  current: Tracing | null;
}

/** Stores changes. If they store triggers, the call is a span of the current tracing. */
export function storeTraced<T>(
  { current }: TracingPlace,
  changes: ChangeSet,
  store: (changes: ChangeSet) => Promise<T>,
): Promise<T> {
  if (current === null || !changes.some((change) => 'trigger' in change)) return store(changes);
  return current.scheduling(changes, (traceparent) => {
    if (traceparent === null) return store(changes);
    return store(
      changes.map((change) =>
        'trigger' in change ? { ...change, trigger: scheduledIn(change.trigger, traceparent) } : change,
      ),
    );
  });
}
