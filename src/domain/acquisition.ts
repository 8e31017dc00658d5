import type { EpochMs } from '../base/clock';
import type { FireResult } from './firing';
import { compareKeys } from './keys';
import type { Trigger } from './trigger';

/** Compares triggers in firing order: earlier fire time, then higher priority, then key. */
export function compareDue(a: Trigger, b: Trigger): number {
  if (a.nextFireTime !== b.nextFireTime) {
    // Triggers without a next fire time sort last, although no queue contains such triggers.
    return (a.nextFireTime ?? Number.POSITIVE_INFINITY) - (b.nextFireTime ?? Number.POSITIVE_INFINITY);
  }
  if (a.priority !== b.priority) return b.priority - a.priority;
  return compareKeys(a.key, b.key);
}

/** Fields that determine the order in which triggers fire. */
export type DuePlace = Pick<Trigger, 'nextFireTime' | 'priority'>;

/**
 * Returns the score of a due trigger for priority order: the trigger with the lowest score fires first. Each `ageing` milliseconds of waiting raise
 * the priority by one. All triggers age at the same rate, so the order of two triggers never changes.
 */
export function scoreOf({ nextFireTime, priority }: DuePlace, ageing: number): number {
  return (nextFireTime ?? Number.POSITIVE_INFINITY) - priority * ageing;
}

/**
 * Returns a comparator for the firing order at `now`. If `ageing` is null, triggers are ordered by fire time, then by priority. Otherwise, due
 * triggers come first, ordered by priority, which rises by one for every `ageing` milliseconds of waiting. Triggers that are not yet due follow in
 * fire-time order. The comparator returns 0 if two triggers differ only in their keys.
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

/** Limits of one batch of triggers to acquire. */
export interface BatchLimits {
  readonly now: EpochMs;
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** Length of the batch window in milliseconds. */
  readonly timeWindow: number;
}

/** Source of triggers that can be acquired, in firing order. Contains at most one trigger of each job that disallows concurrent runs. */
export interface DueTriggers<T> {
  /** Removes and returns the first trigger if it is due by `time`; otherwise returns null. */
  takeDueBy(time: EpochMs): T | null;
}

/**
 * Removes the triggers of one batch from `due` and returns them. As in Quartz, the first trigger determines the batch window, and all triggers of the
 * batch must be due within it.
 */
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

/** True if the trigger is already due, or due within `within` milliseconds. */
export function isDue(trigger: Trigger, now: EpochMs, within: number): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime <= now + within;
}

/**
 * Returns the earliest time at which another trigger can be due after a batch that was not full: the end of the batch window, or the earliest next
 * fire time of the batch's triggers. Returns -Infinity if a trigger of the batch did not fire.
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

/** Limits that apply to every batch: maximum number of triggers, and length of the batch window in milliseconds. */
export interface BatchPaceOptions {
  readonly maxBatchSize: number;
  readonly batchTimeWindow: number;
}

/**
 * Lead of the transaction that fires a batch: time by which it starts before the batch's first fire time, in milliseconds. It then usually commits
 * before that fire time.
 */
const LEAD_MS = 10;
/**
 * Triggers due within this number of milliseconds are fired by the transaction that acquires them. Longer than `LEAD_MS`, so that most batches need
 * only one transaction.
 */
const FIRE_WITHIN_MS = 25;
/**
 * Time that the loop waits after a full batch before it acquires again, as a fraction of the time that the acquisition took. More workers become free
 * during the wait, and a larger batch spreads the cost of a slow acquisition over more triggers.
 */
const GATHERING_SHARE = 0.1;
/** Minimum wait for more workers, in milliseconds. The loop skips shorter waits. */
const MIN_GATHERING_MS = 5;

/** Determines the size of the next batch and the time at which it is requested. */
export class BatchPace {
  readonly #options: BatchPaceOptions;
  /** Time to wait for more free workers before the next acquisition, in milliseconds. */
  #gatheringMs = 0;
  /** Window of the last batch, in milliseconds. */
  #timeWindow: number;

  constructor(options: BatchPaceOptions) {
    this.#options = options;
    this.#timeWindow = options.batchTimeWindow;
  }

  /**
   * Time by which the transaction that fires a batch starts before the batch's first fire time, in milliseconds. 0 if the batch window is 0, because
   * no trigger is then fired early.
   */
  get lead(): number {
    return Math.min(LEAD_MS, this.#timeWindow);
  }

  maxCount(freeWorkers: number): number {
    return Math.min(freeWorkers, this.#options.maxBatchSize);
  }

  /** Returns how soon a trigger must be due, in milliseconds, to be fired by the transaction that acquires it. At most the batch window. */
  fireWithin(timeWindow: number): number {
    return Math.min(FIRE_WITHIN_MS, timeWindow);
  }

  /** Records an acquisition: the number of triggers returned, the number requested, its duration and its batch window. */
  acquired(count: number, maxCount: number, tookMs: number, timeWindow: number): void {
    this.#timeWindow = timeWindow;
    this.#gatheringMs = count >= maxCount ? tookMs * GATHERING_SHARE : 0;
  }

  /** Returns the time to wait for more free workers before the next acquisition, in milliseconds. 0: acquire immediately. */
  gatheringTime(freeWorkers: number, workers: number): number {
    const isEnough = freeWorkers >= this.maxCount(workers);
    return isEnough || this.#gatheringMs < MIN_GATHERING_MS ? 0 : this.#gatheringMs;
  }

  /**
   * Returns the time until which the loop need not acquire again, unless the schedule changes. Null if the batch was full, because more triggers may
   * be due, or empty, because its fire times are unknown.
   */
  restUntil(batch: readonly FireResult[], maxCount: number): EpochMs | null {
    if (batch.length === 0 || batch.length >= maxCount) return null;
    return timeAfterBatch(batch, this.#timeWindow) - this.lead;
  }
}
