import type { Clock } from '../base/clock';
import { PeriodicService } from '../base/service';
import { WAITING_STATES } from '../domain/trigger-state';
import type { Engine } from '../engine/engine';
import { runsInFlight } from '../engine/runs-in-flight';
import { ErrorThrottle } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { JobStore } from '../store/job-store';
import type { WorkerPool } from '../workers/worker-pool';
import { firstTriggers } from './read-pages';
import type { EventInput } from './schedule-events';

export interface WorkerWatchParts {
  readonly bus: Pick<EventBus, 'publish'>;
  readonly clock: Clock;
  readonly workers: Pick<WorkerPool, 'size' | 'running'>;
  readonly engine: Pick<Engine, 'listRuns'>;
  readonly store: Pick<JobStore, 'pageTriggers'>;
  readonly instanceId: string;
  readonly announce: (event: EventInput) => void;
}

const INTERVAL_MS = 5_000;
/** Time for which the same runs must hold all workers. */
const HELD_MS = 30_000;
/** Lateness above which a due trigger counts as waiting, in milliseconds. Another node takes it sooner if it can. */
const WAITING_MS = 5_000;

/** Reports that the same runs hold all workers of this node although triggers are due: their jobs may never end. Once until one of the runs ends. */
export class WorkerWatch {
  readonly service: PeriodicService;
  readonly #parts: WorkerWatchParts;
  readonly #errors: ErrorThrottle;
  #held: { readonly runIds: ReadonlySet<string>; readonly since: number; isReported: boolean } | null = null;

  constructor(parts: WorkerWatchParts) {
    this.#parts = parts;
    this.#errors = new ErrorThrottle(parts.clock, parts.bus);
    const runOnce = () => this.runOnce().then(() => false);
    this.service = new PeriodicService('workers', { clock: parts.clock, interval: INTERVAL_MS, runOnce });
  }

  /** Compares the runs with those of the last call. Reads the store only if they have held all workers for long. Never rejects. */
  async runOnce(): Promise<void> {
    const { workers, clock } = this.#parts;
    if (workers.size === 0 || workers.running < workers.size) {
      this.#held = null;
      return;
    }
    const runIds = new Set(this.#runs().map(({ firing }) => firing.runId));
    const before = this.#held;
    const isSame =
      before !== null && before.runIds.size === runIds.size && [...runIds].every((id) => before.runIds.has(id));
    if (!isSame) this.#held = { runIds, since: clock.monotonic(), isReported: false };
    else if (!before.isReported && clock.monotonic() - before.since >= HELD_MS)
      before.isReported = await this.#report(clock.monotonic() - before.since);
  }

  /** Reports the runs if triggers wait. Returns false if none does, or if the store does not answer. */
  async #report(heldFor: number): Promise<boolean> {
    const { clock, store, announce, instanceId } = this.#parts;
    try {
      const query = { states: WAITING_STATES, sort: 'nextFireTime', take: 1, omitTotal: true } as const;
      const { items } = await firstTriggers(store, query);
      this.#errors.end();
      const waitingSince = items[0]?.trigger.nextFireTime ?? null;
      if (waitingSince === null || waitingSince > clock.now() - WAITING_MS) return false;
      const runs = runsInFlight(this.#runs());
      announce({ type: 'workersHeld', instanceId, heldFor: Math.round(heldFor), waitingSince, runs });
      return true;
    } catch (thrown) {
      this.#errors.report('looking for triggers that wait for a worker', thrown);
      return false;
    }
  }

  #runs() {
    return this.#parts.engine.listRuns().filter(({ isAbandoned }) => !isAbandoned);
  }
}
