import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import type { EventBus } from './event-bus';

/** Something that fails again and again: told by its first failure alone, as the others say the same, many times a minute. */
export class ErrorThrottle {
  readonly #clock: Clock;
  readonly #bus: Pick<EventBus, 'publish'>;
  #isOn = false;

  constructor(clock: Clock, bus: Pick<EventBus, 'publish'>) {
    this.#clock = clock;
    this.#bus = bus;
  }

  /** Whether the last attempt failed. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** It failed, while doing what `during` says. */
  report(during: string, error: unknown): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#bus.publish({ type: 'schedulerError', at: this.#clock.now(), during, error: toError(error) });
  }

  /** It works. True if it had failed before. */
  end(): boolean {
    const wasOn = this.#isOn;
    this.#isOn = false;
    return wasOn;
  }
}
