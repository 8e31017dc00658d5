import type { EpochMs } from '../base/clock';
import type { Completion } from '../domain/completion';
import type { AcquiredTrigger, FireResult, TriggerFiring } from '../domain/firing';
import type { ScheduleChange } from '../domain/schedule-change';
import type {
  AcquireRequest,
  AcquireResult,
  AppliedAndFired,
  ApplyOptions,
  CompletionOutcome,
  FiringOffer,
  FiringStore,
  MisfireRequest,
  MisfireSweep,
  ScheduleStore,
} from '../store/job-store';
import type { ClusterNode } from './cluster-node';

type FencedPart = FiringStore & Pick<ScheduleStore, 'applySchedule'>;

/** What the fence asks of the node. */
export type Fence = Pick<ClusterNode, 'epoch' | 'owns' | 'mayFire'>;

/**
 * The node's lease in front of a store; its place is next to the store, in the same thread. Nothing is acquired or fired
 * without the lease, and what was fired when it ran out is handed on only once it is certain that no other node has taken
 * it over. Completions pass: whether the firing is still this node's, its row says.
 */
export class FencedStore implements FiringStore {
  readonly #store: FencedPart;
  readonly #node: () => Fence;
  readonly #exclusive = new Set<string>();

  constructor(store: FencedPart, node: () => Fence) {
    this.#store = store;
    this.#node = node;
  }

  /** Whether a firing of this node goes on that must not run elsewhere at the same time. */
  get hasExclusiveWork(): boolean {
    return this.#exclusive.size > 0;
  }

  /** Fires nothing while the node may not; changes pass. */
  async applyAndFire(
    changes: readonly ScheduleChange[],
    options: ApplyOptions,
    offer: FiringOffer,
  ): Promise<AppliedAndFired> {
    const { epoch, mayFire } = this.#node();
    if (!mayFire) return { outcomes: await this.#store.applySchedule(changes, options), fired: [] };
    const { outcomes, fired } = await this.#store.applyAndFire(changes, options, offer);
    const results = await this.#handOn(fired.map(toResult), epoch);
    return { outcomes, fired: results.flatMap((result) => (result.status === 'fired' ? [result.firing] : [])) };
  }

  /** Finds nothing while the node may not fire. */
  async acquireTriggers(request: AcquireRequest): Promise<AcquireResult> {
    const { epoch, mayFire } = this.#node();
    if (!mayFire) return { acquired: [], fired: [] };
    const { acquired, fired } = await this.#store.acquireTriggers(request);
    return { acquired, fired: await this.#handOn(fired, epoch) };
  }

  releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void> {
    return this.#store.releaseTriggers(acquired);
  }

  /** Puts back what the node may not fire any more. */
  async fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]> {
    const { epoch, mayFire } = this.#node();
    if (mayFire) return this.#handOn(await this.#store.fireTriggers(acquired, now), epoch);
    await this.#store.releaseTriggers(acquired);
    return acquired.map(lost);
  }

  async completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]> {
    const outcomes = await this.#store.completeTriggers(completions);
    if (this.#exclusive.size > 0) this.#endExclusive(completions);
    return outcomes;
  }

  #endExclusive(completions: readonly Completion[]): void {
    for (const { firing } of completions) this.#exclusive.delete(firing.fireInstanceId);
  }

  recoverMisfires(request: MisfireRequest): Promise<MisfireSweep> {
    return this.#store.recoverMisfires(request);
  }

  /** The transaction may have taken longer than the lease, or than a life: then a peer may have recovered what it fired. */
  async #handOn(results: readonly FireResult[], epoch: string): Promise<readonly FireResult[]> {
    const isFiring = results.some(({ status }) => status === 'fired');
    const node = this.#node();
    const isDoubtful = !node.mayFire || node.epoch !== epoch;
    if (isFiring && isDoubtful && !(await node.owns(epoch))) return results.map(withdrawn);
    this.#noteExclusive(results);
    return results;
  }

  #noteExclusive(results: readonly FireResult[]): void {
    for (const result of results) if (isExclusive(result)) this.#exclusive.add(result.firing.fireInstanceId);
  }
}

function toResult(firing: TriggerFiring): FireResult {
  return { status: 'fired', firing };
}

function isExclusive(result: FireResult): result is FireResult & { readonly status: 'fired' } {
  return result.status === 'fired' && result.firing.jobDetail.disallowConcurrentExecution;
}

function withdrawn(result: FireResult): FireResult {
  return result.status === 'fired' ? lost(toAcquired(result.firing)) : result;
}

function lost(acquired: AcquiredTrigger): FireResult {
  return { status: 'notFired', acquired, reason: 'lost' };
}

function toAcquired({ trigger, fireInstanceId }: TriggerFiring): AcquiredTrigger {
  return { trigger, fireInstanceId };
}
