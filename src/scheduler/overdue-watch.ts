import type { Clock, EpochMs } from '../base/clock';
import type { EventBus } from '../events/event-bus';
import type { ExpectationStore } from '../store/job-store';
import { DueItemWatch } from './due-item-watch';
import type { EventInput } from './schedule-events';

interface OverdueWatchParts {
  readonly store: Pick<ExpectationStore, 'nextDueTime' | 'takeOverdue'>;
  readonly clock: Clock;
  /** Reads the clock that all nodes share. Null if no other node shares the store. */
  readonly readClock: (() => Promise<EpochMs>) | null;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly announce: (event: EventInput) => void;
}

/** Delay between the start of the service and the first poll, in milliseconds. Firings that are due at the start take precedence. */
const FIRST_POLL_MS = 3_500;

/** Creates the watch that reports each job and trigger without a success within its `mustSucceedWithin`. Only one node publishes each report. */
export function overdueWatch({ store, clock, readClock, bus, announce }: OverdueWatchParts): DueItemWatch {
  return new DueItemWatch({
    clock,
    bus,
    name: 'overdue watch',
    during: 'checking for overdue jobs and triggers',
    firstDelayMs: FIRST_POLL_MS,
    async poll() {
      const first = await store.nextDueTime(); // the only statement if no expectation is stored
      if (first === null || first > clock.now()) return first;
      const now = readClock === null ? clock.now() : await readClock();
      for (;;) {
        const overdue = await store.takeOverdue(now);
        for (const each of overdue) announce({ type: 'overdue', ...each });
        const next = await store.nextDueTime();
        if (next === null) return null;
        // `next` is a time of the store's clock, which may differ from this machine's. Both clocks advance at the same rate, so the delay is the same.
        if (next > now) return Math.max(next, clock.now() + next - now);
      }
    },
  });
}
