import type { EpochMs } from '../../base/clock';
import { Lateness } from '../lateness';
import type { FromNode } from './demo-messages';

type Started = FromNode & { readonly type: 'started' };

/** What is known of one node. */
export interface NodeFigures {
  readonly name: string;
  /** Null until it is ready. */
  readonly processId: number | null;
  readonly state: 'starting' | 'alive' | 'killed' | 'recovered';
  readonly firings: number;
  readonly running: readonly { readonly job: string; readonly startedAt: EpochMs }[];
  readonly lateness: Lateness;
  readonly recoveries: number;
}

interface Node {
  readonly name: string;
  processId: number | null;
  state: NodeFigures['state'];
  firings: number;
  recoveries: number;
  readonly running: Map<string, Started>;
  readonly lateness: Lateness;
}

/** Keeps count of what the nodes of the demo say. */
export class DemoBoard {
  readonly lateness = new Lateness();
  readonly #nodes = new Map<string, Node>();
  readonly #starts: { readonly node: string; readonly started: Started }[] = [];

  /** Every firing that has begun, with the node it began on. */
  get starts(): readonly { readonly node: string; readonly started: Started }[] {
    return this.#starts;
  }

  add(name: string): void {
    const figures = { firings: 0, recoveries: 0, running: new Map<string, Started>(), lateness: new Lateness() };
    this.#nodes.set(name, { name, processId: null, state: 'starting', ...figures });
  }

  ready(name: string, processId: number): void {
    Object.assign(this.#node(name), { processId, state: 'alive' });
  }

  hear(name: string, message: FromNode): void {
    const node = this.#node(name);
    switch (message.type) {
      case 'started':
        this.#start(node, message);
        break;
      case 'ended':
        node.running.delete(message.fireInstanceId);
        break;
      case 'peerRecovered':
        this.#node(message.instanceId).state = 'recovered';
        break;
    }
  }

  killed(name: string): void {
    this.#node(name).state = 'killed';
  }

  /** What runs on a node now. */
  running(name: string): readonly Started[] {
    return [...this.#node(name).running.values()];
  }

  figures(): readonly NodeFigures[] {
    return [...this.#nodes.values()].map(({ running, ...node }) => ({
      ...node,
      running: [...running.values()].map(({ job, at }) => ({ job, startedAt: at })),
    }));
  }

  #start(node: Node, started: Started): void {
    this.#starts.push({ node: node.name, started });
    node.running.set(started.fireInstanceId, started);
    if (started.recovers !== null) {
      node.recoveries++;
      return;
    }
    node.firings++;
    const late = started.at - started.scheduledFireTime;
    node.lateness.record(late);
    this.lateness.record(late);
  }

  #node(name: string): Node {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new TypeError(`There is no node '${name}'.`);
    return node;
  }
}
