import type { Clock } from '../base/clock';
import type { ClusterStore } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';
import type { Recovery } from './recovery';

export interface SweeperParts {
  readonly store: Pick<ClusterStore, 'sweep' | 'findOrphans'>;
  readonly clock: Clock;
  readonly hooks: Pick<NodeHooks, 'publish' | 'scheduleChanged'>;
  readonly recovery: Pick<Recovery, 'recoverOrphan'>;
}

/** Of each kind in one run: what there is more of waits for the next one. */
const MOST_REPAIRS = 200;

/**
 * Puts right what cannot be: triggers reserved or blocked by nobody, firings of no node. Nodes of ours cause none of it;
 * Java nodes do.
 */
export class Sweeper {
  readonly #parts: SweeperParts;
  #orphansBefore: ReadonlySet<string> = new Set();
  #repairCount = 0;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /** Repairs since the node was made. Anything but 0 is a bug of somebody's. */
  get repairCount(): number {
    return this.#repairCount;
  }

  /** One look at everything. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    await this.#repairStates();
    await this.#recoverOrphans();
  }

  async #repairStates(): Promise<void> {
    const { store, clock, hooks } = this.#parts;
    const { released, unblocked } = await store.sweep(MOST_REPAIRS);
    if (released + unblocked === 0) return;
    this.#repairCount += released + unblocked;
    hooks.publish({ type: 'statesRepaired', at: clock.now(), released, unblocked });
    hooks.scheduleChanged(null);
  }

  /** Only those seen twice: a node that was recovered by mistake may be about to join again. */
  async #recoverOrphans(): Promise<void> {
    const orphans = await this.#parts.store.findOrphans();
    for (const instanceId of orphans) {
      if (this.#orphansBefore.has(instanceId)) await this.#parts.recovery.recoverOrphan(instanceId);
    }
    this.#orphansBefore = new Set(orphans);
  }
}
