import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { type Backoff, backoffDelay } from '../base/retry';
import type { EventBus } from './event-bus';

/** A store that fails again and again, as one of those who need it meets it. */
export class Outage {
  readonly #clock: Clock;
  readonly #bus: Pick<EventBus, 'publish'>;
  readonly #availability: Availability;
  #isOn = false;
  /** Since the pauses were short. */
  #failures = 0;

  /** `availability` is shared by all who need the store: what one of them learns, the others need not wait for. */
  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>, availability: Availability) {
    this.#clock = clock;
    this.#bus = bus;
    this.#availability = availability;
  }

  /** Whether the last attempt failed. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The store has answered; if it had failed before, all who wait for it try again at once. */
  end(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#failures = 0;
    this.#availability.announce();
  }

  /** Counts a failure. Only the first is told: the others say the same, many times a minute. */
  report(during: string, error: unknown): void {
    this.#failures++;
    if (this.#isOn) return;
    this.#isOn = true;
    this.#bus.publish({ type: 'schedulerError', at: this.#clock.now(), during, error: toError(error) });
  }

  /**
   * Waits before the next attempt, longer after each failure, until the store is available again or `signal` aborts. After
   * news that were too good the pauses are short again: whoever brought them got an answer.
   */
  async pause(backoff: Backoff, signal: AbortSignal): Promise<void> {
    const isAnnounced = await this.#availability.pause(backoffDelay(this.#failures, backoff), signal);
    if (isAnnounced) this.#failures = 0;
  }
}
