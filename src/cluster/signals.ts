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

/** Receives signals from other nodes, acts on them in order, and acknowledges them. */
export class SignalInbox {
  readonly #context: NodeContext;
  #epoch = '';
  #done = 0;
  #acknowledged = 0;
  #working: Promise<void> | null = null;

  constructor(context: NodeContext) {
    this.#context = context;
  }

  /** Starts to receive signals unless all are acknowledged, and returns immediately. `number` is that of the last signal sent to this node. */
  announced(number: number): void {
    const { epoch } = this.#context.identity();
    if (epoch !== this.#epoch) {
      this.#epoch = epoch; // signals of a new incarnation are numbered from 1
      this.#done = 0;
      this.#acknowledged = 0;
    }
    if (number <= this.#acknowledged || this.#working !== null) return;
    this.#working = this.#work(epoch).finally(() => {
      this.#working = null;
    });
  }

  async whenIdle(): Promise<void> {
    await this.#working;
  }

  async #work(epoch: string): Promise<void> {
    const { store, identity, hooks } = this.#context;
    try {
      const node = { ...identity(), epoch };
      const received = await store.receiveSignals(node, this.#done);
      for (const { signal } of received) {
        await hooks
          .receive(signal)
          .catch((thrown: unknown) => this.#report(thrown, `acting on the signal '${signal.type}'`));
      }
      // If a new incarnation has begun during the actions, these numbers belong to signals of the old one.
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

/** Outcome of a request, by instance id. A node that has left or rejoined since the request appears in neither list. */
interface RequestOutcome {
  readonly acknowledged: readonly string[];
  /** Nodes that did not acknowledge within the timeout. */
  readonly silent: readonly string[];
}

/** Intervals between two checks for acknowledgements: doubled from the first to the last. A node that is rung answers within a few milliseconds. */
const FIRST_POLL_INTERVAL_MS = 3;
const LAST_POLL_INTERVAL_MS = 50;
/** Maximum time to wait for acknowledgements. */
export const REQUEST_TIMEOUT_MS = 5_000;

interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Observes the nodes while the request waits for acknowledgements. Default: null, no observation. */
  readonly lost?: LostNodes | null;
}

/** Detects nodes of a first reading that other nodes recover later. */
class LostNodes {
  readonly instanceIds = new Set<string>();
  /** Latest row of each node, by epoch. */
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

/** Sends requests to other nodes and waits for their acknowledgements, for at most 5 s. */
export class ClusterRequests {
  readonly #store: Pick<ClusterStore, 'getFirings' | 'sendSignal' | 'readNodes'>;
  readonly #clock: Clock;
  readonly #instanceId: string;

  constructor(store: Pick<ClusterStore, 'getFirings' | 'sendSignal' | 'readNodes'>, clock: Clock, instanceId: string) {
    this.#store = store;
    this.#clock = clock;
    this.#instanceId = instanceId;
  }

  /** Returns the firings whose jobs run on any node, including this one. */
  getFirings(): Promise<readonly FiringRecord[]> {
    return this.#store.getFirings();
  }

  /** Sends an interrupt to other nodes. Returns true if at least one node has acknowledged it within the timeout. */
  async interruptOn(instanceIds: readonly string[], interrupt: NodeSignal): Promise<boolean> {
    return (await this.#request(instanceIds, interrupt)).acknowledged.length > 0;
  }

  readNodes(): Promise<NodesReading> {
    return this.#store.readNodes();
  }

  /**
   * Waits, at most 5 s, until every other node has started the jobs of all its earlier firings. No job of a trigger paused before the call starts on
   * these nodes after that. `before`: the nodes as read before the pause was stored. A node recovered since that reading is reported as silent,
   * because its process may start a job before it notices the lost lease. Ignores Java nodes.
   */
  async confirmStarted(before: NodesReading, signal?: AbortSignal): Promise<RequestOutcome> {
    const lost = new LostNodes(before, this.#instanceId);
    const reading = await this.#store.readNodes();
    lost.observe(reading);
    const others = reading.nodes.filter(({ instanceId, epoch }) => epoch !== null && instanceId !== this.#instanceId);
    const instanceIds = others.map(({ instanceId }) => instanceId);
    const { acknowledged, silent } = await this.#request(instanceIds, { type: 'confirmStarted' }, { signal, lost });
    return { acknowledged, silent: [...new Set([...silent, ...lost.instanceIds])] };
  }

  /** Same as `confirmStarted`, but only for the given nodes, and without reporting recovered nodes. */
  confirmStartedOn(instanceIds: readonly string[]): Promise<RequestOutcome> {
    return this.#request(instanceIds, { type: 'confirmStarted' });
  }

  /**
   * Starts or ends draining of another node. Returns false if the node does not exist, is a Java node, or does not
   * acknowledge within the timeout. Also returns false if a later, opposite request has superseded this request.
   */
  async setDraining(instanceId: string, isDraining: boolean, signal?: AbortSignal): Promise<boolean> {
    const { acknowledged } = await this.#request([instanceId], { type: isDraining ? 'drain' : 'undrain' }, { signal });
    if (!acknowledged.includes(instanceId)) return false;
    // The acknowledgement of a superseding request counts for this one too. Only the node's status shows which one it followed.
    const { nodes } = await this.#store.readNodes();
    return nodes.some((node) => node.instanceId === instanceId && node.draining === isDraining);
  }

  async #request(
    instanceIds: readonly string[],
    request: NodeSignal,
    { signal = new AbortController().signal, lost = null }: RequestOptions = {},
  ): Promise<RequestOutcome> {
    if (instanceIds.length === 0) return { acknowledged: [], silent: [] };
    // Begins before the receiver's equal timeout, after which the receiver acknowledges even if it could not act: too late to count.
    const end = this.#clock.monotonic() + REQUEST_TIMEOUT_MS;
    const sent = await this.#store.sendSignal(instanceIds, request);
    let outcome: RequestOutcome = { acknowledged: [], silent: sent.map(({ instanceId }) => instanceId) };
    for (let pollMs = FIRST_POLL_INTERVAL_MS; ; pollMs = Math.min(2 * pollMs, LAST_POLL_INTERVAL_MS)) {
      const reading = await this.#store.readNodes();
      lost?.observe(reading);
      const latest = outcomeOf(sent, reading);
      if (this.#clock.monotonic() >= end) return outcome;
      outcome = latest;
      if (outcome.silent.length === 0 || signal.aborted) return outcome;
      await sleepFor(this.#clock, pollMs, signal);
    }
  }
}

function outcomeOf(sent: readonly SentSignal[], { nodes }: NodesReading): RequestOutcome {
  const nodeOf = new Map(nodes.map((node) => [node.instanceId, node]));
  const acknowledged: string[] = [];
  const silent: string[] = [];
  for (const { instanceId, epoch, number } of sent) {
    const node = nodeOf.get(instanceId);
    if (node?.epoch !== epoch) continue; // rejoined: the new incarnation numbers its signals anew and has not received this signal
    (node.signalSeen >= number ? acknowledged : silent).push(instanceId);
  }
  return { acknowledged, silent };
}
