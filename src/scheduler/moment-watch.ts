import type { Clock, EpochMs } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';

export interface MomentWatchParts {
  readonly clock: Clock;
  readonly bus: Pick<EventBus, 'publish'>;
  /** Of the service. */
  readonly name: string;
  /** What is being done, as the event of a failure says it. */
  readonly during: string;
  /** Does what is due. When the next is due, as far as this node knows; null: nothing will be. */
  readonly look: () => Promise<EpochMs | null>;
  /** Milliseconds from the start until the first look; default 0. */
  readonly firstDelayMs?: number;
}

/** Between two looks at what other nodes may have stored, or done. */
const LOOK_INTERVAL_MS = 30_000;

/** Looks when the next thing is due that this node knows of, and every half a minute for those of others. A look that fails is made again then. */
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
          this.#next = null; // what failed is tried again at the next look
        }
        await this.#waitFor(clock.now() + LOOK_INTERVAL_MS, signal);
      }
    });
  }

  /** Until something is due, or `poll`. What is expected meanwhile is looked at when it is due, and not before. */
  async #waitFor(poll: EpochMs, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    do {
      this.#wake.clear();
      await this.#wake.waitUntil(Math.min(this.#next ?? poll, poll), signal);
    } while (!signal.aborted && clock.now() < Math.min(this.#next ?? poll, poll));
  }

  /** When the next is due, as far as this node knows; null: nothing will be. */
  get next(): EpochMs | null {
    return this.#next;
  }

  /** Something will be due then. */
  expect(time: EpochMs): void {
    this.#next = Math.min(this.#next ?? time, time);
    this.#wake.notify(time);
  }

  /** Looks once. Rejects with what it failed with. */
  async runOnce(): Promise<void> {
    const { clock, look } = this.#parts;
    // What is expected later may not be stored yet.
    if (this.#next !== null && this.#next <= clock.now()) this.#next = null;
    const next = await look();
    if (next !== null) this.#next = Math.min(this.#next ?? next, next);
  }
}
