import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { EventBus } from '../events/event-bus';
import type { ListenerDispatch } from '../events/listener-dispatch';
import { SharedErrorThrottle } from '../events/shared-error-throttle';
import type { FiringStore, MisfireSweep } from '../store/job-store';

export interface MisfireHandlerParts {
  readonly store: Pick<FiringStore, 'recoverMisfires'>;
  readonly clock: Clock;
  readonly bus: EventBus;
  readonly random: RandomSource;
  /** Of the store. */
  readonly availability: Availability;
  readonly listeners: Pick<ListenerDispatch, 'triggerMisfired'>;
}

export interface MisfireHandlerOptions {
  readonly misfireThreshold: number;
  readonly maxMisfiresToHandleAtATime: number;
  /** The longest pause after the store failed. */
  readonly retryInterval: number;
}

const FIRST_RETRY_DELAY = 100;

/** Has the store apply the misfire instructions of triggers that are too late, a batch at a time, and tells of it. */
export class MisfireHandler {
  readonly #parts: MisfireHandlerParts;
  readonly #options: MisfireHandlerOptions;
  readonly #errors: SharedErrorThrottle;

  constructor(parts: MisfireHandlerParts, options: MisfireHandlerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#errors = new SharedErrorThrottle(parts.clock, parts.bus, parts.availability);
  }

  /** As `sweep`, but a failing store is reported once and tried again with growing pauses. Never rejects. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    try {
      const hasMore = await this.sweep();
      this.#errors.end();
      return hasMore;
    } catch (error) {
      await this.#pauseAfter(error, signal);
      return true;
    }
  }

  /** Handles one batch. True when more are waiting. Rejects with what the store failed with. */
  async sweep(): Promise<boolean> {
    const { misfireThreshold, maxMisfiresToHandleAtATime: maxCount } = this.#options;
    const { store, clock } = this.#parts;
    const swept = await store.recoverMisfires({ now: clock.now(), misfireThreshold, maxCount });
    this.#announce(swept);
    return swept.more;
  }

  #announce({ misfired, finalized }: MisfireSweep): void {
    const { bus, clock, listeners } = this.#parts;
    for (const trigger of misfired) {
      bus.publish({ type: 'triggerMisfired', at: clock.now(), trigger });
      listeners.triggerMisfired(trigger);
    }
    for (const trigger of finalized) bus.publish({ type: 'triggerFinalized', at: clock.now(), trigger });
  }

  #pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    this.#errors.report('looking for misfires', error);
    const { retryInterval: longestDelay } = this.#options;
    return this.#errors.pause({ firstDelay: FIRST_RETRY_DELAY, longestDelay, random: this.#parts.random }, signal);
  }
}
