import type { TriggerKey } from '../domain/keys';
import type { SchedulerEventOf } from '../domain/scheduler-event';
import type { Holdings } from './node-fence';
import type { NodeContext } from './node-hooks';
import type { Recovery } from './recovery';

export interface SweeperOptions {
  readonly recovery: Pick<Recovery, 'recoverOrphan' | 'recoverUnheld'>;
  /** Triggers in flight on this node. */
  readonly inFlight: Pick<Holdings, 'holds' | 'whetherSettled'>;
  /** Minimum time that firings must have been without a node: if its row was deleted, its lease has expired by then. */
  readonly orphanedAfterMs: number;
}

/** Maximum number of repairs of each kind in one run. The next run continues. */
const MAX_REPAIRS = 200;

/** Number of triggers whose type rows are checked in one run. The next run continues after them. */
const TRIGGERS_PER_RUN = 1_000;

const NEVER = new AbortController().signal;

type Repairs = Pick<SchedulerEventOf<'statesRepaired'>, 'released' | 'unblocked' | 'failed'>;

/**
 * Repairs inconsistent states: triggers reserved or blocked by no firing, triggers without the row of their type,
 * firings without a node, and firings of this node that are not in flight. Nodes of this library cause none of them,
 * but Java nodes and manual changes do.
 */
export class Sweeper {
  readonly #context: NodeContext;
  readonly #options: SweeperOptions;
  /** Instance ids with firings but without a node, with the monotonic time at which each was first found. */
  #orphansSince: ReadonlyMap<string, number> = new Map();
  /** Firings of this node that were not in flight in the previous run. */
  #unheldBefore: ReadonlySet<string> = new Set();
  /** Returns true when all requests that were running during the previous run have ended. */
  #isSettled = () => true;
  #repairCount = 0;
  /** Last trigger whose type row was checked. */
  #lastExamined: TriggerKey | null = null;

  constructor(context: NodeContext, options: SweeperOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Number of repairs since the node was created. A value other than 0 indicates a defect somewhere. */
  get repairCount(): number {
    return this.#repairCount;
  }

  /** Runs all checks once. Rejects with the store's error. */
  async runOnce(signal: AbortSignal = NEVER): Promise<void> {
    const { store } = this.#context;
    this.#report({ ...(await store.sweep(MAX_REPAIRS)), failed: [] });
    const { failed, next } = await store.sweepTypeRows({ after: this.#lastExamined, maxCount: TRIGGERS_PER_RUN });
    this.#lastExamined = next;
    this.#report({ released: 0, unblocked: 0, failed });
    await this.#recoverOrphans(signal);
    await this.#recoverUnheld();
  }

  #report(repairs: Repairs): void {
    const { clock, hooks } = this.#context;
    const count = repairs.released + repairs.unblocked + repairs.failed.length;
    if (count === 0) return;
    this.#repairCount += count;
    hooks.publish({ type: 'statesRepaired', at: clock.now(), ...repairs });
    hooks.scheduleChanged(null);
  }

  /**
   * Recovers firings that were not in flight in two consecutive runs, once all requests that may have returned them
   * have ended.
   */
  async #recoverUnheld(): Promise<void> {
    const { recovery, inFlight } = this.#options;
    const own = this.#context.identity();
    const entries = await this.#context.store.findFiringsOf(own);
    const unheld = entries.filter((entry) => !inFlight.holds(entry));
    const lost = this.#isSettled() ? unheld.filter((entry) => this.#unheldBefore.has(entry)) : [];
    this.#unheldBefore = new Set(unheld);
    this.#isSettled = inFlight.whetherSettled();
    if (lost.length === 0) return;
    this.#repairCount += lost.length;
    await recovery.recoverUnheld(own, lost);
  }

  /**
   * Recovers firings without a node after a delay: a node whose row was deleted is alive, and runs its jobs until it
   * notices.
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
