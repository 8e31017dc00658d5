import type { EpochMs } from '../../../base/clock';
import type { ComingTurns } from '../../../domain/rate-capacity';

/** Tracks up to which time the node has searched deferred firings for due ones. It learns their fire times when it reads or writes them. */
export class TurnWatch {
  #seenUpTo = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  expect({ first, last }: ComingTurns): void {
    const isOver = this.#seenUpTo >= this.#last;
    this.#seenUpTo = isOver ? first - 1 : Math.min(this.#seenUpTo, first - 1);
    this.#last = Math.max(this.#last, last);
  }

  /** Time after which deferred firings may have become due by `now`, so that a search is needed. Null, in nearly all cases, if none can be due. */
  openAt(now: EpochMs): EpochMs | null {
    return this.#seenUpTo < Math.min(now, this.#last) ? this.#seenUpTo : null;
  }

  /** Records that all deferred firings that were due by `time` have been found. */
  see(time: EpochMs): void {
    this.#seenUpTo = time;
  }
}
