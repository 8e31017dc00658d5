import type { Clock } from '../base/clock';
import { toError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { type JobKey, sameKey } from '../domain/keys';
import type { ClusterStore, FiringRecord, NodeSignal, SentSignal } from '../store/cluster-store';
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

  /** Interrupts the executions of a job on all other nodes. True when there was one. */
  interruptJob(jobKey: JobKey, signal?: AbortSignal): Promise<boolean> {
    return this.#interrupt((firing) => sameKey(firing.jobKey, jobKey), { type: 'interruptJob', jobKey }, signal);
  }

  /** Interrupts one firing, on whichever other node it executes. True when it does. */
  interruptRun(runId: string, signal?: AbortSignal): Promise<boolean> {
    const isMeant = (firing: FiringRecord) => firing.runId === runId;
    return this.#interrupt(isMeant, { type: 'interruptRun', runId }, signal);
  }

  /**
   * Waits until every other node has begun the jobs of all that it had fired: after a pause was stored, nothing that it
   * pauses begins any more. Java nodes cannot be asked.
   */
  async settle(signal?: AbortSignal): Promise<RequestOutcome> {
    const { nodes } = await this.#store.readNodes();
    const others = nodes.filter(({ instanceId, epoch }) => epoch !== null && instanceId !== this.#instanceId);
    const instanceIds = others.map(({ instanceId }) => instanceId);
    return this.#ask(instanceIds, { type: 'settle' }, signal);
  }

  /** Asks one other node for something. False: there is none of that id, it is a Java node, or it has not answered in time. */
  async tell(instanceId: string, request: NodeSignal, signal?: AbortSignal): Promise<boolean> {
    const { acknowledged } = await this.#ask([instanceId], request, signal);
    return acknowledged.includes(instanceId);
  }

  async #interrupt(
    isMeant: (firing: FiringRecord) => boolean,
    request: NodeSignal,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const firings = (await this.getFirings()).filter(isMeant);
    const owners = new Set(firings.map(({ instanceId }) => instanceId));
    owners.delete(this.#instanceId);
    const { acknowledged } = await this.#ask([...owners], request, signal);
    return acknowledged.length > 0;
  }

  async #ask(
    instanceIds: readonly string[],
    request: NodeSignal,
    signal = new AbortController().signal,
  ): Promise<RequestOutcome> {
    if (instanceIds.length === 0) return { acknowledged: [], silent: [] };
    // Before the signal is sent: a node gives up waiting, and acknowledges, so long after it has received it, and never before this end.
    const end = this.#clock.monotonic() + REQUEST_TIMEOUT_MS;
    const sent = await this.#store.sendSignal(instanceIds, request);
    let outcome: RequestOutcome = { acknowledged: [], silent: sent.map(({ instanceId }) => instanceId) };
    for (;;) {
      const latest = await this.#outcomeOf(sent);
      if (this.#clock.monotonic() >= end) return outcome;
      outcome = latest;
      if (outcome.silent.length === 0 || signal.aborted) return outcome;
      await sleepFor(this.#clock, POLL_INTERVAL_MS, signal);
    }
  }

  async #outcomeOf(sent: readonly SentSignal[]): Promise<RequestOutcome> {
    const { nodes } = await this.#store.readNodes();
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
}
