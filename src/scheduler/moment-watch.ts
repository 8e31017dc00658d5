import type { Clock, EpochMs } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';

export interface MomentWatchParts {
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  /** Name of the service. */
  readonly name: string;
  /** Description of the work, for the event of a failure. */
  readonly during: string;
  /**
   * Processes due items. Returns the time when the next item is due, as far as this node knows, or null if none is
   * expected.
   */
  readonly look: () => Promise<EpochMs | null>;
  /** Delay from the start until the first poll, in milliseconds. Default: 0. */
  readonly firstDelayMs?: number;
}

/** Maximum interval between two polls, for changes by other nodes. In milliseconds. */
const LOOK_INTERVAL_MS = 30_000;

/**
 * Polls when the next item known to this node is due, and every 30 s for items of other nodes. A failed poll is retried
 * after the next interval.
 */
export class MomentWatch {
  readonly service: Service;
  readonly #parts: MomentWatchParts;
  readonly #wake: WakeSignal;
  #next: EpochMs | null = null;

  constructor(parts: MomentWatchParts) {
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
        await this.#waitFor(clock.now() + LOOK_INTERVAL_MS, signal);
      }
    });
  }

  /** Waits until `poll`, or until an item is due. Items announced during the wait are processed when due. */
  async #waitFor(poll: EpochMs, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    do {
      this.#wake.clear();
      await this.#wake.waitUntil(Math.min(this.#next ?? poll, poll), signal);
    } while (!signal.aborted && clock.now() < Math.min(this.#next ?? poll, poll));
  }

  /** Time when the next item is due, as far as this node knows; null if none is expected. */
  get next(): EpochMs | null {
    return this.#next;
  }

  /** Announces an item that will be due at `time`. */
  expect(time: EpochMs): void {
    this.#next = Math.min(this.#next ?? time, time);
    this.#wake.notify(time);
  }

  /** Polls once. Rejects with the poll's error. */
  async runOnce(): Promise<void> {
    const { clock, look } = this.#parts;
    // Items expected later than now are kept, because they may not be stored yet.
    if (this.#next !== null && this.#next <= clock.now()) this.#next = null;
    const next = await look();
    if (next !== null) this.#next = Math.min(this.#next ?? next, next);
  }
}
