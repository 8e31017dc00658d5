import type { Clock } from '../base/clock';
import { sleepFor } from '../base/sleep';
import { type JobKey, sameKey } from '../domain/keys';
import type { ClusterStore, FiringRecord, NodeSignal, SentSignal } from '../store/cluster-store';

export interface ClusterRequestsParts {
  readonly store: Pick<ClusterStore, 'getFirings' | 'sendSignal' | 'readNodes'>;
  readonly clock: Clock;
  /** This node: it asks the others. */
  readonly instanceId: string;
}

/** What became of a request, by instance id. A node that has gone has nothing left to do. */
export interface RequestOutcome {
  readonly acknowledged: readonly string[];
  /** Those that did not answer in time. */
  readonly silent: readonly string[];
}

/** Nodes look for signals five to ten times a second. Milliseconds. */
const POLL_INTERVAL = 50;
/** For the answers to a request. Milliseconds. */
export const REQUEST_PATIENCE = 5_000;

/** Asks other nodes to do something, and waits until they have. */
export class ClusterRequests {
  readonly #parts: ClusterRequestsParts;

  constructor(parts: ClusterRequestsParts) {
    this.#parts = parts;
  }

  /** What executes on all nodes, this one too. */
  getFirings(): Promise<readonly FiringRecord[]> {
    return this.#parts.store.getFirings();
  }

  /** Interrupts the executions of a job on all other nodes. True when there was one. */
  interruptJob(jobKey: JobKey, signal?: AbortSignal): Promise<boolean> {
    return this.#interrupt((firing) => sameKey(firing.jobKey, jobKey), { type: 'interruptJob', jobKey }, signal);
  }

  /** Interrupts one firing, on whichever other node it executes. True when it does. */
  interruptFireInstance(fireInstanceId: string, signal?: AbortSignal): Promise<boolean> {
    const isMeant = (firing: FiringRecord) => firing.fireInstanceId === fireInstanceId;
    return this.#interrupt(isMeant, { type: 'interruptFireInstance', fireInstanceId }, signal);
  }

  /**
   * Waits until every other node has begun the jobs of all that it had fired: after a pause was stored, nothing that it
   * pauses begins any more. Java nodes cannot be asked.
   */
  async settle(signal?: AbortSignal): Promise<RequestOutcome> {
    const { nodes } = await this.#parts.store.readNodes();
    const others = nodes.filter(({ instanceId, epoch }) => epoch !== null && instanceId !== this.#parts.instanceId);
    return this.#ask(
      others.map(({ instanceId }) => instanceId),
      { type: 'settle' },
      signal,
    );
  }

  async #interrupt(
    isMeant: (firing: FiringRecord) => boolean,
    request: NodeSignal,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const firings = (await this.getFirings()).filter(isMeant);
    const owners = new Set(firings.map(({ instanceId }) => instanceId));
    owners.delete(this.#parts.instanceId);
    const { acknowledged } = await this.#ask([...owners], request, signal);
    return acknowledged.length > 0;
  }

  async #ask(
    instanceIds: readonly string[],
    request: NodeSignal,
    signal = new AbortController().signal,
  ): Promise<RequestOutcome> {
    const { store, clock } = this.#parts;
    if (instanceIds.length === 0) return { acknowledged: [], silent: [] };
    const sent = await store.sendSignal(instanceIds, request);
    const end = clock.monotonic() + REQUEST_PATIENCE;
    for (;;) {
      const outcome = await this.#outcomeOf(sent);
      if (outcome.silent.length === 0 || signal.aborted || clock.monotonic() >= end) return outcome;
      await sleepFor(clock, POLL_INTERVAL, signal);
    }
  }

  async #outcomeOf(sent: readonly SentSignal[]): Promise<RequestOutcome> {
    const { nodes } = await this.#parts.store.readNodes();
    const seenBy = new Map(nodes.map(({ instanceId, signalSeen }) => [instanceId, signalSeen]));
    const isSilent = ({ instanceId, number }: SentSignal) => (seenBy.get(instanceId) ?? number) < number;
    const idsOf = (signals: readonly SentSignal[]) => signals.map(({ instanceId }) => instanceId);
    return {
      acknowledged: idsOf(sent.filter((each) => seenBy.has(each.instanceId) && !isSilent(each))),
      silent: idsOf(sent.filter(isSilent)),
    };
  }
}
