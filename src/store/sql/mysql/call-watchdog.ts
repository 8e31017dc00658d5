import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';

/**
 * Notices that a call has had no answer for too long. One timer for a connection that is busy, not one for every statement:
 * that was half of a statement's cost in this process.
 */
export class CallWatchdog {
  readonly #clock: Clock;
  #patience = 0;
  readonly #onSilence: (patience: number) => void;
  readonly #stopped = new AbortController();
  #startedAt: number | null = null;
  #isWatching = false;

  /** `onSilence` hears, once, of a call that had no answer within its patience. */
  constructor(clock: Clock, onSilence: (patience: number) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  /** A call begins; the one before has ended. It may take `patience` milliseconds. */
  begin(patience: number): void {
    this.#patience = patience;
    this.#startedAt = this.#clock.monotonic();
    if (!this.#isWatching) void this.#watch();
  }

  /** Milliseconds for which the call that runs has waited; null: none runs. */
  get waited(): number | null {
    return this.#startedAt === null ? null : this.#clock.monotonic() - this.#startedAt;
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
        this.#onSilence(this.#patience);
      } else {
        await sleepFor(this.#clock, left, this.#stopped.signal);
      }
    }
    this.#isWatching = false;
  }
}
