import type { Clock, EpochMs } from '../base/clock';
import { LoopService, type Service } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { ExpectationStore } from '../store/job-store';
import type { EventInput } from './schedule-events';

export interface OverdueWatchParts {
  readonly store: Pick<ExpectationStore, 'nextDueTime' | 'takeOverdue'>;
  readonly clock: Clock;
  /** The clock that all nodes share; null: nobody shares the store. */
  readonly readClock: (() => Promise<EpochMs>) | null;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
}

/** Between two looks at what other nodes may have stored, or met. */
const LOOK_INTERVAL_MS = 30_000;
/** After the start: what is due then goes first. */
const FIRST_LOOK_MS = 3_500;

/** Tells what had to succeed and has not in time. Every node looks, and one of them tells each lapse. */
export class OverdueWatch {
  readonly service: Service;
  readonly #parts: OverdueWatchParts;
  #nextDue: EpochMs | null = null;

  constructor(parts: OverdueWatchParts) {
    const { clock, bus } = parts;
    this.#parts = parts;
    const wake = new WakeSignal(clock);
    const errors = new ErrorThrottle(clock, bus);
    this.service = new LoopService('overdue watch', async (signal) => {
      await wake.waitUntil(clock.now() + FIRST_LOOK_MS, signal);
      while (!signal.aborted) {
        wake.clear();
        try {
          await this.runOnce();
          errors.end();
        } catch (thrown) {
          errors.report('looking for what is overdue', thrown);
          this.#nextDue = null; // what failed is tried again at the next look
        }
        await wake.waitUntil(Math.min(this.#nextDue ?? Infinity, clock.now() + LOOK_INTERVAL_MS), signal);
      }
    });
  }

  /** When the next expectation is overdue, as far as this node knows; null: none will be. */
  get nextDue(): EpochMs | null {
    return this.#nextDue;
  }

  /** Tells all that is overdue now, by the clock of the store. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    const { store, clock, readClock, announce } = this.#parts;
    const first = await store.nextDueTime(); // where nothing is expected, that is all
    this.#nextDue = first;
    if (first === null || first > clock.now()) return;
    const now = readClock === null ? clock.now() : await readClock();
    for (;;) {
      const overdue = await store.takeOverdue(now);
      for (const each of overdue) announce({ type: 'overdue', ...each });
      const next = await store.nextDueTime();
      // By the clock of this machine it may be overdue already; the store's goes on in the meantime.
      this.#nextDue = next === null ? null : Math.max(next, clock.now() + Math.max(0, next - now));
      if (next === null || next > now) return;
    }
  }
}
