import type { Clock } from '../base/clock';
import { hasLeft, paceAmongPeers } from '../domain/liveness';
import type { CheckInReading, ClusterStore, NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { ClockGuard } from './clock-guard';
import type { FailureDetector } from './failure-detector';
import type { Lease } from './lease';
import type { NodeHooks } from './node-hooks';

export interface CheckInParts {
  readonly store: Pick<ClusterStore, 'checkIn' | 'readNodes'>;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly detector: FailureDetector;
  readonly clockGuard: ClockGuard;
  readonly hooks: Pick<NodeHooks, 'publish'>;
  readonly identity: () => NodeIdentity;
  /** Hears after every beat which peers are dead. */
  readonly onFailed: (failed: readonly NodeRecord[]) => void;
}

export interface CheckInOptions {
  /** Job data is written in a form that Java nodes can read. */
  readonly isReadableByJava: boolean;
}

/** Two of them may fail before anybody notices. */
const CHECK_INS_PER_INTERVAL = 3;

/** The beat: shows that this node is alive, renews its lease by that, and looks who else is. */
export class CheckIn {
  readonly #parts: CheckInParts;
  readonly #options: CheckInOptions;
  /** The lives that were announced: a node that was away and is back has a new one, and may be back between two beats. */
  #known: ReadonlyMap<string, NodeRecord> = new Map();
  #reading: CheckInReading | null = null;
  #hasJavaPeer = false;

  constructor(parts: CheckInParts, options: CheckInOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** The nodes as they were seen last. */
  get nodes(): readonly NodeRecord[] {
    return this.#reading?.nodes ?? [];
  }

  /** Whether a Java node was among those that were seen last. */
  get hasJavaPeer(): boolean {
    return this.#hasJavaPeer;
  }

  /** One beat. False: this life of the node is over; another node has recovered it, or taken its place. */
  async runOnce(): Promise<boolean> {
    const { store, clock, lease, detector, clockGuard, identity, onFailed } = this.#parts;
    const own = identity();
    const startedAt = clock.monotonic();
    const reading = await store.checkIn(own, clockGuard.offset);
    const time = { startedAt, endedAt: clock.monotonic() };
    if (!reading.isMember) return false;
    clockGuard.judge(reading, time); // before the lease: what it allows, an unsafe clock may forbid
    const peers = reading.nodes.filter(({ instanceId }) => instanceId !== own.instanceId);
    this.#hasJavaPeer = peers.some(({ epoch }) => epoch === null);
    lease.renew(startedAt, paceAmongPeers(own, this.#hasJavaPeer));
    this.#reading = reading;
    this.#announce(reading);
    onFailed(detector.observe(reading, time));
    return true;
  }

  /** Looks at the nodes again, between two beats, if a process of this machine among them has ended. */
  async lookForDeadProcesses(): Promise<void> {
    const { store, clock, detector, onFailed } = this.#parts;
    if (!detector.hasDeadProcess) return;
    const startedAt = clock.monotonic();
    const reading = await store.readNodes();
    onFailed(detector.observe(reading, { startedAt, endedAt: clock.monotonic() }));
  }

  /** Until the next beat: a third of the interval, or less when a peer that is silent will have been so for long enough. */
  delay(): number {
    const beat = this.#parts.identity().checkInInterval / CHECK_INS_PER_INTERVAL;
    const deadline = this.#parts.detector.nextDeadline();
    const left = deadline === null ? beat : deadline - this.#parts.clock.monotonic();
    return left > 0 ? Math.min(beat, left) : beat;
  }

  #announce({ now, nodes }: CheckInReading): void {
    const { hooks, clock } = this.#parts;
    const present = new Set(nodes.map(({ instanceId }) => instanceId));
    for (const node of this.#known.values()) {
      const { instanceId } = node;
      if (!present.has(instanceId) && hasLeft(node, now))
        hooks.publish({ type: 'nodeLeft', at: clock.now(), instanceId });
    }
    for (const node of nodes) if (!this.#known.has(lifeOf(node))) this.#announceNew(node);
    this.#known = new Map(nodes.map((node) => [lifeOf(node), node]));
  }

  #announceNew({ instanceId, epoch }: NodeRecord): void {
    const { hooks, clock } = this.#parts;
    hooks.publish({ type: 'nodeJoined', at: clock.now(), instanceId });
    if (epoch === null && !this.#options.isReadableByJava) this.#warnOfJava(instanceId);
  }

  #warnOfJava(instanceId: string): void {
    const { hooks, clock } = this.#parts;
    const message =
      `The Java node '${instanceId}' works on the same tables, and job data is stored as JSON here, which it cannot read: ` +
      'its jobs would fail. Set jobStore.useProperties to true on every node.';
    hooks.publish({ type: 'configurationWarning', at: clock.now(), message });
  }
}

function lifeOf({ instanceId, epoch }: NodeRecord): string {
  return JSON.stringify([instanceId, epoch]);
}
