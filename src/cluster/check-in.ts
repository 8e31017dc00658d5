import type { EpochMs } from '../base/clock';
import { checksIn, hasLeft, paceAmongPeers } from '../domain/liveness';
import type { NodeLoad } from '../domain/node-load';
import type { CheckInReading, NodeRecord } from '../store/cluster-store';
import type { FailureDetector } from './failure-detector';
import type { FiringPermission } from './firing-permission';
import type { NodeContext } from './node-hooks';
import type { StoreOutage } from './store-outage';

export interface CheckInOptions {
  readonly permission: FiringPermission;
  readonly detector: FailureDetector;
  readonly outage: StoreOutage;
  /** Called after every check-in, and after every reading by `detectDeadProcesses`, with the peers that count as failed. */
  readonly onFailed: (failed: readonly NodeRecord[]) => void;
  /** True if job data is stored in a format that Java nodes can read. If false, each Java node that joins causes a warning. */
  readonly isReadableByJava: boolean;
  /** Returns the load of this node to publish to the other nodes, or null to publish none. */
  readonly readLoad: () => NodeLoad | null;
}

/** Check-ins per check-in interval. With three, two may fail before a peer declares this node failed. */
export const CHECK_INS_PER_INTERVAL = 3;

/** Checks in: records that this node is alive, renews its lease, and reads the other nodes. */
export class CheckIn {
  readonly #context: NodeContext;
  readonly #options: CheckInOptions;
  /** Nodes of the last check-in, by incarnation. A node that leaves and rejoins between two check-ins is a new incarnation. */
  #known: ReadonlyMap<string, NodeRecord> = new Map();
  #hasJavaPeer = false;
  #doOthersTakeWork = false;
  /** Load that the store contains, as JSON, and the incarnation that reported it. */
  #reported = '';

  constructor(context: NodeContext, options: CheckInOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** True if at least one peer is a Java node, as of the last check-in. */
  get hasJavaPeer(): boolean {
    return this.#hasJavaPeer;
  }

  /** Checks in once. Returns false if another node has recovered or replaced this incarnation. Rejects with the store's error. */
  async runOnce(): Promise<boolean> {
    const { store, clock, identity } = this.#context;
    const { permission, detector, outage, onFailed, readLoad } = this.#options;
    const own = identity();
    const startedAt = clock.monotonic();
    const load = readLoad();
    const reported = JSON.stringify([own.epoch, load]);
    const changedLoad = reported === this.#reported ? null : load;
    const reading = await outage.timed(store.checkIn(own, permission.clockOffset, changedLoad));
    const time = { startedAt, endedAt: clock.monotonic() };
    if (!reading.isMember) return false;
    this.#reported = reported;
    permission.judgeClock(reading, time); // must precede the renewal of the lease: with an unsafe clock, the node must not fire despite its lease
    const peers = reading.nodes.filter(({ instanceId }) => instanceId !== own.instanceId);
    this.#hasJavaPeer = peers.some(({ epoch }) => epoch === null);
    permission.lease.renew(startedAt, paceAmongPeers(own, this.#hasJavaPeer));
    this.#reportOthers(peers, reading.now);
    this.#announce(reading);
    onFailed(detector.observe(reading, time));
    return true;
  }

  /** Reads the nodes between check-ins if a peer's process on this machine has ended. Reports failed peers. Rejects with the store's error. */
  async detectDeadProcesses(): Promise<void> {
    const { store, clock } = this.#context;
    const { detector, outage, onFailed } = this.#options;
    if (!detector.hasDeadProcess) return;
    const startedAt = clock.monotonic();
    const reading = await outage.timed(store.readNodes());
    onFailed(detector.observe(reading, { startedAt, endedAt: clock.monotonic() }));
  }

  /** Returns the milliseconds until the next check-in: a third of the check-in interval, or less if a peer could be declared failed earlier. */
  delay(): number {
    const delayMs = this.#context.identity().checkInInterval / CHECK_INS_PER_INTERVAL;
    const deadline = this.#options.detector.nextDeadline();
    const leftMs = deadline === null ? delayMs : deadline - this.#context.clock.monotonic();
    return leftMs > 0 ? Math.min(delayMs, leftMs) : delayMs;
  }

  /** Reports when the first other node starts to acquire, and when the last stops. Ignores Java nodes: they may notice a due trigger 30 s late. */
  #reportOthers(peers: readonly NodeRecord[], now: EpochMs): void {
    const takeWork = peers.some((peer) => peer.epoch !== null && !peer.draining && checksIn(peer, now));
    if (takeWork === this.#doOthersTakeWork) return;
    this.#doOthersTakeWork = takeWork;
    this.#context.hooks.othersTakeWork(takeWork);
  }

  #announce({ now, nodes }: CheckInReading): void {
    const { hooks, clock } = this.#context;
    const present = new Set(nodes.map(({ instanceId }) => instanceId));
    for (const node of this.#known.values()) {
      const { instanceId } = node;
      if (!present.has(instanceId) && hasLeft(node, now))
        hooks.publish({ type: 'nodeLeft', at: clock.now(), instanceId });
    }
    for (const node of nodes) if (!this.#known.has(incarnationOf(node))) this.#announceNew(node);
    this.#known = new Map(nodes.map((node) => [incarnationOf(node), node]));
  }

  #announceNew({ instanceId, epoch }: NodeRecord): void {
    const { hooks, clock } = this.#context;
    hooks.publish({ type: 'nodeJoined', at: clock.now(), instanceId });
    if (epoch !== null || this.#options.isReadableByJava) return;
    const message =
      `The Java node '${instanceId}' uses the same tables. While it is alive, this node stores job data as Java serialises it, which a Java node ` +
      'with useProperties cannot read: jobStore.useProperties must be the same on every node. `quartz doctor` lists the data that was stored as JSON before.';
    hooks.publish({ type: 'configurationWarning', at: clock.now(), message });
  }
}

function incarnationOf({ instanceId, epoch }: NodeRecord): string {
  return JSON.stringify([instanceId, epoch]);
}
