import type { EpochMs } from '../base/clock';
import { timeAfterBatch } from '../domain/acquisition';
import type { FireResult } from '../domain/firing';

/** Durations in milliseconds. */
export interface BatchPaceOptions {
  readonly maxBatchSize: number;
  readonly batchTimeWindow: number;
}

/**
 * Where firings may share a transaction, it begins so long before the first of them is due: the way to the database and the queue for
 * its lock make none late. Milliseconds.
 */
const LEAD = 10;
/** What is found to be due within this is fired in the same transaction. Longer than `LEAD`, so that a turn seldom needs another one. */
const NEAR = 25;
/**
 * After a batch that was cut short by the number of free workers, the next is asked for this part of the time later that it took: more
 * are free then, and where the way to the database or the queue for its lock is long, what counts is how much each batch takes.
 */
const GATHERING_SHARE = 0.1;
/** Nothing is waited for where it would be less than this. Milliseconds. */
const SHORTEST_GATHERING = 5;

/** How large the next batch may be, and when it is time to ask for it. */
export class BatchPace {
  readonly #options: BatchPaceOptions;
  /** Milliseconds to wait for more workers before asking again. */
  #gathering = 0;
  /** Of the last batch. */
  #timeWindow: number;

  constructor(options: BatchPaceOptions) {
    this.#options = options;
    this.#timeWindow = options.batchTimeWindow;
  }

  /** How long before the first of a batch is due it is fired; 0 without a window: then nothing is fired ahead of its time. */
  get lead(): number {
    return Math.min(LEAD, this.#timeWindow);
  }

  maxCount(freeWorkers: number): number {
    return Math.min(freeWorkers, this.#options.maxBatchSize);
  }

  /** What is due within so much is fired in the transaction that finds it, for a batch of such a window. */
  fireWithin(timeWindow: number): number {
    return Math.min(NEAR, timeWindow);
  }

  /** Takes note of one acquisition: its window, how many it brought of how many it was asked for, and how long it took. */
  acquired(count: number, maxCount: number, took: number, timeWindow: number): void {
    this.#timeWindow = timeWindow;
    this.#gathering = count >= maxCount ? took * GATHERING_SHARE : 0;
  }

  /** How long to wait for more free workers before the next acquisition; 0: it is worth asking now. */
  gatheringTime(freeWorkers: number, workers: number): number {
    const isEnough = freeWorkers >= this.maxCount(workers);
    return isEnough || this.#gathering < SHORTEST_GATHERING ? 0 : this.#gathering;
  }

  /** Until when nothing can be found after this batch, unless the schedule changes; null: it was cut short, or empty. */
  restUntil(batch: readonly FireResult[], maxCount: number): EpochMs | null {
    if (batch.length === 0 || batch.length >= maxCount) return null;
    return timeAfterBatch(batch, this.#timeWindow) - this.lead;
  }
}
