import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import { type Backoff, backoffDelay } from '../base/retry';
import { ErrorThrottle } from './error-throttle';
import type { EventBus } from './event-bus';

/** An outage of what several loops need, as one of them meets it: whichever gets an answer first ends the pauses of all. */
export class SharedErrorThrottle {
  readonly #errors: ErrorThrottle;
  readonly #availability: Availability;
  /** Since the pauses were short. */
  #failures = 0;

  /** `availability` is that of all who need the same: what one of them learns, the others need not wait for. */
  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>, availability: Availability) {
    this.#errors = new ErrorThrottle(clock, bus);
    this.#availability = availability;
  }

  /** Whether the last attempt failed. */
  get isOn(): boolean {
    return this.#errors.isOn;
  }

  /** There was an answer; if there was none before, all who wait for it try again at once. */
  end(): void {
    this.#failures = 0;
    if (this.#errors.end()) this.#availability.announce();
  }

  /** There was an answer, if not to what the outage is about: the pauses are short again. */
  answered(): void {
    this.#failures = 0;
  }

  /** An attempt failed; only the first one is told. */
  report(during: string, error: unknown): void {
    this.#failures++;
    this.#errors.report(during, error);
  }

  /**
   * Waits before the next attempt, longer after each failure, until somebody gets an answer or `signal` aborts. After news that were
   * too good the pauses are short again: whoever brought them got an answer.
   */
  async pause(backoff: Backoff, signal: AbortSignal): Promise<void> {
    const isAnnounced = await this.#availability.pause(backoffDelay(this.#failures, backoff), signal);
    if (isAnnounced) this.#failures = 0;
  }
}
