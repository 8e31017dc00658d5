import type { Clock, EpochMs } from '../base/clock';
import type { Service } from '../base/service';
import type { EventBus } from '../events/event-bus';
import type { ExpectationStore } from '../store/job-store';
import { MomentWatch } from './moment-watch';
import type { EventInput } from './schedule-events';

export interface OverdueWatchParts {
  readonly store: Pick<ExpectationStore, 'nextDueTime' | 'takeOverdue'>;
  readonly clock: Clock;
  /** The clock that all nodes share; null: nobody shares the store. */
  readonly readClock: (() => Promise<EpochMs>) | null;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
}

/** After the start: what is due then goes first. */
const FIRST_LOOK_MS = 3_500;

/** Tells what had to succeed and has not in time. Every node looks, and one of them tells each lapse. */
export class OverdueWatch {
  readonly #parts: OverdueWatchParts;
  readonly #watch: MomentWatch;

  constructor(parts: OverdueWatchParts) {
    const { clock, bus } = parts;
    this.#parts = parts;
    const of = { name: 'overdue watch', during: 'looking for what is overdue', firstDelayMs: FIRST_LOOK_MS };
    this.#watch = new MomentWatch({ clock, bus, ...of, look: () => this.#reportOverdue() });
  }

  get service(): Service {
    return this.#watch.service;
  }

  /** When the next expectation is overdue, as far as this node knows; null: none will be. */
  get nextDue(): EpochMs | null {
    return this.#watch.next;
  }

  /** Something may be overdue then, of which this node has just heard: it looks. What other nodes hear of, they look at themselves. */
  expect(time: EpochMs): void {
    this.#watch.expect(time);
  }

  /** Tells all that is overdue now, by the clock of the store. Rejects with what the store failed with. */
  runOnce(): Promise<void> {
    return this.#watch.runOnce();
  }

  async #reportOverdue(): Promise<EpochMs | null> {
    const { store, clock, readClock, announce } = this.#parts;
    const first = await store.nextDueTime(); // where nothing is expected, that is all
    if (first === null || first > clock.now()) return first;
    const now = readClock === null ? clock.now() : await readClock();
    for (;;) {
      const overdue = await store.takeOverdue(now);
      for (const each of overdue) announce({ type: 'overdue', ...each });
      const next = await store.nextDueTime();
      if (next === null) return null;
      // By the clock of this machine it may be overdue already; the store's goes on in the meantime.
      if (next > now) return Math.max(next, clock.now() + next - now);
    }
  }
}
