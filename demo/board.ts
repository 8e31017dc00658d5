import type { FromNode, Started } from './node-process';

/** Figures of one node. */
export interface NodeFigures {
  readonly name: string;
  /** Id of its process, or null until the node is ready. */
  processId: number | null;
  state: 'starting' | 'alive' | 'killed' | 'recovered';
  firings: number;
  /** Number of firings of dead nodes that this node recovered. */
  recoveries: number;
  /** Number of attempts after the first one. */
  retries: number;
  /** Running jobs by run id. */
  readonly running: Map<string, Started>;
  readonly latenessMs: number[];
}

/** Counts the events that the nodes of the demo report. */
export class DemoBoard {
  /** Every firing that has started, without retries. */
  readonly starts: Started[] = [];
  readonly #nodes = new Map<string, NodeFigures>();

  get nodes(): readonly NodeFigures[] {
    return [...this.#nodes.values()];
  }

  add(name: string): void {
    const counts = {
      processId: null,
      firings: 0,
      recoveries: 0,
      retries: 0,
      running: new Map<string, Started>(),
      latenessMs: [],
    };
    this.#nodes.set(name, { name, state: 'starting', ...counts });
  }

  ready(name: string, processId: number): void {
    Object.assign(this.node(name), { processId, state: 'alive' });
  }

  killed(name: string): void {
    this.node(name).state = 'killed';
  }

  record(name: string, message: FromNode): void {
    const node = this.node(name);
    if (message.type === 'started') this.#recordStart(node, message);
    else if (message.type === 'ended') node.running.delete(message.runId);
    else if (message.type === 'peerRecovered') this.node(message.instanceId).state = 'recovered';
  }

  node(name: string): NodeFigures {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new TypeError(`There is no node '${name}'.`);
    return node;
  }

  #recordStart(node: NodeFigures, started: Started): void {
    node.running.set(started.runId, started);
    if (started.isRetry) {
      node.retries++;
      return;
    }
    this.starts.push(started);
    if (started.recovers !== null) node.recoveries++;
    else {
      node.firings++;
      node.latenessMs.push(Math.max(0, started.at - started.scheduledFireTime));
    }
  }
}

/** Returns the smallest value that at least `share` (0 to 1) of all values do not exceed, or null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
