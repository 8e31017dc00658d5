import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { type Backoff, backoffDelay } from '../base/retry';
import type { EventBus } from './event-bus';

/** Reports only the first of consecutive failures. The others are the same, and may occur many times a minute. */
export class ErrorThrottle {
  readonly #clock: Clock;
  readonly #bus: Pick<EventBus, 'publish'>;
  #isFailing = false;

  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>) {
    this.#clock = clock;
    this.#bus = bus;
  }

  /** True if the last attempt failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Reports a failed attempt. `during` describes the attempt. */
  report(during: string, error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#bus.publish({ type: 'schedulerError', at: this.#clock.now(), during, error: toError(error) });
  }

  /** Notes a successful attempt. Returns true if the previous attempt failed. */
  end(): boolean {
    const wasFailing = this.#isFailing;
    this.#isFailing = false;
    return wasFailing;
  }
}

export interface SharedErrorThrottleParts {
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  /**
   * Availability shared by all loops that need the same resource. The first loop that gets an answer ends the pauses of
   * the others.
   */
  readonly availability: Availability;
}

/** Reports the failures of one of several loops that need the same resource, and pauses after each. */
export class SharedErrorThrottle {
  readonly #errors: ErrorThrottle;
  readonly #availability: Availability;
  readonly #backoff: Backoff;
  /** Number of failures since the pauses were last reset. */
  #failures = 0;

  constructor({ clock, bus, availability }: SharedErrorThrottleParts, backoff: Backoff) {
    this.#errors = new ErrorThrottle(clock, bus);
    this.#availability = availability;
    this.#backoff = backoff;
  }

  get isFailing(): boolean {
    return this.#errors.isFailing;
  }

  /** Notes a successful attempt. If the previous one failed, the other loops retry immediately. */
  end(): void {
    this.#failures = 0;
    if (this.#errors.end()) this.#availability.announce();
  }

  /** Resets the pauses to short ones, because another operation succeeded. */
  resetPauses(): void {
    this.#failures = 0;
  }

  /** Reports a failed attempt. Only the first failure is published. */
  report(during: string, error: unknown): void {
    this.#failures++;
    this.#errors.report(during, error);
  }

  /**
   * Waits before the next attempt, longer after each failure, until another loop gets an answer or `signal` aborts. If
   * another loop got an answer, the next pauses start short again, in case it got the answer too early.
   */
  async pause(signal: AbortSignal): Promise<void> {
    const isAnnounced = await this.#availability.pause(backoffDelay(this.#failures, this.#backoff), signal);
    if (isAnnounced) this.#failures = 0;
  }
}
