import type { FireResult } from '../domain/firing';
import type { FiringFence, HandedOut } from '../store/cluster-store';
import type { ClusterNode } from './cluster-node';
import { Holdings } from './holdings';

/** What the fence asks of its node. */
export type FencedNode = Pick<ClusterNode, 'epoch' | 'owns' | 'mayFire' | 'hasJavaPeer'>;

/**
 * The lease of a node, in front of its store and in the same thread. What was fired when the lease ran out is handed out only once it
 * is certain that no other node has taken it over. Completions need no lease: the fired row says whether the firing is still this node's.
 */
export class NodeFence implements FiringFence {
  /** What this node has been handed and has not ended yet. */
  readonly holdings = new Holdings();
  readonly #node: () => FencedNode;
  readonly #nonConcurrent = new Set<string>();

  constructor(node: () => FencedNode) {
    this.#node = node;
  }

  get mayFire(): boolean {
    return this.#node().mayFire;
  }

  get hasJavaPeer(): boolean {
    return this.#node().hasJavaPeer;
  }

  /** Whether a job runs here that must not run elsewhere at the same time. */
  get hasNonConcurrentWork(): boolean {
    return this.#nonConcurrent.size > 0;
  }

  handOut<T extends HandedOut>(work: () => Promise<T>): Promise<T> {
    const { epoch } = this.#node();
    return this.holdings.during(async () => {
      const handedOut = await work();
      for (const { fireInstanceId } of handedOut.acquired ?? []) this.holdings.hold(fireInstanceId);
      const fired = (await this.#isStillOurs(handedOut.fired, epoch))
        ? handedOut.fired
        : handedOut.fired.map(withdrawn);
      for (const result of fired) this.#note(result);
      return fired === handedOut.fired ? handedOut : { ...handedOut, fired };
    });
  }

  letGo(fireInstanceId: string, isEnded: boolean): void {
    this.#nonConcurrent.delete(fireInstanceId);
    if (isEnded) this.holdings.letGo(fireInstanceId);
  }

  /** The transaction may have taken longer than the lease, or than a life: then a peer may have recovered what it fired. */
  async #isStillOurs(results: readonly FireResult[], epoch: string): Promise<boolean> {
    const node = this.#node();
    const isDoubtful = !node.mayFire || node.epoch !== epoch;
    return !isDoubtful || !results.some(({ status }) => status === 'fired') || node.owns(epoch);
  }

  #note(result: FireResult): void {
    if (result.status === 'fired') {
      const { fireInstanceId, jobDetail } = result.firing;
      this.holdings.hold(fireInstanceId);
      if (jobDetail.disallowConcurrentExecution) this.#nonConcurrent.add(fireInstanceId);
    } else {
      this.holdings.letGo(result.acquired.fireInstanceId);
    }
  }
}

function withdrawn(result: FireResult): FireResult {
  if (result.status !== 'fired') return result;
  const { trigger, fireInstanceId } = result.firing;
  return { status: 'notFired', acquired: { trigger, fireInstanceId }, reason: 'lost' };
}
