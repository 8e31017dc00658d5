import type { Clock } from '../base/clock';
import type { TriggerKey } from '../domain/keys';
import type { SchedulerEventOf } from '../domain/scheduler-event';
import type { ClusterStore, NodeIdentity } from '../store/cluster-store';
import type { Holdings } from './holdings';
import type { NodeHooks } from './node-hooks';
import type { Recovery } from './recovery';

interface Unheld {
  readonly entries: ReadonlySet<string>;
  /** Whether everything has ended that was under way then. */
  readonly isSettled: () => boolean;
}

export interface SweeperParts {
  readonly store: Pick<ClusterStore, 'sweep' | 'sweepTypeRows' | 'findOrphans' | 'findFiringsOf'>;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish' | 'scheduleChanged'>;
  readonly recovery: Pick<Recovery, 'recoverOrphan' | 'recoverUnheld'>;
  readonly identity: () => NodeIdentity;
  /** How long firings must have been without a node: the lease of one whose row was deleted has ended by then. Milliseconds. */
  readonly patience: number;
  /** What this node knows to be its own. */
  readonly holdings: Pick<Holdings, 'holds' | 'whetherSettled'>;
}

/** Of each kind in one run: what there is more of waits for the next one. */
const MOST_REPAIRS = 200;

/** Triggers whose type rows are checked in one run; the next one goes on behind them, until all have had their turn. */
const TYPE_ROWS_PER_RUN = 1_000;

type Repairs = Pick<SchedulerEventOf<'statesRepaired'>, 'released' | 'unblocked' | 'failed'>;

/**
 * Puts right what cannot be: triggers reserved or blocked by nobody or without a type row, firings of no node, firings
 * of this node that it does not hold.
 * Nodes of ours cause none of it; Java nodes and hands do.
 */
export class Sweeper {
  readonly #parts: SweeperParts;
  /** Since when, monotonic, an instance id that holds firings has been found without a node. */
  #orphansSince: ReadonlyMap<string, number> = new Map();
  /** Firings of this node that it did not hold when it looked last. */
  #unheldBefore: Unheld = { entries: new Set(), isSettled: () => true };
  #repairCount = 0;
  /** Up to where type rows have been checked. */
  #lastTypeRow: TriggerKey | null = null;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /** Repairs since the node was made. Anything but 0 is a bug of somebody's. */
  get repairCount(): number {
    return this.#repairCount;
  }

  /** One look at everything. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    const { store } = this.#parts;
    this.#tell({ ...(await store.sweep(MOST_REPAIRS)), failed: [] });
    const { failed, next } = await store.sweepTypeRows({ after: this.#lastTypeRow, maxCount: TYPE_ROWS_PER_RUN });
    this.#lastTypeRow = next;
    this.#tell({ released: 0, unblocked: 0, failed });
    await this.#recoverOrphans();
    await this.#recoverUnheld();
  }

  #tell(repairs: Repairs): void {
    const { clock, hooks } = this.#parts;
    const count = repairs.released + repairs.unblocked + repairs.failed.length;
    if (count === 0) return;
    this.#repairCount += count;
    hooks.publish({ type: 'statesRepaired', at: clock.now(), ...repairs });
    hooks.scheduleChanged(null);
  }

  /** Only those seen twice, and only when nothing is under way any more that may have been about to hand them on. */
  async #recoverUnheld(): Promise<void> {
    const { store, recovery, holdings, identity } = this.#parts;
    const own = identity();
    const entries = await store.findFiringsOf(own);
    const unheld = entries.filter((entry) => !holdings.holds(entry));
    const { entries: before, isSettled } = this.#unheldBefore;
    const lost = isSettled() ? unheld.filter((entry) => before.has(entry)) : [];
    this.#unheldBefore = { entries: new Set(unheld), isSettled: holdings.whetherSettled() };
    if (lost.length === 0) return;
    this.#repairCount += lost.length;
    await recovery.recoverUnheld(own, lost);
  }

  /** Only those that have been such for long: a node whose row was deleted lives, and runs its jobs until it notices. */
  async #recoverOrphans(): Promise<void> {
    const { store, clock, recovery, patience } = this.#parts;
    const now = clock.monotonic();
    const orphans = await store.findOrphans();
    this.#orphansSince = new Map(orphans.map((id) => [id, this.#orphansSince.get(id) ?? now]));
    for (const [instanceId, since] of this.#orphansSince) {
      if (now - since >= patience) await recovery.recoverOrphan(instanceId);
    }
  }
}
