import { NEVER } from '../base/sleep';
import type { TriggerKey } from '../domain/keys';
import type { SchedulerEventOf } from '../domain/scheduler-event';
import type { InFlightRuns } from './node-fence';
import type { NodeContext } from './node-hooks';
import type { Recovery } from './recovery';

interface SweeperOptions {
  readonly recovery: Pick<Recovery, 'recoverOrphan' | 'recoverUnheld'>;
  readonly inFlight: Pick<InFlightRuns, 'holds' | 'watchRequests'>;
  /** Minimum time without a node row before firings are recovered. By then, the lease of a node whose row was deleted has expired. */
  readonly orphanedAfterMs: number;
}

/** Maximum number of repairs of each kind per sweep. The next sweep repairs the rest. */
const MAX_REPAIRS = 200;

/** Maximum number of triggers to check per sweep, for the row of their type or because they have ended. The next sweep continues after them. */
const TRIGGERS_PER_RUN = 1_000;

type Repairs = Pick<SchedulerEventOf<'statesRepaired'>, 'released' | 'unblocked' | 'failed'>;

/**
 * Repairs inconsistent states:
 *
 * - triggers that are reserved or blocked without a firing
 * - triggers without a row in the table of their trigger type
 * - firings without a node row
 * - firings of this node that are not in flight
 *
 * Only Java nodes and manual changes of the database cause such states; nodes of this library do not.
 *
 * Also deletes triggers that have ended without a firing of this library, such as triggers whose end has passed while their calendar excluded all times.
 */
export class Sweeper {
  readonly #context: NodeContext;
  readonly #options: SweeperOptions;
  /** Instance ids that have firings but no node row, with the monotonic time of the first sweep that found each. */
  #orphansSince: ReadonlyMap<string, number> = new Map();
  /** Firings of this node that were not in flight at the previous sweep. */
  #unheldBefore: ReadonlySet<string> = new Set();
  /** Returns true if all requests that were in progress at the previous sweep have ended. */
  #haveRequestsEnded = () => true;
  #repairCount = 0;
  /** Last trigger that was checked for the row of its type; null before the first trigger. */
  #lastExamined: TriggerKey | null = null;
  /** Last COMPLETE trigger that was checked; null before the first trigger. */
  #lastEnded: TriggerKey | null = null;

  constructor(context: NodeContext, options: SweeperOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Number of repairs since creation. Above 0, it shows a defect, a manual change of the database, or a Java node. */
  get repairCount(): number {
    return this.#repairCount;
  }

  /** Performs one sweep. Rejects with the store's error. */
  async runOnce(signal: AbortSignal = NEVER): Promise<void> {
    const { store } = this.#context;
    this.#report({ ...(await store.sweep(MAX_REPAIRS)), failed: [] });
    const { failed, next } = await store.sweepTypeRows({ after: this.#lastExamined, maxCount: TRIGGERS_PER_RUN });
    this.#lastExamined = next;
    this.#report({ released: 0, unblocked: 0, failed });
    await this.#deleteEnded();
    await this.#recoverOrphans(signal);
    await this.#recoverUnheld();
  }

  async #deleteEnded(): Promise<void> {
    const { clock, store, hooks } = this.#context;
    const request = { after: this.#lastEnded, maxCount: TRIGGERS_PER_RUN, now: clock.now() };
    const { deletedTriggers, deletedJobs, next } = await store.sweepEnded(request);
    this.#lastEnded = next;
    const at = clock.now();
    for (const triggerKey of deletedTriggers) hooks.publish({ type: 'jobUnscheduled', at, triggerKey });
    for (const jobKey of deletedJobs) hooks.publish({ type: 'jobDeleted', at, jobKey });
  }

  #report(repairs: Repairs): void {
    const { clock, hooks } = this.#context;
    const count = repairs.released + repairs.unblocked + repairs.failed.length;
    if (count === 0) return;
    this.#repairCount += count;
    hooks.publish({ type: 'statesRepaired', at: clock.now(), ...repairs });
    hooks.scheduleChanged(null);
  }

  /** Recovers firings not in flight at two consecutive sweeps, once requests from the first one, which may return them, have ended. */
  async #recoverUnheld(): Promise<void> {
    const { recovery, inFlight } = this.#options;
    const own = this.#context.identity();
    const entries = await this.#context.store.findFiringsOf(own);
    const unheld = entries.filter((entry) => !inFlight.holds(entry));
    const lost = this.#haveRequestsEnded() ? unheld.filter((entry) => this.#unheldBefore.has(entry)) : [];
    this.#unheldBefore = new Set(unheld);
    this.#haveRequestsEnded = inFlight.watchRequests();
    if (lost.length === 0) return;
    this.#repairCount += lost.length;
    await recovery.recoverUnheld(own, lost);
  }

  /**
   * Recovers firings that have been without a node row for `orphanedAfterMs`. Earlier, the recovery would be unsafe: a
   * node whose row was deleted may be alive, and runs its jobs until it notices that its lease has expired.
   */
  async #recoverOrphans(signal: AbortSignal): Promise<void> {
    const { recovery, orphanedAfterMs } = this.#options;
    const now = this.#context.clock.monotonic();
    const orphans = await this.#context.store.findOrphans();
    this.#orphansSince = new Map(orphans.map((id) => [id, this.#orphansSince.get(id) ?? now]));
    for (const [instanceId, since] of this.#orphansSince) {
      if (now - since >= orphanedAfterMs) await recovery.recoverOrphan(instanceId, signal);
    }
  }
}
