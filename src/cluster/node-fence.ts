import type { FireResult } from '../domain/firing';
import type { FiringFence, HandedOut } from '../store/cluster-store';

/** Subset of `ClusterNode` that the fence uses. */
export interface FencedNode {
  readonly epoch: string;
  readonly mayFire: boolean;
  readonly hasJavaPeer: boolean;
  owns(epoch: string): Promise<boolean>;
}

/**
 * Triggers in flight on this node: acquired or fired, and not yet ended.
 *
 * The store may contain a trigger that this node has fired but that is not in flight. If this is still so after all
 * requests in progress have ended, this node will never complete the firing.
 */
export class InFlightRuns {
  readonly #held = new Set<string>();
  /** Requests to the store that are still unanswered. */
  readonly #requests = new Set<symbol>();

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  holds(runId: string): boolean {
    return this.#held.has(runId);
  }

  hold(runId: string): void {
    this.#held.add(runId);
  }

  release(runId: string): void {
    this.#held.delete(runId);
  }

  /**
   * Runs a request that may write fired triggers. The request must pass these triggers to `hold` before it resolves.
   * Rejects with the error of the request.
   */
  async during<T>(request: () => Promise<T>): Promise<T> {
    const mark = Symbol();
    this.#requests.add(mark);
    try {
      return await request();
    } finally {
      this.#requests.delete(mark);
    }
  }

  /** Returns a function that returns true once all requests that are in progress now have ended. */
  watchRequests(): () => boolean {
    const underWay = [...this.#requests];
    return () => underWay.every((mark) => !this.#requests.has(mark));
  }
}

/**
 * Prevents a node from dispatching firings that it may no longer own. Runs in the same thread as the node and its
 * store.
 *
 * If the lease expired during a transaction, the transaction's firings are dispatched only after the node knows that it
 * still owns them. Completions need no lease: the stored fired trigger shows its owner.
 */
export class NodeFence implements FiringFence {
  /** Triggers that this node has acquired or fired, and that have not yet ended. */
  readonly inFlight = new InFlightRuns();
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

  /** True if this node runs a job that must not run on another node concurrently. */
  get hasNonConcurrentWork(): boolean {
    return this.#nonConcurrent.size > 0;
  }

  dispatch<T extends HandedOut>(work: () => Promise<T>): Promise<T> {
    const { epoch } = this.#node();
    return this.inFlight.during(async () => {
      const handedOut = await work();
      for (const { runId } of handedOut.acquired ?? []) this.inFlight.hold(runId);
      const fired = (await this.#isStillOurs(handedOut.fired, epoch))
        ? handedOut.fired
        : handedOut.fired.map(withdrawn);
      for (const result of fired) this.#note(result);
      return fired === handedOut.fired ? handedOut : { ...handedOut, fired };
    });
  }

  release(runId: string, isEnded: boolean): void {
    this.#nonConcurrent.delete(runId);
    if (isEnded) this.inFlight.release(runId);
  }

  /**
   * Returns true if this node still owns the firings of a transaction. Queries the node only if the lease or the
   * incarnation ended during the transaction, because a peer may then have recovered the firings.
   */
  async #isStillOurs(results: readonly FireResult[], epoch: string): Promise<boolean> {
    const node = this.#node();
    const isDoubtful = !node.mayFire || node.epoch !== epoch;
    return !isDoubtful || !results.some(({ status }) => status === 'fired') || node.owns(epoch);
  }

  #note(result: FireResult): void {
    if (result.status === 'fired') {
      const { runId, jobDetail } = result.firing;
      this.inFlight.hold(runId);
      if (jobDetail.disallowConcurrentExecution) this.#nonConcurrent.add(runId);
    } else {
      this.inFlight.release(result.acquired.runId);
    }
  }
}

function withdrawn(result: FireResult): FireResult {
  if (result.status !== 'fired') return result;
  const { trigger, runId } = result.firing;
  return { status: 'notFired', acquired: { trigger, runId }, reason: 'lost' };
}
