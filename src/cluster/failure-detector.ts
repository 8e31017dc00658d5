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
 * Detects failed peers. A peer has failed if it has not checked in for too long, by both the store's clock and this
 * node's own observation. A peer whose process on this machine has ended has also failed.
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

  /** True if a known peer runs on this machine, so that the end of its process can be detected. */
  get hasNeighbours(): boolean {
    const { process } = this.#observer;
    return process != null && this.#peers.some((peer) => peer.process?.scope === process.scope);
  }

  get hasDeadProcess(): boolean {
    return this.#peers.some(this.#isDeadProcess);
  }

  /** Adds a reading of the nodes. Returns the peers that count as failed. */
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

  /** Returns the earliest monotonic time at which a peer may count as failed, or null if there are no peers. */
  nextDeadline(): number | null {
    return minOf(this.#peers.map((peer) => this.#observationOf(peer).since + detectionTime(peer)));
  }

  /** Discards all observations. Observations from before this node rejoined do not prove that a peer has failed. */
  forget(): void {
    this.#observations = new Map();
    this.#peers = [];
    this.#ownLastCheckInTime = null;
  }

  #observationOf({ instanceId }: NodeRecord): Observation {
    return this.#observations.get(instanceId) as Observation;
  }
}
