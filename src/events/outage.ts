import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { type Backoff, backoffDelay } from '../base/retry';
import { sleepFor } from '../base/sleep';
import type { EventBus } from './event-bus';

/** A store that fails again and again, as one of those who need it meets it. */
export class Outage {
  readonly #clock: Clock;
  readonly #bus: Pick<EventBus, 'publish'>;
  #failures = 0;

  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>) {
    this.#clock = clock;
    this.#bus = bus;
  }

  /** The store has answered. */
  end(): void {
    this.#failures = 0;
  }

  /** Counts a failure. Only the first is told: the others say the same, many times a minute. */
  report(during: string, error: unknown): void {
    this.#failures++;
    if (this.#failures > 1) return;
    this.#bus.publish({ type: 'schedulerError', at: this.#clock.now(), during, error: toError(error) });
  }

  /** Waits before the next attempt, longer after each failure, or until `signal` aborts. */
  pause(backoff: Backoff, signal: AbortSignal): Promise<void> {
    return sleepFor(this.#clock, backoffDelay(this.#failures, backoff), signal);
  }
}
