import type { EpochMs } from '../base/clock';
import { timeAfterBatch } from '../domain/acquisition';
import type { FireResult } from '../domain/firing';

/** Durations in milliseconds. */
export interface BatchPaceOptions {
  readonly maxBatchSize: number;
  readonly batchTimeWindow: number;
}

/** Where firings may share a transaction, it begins this long before the first of them is due, so that none is late. */
const LEAD_MS = 10;
/** What is due within this is fired in the transaction that finds it. Longer than `LEAD_MS`, so that a turn seldom needs another one. */
const FIRE_WITHIN_MS = 25;
/**
 * After a batch that was cut short by the number of free workers, the loop waits for this share of the time that the acquisition took:
 * more workers are free then, and where acquiring is slow, large batches count.
 */
const GATHERING_SHARE = 0.1;
/** Shorter waits are left out. */
const MIN_GATHERING_MS = 5;

/** How large the next batch may be, and when it is time to ask for it. */
export class BatchPace {
  readonly #options: BatchPaceOptions;
  /** How long to wait for more workers before the next acquisition. */
  #gatheringMs = 0;
  /** Of the last batch. */
  #timeWindow: number;

  constructor(options: BatchPaceOptions) {
    this.#options = options;
    this.#timeWindow = options.batchTimeWindow;
  }

  /** How long before the first of a batch is due it is fired; 0 without a window: then nothing is fired ahead of its time. */
  get lead(): number {
    return Math.min(LEAD_MS, this.#timeWindow);
  }

  maxCount(freeWorkers: number): number {
    return Math.min(freeWorkers, this.#options.maxBatchSize);
  }

  /** What is due within so much is fired in the transaction that finds it, for a batch of such a window. */
  fireWithin(timeWindow: number): number {
    return Math.min(FIRE_WITHIN_MS, timeWindow);
  }

  /** Records one acquisition: how many triggers it brought of how many were asked for, how long it took, and its window. */
  acquired(count: number, maxCount: number, tookMs: number, timeWindow: number): void {
    this.#timeWindow = timeWindow;
    this.#gatheringMs = count >= maxCount ? tookMs * GATHERING_SHARE : 0;
  }

  /** How long to wait for more free workers before the next acquisition; 0: it is worth asking now. */
  gatheringTime(freeWorkers: number, workers: number): number {
    const isEnough = freeWorkers >= this.maxCount(workers);
    return isEnough || this.#gatheringMs < MIN_GATHERING_MS ? 0 : this.#gatheringMs;
  }

  /** Until when nothing can be found after this batch, unless the schedule changes; null: it was cut short, or empty. */
  restUntil(batch: readonly FireResult[], maxCount: number): EpochMs | null {
    if (batch.length === 0 || batch.length >= maxCount) return null;
    return timeAfterBatch(batch, this.#timeWindow) - this.lead;
  }
}
