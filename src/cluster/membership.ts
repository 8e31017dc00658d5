import { SchedulerError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { hasLeft, isOverdue, paceAmongPeers, takeoverDelayMs } from '../domain/liveness';
import type { RecoveryReport } from '../domain/recovery';
import type { CheckInReading, NodeIdentity, NodeRecord } from '../store/cluster-store';
import type { FailureDetector } from './failure-detector';
import type { FiringPermission } from './firing-permission';
import type { NodeContext, NodeFacts } from './node-hooks';
import type { StoreOutage } from './store-outage';

/** An incarnation has begun. `startedAt`: when that was requested, on the monotonic clock. */
export interface Joined {
  readonly startedAt: number;
  /** What an earlier incarnation of the same id had left. */
  readonly recovery: RecoveryReport;
}

const EPOCH_LENGTH = 16;

/** Readings of an existing node's row while waiting for a check-in of it. */
const READINGS = 6;

/** For a starting node whose id is taken, again and again, by others that start at the same time. */
const MAX_ATTEMPTS = 5;

/** The incarnations of one node: begins them, each under an epoch of its own, and ends them. */
export class Membership {
  readonly #context: NodeContext;
  readonly #permission: FiringPermission;
  readonly #outage: StoreOutage;
  #identity: NodeIdentity;

  constructor(context: NodeContext, facts: NodeFacts, permission: FiringPermission, outage: StoreOutage) {
    this.#context = context;
    this.#permission = permission;
    this.#outage = outage;
    this.#identity = { ...facts, epoch: context.random.token(EPOCH_LENGTH) };
  }

  /** The present incarnation, or the next one before it begins. */
  get identity(): NodeIdentity {
    return this.#identity;
  }

  /**
   * Begins an incarnation. Where a node of the same id is stored, waits until it is certain that it is dead. Rejects with
   * INSTANCE_ID_TAKEN when it does, and with errors of the store; null when `signal` aborts.
   */
  async join(signal: AbortSignal): Promise<Joined | null> {
    const { store, clock, random, recoveryOptions } = this.#context;
    this.#identity = { ...this.#identity, epoch: random.token(EPOCH_LENGTH) };
    for (let attempt = 1; !signal.aborted; attempt++) {
      const existing = await this.#findExisting(signal);
      if (signal.aborted) return null;
      const startedAt = clock.monotonic();
      const result = await store.join(this.#identity, existing, recoveryOptions);
      if (result.status === 'joined') return { startedAt, recovery: result.recovery };
      if (attempt === MAX_ATTEMPTS) throw taken(this.#identity.instanceId);
    }
    return null;
  }

  /** Ends the present incarnation, if nothing of it executes any more. */
  async leave(): Promise<void> {
    await this.#context.store.leave(this.#identity);
  }

  /** The row of this node's id; null: there is none. Rejects if another process lives by it. */
  async #findExisting(signal: AbortSignal): Promise<NodeRecord | null> {
    const { clock, isDeadProcess } = this.#context;
    const { now, found } = await this.#read();
    if (found === null || hasEnded(found, now) || isDeadProcess(found)) return found;
    const waitMs = takeoverDelayMs(found);
    const end = clock.monotonic() + waitMs;
    while (clock.monotonic() < end && !signal.aborted) {
      await sleepFor(clock, waitMs / READINGS, signal);
      const { found: again } = await this.#read();
      if (again === null || isDeadProcess(again)) return again;
      if (again.lastCheckInTime !== found.lastCheckInTime || again.epoch !== found.epoch) throw taken(found.instanceId);
    }
    return found;
  }

  async #read(): Promise<{ readonly now: number; readonly found: NodeRecord | null }> {
    const { store, clock } = this.#context;
    const startedAt = clock.monotonic();
    const reading = await this.#outage.timed(store.readNodes());
    this.#permission.judgeClock(reading, { startedAt, endedAt: clock.monotonic() });
    const { now, nodes } = reading;
    return { now, found: nodes.find(({ instanceId }) => instanceId === this.#identity.instanceId) ?? null };
  }
}

/** Both times are the store's, so that no clocks are compared. A Java node writes its own time: only observation can tell. */
function hasEnded(found: NodeRecord, now: number): boolean {
  return found.epoch !== null && isOverdue(found, { now, ownLastCheckInTime: now });
}

function taken(instanceId: string): SchedulerError {
  return new SchedulerError(
    'INSTANCE_ID_TAKEN',
    `Expected an instance id of its own for every node, found that another process checks in as '${instanceId}'. ` +
      'Set instanceId to AUTO, or give each node another one.',
  );
}

export interface CheckInOptions {
  readonly permission: FiringPermission;
  readonly detector: FailureDetector;
  readonly outage: StoreOutage;
  /** Gets the dead peers after every check-in. */
  readonly onFailed: (failed: readonly NodeRecord[]) => void;
  /** Job data is written in a form that Java nodes can read. */
  readonly isReadableByJava: boolean;
}

/** Two of them may fail before a peer declares this node dead. */
export const CHECK_INS_PER_INTERVAL = 3;

/** The check-in: shows that this node is alive, renews its lease, and reads the other nodes. */
export class CheckIn {
  readonly #context: NodeContext;
  readonly #options: CheckInOptions;
  /** The incarnations that were announced: a node that was away has a new one, and may be back between two check-ins. */
  #known: ReadonlyMap<string, NodeRecord> = new Map();
  #nodes: readonly NodeRecord[] = [];
  #hasJavaPeer = false;

  constructor(context: NodeContext, options: CheckInOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** The nodes as they were read last. */
  get nodes(): readonly NodeRecord[] {
    return this.#nodes;
  }

  /** Whether a Java node was among them. */
  get hasJavaPeer(): boolean {
    return this.#hasJavaPeer;
  }

  /** One check-in. False: this incarnation is over; another node has recovered it, or taken its place. */
  async runOnce(): Promise<boolean> {
    const { store, clock, identity } = this.#context;
    const { permission, detector, outage, onFailed } = this.#options;
    const own = identity();
    const startedAt = clock.monotonic();
    const reading = await outage.timed(store.checkIn(own, permission.clockOffset));
    const time = { startedAt, endedAt: clock.monotonic() };
    if (!reading.isMember) return false;
    permission.judgeClock(reading, time); // before the lease: an unsafe clock may forbid what the lease allows
    const peers = reading.nodes.filter(({ instanceId }) => instanceId !== own.instanceId);
    this.#hasJavaPeer = peers.some(({ epoch }) => epoch === null);
    permission.lease.renew(startedAt, paceAmongPeers(own, this.#hasJavaPeer));
    this.#nodes = reading.nodes;
    this.#announce(reading);
    onFailed(detector.observe(reading, time));
    return true;
  }

  /** Reads the nodes between two check-ins, if a process of this machine among them has ended. */
  async detectDeadProcesses(): Promise<void> {
    const { store, clock } = this.#context;
    const { detector, outage, onFailed } = this.#options;
    if (!detector.hasDeadProcess) return;
    const startedAt = clock.monotonic();
    const reading = await outage.timed(store.readNodes());
    onFailed(detector.observe(reading, { startedAt, endedAt: clock.monotonic() }));
  }

  /** Until the next check-in: a third of the interval, or less when a silent peer can be declared dead before that. */
  delay(): number {
    const delayMs = this.#context.identity().checkInInterval / CHECK_INS_PER_INTERVAL;
    const deadline = this.#options.detector.nextDeadline();
    const leftMs = deadline === null ? delayMs : deadline - this.#context.clock.monotonic();
    return leftMs > 0 ? Math.min(delayMs, leftMs) : delayMs;
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
      `The Java node '${instanceId}' works on the same tables, and job data is stored as JSON here, which it cannot read: ` +
      'its jobs would fail. Set jobStore.useProperties to true on every node.';
    hooks.publish({ type: 'configurationWarning', at: clock.now(), message });
  }
}

function incarnationOf({ instanceId, epoch }: NodeRecord): string {
  return JSON.stringify([instanceId, epoch]);
}
