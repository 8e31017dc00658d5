import type { Clock, EpochMs } from '../base/clock';
import type { Service } from '../base/service';
import type { EventBus } from '../events/event-bus';
import type { ExpectationStore } from '../store/job-store';
import { MomentWatch } from './moment-watch';
import type { EventInput } from './schedule-events';

export interface OverdueWatchParts {
  readonly store: Pick<ExpectationStore, 'nextDueTime' | 'takeOverdue'>;
  readonly clock: Clock;
  /** Reads the clock that all nodes share; null if the store is not shared. */
  readonly readClock: (() => Promise<EpochMs>) | null;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
}

/** Delay of the first poll after the start, in milliseconds, so that due firings come first. */
const FIRST_LOOK_MS = 3_500;

/**
 * Reports overdue jobs and triggers, which have not succeeded within the expected time. Every node polls, and one of
 * them reports.
 */
export class OverdueWatch {
  readonly #parts: OverdueWatchParts;
  readonly #watch: MomentWatch;

  constructor(parts: OverdueWatchParts) {
    const { clock, bus } = parts;
    this.#parts = parts;
    const of = { name: 'overdue watch', during: 'checking for overdue jobs and triggers', firstDelayMs: FIRST_LOOK_MS };
    this.#watch = new MomentWatch({ clock, bus, ...of, look: () => this.#reportOverdue() });
  }

  get service(): Service {
    return this.#watch.service;
  }

  /** Time when the next expectation is overdue, as far as this node knows; null if there is none. */
  get nextDue(): EpochMs | null {
    return this.#watch.next;
  }

  /** Schedules a poll for a new expectation of this node. Other nodes poll for their own. */
  expect(time: EpochMs): void {
    this.#watch.expect(time);
  }

  /** Reports everything that is overdue now by the store's clock. Rejects with the store's error. */
  runOnce(): Promise<void> {
    return this.#watch.runOnce();
  }

  async #reportOverdue(): Promise<EpochMs | null> {
    const { store, clock, readClock, announce } = this.#parts;
    const first = await store.nextDueTime(); // if nothing is expected, this is the only statement
    if (first === null || first > clock.now()) return first;
    const now = readClock === null ? clock.now() : await readClock();
    for (;;) {
      const overdue = await store.takeOverdue(now);
      for (const each of overdue) announce({ type: 'overdue', ...each });
      const next = await store.nextDueTime();
      if (next === null) return null;
      // It may already be overdue by this machine's clock; the store's clock advances at the same rate.
      if (next > now) return Math.max(next, clock.now() + next - now);
    }
  }
}
