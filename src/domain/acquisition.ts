import type { EpochMs } from '../base/clock';
import type { FireResult } from './firing';
import { compareKeys } from './keys';
import type { Trigger } from './trigger';

/** Compares triggers by firing order: fire time, then higher priority, then key. */
export function compareDue(a: Trigger, b: Trigger): number {
  if (a.nextFireTime !== b.nextFireTime) {
    // Triggers without a next fire time sort last; no queue holds them.
    return (a.nextFireTime ?? Number.POSITIVE_INFINITY) - (b.nextFireTime ?? Number.POSITIVE_INFINITY);
  }
  if (a.priority !== b.priority) return b.priority - a.priority;
  return compareKeys(a.key, b.key);
}

/** Fields that decide which of several triggers fires first. */
export type DuePlace = Pick<Trigger, 'nextFireTime' | 'priority'>;

/**
 * Score of a late trigger where the priority decides; the lowest score fires first. The priority rises by one for every `ageing` milliseconds of
 * waiting. All triggers age alike, so the order of two never depends on the current time.
 */
export function scoreOf({ nextFireTime, priority }: DuePlace, ageing: number): number {
  return (nextFireTime ?? Number.POSITIVE_INFINITY) - priority * ageing;
}

/**
 * Returns a comparator of firing order at `now`. If `ageing` is null, it compares by time, then priority. Otherwise due triggers come first, by
 * priority, which rises by one for every `ageing` milliseconds of waiting. The others follow by time. Returns 0 for two that differ in their keys
 * alone.
 */
export function duePlaces(ageing: number | null, now: EpochMs): (a: DuePlace, b: DuePlace) => number {
  if (ageing === null) return comparePlaces;
  const isDueBy = ({ nextFireTime }: DuePlace) => nextFireTime !== null && nextFireTime <= now;
  return (a, b) => {
    if (!isDueBy(a) || !isDueBy(b)) return comparePlaces(a, b);
    return scoreOf(a, ageing) - scoreOf(b, ageing) || comparePlaces(a, b);
  };
}

/** Same as `duePlaces`, with the key as the tie-breaker. */
export function dueOrder(ageing: number | null, now: EpochMs): (a: Trigger, b: Trigger) => number {
  const compare = duePlaces(ageing, now);
  return (a, b) => compare(a, b) || compareKeys(a.key, b.key);
}

function comparePlaces(a: DuePlace, b: DuePlace): number {
  if (a.nextFireTime === b.nextFireTime) return b.priority - a.priority;
  return (a.nextFireTime ?? Number.POSITIVE_INFINITY) - (b.nextFireTime ?? Number.POSITIVE_INFINITY);
}

/** Limits of one batch of due triggers. */
export interface BatchLimits {
  readonly now: EpochMs;
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** Length of the batch window in milliseconds. */
  readonly timeWindow: number;
}

/** Acquirable triggers in firing order, with at most one of each non-concurrent job. */
export interface DueTriggers<T> {
  /** Takes the first trigger if it is due by `time`. Returns null otherwise. */
  takeDueBy(time: EpochMs): T | null;
}

/** Takes the triggers of one batch. The first trigger fixes the window in which the others must fall, as in Quartz. */
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

/** True if a batch that begins with this trigger should fire without waiting, because it is due within `within` milliseconds. */
export function isDue(trigger: Trigger, now: EpochMs, within: number): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime <= now + within;
}

/**
 * Returns the time before which no trigger outside of a complete batch can be due: the end of its window, or the next fire time of its
 * triggers. Unknown (-Infinity) if a trigger was not fired.
 */
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

/** Durations in milliseconds. */
export interface BatchPaceOptions {
  readonly maxBatchSize: number;
  readonly batchTimeWindow: number;
}

/** A transaction that several firings may share begins this long before the first of them is due, so that none is late. */
const LEAD_MS = 10;
/** Triggers due within this time are fired in the transaction that finds them. Longer than `LEAD_MS`, so that a turn seldom needs a second one. */
const FIRE_WITHIN_MS = 25;
/**
 * Share of the acquisition time for which the loop waits after a batch that was limited by free workers. More workers are free then,
 * and larger batches pay off where acquiring is slow.
 */
const GATHERING_SHARE = 0.1;
/** A shorter wait is skipped. */
const MIN_GATHERING_MS = 5;

/** Decides the size of the next batch, and when to request it. */
export class BatchPace {
  readonly #options: BatchPaceOptions;
  /** Wait for more workers before the next acquisition, in milliseconds. */
  #gatheringMs = 0;
  /** Window of the last batch. */
  #timeWindow: number;

  constructor(options: BatchPaceOptions) {
    this.#options = options;
    this.#timeWindow = options.batchTimeWindow;
  }

  /** Time before its first fire time at which a batch is fired, in milliseconds. 0 without a window: nothing is fired early. */
  get lead(): number {
    return Math.min(LEAD_MS, this.#timeWindow);
  }

  maxCount(freeWorkers: number): number {
    return Math.min(freeWorkers, this.#options.maxBatchSize);
  }

  /** Triggers due within this time are fired in the transaction that finds them, for a batch with this window. Milliseconds. */
  fireWithin(timeWindow: number): number {
    return Math.min(FIRE_WITHIN_MS, timeWindow);
  }

  /** Records one acquisition: how many triggers it returned, how many were requested, how long it took, and its window. */
  acquired(count: number, maxCount: number, tookMs: number, timeWindow: number): void {
    this.#timeWindow = timeWindow;
    this.#gatheringMs = count >= maxCount ? tookMs * GATHERING_SHARE : 0;
  }

  /** Time to wait for more free workers before the next acquisition, in milliseconds. 0: acquire now. */
  gatheringTime(freeWorkers: number, workers: number): number {
    const isEnough = freeWorkers >= this.maxCount(workers);
    return isEnough || this.#gatheringMs < MIN_GATHERING_MS ? 0 : this.#gatheringMs;
  }

  /**
   * Returns the time before which no further trigger can become due after this batch, unless the schedule changes. Null if unknown, because the batch
   * was full or empty.
   */
  restUntil(batch: readonly FireResult[], maxCount: number): EpochMs | null {
    if (batch.length === 0 || batch.length >= maxCount) return null;
    return timeAfterBatch(batch, this.#timeWindow) - this.lead;
  }
}
