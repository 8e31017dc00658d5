import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { hasLeft } from '../domain/liveness';
import type {
  ClusterStore,
  FiringRecord,
  NodeRecord,
  NodeSignal,
  NodesReading,
  SentSignal,
} from '../store/cluster-store';
import type { NodeContext } from './node-hooks';

/** The receiving end: does what other nodes ask of this one, in their order, and acknowledges what is done. */
export class SignalInbox {
  readonly #context: NodeContext;
  #epoch = '';
  #done = 0;
  #acknowledged = 0;
  #working: Promise<void> | null = null;

  constructor(context: NodeContext) {
    this.#context = context;
  }

  /** Signals up to `number` have been sent. Does not wait: what they ask for may take its time. */
  announced(number: number): void {
    const { epoch } = this.#context.identity();
    if (epoch !== this.#epoch) {
      this.#epoch = epoch; // a new incarnation begins with signal 0
      this.#done = 0;
      this.#acknowledged = 0;
    }
    if (number <= this.#acknowledged || this.#working !== null) return;
    this.#working = this.#work(epoch).finally(() => {
      this.#working = null;
    });
  }

  /** Resolves when nothing is being done. */
  async whenIdle(): Promise<void> {
    await this.#working;
  }

  async #work(epoch: string): Promise<void> {
    const { store, identity, hooks } = this.#context;
    try {
      const node = { ...identity(), epoch };
      const received = await store.receiveSignals(node, this.#done);
      for (const { signal } of received) {
        await hooks.receive(signal).catch((thrown: unknown) => this.#report(thrown, `acting on '${signal.type}'`));
      }
      // Acting takes its time: in an incarnation that has begun meanwhile these numbers mean other signals.
      if (epoch !== this.#epoch) return;
      this.#done = received.at(-1)?.number ?? this.#done;
      await store.acknowledgeSignals(node, this.#done);
      if (epoch === this.#epoch) this.#acknowledged = this.#done;
    } catch (thrown) {
      this.#report(thrown, 'reading the signals of other nodes');
    }
  }

  #report(thrown: unknown, during: string): void {
    const { hooks, clock } = this.#context;
    hooks.publish({ type: 'schedulerError', at: clock.now(), during, error: toError(thrown) });
  }
}

/** What became of a request, by instance id. A node that has gone has nothing left to do. */
export interface RequestOutcome {
  readonly acknowledged: readonly string[];
  /** Nodes that did not answer in time. */
  readonly silent: readonly string[];
}

/** Nodes look for signals five to ten times a second. */
const POLL_INTERVAL_MS = 50;
/** For the answers to a request. */
export const REQUEST_TIMEOUT_MS = 5_000;

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Watches the nodes while their answers are awaited. */
  readonly lost?: LostNodes | null;
}

/** The nodes of a first reading that other nodes recover while they are observed. */
class LostNodes {
  readonly instanceIds = new Set<string>();
  /** Their rows as they were read last, by epoch. */
  readonly #rows = new Map<string, NodeRecord>();

  constructor({ nodes }: NodesReading, ownId: string) {
    for (const node of nodes) {
      if (node.epoch !== null && node.instanceId !== ownId) this.#rows.set(node.epoch, node);
    }
  }

  observe({ nodes, now }: NodesReading): void {
    const present = new Map(nodes.map((node) => [node.epoch, node]));
    for (const [epoch, row] of this.#rows) {
      const latest = present.get(epoch);
      if (latest !== undefined) this.#rows.set(epoch, latest);
      else if (!hasLeft(row, now)) this.instanceIds.add(row.instanceId);
    }
  }
}

/** The sending end: asks other nodes to do something, and waits until they have. */
export class ClusterRequests {
  readonly #store: Pick<ClusterStore, 'getFirings' | 'sendSignal' | 'readNodes'>;
  readonly #clock: Clock;
  readonly #instanceId: string;

  /** `instanceId`: of this node, which asks the others. */
  constructor(store: Pick<ClusterStore, 'getFirings' | 'sendSignal' | 'readNodes'>, clock: Clock, instanceId: string) {
    this.#store = store;
    this.#clock = clock;
    this.#instanceId = instanceId;
  }

  /** What executes on all nodes, this one too. */
  getFirings(): Promise<readonly FiringRecord[]> {
    return this.#store.getFirings();
  }

  /** Asks other nodes to interrupt what they run. True when one of them has answered. */
  async interruptOn(instanceIds: readonly string[], interrupt: NodeSignal): Promise<boolean> {
    return (await this.#ask(instanceIds, interrupt)).acknowledged.length > 0;
  }

  /** The nodes as they are now, for `settle`. */
  readNodes(): Promise<NodesReading> {
    return this.#store.readNodes();
  }

  /**
   * Waits until every other node has begun the jobs of all that it had fired: after a pause was stored, nothing that it
   * pauses begins any more. `before`: the nodes before it was stored. A node that was recovered since counts as silent: when its process goes on,
   * it may begin a job before it notices that its lease is over. Java nodes cannot be asked.
   */
  async settle(before: NodesReading, signal?: AbortSignal): Promise<RequestOutcome> {
    const lost = new LostNodes(before, this.#instanceId);
    const reading = await this.#store.readNodes();
    lost.observe(reading);
    const others = reading.nodes.filter(({ instanceId, epoch }) => epoch !== null && instanceId !== this.#instanceId);
    const instanceIds = others.map(({ instanceId }) => instanceId);
    const { acknowledged, silent } = await this.#ask(instanceIds, { type: 'settle' }, { signal, lost });
    return { acknowledged, silent: [...new Set([...silent, ...lost.instanceIds])] };
  }

  /** As `settle`, of some nodes only. */
  settleOn(instanceIds: readonly string[]): Promise<RequestOutcome> {
    return this.#ask(instanceIds, { type: 'settle' });
  }

  /**
   * Drains one other node, or ends that. False: there is none of that id, it is a Java node, it has not answered in time, or a later request
   * for the opposite has superseded this one.
   */
  async setDraining(instanceId: string, isDraining: boolean, signal?: AbortSignal): Promise<boolean> {
    const { acknowledged } = await this.#ask([instanceId], { type: isDraining ? 'drain' : 'undrain' }, { signal });
    if (!acknowledged.includes(instanceId)) return false;
    // The acknowledgement of a superseding request counts for this one too, so only the status shows which of them the node follows.
    const { nodes } = await this.#store.readNodes();
    return nodes.some((node) => node.instanceId === instanceId && node.draining === isDraining);
  }

  async #ask(
    instanceIds: readonly string[],
    request: NodeSignal,
    { signal = new AbortController().signal, lost = null }: AskOptions = {},
  ): Promise<RequestOutcome> {
    if (instanceIds.length === 0) return { acknowledged: [], silent: [] };
    // Before the signal is sent: a node gives up waiting, and acknowledges, so long after it has received it, and never before this end.
    const end = this.#clock.monotonic() + REQUEST_TIMEOUT_MS;
    const sent = await this.#store.sendSignal(instanceIds, request);
    let outcome: RequestOutcome = { acknowledged: [], silent: sent.map(({ instanceId }) => instanceId) };
    for (;;) {
      const reading = await this.#store.readNodes();
      lost?.observe(reading);
      const latest = outcomeOf(sent, reading);
      if (this.#clock.monotonic() >= end) return outcome;
      outcome = latest;
      if (outcome.silent.length === 0 || signal.aborted) return outcome;
      await sleepFor(this.#clock, POLL_INTERVAL_MS, signal);
    }
  }
}

function outcomeOf(sent: readonly SentSignal[], { nodes }: NodesReading): RequestOutcome {
  const nodeOf = new Map(nodes.map((node) => [node.instanceId, node]));
  const acknowledged: string[] = [];
  const silent: string[] = [];
  for (const { instanceId, epoch, number } of sent) {
    const node = nodeOf.get(instanceId);
    if (node?.epoch !== epoch) continue; // its next incarnation counts its signals from 0, and has not heard of this one
    (node.signalSeen >= number ? acknowledged : silent).push(instanceId);
  }
  return { acknowledged, silent };
}
