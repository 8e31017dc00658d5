import type { Clock } from './clock';
import { sleepFor } from './sleep';

/**
 * Maximum time for which portions of work follow each other without a break, and the length of a break. On SQLite,
 * other processes can write only during a break. A database server passes a lock to the next waiting connection.
 */
const MAX_BUSY_MS = 20;
const BREAK_MS = 20;

/** Pauses between portions of long work, so that others can acquire the locks. */
export class PortionBreaks {
  readonly #clock: Clock;
  /** Monotonic time at which the first portion since the last break began; null if none has begun. */
  #busySince: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a portion. */
  begin(): void {
    this.#busySince ??= this.#clock.monotonic();
  }

  /** Resets the time before unrelated work begins. */
  forget(): void {
    this.#busySince = null;
  }

  /**
   * Ends a portion, and pauses if necessary. Returns false if `signal` has aborted, so that no further portion should
   * begin.
   */
  async end(signal: AbortSignal): Promise<boolean> {
    if (this.#busySince !== null && this.#clock.monotonic() - this.#busySince >= MAX_BUSY_MS) {
      await sleepFor(this.#clock, BREAK_MS, signal);
      this.#busySince = null;
    }
    return !signal.aborted;
  }
}
