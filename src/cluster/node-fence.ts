import type { FireResult } from '../domain/firing';
import type { FiringFence, HandedOut } from '../store/cluster-store';

/** What the fence asks of its `ClusterNode`. */
export interface FencedNode {
  readonly epoch: string;
  readonly mayFire: boolean;
  readonly hasJavaPeer: boolean;
  owns(epoch: string): Promise<boolean>;
}

/**
 * Which fired triggers this node knows to be its own: acquired or fired, and not ended. One that is stored under its name and is not
 * among them will never be ended by anybody, once every request has ended that was under way when it was seen.
 */
export class Holdings {
  readonly #held = new Set<string>();
  /** Requests to the store that are not answered. */
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

  /** Runs a request that may write fired triggers, and holds them before it resolves. */
  async during<T>(request: () => Promise<T>): Promise<T> {
    const mark = Symbol();
    this.#requests.add(mark);
    try {
      return await request();
    } finally {
      this.#requests.delete(mark);
    }
  }

  /** A question to be asked later: whether every request has ended that is under way now. */
  whetherSettled(): () => boolean {
    const underWay = [...this.#requests];
    return () => underWay.every((mark) => !this.#requests.has(mark));
  }
}

/**
 * The lease of a node, in front of its store and in the same thread. What was fired when the lease ran out is handed out only once it
 * is certain that no other node has taken it over. Completions need no lease: the fired trigger shows whether the firing is still this node's.
 */
export class NodeFence implements FiringFence {
  /** What this node has been handed and has not ended yet. */
  readonly inFlight = new Holdings();
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

  /** The transaction may have taken longer than the lease, or than a life: then a peer may have recovered what it fired. */
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
