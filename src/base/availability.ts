import type { Clock } from './clock';
import { sleepFor } from './sleep';

/**
 * Ends the pauses of loops that retry a failing resource as soon as any of them, or other code, finds it available
 * again.
 */
export class Availability {
  readonly #clock: Clock;
  readonly #onAvailable: () => void;
  readonly #pauses = new Set<() => void>();

  /** Calls `onAvailable` at every announcement, after the pauses have ended. */
  constructor(clock: Clock, onAvailable: () => void = () => undefined) {
    this.#clock = clock;
    this.#onAvailable = onAvailable;
  }

  /** Announces that the resource is available again, which ends every pause. */
  announce(): void {
    for (const end of [...this.#pauses]) end();
    this.#onAvailable();
  }

  /**
   * Resolves to true when availability is announced. Resolves to false after `duration` milliseconds, or when `signal`
   * aborts.
   */
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
