import type { Clock } from './clock';
import { sleepFor } from './sleep';

/**
 * The longest time in which portions of work follow each other without a break, and the length of a break. A server hands a lock to who waits
 * for it; on SQLite another process writes only during a break.
 */
const MAX_BUSY_MS = 20;
const BREAK_MS = 20;

/** Leaves the locks to others between portions of long work, after the portions have held them for long. */
export class PortionBreaks {
  readonly #clock: Clock;
  /** Since when, monotonic, portions have followed each other; null: none has begun since the last break. */
  #busySince: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A portion begins. */
  begin(): void {
    this.#busySince ??= this.#clock.monotonic();
  }

  /** The next portion belongs to other work. */
  forget(): void {
    this.#busySince = null;
  }

  /** A portion has ended. False: `signal` has aborted, and no further portion should begin. */
  async end(signal: AbortSignal): Promise<boolean> {
    if (this.#busySince !== null && this.#clock.monotonic() - this.#busySince >= MAX_BUSY_MS) {
      await sleepFor(this.#clock, BREAK_MS, signal);
      this.#busySince = null;
    }
    return !signal.aborted;
  }
}
