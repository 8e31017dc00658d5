import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';

/** What becomes of calls that take their time. */
export interface CallWatcher {
  /** Hears, once, of a call that had no answer within its patience. */
  readonly onSilence: (patience: number) => void;
  /** Milliseconds that a call may wait before `onLongWait` hears of it, and again each time so long after; default: never. */
  readonly longWait?: number | undefined;
  readonly onLongWait?: () => void;
}

/**
 * Notices that a call has had no answer for too long. One timer for a connection that is busy, not one for every statement:
 * that was half of a statement's cost in this process.
 */
export class CallWatchdog {
  readonly #clock: Clock;
  #patience = 0;
  readonly #watcher: CallWatcher;
  readonly #stopped = new AbortController();
  #startedAt: number | null = null;
  /** When the call that runs has waited for long, for the next time. */
  #longAt = 0;
  #isWatching = false;

  constructor(clock: Clock, watcher: CallWatcher) {
    this.#clock = clock;
    this.#watcher = watcher;
  }

  /** A call begins; the one before has ended. It may take `patience` milliseconds. */
  begin(patience: number): void {
    this.#patience = patience;
    this.#startedAt = this.#clock.monotonic();
    this.#longAt = this.#startedAt + this.#longWait;
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

  get #longWait(): number {
    return this.#watcher.longWait ?? Number.POSITIVE_INFINITY;
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#startedAt !== null && !this.#stopped.signal.aborted) {
      const now = this.#clock.monotonic();
      const end = this.#startedAt + this.#patience;
      if (now >= end) {
        this.stop();
        this.#watcher.onSilence(this.#patience);
      } else if (now >= this.#longAt) {
        this.#longAt = now + this.#longWait;
        this.#watcher.onLongWait?.();
      } else {
        await sleepFor(this.#clock, Math.min(end, this.#longAt) - now, this.#stopped.signal);
      }
    }
    this.#isWatching = false;
  }
}
