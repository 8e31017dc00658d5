import type { Clock, EpochMs } from './clock';
import { sleepFor } from './sleep';

interface Wait {
  readonly until: EpochMs;
  end(): void;
}

/** What a loop sleeps on. Remembers the earliest change since it was cleared, so that none is missed between two sleeps. */
export class WakeSignal {
  readonly #clock: Clock;
  readonly #waits = new Set<Wait>();
  #earliest: EpochMs | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reports that something is to be done at `earliest`; null: unknown, so check at once. */
  notify(earliest: EpochMs | null): void {
    const time = earliest ?? Number.NEGATIVE_INFINITY;
    if (this.#earliest === null || time < this.#earliest) this.#earliest = time;
    for (const wait of this.#waits) if (time < wait.until) wait.end();
  }

  /** The earliest time notified since `clear`; null when there was none, -Infinity when one was unknown. */
  earliestChange(): EpochMs | null {
    return this.#earliest;
  }

  /** Forgets what was notified. Call it before checking, never after: what comes in between must not be lost. */
  clear(): void {
    this.#earliest = null;
  }

  /** Resolves at `time` (earlier after a clock step), when something earlier is (or was) notified, or when `signal` aborts. Never rejects. */
  waitUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    return this.#wait(time, signal, (woken) => this.#clock.sleepUntil(time, woken));
  }

  /** Resolves after `duration` milliseconds of monotonic time, when anything is (or was) notified, or when `signal` aborts. Never rejects. */
  waitFor(duration: number, signal: AbortSignal): Promise<void> {
    return this.#wait(Number.POSITIVE_INFINITY, signal, (woken) => sleepFor(this.#clock, duration, woken));
  }

  async #wait(until: EpochMs, signal: AbortSignal, sleep: (woken: AbortSignal) => Promise<void>): Promise<void> {
    if (signal.aborted || (this.#earliest !== null && this.#earliest < until)) return;
    const controller = new AbortController();
    const wait: Wait = { until, end: () => controller.abort() };
    this.#waits.add(wait);
    signal.addEventListener('abort', wait.end);
    await sleep(controller.signal);
    signal.removeEventListener('abort', wait.end);
    this.#waits.delete(wait);
  }
}
