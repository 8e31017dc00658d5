import type { EpochMs } from '../../base/clock';
import { idleBefore, idleFrom, type RateState } from '../../domain/rate-state';

/** With fewer keys, none is searched for. */
const MIN_SWEEP = 1_000;

/** The states of rates, by key. */
export class RateRows {
  readonly #rows = new Map<string, RateState>();
  #sweepAt = MIN_SWEEP;

  get(key: string): RateState | null {
    return this.#rows.get(key) ?? null;
  }

  /** How many keys have a state. */
  get size(): number {
    return this.#rows.size;
  }

  /** Deletes idle states whenever there are twice as many as after the last time, so that a firing pays for two at the most. */
  set(key: string, state: RateState, now: EpochMs): void {
    this.#rows.set(key, state);
    if (this.#rows.size < this.#sweepAt) return;
    const before = idleBefore(now);
    for (const [each, kept] of this.#rows) if (idleFrom(kept) < before) this.#rows.delete(each);
    this.#sweepAt = Math.max(MIN_SWEEP, 2 * this.#rows.size);
  }
}
