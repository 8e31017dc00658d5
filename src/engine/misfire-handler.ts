import type { RandomSource } from '../base/ids';
import { SharedErrorThrottle, type SharedErrorThrottleParts } from '../events/error-throttle';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { FiringStore, MisfireSweep } from '../store/job-store';

interface MisfireHandlerParts extends SharedErrorThrottleParts {
  readonly store: Pick<FiringStore, 'recoverMisfires'>;
  readonly random: RandomSource;
  readonly listeners: Pick<ListenerDispatch, 'triggerMisfired'>;
}

interface MisfireHandlerOptions {
  readonly misfireThreshold: number;
  readonly maxMisfiresToHandleAtATime: number;
  /** Maximum delay before a failed search is retried, in milliseconds. */
  readonly retryInterval: number;
}

const FIRST_RETRY_DELAY_MS = 100;

/** Searches for misfired triggers in batches. The store applies their policies; this class publishes the misfires. */
export class MisfireHandler {
  readonly #parts: MisfireHandlerParts;
  readonly #options: MisfireHandlerOptions;
  readonly #errors: SharedErrorThrottle;

  constructor(parts: MisfireHandlerParts, options: MisfireHandlerOptions) {
    this.#parts = parts;
    this.#options = options;
    const backoff = { firstDelay: FIRST_RETRY_DELAY_MS, maxDelay: options.retryInterval, random: parts.random };
    this.#errors = new SharedErrorThrottle(parts, backoff);
  }

  /** Same as `sweep`, but never rejects: publishes an error once per outage, pauses longer after each failure, and returns true for a retry. */
  async runOnce(signal: AbortSignal): Promise<boolean> {
    try {
      const hasMore = await this.sweep();
      this.#errors.end();
      return hasMore;
    } catch (error) {
      this.#errors.report('recovering misfired triggers', error);
      await this.#errors.pause(signal);
      return true;
    }
  }

  /** Applies the misfire policies of one batch. Returns true if more triggers have misfired. Rejects with the store's error. */
  async sweep(): Promise<boolean> {
    const { misfireThreshold, maxMisfiresToHandleAtATime: maxCount } = this.#options;
    const { store, clock } = this.#parts;
    const swept = await store.recoverMisfires({ now: clock.now(), misfireThreshold, maxCount });
    this.#publish(swept);
    return swept.more;
  }

  #publish({ misfired, finalized, endedByCalendar, deletedJobs }: MisfireSweep): void {
    const { bus, clock, listeners } = this.#parts;
    for (const trigger of misfired) {
      bus.publish({ type: 'triggerMisfired', at: clock.now(), trigger });
      listeners.triggerMisfired(trigger);
    }
    for (const trigger of finalized) bus.publish({ type: 'triggerFinalized', at: clock.now(), trigger });
    for (const trigger of endedByCalendar) bus.publish({ type: 'triggerEndedByCalendar', at: clock.now(), trigger });
    for (const jobKey of deletedJobs) bus.publish({ type: 'jobDeleted', at: clock.now(), jobKey });
  }
}
