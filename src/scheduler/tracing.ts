import { scheduledIn } from '../domain/carried-spans';
import type { ScheduleChange } from '../domain/schedule-change';

/** Follows what is scheduled with spans. */
export interface Tracing {
  /** Runs `store`, which stores the changes; `traceparent`: the span that their triggers are to carry, or null for none. Rejects as `store`. */
  scheduling<T>(changes: readonly ScheduleChange[], store: (traceparent: string | null) => Promise<T>): Promise<T>;
}

/** Who follows; null: nobody, and nothing is spent on it. */
export interface TracingPlace {
  current: Tracing | null;
}

/** Stores changes in a span of whoever follows them. */
export function storeTraced<T>(
  { current }: TracingPlace,
  changes: readonly ScheduleChange[],
  store: (changes: readonly ScheduleChange[]) => Promise<T>,
): Promise<T> {
  if (current === null || !changes.some(hasTrigger)) return store(changes);
  return current.scheduling(changes, (traceparent) => {
    return store(traceparent === null ? changes : changes.map((change) => carrying(change, traceparent)));
  });
}

function hasTrigger({ type }: ScheduleChange): boolean {
  return type === 'storeTrigger' || type === 'replaceTrigger';
}

function carrying(change: ScheduleChange, traceparent: string): ScheduleChange {
  if (change.type !== 'storeTrigger' && change.type !== 'replaceTrigger') return change;
  return { ...change, trigger: scheduledIn(change.trigger, traceparent) };
}
