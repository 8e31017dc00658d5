import { minOf } from '../base/lists';
import {
  detectionTime,
  hasStoodStill,
  isSilent,
  type Observation,
  observe,
  type ReadingTime,
} from '../domain/liveness';
import type { NodeRecord, NodesReading } from '../store/cluster-store';
import type { NodeContext, NodeFacts } from './node-hooks';

/**
 * Decides which peers are dead: where two conditions hold, by the store's clock and by what this node has seen itself, or at once
 * where this machine shows that the process has ended.
 */
export class FailureDetector {
  readonly #observer: NodeFacts;
  readonly #isDeadProcess: NodeContext['isDeadProcess'];
  #observations: ReadonlyMap<string, Observation> = new Map();
  #peers: readonly NodeRecord[] = [];
  #ownLastCheckInTime: number | null = null;

  constructor(observer: NodeFacts, isDeadProcess: NodeContext['isDeadProcess']) {
    this.#observer = observer;
    this.#isDeadProcess = isDeadProcess;
  }

  /** Whether one of the peers that were read last is on this machine, where its end would show at once. */
  get hasNeighbours(): boolean {
    const { process } = this.#observer;
    return process != null && this.#peers.some((peer) => peer.process?.scope === process.scope);
  }

  /** Whether one of the peers that were read last is a process of this machine that has ended since. */
  get hasDeadProcess(): boolean {
    return this.#peers.some(this.#isDeadProcess);
  }

  /** The peers that are dead, from one more reading of the nodes' rows. */
  observe({ now, nodes }: NodesReading, time: ReadingTime): readonly NodeRecord[] {
    const { instanceId, checkInInterval } = this.#observer;
    const own = nodes.find((node) => node.instanceId === instanceId);
    const ownLastCheckInTime = this.#ownLastCheckInTime ?? own?.lastCheckInTime ?? now;
    this.#ownLastCheckInTime = own?.lastCheckInTime ?? null;
    this.#peers = nodes.filter((node) => node !== own);
    this.#observations = new Map(
      this.#peers.map((peer) => [
        peer.instanceId,
        observe(this.#observations.get(peer.instanceId), peer, time, checkInInterval),
      ]),
    );
    return this.#peers.filter(
      (peer) =>
        (isSilent(peer, { now, ownLastCheckInTime }) && hasStoodStill(this.#observationOf(peer), peer)) ||
        this.#isDeadProcess(peer),
    );
  }

  /** When the next peer may turn out to be dead, on the monotonic clock; null: there is no peer. */
  nextDeadline(): number | null {
    return minOf(this.#peers.map((peer) => this.#observationOf(peer).since + detectionTime(peer)));
  }

  /** After a time in which this node was not a member: its earlier observations prove nothing. */
  forget(): void {
    this.#observations = new Map();
    this.#peers = [];
    this.#ownLastCheckInTime = null;
  }

  #observationOf({ instanceId }: NodeRecord): Observation {
    return this.#observations.get(instanceId) as Observation;
  }
}
