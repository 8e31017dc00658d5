import type { Clock, EpochMs } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';

interface DueItemWatchParts {
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly name: string;
  /** Description of the work, for the event that reports a failure. */
  readonly during: string;
  /** Processes due items. Returns the due time of the next item that this node knows, or null if it knows none. */
  readonly poll: () => Promise<EpochMs | null>;
  /** Delay between the start of the service and the first poll, in milliseconds. Default: 0. */
  readonly firstDelayMs?: number;
}

/** Maximum interval between two polls, in milliseconds. Items that other nodes have added are found within this time. */
const POLL_INTERVAL_MS = 30_000;

/** Polls when the next known item is due, and at least every 30 s for items of other nodes. After a failed poll, the next follows within 30 s. */
export class DueItemWatch {
  readonly service: Service;
  readonly #parts: DueItemWatchParts;
  readonly #wake: WakeSignal;
  #next: EpochMs | null = null;

  constructor(parts: DueItemWatchParts) {
    const { clock, bus, name, during, firstDelayMs = 0 } = parts;
    this.#parts = parts;
    this.#wake = new WakeSignal(clock);
    const errors = new ErrorThrottle(clock, bus);
    this.service = new LoopService(name, async (signal) => {
      if (firstDelayMs > 0) await this.#wake.waitUntil(clock.now() + firstDelayMs, signal);
      while (!signal.aborted) {
        try {
          await this.runOnce();
          errors.end();
        } catch (thrown) {
          errors.report(during, thrown);
          this.#next = null; // the next poll retries
        }
        await this.#waitFor(clock.now() + POLL_INTERVAL_MS, signal);
      }
    });
  }

  /** Waits until the time `poll` or until an item is due, whichever is earlier. `expect` may add an earlier item during the wait. */
  async #waitFor(poll: EpochMs, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    do {
      this.#wake.clear();
      await this.#wake.waitUntil(Math.min(this.#next ?? poll, poll), signal);
    } while (!signal.aborted && clock.now() < Math.min(this.#next ?? poll, poll));
  }

  /** Due time of the next item that this node knows; null if it knows none. */
  get next(): EpochMs | null {
    return this.#next;
  }

  /** Announces a new item of this node, so that a poll follows at its due time `time`. */
  expect(time: EpochMs): void {
    this.#next = Math.min(this.#next ?? time, time);
    this.#wake.notify(time);
  }

  /** Processes all due items. Rejects with the error of `poll`. */
  async runOnce(): Promise<void> {
    const { clock, poll } = this.#parts;
    // An item that is due later stays expected, because it may not be stored yet.
    if (this.#next !== null && this.#next <= clock.now()) this.#next = null;
    const next = await poll();
    if (next !== null) this.#next = Math.min(this.#next ?? next, next);
  }
}
