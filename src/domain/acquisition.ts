import type { EpochMs } from '../base/clock';
import type { FireResult } from './firing';
import { compareKeys } from './keys';
import type { Trigger } from './trigger';

/** The order in which triggers fire: by time, then the higher priority, then by key. */
export function compareDue(a: Trigger, b: Trigger): number {
  if (a.nextFireTime !== b.nextFireTime) {
    // Null, which no queue holds, comes last.
    return (a.nextFireTime ?? Number.POSITIVE_INFINITY) - (b.nextFireTime ?? Number.POSITIVE_INFINITY);
  }
  if (a.priority !== b.priority) return b.priority - a.priority;
  return compareKeys(a.key, b.key);
}

/** Which part of the due triggers one batch takes. */
export interface BatchLimits {
  readonly now: EpochMs;
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** Milliseconds. */
  readonly timeWindow: number;
}

/** Acquirable triggers in the order they fire; at most one of each job that disallows concurrent execution. */
export interface DueTriggers<T> {
  /** Hands over the first if it is due by `time`, else null. */
  takeDueBy(time: EpochMs): T | null;
}

/** Takes the triggers of one batch. The first fixes the window in which the others must fall (Quartz's rule). */
export function takeBatch<T extends { readonly trigger: Trigger }>(due: DueTriggers<T>, limits: BatchLimits): T[] {
  const batch: T[] = [];
  let windowEnd = limits.noLaterThan;
  while (batch.length < limits.maxCount) {
    const next = due.takeDueBy(windowEnd);
    if (next === null) break;
    if (batch.length === 0) windowEnd = windowEndOf(next.trigger, limits);
    batch.push(next);
  }
  return batch;
}

function windowEndOf({ nextFireTime }: Trigger, { now, timeWindow }: BatchLimits): EpochMs {
  return Math.max(nextFireTime ?? now, now) + timeWindow;
}

/** Whether a batch that begins with this trigger is to be fired without waiting: it is due within so many milliseconds. */
export function isDue(trigger: Trigger, now: EpochMs, within: number): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime <= now + within;
}

/** Until then nothing is due that a complete batch did not hold: its window ends, or one of its triggers fires again. Unknown if one was not fired. */
export function timeAfterBatch(batch: readonly FireResult[], timeWindow: number): EpochMs {
  let first = Number.POSITIVE_INFINITY;
  let next = Number.POSITIVE_INFINITY;
  for (const result of batch) {
    if (result.status === 'notFired') return Number.NEGATIVE_INFINITY;
    first = Math.min(first, result.firing.scheduledFireTime);
    next = Math.min(next, result.firing.trigger.nextFireTime ?? Number.POSITIVE_INFINITY);
  }
  return Math.min(first + timeWindow, next);
}
