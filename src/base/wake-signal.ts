import type { Clock, EpochMs } from './clock';
import { sleepFor } from './sleep';

interface Wait {
  readonly until: EpochMs;
  end(): void;
}

/** Wakes a sleeping loop when there is work. Stores the earliest time notified since `clear`, so that none between two sleeps is missed. */
export class WakeSignal {
  readonly #clock: Clock;
  readonly #waits = new Set<Wait>();
  #earliest: EpochMs | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notifies the loop of work at `earliest`. Null means an unknown time and wakes the loop immediately. */
  notify(earliest: EpochMs | null): void {
    const time = earliest ?? Number.NEGATIVE_INFINITY;
    if (this.#earliest === null || time < this.#earliest) this.#earliest = time;
    for (const wait of this.#waits) if (time < wait.until) wait.end();
  }

  /** Returns the earliest time notified since `clear`. Returns null if there was no notification, and -Infinity if a time was unknown. */
  earliestChange(): EpochMs | null {
    return this.#earliest;
  }

  /** Deletes all notifications. Call it before checking for work, so that notifications during the check are not lost. */
  clear(): void {
    this.#earliest = null;
  }

  /** Resolves at `time`, when an earlier time is notified (or was since `clear`), when `signal` aborts, or if the wall clock jumps. Never rejects. */
  waitUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    return this.#wait(time, signal, (woken) => this.#clock.sleepUntil(time, woken));
  }

  /** Resolves after `duration` milliseconds of monotonic time, on any notification (or one since `clear`), or when `signal` aborts. Never rejects. */
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
