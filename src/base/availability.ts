import type { Clock } from './clock';
import { sleepFor } from './sleep';

/** Coordinates loops that retry operations on the same resource. When one loop succeeds, the pauses of all loops end. */
export class Availability {
  readonly #clock: Clock;
  readonly #onAvailable: () => void;
  readonly #pauses = new Set<() => void>();

  /** `onAvailable` is called at every announcement, after the pauses have ended. */
  constructor(clock: Clock, onAvailable: () => void = () => undefined) {
    this.#clock = clock;
    this.#onAvailable = onAvailable;
  }

  announce(): void {
    for (const end of [...this.#pauses]) end();
    this.#onAvailable();
  }

  /** Waits for `duration` milliseconds, or until `signal` aborts. Resolves to true early if the resource is announced as available, else to false. */
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
