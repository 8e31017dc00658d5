import type { EpochMs } from '../base/clock';
import type { Completion } from '../domain/completion';
import type { AcquiredTrigger, FireResult, TriggerFiring } from '../domain/firing';
import type { ScheduleChange } from '../domain/schedule-change';
import type {
  AcquireRequest,
  AcquireResult,
  AppliedSchedule,
  ApplyScheduleOptions,
  CompletionOutcome,
  FiringStore,
  MisfireRequest,
  MisfireSweep,
  ScheduleStore,
} from '../store/job-store';
import type { ClusterNode } from './cluster-node';
import { Holdings } from './holdings';

type FencedPart = FiringStore & Pick<ScheduleStore, 'applySchedule'>;

/** What the fence asks of the node. */
export type Fence = Pick<ClusterNode, 'epoch' | 'owns' | 'mayFire' | 'hasJavaPeer'>;

/**
 * The node's lease in front of a store; its place is next to the store, in the same thread. Nothing is acquired or fired
 * without the lease, and what was fired when it ran out is handed on only once it is certain that no other node has taken
 * it over. Completions pass: whether the firing is still this node's, its row says.
 */
export class FencedStore implements FiringStore {
  /** What this node holds: handed on by this store, and not ended yet. */
  readonly holdings = new Holdings();
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
  async applySchedule(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule> {
    const { epoch, mayFire } = this.#node();
    if (!mayFire || !options.fireNow) return this.#store.applySchedule(changes, { ...options, fireNow: null });
    const { outcomes, results } = await this.holdings.during(async () => {
      const applied = await this.#store.applySchedule(changes, options);
      return { ...applied, results: await this.#dispatch(applied.fired.map(toResult), epoch) };
    });
    return { outcomes, fired: results.flatMap((result) => (result.status === 'fired' ? [result.firing] : [])) };
  }

  /**
   * Finds nothing while the node may not fire. Beside Java nodes nothing is fired ahead of its time: they may begin a job that must not
   * overlap between our firing it and its beginning here, because they set blocked triggers to waiting.
   */
  async acquireTriggers(request: AcquireRequest): Promise<AcquireResult> {
    const { epoch, mayFire, hasJavaPeer } = this.#node();
    if (!mayFire) return { acquired: [], fired: [] };
    const asked = hasJavaPeer ? withoutWindow(request) : request;
    return this.holdings.during(async () => {
      const { acquired, fired } = await this.#store.acquireTriggers(asked);
      for (const { fireInstanceId } of acquired) this.holdings.hold(fireInstanceId);
      const result = { acquired, fired: await this.#dispatch(fired, epoch) };
      return hasJavaPeer ? { ...result, timeWindow: 0 } : result;
    });
  }

  /** What was fired is let go of, too: nobody here will run it, so that its row is recovered. */
  async releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void> {
    await this.#store.releaseTriggers(acquired);
    for (const { fireInstanceId } of acquired) {
      this.#exclusive.delete(fireInstanceId);
      this.holdings.letGo(fireInstanceId);
    }
  }

  /** Puts back what the node may not fire any more. */
  async fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]> {
    const { epoch, mayFire } = this.#node();
    if (mayFire)
      return this.holdings.during(async () => this.#dispatch(await this.#store.fireTriggers(acquired, now), epoch));
    await this.releaseTriggers(acquired);
    return acquired.map(lost);
  }

  async completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]> {
    const outcomes = await this.#store.completeTriggers(completions);
    for (const [index, { firing }] of completions.entries()) this.#ended(firing.fireInstanceId, outcomes[index]);
    return outcomes;
  }

  /** What the store could not end is held until it can. */
  #ended(fireInstanceId: string, outcome: CompletionOutcome | undefined): void {
    this.#exclusive.delete(fireInstanceId);
    if (outcome?.status !== 'failed') this.holdings.letGo(fireInstanceId);
  }

  recoverMisfires(request: MisfireRequest): Promise<MisfireSweep> {
    return this.#store.recoverMisfires(request);
  }

  /** The transaction may have taken longer than the lease, or than a life: then a peer may have recovered what it fired. */
  async #dispatch(results: readonly FireResult[], epoch: string): Promise<readonly FireResult[]> {
    const isFiring = results.some(({ status }) => status === 'fired');
    const node = this.#node();
    const isDoubtful = !node.mayFire || node.epoch !== epoch;
    const isOurs = !isFiring || !isDoubtful || (await node.owns(epoch));
    const handedOn = isOurs ? results : results.map(withdrawn);
    for (const result of handedOn) this.#note(result);
    return handedOn;
  }

  #note(result: FireResult): void {
    if (result.status === 'fired') {
      const { fireInstanceId, jobDetail } = result.firing;
      this.holdings.hold(fireInstanceId);
      if (jobDetail.disallowConcurrentExecution) this.#exclusive.add(fireInstanceId);
    } else {
      this.holdings.letGo(result.acquired.fireInstanceId);
    }
  }
}

function withoutWindow(request: AcquireRequest): AcquireRequest {
  return { ...request, timeWindow: 0, fireWithin: request.fireWithin === null ? null : 0 };
}

function toResult(firing: TriggerFiring): FireResult {
  return { status: 'fired', firing };
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
