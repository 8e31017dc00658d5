import type { EpochMs } from '../../../base/clock';
import type { ComingTurns } from '../../../domain/rate-room';

/**
 * Tracks the time up to which the node has searched for firings whose turn under a rate limit has come. The node learns of future turns
 * when it reads or writes the waiting firings.
 */
export class TurnWatch {
  #seenUpTo = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  expect({ first, last }: ComingTurns): void {
    const isOver = this.#seenUpTo >= this.#last;
    this.#seenUpTo = isOver ? first - 1 : Math.min(this.#seenUpTo, first - 1);
    this.#last = Math.max(this.#last, last);
  }

  /**
   * Returns the time after which turns may have come by `now`, so that a search is needed. Returns null, in nearly all cases, if no turn
   * can have come.
   */
  openAt(now: EpochMs): EpochMs | null {
    return this.#seenUpTo < Math.min(now, this.#last) ? this.#seenUpTo : null;
  }

  /** Records that all turns up to `time` were found. */
  see(time: EpochMs): void {
    this.#seenUpTo = time;
  }
}
