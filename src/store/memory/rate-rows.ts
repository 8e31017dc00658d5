import type { EpochMs } from '../../base/clock';
import type { TakenSlot } from '../../domain/firing';
import { idleRatesBefore } from '../../domain/rate-limit';

/** Fewer are never looked through. */
const LEAST_SWEEP = 1_000;

/** What is kept of rates, by key. */
export class RateRows {
  readonly #rows = new Map<string, number>();
  #sweepAt = LEAST_SWEEP;

  get(key: string): number | null {
    return this.#rows.get(key) ?? null;
  }

  /** How many keys anything is kept of. */
  get size(): number {
    return this.#rows.size;
  }

  /** Forgets keys that are idle whenever there are twice as many as after the last time, so that a firing pays for two at the most. */
  set({ key, next }: TakenSlot, now: EpochMs): void {
    this.#rows.set(key, next);
    if (this.#rows.size < this.#sweepAt) return;
    const before = idleRatesBefore(now);
    for (const [each, kept] of this.#rows) if (kept < before) this.#rows.delete(each);
    this.#sweepAt = Math.max(LEAST_SWEEP, 2 * this.#rows.size);
  }
}
