import type { Clock } from './clock';
import { sleepFor } from './sleep';

/** Ends the pauses of loops that retry something as soon as one of them, or anyone else, finds that it works again. */
export class Availability {
  readonly #clock: Clock;
  readonly #onAvailable: () => void;
  readonly #pauses = new Set<() => void>();

  /** `onAvailable` is called at every announcement, after the pauses ended. */
  constructor(clock: Clock, onAvailable: () => void = () => undefined) {
    this.#clock = clock;
    this.#onAvailable = onAvailable;
  }

  /** It works again: every pause ends. */
  announce(): void {
    for (const end of [...this.#pauses]) end();
    this.#onAvailable();
  }

  /** Resolves after `duration` milliseconds, or when `signal` aborts: false. True as soon as it is announced. */
  async pause(duration: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const sleep = new AbortController();
    let isAnnounced = false;
    const announced = () => {
      isAnnounced = true;
      sleep.abort();
    };
    const abort = () => sleep.abort();
    this.#pauses.add(announced);
    signal.addEventListener('abort', abort);
    await sleepFor(this.#clock, duration, sleep.signal);
    signal.removeEventListener('abort', abort);
    this.#pauses.delete(announced);
    return isAnnounced;
  }
}
