import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';

/**
 * Notices that a call has had no answer for too long. One timer for a connection that is busy, not one for every statement:
 * that was half of a statement's cost in this process.
 */
export class CallWatchdog {
  readonly #clock: Clock;
  readonly #patience: number;
  readonly #onSilence: () => void;
  readonly #stopped = new AbortController();
  #startedAt: number | null = null;
  #isWatching = false;

  constructor(clock: Clock, patience: number, onSilence: () => void) {
    this.#clock = clock;
    this.#patience = patience;
    this.#onSilence = onSilence;
  }

  /** A call begins; the one before has ended. */
  begin(): void {
    this.#startedAt = this.#clock.monotonic();
    if (!this.#isWatching) void this.#watch();
  }

  end(): void {
    this.#startedAt = null;
  }

  /** For good. */
  stop(): void {
    this.#stopped.abort();
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#startedAt !== null && !this.#stopped.signal.aborted) {
      const left = this.#startedAt + this.#patience - this.#clock.monotonic();
      if (left <= 0) {
        this.stop();
        this.#onSilence();
      } else {
        await sleepFor(this.#clock, left, this.#stopped.signal);
      }
    }
    this.#isWatching = false;
  }
}
