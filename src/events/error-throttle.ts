import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { type Backoff, backoffDelay } from '../base/retry';
import type { EventBus } from './event-bus';

/** Reports only the first of consecutive failures: the others say the same, many times a minute. */
export class ErrorThrottle {
  readonly #clock: Clock;
  readonly #bus: Pick<EventBus, 'publish'>;
  #isFailing = false;

  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>) {
    this.#clock = clock;
    this.#bus = bus;
  }

  /** Whether the last attempt failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** An attempt failed; `during` says what was attempted. */
  report(during: string, error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#bus.publish({ type: 'schedulerError', at: this.#clock.now(), during, error: toError(error) });
  }

  /** An attempt succeeded. True if the one before failed. */
  end(): boolean {
    const wasFailing = this.#isFailing;
    this.#isFailing = false;
    return wasFailing;
  }
}

export interface SharedErrorThrottleParts {
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  /** Shared by all loops that need the same: the first that gets an answer ends the pauses of the others. */
  readonly availability: Availability;
}

/** The failures of one of several loops that need the same, with a pause after each. */
export class SharedErrorThrottle {
  readonly #errors: ErrorThrottle;
  readonly #availability: Availability;
  readonly #backoff: Backoff;
  /** Since the pauses were short. */
  #failures = 0;

  constructor({ clock, bus, availability }: SharedErrorThrottleParts, backoff: Backoff) {
    this.#errors = new ErrorThrottle(clock, bus);
    this.#availability = availability;
    this.#backoff = backoff;
  }

  get isFailing(): boolean {
    return this.#errors.isFailing;
  }

  /** An attempt succeeded; if the one before failed, the other loops try again at once. */
  end(): void {
    this.#failures = 0;
    if (this.#errors.end()) this.#availability.announce();
  }

  /** Something else succeeded: the pauses are short again. */
  resetPauses(): void {
    this.#failures = 0;
  }

  /** An attempt failed; only the first failure is published. */
  report(during: string, error: unknown): void {
    this.#failures++;
    this.#errors.report(during, error);
  }

  /**
   * Waits before the next attempt, longer after each failure, until another loop gets an answer or `signal` aborts. If that loop's
   * success was premature, the pauses begin short again.
   */
  async pause(signal: AbortSignal): Promise<void> {
    const isAnnounced = await this.#availability.pause(backoffDelay(this.#failures, this.#backoff), signal);
    if (isAnnounced) this.#failures = 0;
  }
}
