import type { TriggerKey } from '../domain/keys';
import type { SchedulerEventOf } from '../domain/scheduler-event';
import type { Holdings } from './node-fence';
import type { NodeContext } from './node-hooks';
import type { Recovery } from './recovery';

export interface SweeperOptions {
  readonly recovery: Pick<Recovery, 'recoverOrphan' | 'recoverUnheld'>;
  /** What this node knows to be its own. */
  readonly inFlight: Pick<Holdings, 'holds' | 'whetherSettled'>;
  /** How long firings must have been without a node: the lease of one whose row was deleted has ended by then. */
  readonly orphanedAfterMs: number;
}

/** Of each kind in one run: what there is more of waits for the next one. */
const MAX_REPAIRS = 200;

/** Triggers whose type rows are examined in one run; the next one goes on behind them, until all have had their turn. */
const TRIGGERS_PER_RUN = 1_000;

const NEVER = new AbortController().signal;

type Repairs = Pick<SchedulerEventOf<'statesRepaired'>, 'released' | 'unblocked' | 'failed'>;

/**
 * Repairs what cannot be: triggers that nobody reserves or blocks, or without the row of their type; firings without a node; firings
 * of this node that it does not hold. Our own nodes cause none of it; Java nodes and manual changes do.
 */
export class Sweeper {
  readonly #context: NodeContext;
  readonly #options: SweeperOptions;
  /** Since when, monotonic, an instance id that holds firings has been found without a node. */
  #orphansSince: ReadonlyMap<string, number> = new Map();
  /** Firings of this node that it did not hold in the run before. */
  #unheldBefore: ReadonlySet<string> = new Set();
  /** Whether everything has ended that was under way then. */
  #isSettled = () => true;
  #repairCount = 0;
  /** Up to where type rows have been examined. */
  #lastExamined: TriggerKey | null = null;

  constructor(context: NodeContext, options: SweeperOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Repairs since the node was made. Anything but 0 is a defect somewhere. */
  get repairCount(): number {
    return this.#repairCount;
  }

  /** Examines everything once. Rejects with what the store failed with. */
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

  /** Only those found twice, and only when no request is under way any more whose answer may have listed them. */
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

  /** Only those that have been such for long: a node whose row was deleted lives, and runs its jobs until it notices. */
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
