import type { EpochMs } from '../../../base/clock';
import type { ComingTurns } from '../../../domain/rate-room';

/** When turns under rates may have come up that the node has not looked for. It knows of those in the lines that it reads and writes. */
export class TurnWatch {
  #seenUpTo = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  expect({ first, last }: ComingTurns): void {
    const isOver = this.#seenUpTo >= this.#last;
    this.#seenUpTo = isOver ? first - 1 : Math.min(this.#seenUpTo, first - 1);
    this.#last = Math.max(this.#last, last);
  }

  /** After which time turns may have come up by `now`; null: none can have, as nearly always. */
  openAt(now: EpochMs): EpochMs | null {
    return this.#seenUpTo < Math.min(now, this.#last) ? this.#seenUpTo : null;
  }

  /** All that came up by `time` was found. */
  see(time: EpochMs): void {
    this.#seenUpTo = time;
  }
}
