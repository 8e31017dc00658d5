import type { FireResult } from '../domain/firing';
import type { FiringFence, HandedOut } from '../store/cluster-store';

interface FencedNode {
  readonly epoch: string;
  readonly mayFire: boolean;
  readonly hasJavaPeer: boolean;
  owns(epoch: string): Promise<boolean>;
}

/**
 * Triggers in flight on this node: acquired or fired, and not yet ended. A firing that is still stored but not in flight after all requests in
 * progress have ended will never be completed by this node.
 */
export class InFlightRuns {
  readonly #held = new Set<string>();
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

  /** Runs a request that may write fired triggers, which it must pass to `hold` before it resolves. Rejects with the error of the request. */
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
 * Prevents a node from dispatching firings that it may no longer own: if the lease expired during a transaction, its firings wait until the node
 * knows that it still owns them. Completions need no lease, because the stored fired trigger shows its owner. Runs in the thread of the node and its
 * store.
 */
export class NodeFence implements FiringFence {
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

  /** Returns true if this node still owns the firings. Queries the node only if the lease or incarnation ended, so that a peer may own them. */
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
