import type { EpochMs } from '../base/clock';
import type { FireResult } from './firing';
import { compareKeys } from './keys';
import type { Trigger } from './trigger';

/** Compares triggers in firing order: earlier fire time, then higher priority, then key. */
export function compareDue(a: Trigger, b: Trigger): number {
  return comparePlaces(a, b) || compareKeys(a.key, b.key);
}

export interface DuePlace extends Pick<Trigger, 'nextFireTime' | 'priority'> {
  /** Time from which the trigger has waited, if a misfire has moved its fire time; otherwise null or absent. */
  readonly firstDueTime?: EpochMs | null;
}

/** A stored trigger, and the time from which it has waited if a misfire has moved its fire time. */
interface WaitingTrigger extends Pick<DuePlace, 'firstDueTime'> {
  readonly trigger: Trigger;
}

/** Time from which a trigger has waited to fire: the fire time at which it was first due, whatever misfires have moved since. */
function waitingSince({ nextFireTime, firstDueTime }: Omit<DuePlace, 'priority'>): EpochMs {
  return firstDueTime ?? nextFireTime ?? Number.POSITIVE_INFINITY;
}

/** Score of a due trigger: the lowest fires first. Each `ageing` milliseconds of waiting raise the priority by one, so two never change places. */
function scoreOf(place: DuePlace, ageing: number): number {
  return waitingSince(place) - place.priority * ageing;
}

/**
 * Returns a comparator for the firing order at `now`: fire time, then priority. With `ageing`, due triggers come first, ordered by a priority that
 * rises by one for every `ageing` milliseconds of waiting; other triggers follow by fire time. Returns 0 if only the keys differ.
 */
export function duePlaces(ageing: number | null, now: EpochMs): (a: DuePlace, b: DuePlace) => number {
  if (ageing === null) return comparePlaces;
  const isDueBy = ({ nextFireTime }: DuePlace) => nextFireTime !== null && nextFireTime <= now;
  return (a, b) => {
    if (!isDueBy(a) || !isDueBy(b)) return comparePlaces(a, b);
    return scoreOf(a, ageing) - scoreOf(b, ageing) || waitingSince(a) - waitingSince(b) || comparePlaces(a, b);
  };
}

/** Same as `duePlaces`, with the key as the tie-breaker. */
export function dueOrder(ageing: number | null, now: EpochMs): (a: WaitingTrigger, b: WaitingTrigger) => number {
  if (ageing === null) return (a, b) => compareDue(a.trigger, b.trigger);
  const compare = duePlaces(ageing, now);
  return (a, b) => compare(placeOf(a), placeOf(b)) || compareKeys(a.trigger.key, b.trigger.key);
}

/** Compares triggers whose fire times misfires have moved: the one that has waited longest first. */
export function compareWaiting(a: WaitingTrigger, b: WaitingTrigger): number {
  return waitingSince(placeOf(a)) - waitingSince(placeOf(b)) || compareDue(a.trigger, b.trigger);
}

function placeOf({ trigger: { nextFireTime, priority }, firstDueTime = null }: WaitingTrigger): DuePlace {
  return { nextFireTime, priority, firstDueTime };
}

function comparePlaces(a: DuePlace, b: DuePlace): number {
  if (a.nextFireTime === b.nextFireTime) return b.priority - a.priority;
  // Triggers without a next fire time sort last, although no queue contains such triggers.
  return (a.nextFireTime ?? Number.POSITIVE_INFINITY) - (b.nextFireTime ?? Number.POSITIVE_INFINITY);
}

export interface BatchLimits {
  readonly now: EpochMs;
  /** Latest fire time of the batch's first trigger. Further triggers may be due later, within `timeWindow`. */
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** Length of the batch window in milliseconds. The window starts at the first trigger's fire time, or now if that is later. */
  readonly timeWindow: number;
}

