import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { type Backoff, backoffDelay } from '../base/retry';
import type { EventBus } from './event-bus';

/** Publishes only the first of consecutive failures, because the next failures repeat the same error, often many times a minute. */
export class ErrorThrottle {
  readonly #clock: Clock;
  readonly #bus: Pick<EventBus, 'publish'>;
  #isFailing = false;

  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>) {
    this.#clock = clock;
    this.#bus = bus;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Records a failed attempt, and publishes it if the previous attempt succeeded. `during` describes the attempt. */
  report(during: string, error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#bus.publish({ type: 'schedulerError', at: this.#clock.now(), during, error: toError(error) });
  }

  /** Records a successful attempt. Returns true if the previous attempt failed. */
  end(): boolean {
    const wasFailing = this.#isFailing;
    this.#isFailing = false;
    return wasFailing;
  }
}

export interface SharedErrorThrottleParts {
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  /** Availability of the resource, shared by all loops that need the resource. The first loop to succeed ends the pauses of the other loops. */
  readonly availability: Availability;
}

/** Publishes the failures of one loop and computes the pauses between its attempts. Loops that need the same resource share one `Availability`. */
export class SharedErrorThrottle {
  readonly #errors: ErrorThrottle;
  readonly #availability: Availability;
  readonly #backoff: Backoff;
  /** Number of failures since the delays were last reset. */
  #failures = 0;

  constructor({ clock, bus, availability }: SharedErrorThrottleParts, backoff: Backoff) {
    this.#errors = new ErrorThrottle(clock, bus);
    this.#availability = availability;
    this.#backoff = backoff;
  }

  get isFailing(): boolean {
    return this.#errors.isFailing;
  }

  /** Records a successful attempt. If the previous attempt failed, all other loops retry immediately. */
  end(): void {
    this.#failures = 0;
    if (this.#errors.end()) this.#availability.announce();
  }

  /** Resets the delays to the shortest one, because another operation succeeded. */
  resetPauses(): void {
    this.#failures = 0;
  }

  /** Records a failed attempt. Only the first of consecutive failures is published. */
  report(during: string, error: unknown): void {
    this.#failures++;
    this.#errors.report(during, error);
  }

  /**
   * Waits before the next attempt; the delay grows with each failure. Ends early if another loop succeeds or `signal` aborts. A success of another
   * loop also resets the delay to its minimum: this loop's next attempt may still fail, and should then be repeated soon.
   */
  async pause(signal: AbortSignal): Promise<void> {
    const isAnnounced = await this.#availability.pause(backoffDelay(this.#failures, this.#backoff), signal);
    if (isAnnounced) this.#failures = 0;
  }
}
