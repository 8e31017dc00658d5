import { scheduledIn } from '../domain/carried-spans';
import type { ScheduleChange } from '../domain/schedule-change';

/** Records spans for scheduling calls. */
export interface Tracing {
  /**
   * Runs `store`, which stores the changes. It receives the `traceparent` for their triggers, or null. Rejects with the
   * error of `store`.
   */
  scheduling<T>(changes: readonly ScheduleChange[], store: (traceparent: string | null) => Promise<T>): Promise<T>;
}

/** Holder of the current tracing. While there is none, it costs nothing. */
export interface TracingPlace {
  current: Tracing | null;
}

/** Stores changes within a span of the current tracing. */
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