/** Source of triggers that can be acquired, in firing order. Contains at most one trigger of each job that disallows concurrent runs. */
export interface DueTriggers<T> {
  /** Removes and returns the first trigger if it is due by `time`; otherwise returns null. */
  takeDueBy(time: EpochMs): T | null;
}

/** Removes one batch from `due`. As in Quartz, the first trigger determines the batch window, within which all triggers must be due. */
export function takeBatch<T extends { readonly trigger: Trigger }>(
  due: DueTriggers<T>,
  { now, noLaterThan, maxCount, timeWindow }: BatchLimits,
): T[] {
  const batch: T[] = [];
  let windowEnd = noLaterThan;
  while (batch.length < maxCount) {
    const next = due.takeDueBy(windowEnd);
    if (next === null) break;
    if (batch.length === 0) windowEnd = Math.max(next.trigger.nextFireTime ?? now, now) + timeWindow;
    batch.push(next);
  }
  return batch;
}

/** True if the trigger is due by `now`, or at most `within` milliseconds later. */
export function isDue(trigger: Trigger, now: EpochMs, within: number): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime <= now + within;
}

/** Earliest time at which another trigger can be due after a batch that was not full. -Infinity if a trigger of the batch did not fire. */
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

/** Milliseconds by which the transaction of a batch starts before its first fire time, so that it usually commits before that time. */
const LEAD_MS = 10;
/** Triggers due within this time fire in the transaction that acquires them. Longer than `LEAD_MS`, so that most batches need one transaction. */
const FIRE_WITHIN_MS = 25;
/** Wait after a full batch, as a fraction of the time that its acquisition took: more workers become free, and a larger batch costs less. */
const GATHERING_SHARE = 0.1;
/** The loop skips shorter waits. */
const MIN_GATHERING_MS = 5;

/** An acquired batch, as far as it determines the pace. */
export interface AcquiredBatch {
  readonly count: number;
  readonly maxCount: number;
  /** Duration of the acquisition in milliseconds. */
  readonly tookMs: number;
  readonly timeWindow: number;
}

export class BatchPace {
  readonly #options: BatchPaceOptions;
  /** Time to wait for more free workers before the next acquisition, in milliseconds. */
  #gatheringMs = 0;
  #timeWindow: number;

  constructor(options: BatchPaceOptions) {
    this.#options = options;
    this.#timeWindow = options.batchTimeWindow;
  }

  /** Lead of the transaction that fires a batch, in milliseconds. 0 if the batch window is 0, because no trigger is then fired early. */
  get lead(): number {
    return Math.min(LEAD_MS, this.#timeWindow);
  }

  /** Returns the maximum number of firings of a batch: one for each free worker, so that a kill loses no more than the workers run. */
  maxCount(freeWorkers: number): number {
    return Math.min(freeWorkers, this.#options.maxBatchSize);
  }

  /** Returns how soon a trigger must be due, in milliseconds, to be fired by the transaction that acquires it. At most the batch window. */
  fireWithin(timeWindow: number): number {
    return Math.min(FIRE_WITHIN_MS, timeWindow);
  }

  acquired({ count, maxCount, tookMs, timeWindow }: AcquiredBatch): void {
    this.#timeWindow = timeWindow;
    this.#gatheringMs = count >= maxCount ? tookMs * GATHERING_SHARE : 0;
  }

  /** Returns the time to wait for more free workers before the next acquisition, in milliseconds. 0: acquire immediately. */
  gatheringTime(freeWorkers: number, workers: number): number {
    const isEnough = freeWorkers >= this.maxCount(workers);
    return isEnough || this.#gatheringMs < MIN_GATHERING_MS ? 0 : this.#gatheringMs;
  }

  /** Time until which the loop need not acquire, unless the schedule changes. Null if the batch was full (more may be due) or empty (unknown). */
  restUntil(batch: readonly FireResult[], maxCount: number): EpochMs | null {
    if (batch.length === 0 || batch.length >= maxCount) return null;
    return timeAfterBatch(batch, this.#timeWindow) - this.lead;
  }
}
