import type { Clock } from './clock';
import { sleepFor } from './sleep';

/** SQLite lets other processes write only during a break. A database server passes a lock to the next waiting connection anyway. */
const MAX_BUSY_MS = 20;
const BREAK_MS = 20;

/** Inserts breaks between portions of long work, so that other connections can acquire the locks. */
export class PortionBreaks {
  readonly #clock: Clock;
  /** Monotonic time at which the first portion since the last break began, or null if there was none. */
  #busySince: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#busySince ??= this.#clock.monotonic();
  }

  /** Discards the measurement. Call it before unrelated work begins. */
  forget(): void {
    this.#busySince = null;
  }

  /** Marks the end of a portion, and pauses if a break is due. Returns false if `signal` has aborted: then do not begin another portion. */
  async end(signal: AbortSignal): Promise<boolean> {
    if (this.#busySince !== null && this.#clock.monotonic() - this.#busySince >= MAX_BUSY_MS) {
      await sleepFor(this.#clock, BREAK_MS, signal);
      this.#busySince = null;
    }
    return !signal.aborted;
  }
}
