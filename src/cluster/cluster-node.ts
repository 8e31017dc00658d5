import type { Availability } from '../base/availability';
import { SchedulerError, toError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { PeriodicService, type Service } from '../base/service';
import { completesWithin } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import { detectionTime, outageTimeoutMs } from '../domain/liveness';
import type { NodeRecord, RecoveryOptions } from '../store/cluster-store';
import { ChangeWatch } from './change-watch';
import { CHECK_INS_PER_INTERVAL, CheckIn, type CheckInOptions } from './check-in';
import { FailureDetector } from './failure-detector';
import { FiringPermission, type FiringPermissionOptions } from './firing-permission';
import type { Lease } from './lease';
import { Membership } from './membership';
import type { InFlightRuns } from './node-fence';
import type { NodeContext, NodeFacts } from './node-hooks';
import { Recovery } from './recovery';
import { loopOf } from './retrying-loop';
import { RingWatch } from './ring-watch';
import { SignalInbox } from './signals';
import { StoreOutage } from './store-outage';
import { Sweeper } from './sweeper';

interface ClusterNodeParts
  extends Omit<NodeContext, 'recoveryOptions' | 'identity'>,
    Pick<FiringPermissionOptions, 'suspendedTime'>,
    Pick<CheckInOptions, 'readLoad'> {
  /** Firings in flight on this node, as recorded by its fence. */
  readonly inFlight: Pick<InFlightRuns, 'holds' | 'isEmpty' | 'watchRequests'>;
  /** Availability of the store, shared by its users in this thread. The caller must call `hooks.storeAvailable` at each announcement. */
  readonly availability: Availability;
  /** Returns the time in milliseconds for which the main event loop, with the jobs, has been blocked. Absent if the node runs on that loop. */
  readonly mainStall?: () => number;
  /** Returns true if this node runs a job that must not run on another node concurrently. */
  readonly hasNonConcurrentWork: () => boolean;
}

/** Settings of a cluster node. Durations are in milliseconds. */
interface ClusterNodeOptions extends RecoveryOptions, Pick<CheckInOptions, 'isReadableByJava'> {
  readonly node: NodeFacts;
  /** Maximum time that the main event loop may be blocked while a non-concurrent job runs. After that, the lease is revoked. 0: no limit. */
  readonly maxMainStall: number;
}

/**
 * Interval between checks for ended processes and suspensions of this machine. The checks send no query unless a process has ended. The interval is
 * longer while no other node is on this machine and this node has no firings in flight.
 */
const MACHINE_CHECK_INTERVAL_MS = 200;
const IDLE_MACHINE_CHECK_INTERVAL_MS = 1_000;

const CHECK_INS_PER_SWEEP = 5;
/** After a minute without changes and firings, several sweeps have found everything, and the next ones are less frequent by this factor. */
const IDLE_SWEEP_FACTOR = 12;
const IDLE_AFTER_MS = 60_000;
/** Maximum delay before a failed check-in is retried. Independent of the check-in interval, so that the node resumes soon after an outage. */
const CHECK_IN_RETRY_DELAY_MS = 500;
/** Maximum time to record that this node leaves. If the store does not answer, the other nodes detect the missing check-ins. */
const LEAVE_TIMEOUT_MS = 5_000;

/**
 * This process as a node of the cluster: checks in, recovers failed nodes, and watches for changes by other nodes. A
 * node in its own thread can check in even while jobs block the main event loop.
 */
export class ClusterNode implements Service {
  readonly name = 'cluster node';
  readonly sweeper: Sweeper;
  readonly #parts: ClusterNodeParts;
  readonly #options: ClusterNodeOptions;
  readonly #membership: Membership;
  readonly #detector: FailureDetector;
  readonly #permission: FiringPermission;
  readonly #outage: StoreOutage;
  readonly #checkIn: CheckIn;
  readonly #recovery: Recovery;
  readonly #recoveries: PeriodicService;
  readonly #changeWatch: ChangeWatch;
  readonly #wakeChangeWatch: WakeSignal;
  readonly #rings: RingWatch;
  readonly #inbox: SignalInbox;
  readonly #loops: readonly Service[];
  #stopping = new AbortController();
  #isMember = false;

  constructor(parts: ClusterNodeParts, options: ClusterNodeOptions) {
    const { clock, inFlight } = parts;
    const { node: facts } = options;
    this.#parts = parts;
    this.#options = options;
    const identity = () => this.#membership.identity;
    const context: NodeContext = { ...parts, recoveryOptions: options, identity };
    this.#permission = new FiringPermission(context, {
      ...parts,
      isStopping: () => this.#stopping.signal.aborted,
    });
    this.#outage = new StoreOutage(context, outageTimeoutMs(facts));
    this.#membership = new Membership(context, facts, this.#permission, this.#outage);
    this.#detector = new FailureDetector(facts, parts.isDeadProcess);
    this.#recovery = new Recovery(context);
    this.#recoveries = new PeriodicService('recovery', {
      clock,
      interval: facts.checkInInterval,
      runOnce: (signal) => this.#recovery.runOnce(signal).then(() => false),
    });
    this.#checkIn = new CheckIn(context, {
      ...parts,
      ...options,
      permission: this.#permission,
      detector: this.#detector,
      outage: this.#outage,
      onFailed: (failed) => this.#setFailed(failed),
    });
    const orphanedAfterMs = detectionTime(facts);
    this.sweeper = new Sweeper(context, { recovery: this.#recovery, inFlight, orphanedAfterMs });
    this.#inbox = new SignalInbox(context);
    this.#wakeChangeWatch = new WakeSignal(clock);
    const poll = () => {
      this.#changeWatch.expectChanges();
      this.#wakeChangeWatch.notify(null);
    };
    this.#rings = new RingWatch(context, poll, () => this.#changeWatch.isQuiet && !this.hasJavaPeer);
    this.#changeWatch = new ChangeWatch(context, this.#inbox, () => (this.hasJavaPeer ? 'nothing' : this.#rings.hears));
    this.#loops = [this.lease.watch, ...this.#makeLoops(), this.#recoveries, this.#rings];
  }

  get lease(): Lease {
    return this.#permission.lease;
  }

  /** Epoch of the current incarnation. Changes when the node rejoins after another node ended its incarnation. */
  get epoch(): string {
    return this.#membership.identity.epoch;
  }

  get mayFire(): boolean {
    return this.#permission.mayFire;
  }

  /** True if at least one peer is a Java node, as of the last check-in. */
  get hasJavaPeer(): boolean {
    return this.#checkIn.hasJavaPeer;
  }

  /** Joins the cluster and starts checking in. No effect if the node is already a member. Rejects with INSTANCE_ID_TAKEN or the store's error. */
  async start(): Promise<void> {
    if (this.#isMember) return;
    this.#stopping = new AbortController();
    await this.#join(this.#stopping.signal);
    if (this.#isMember) for (const loop of this.#loops) await loop.start();
  }

  /**
   * Leaves the cluster and releases this node's remaining reservations. The caller must already have stopped acquiring triggers and running jobs.
   * Waits at most 5 s for the store to record the departure; a failure is published as `schedulerError`.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#inbox.whenIdle();
    if (!this.#isMember) return;
    this.#isMember = false;
    this.lease.revoke();
    await this.#leave();
  }

  /** Checks in, or rejoins if this incarnation has ended. Revokes the lease if the main loop was blocked too long. Rejects with the store's error. */
  async checkIn(signal: AbortSignal): Promise<void> {
    this.lease.subtractSuspension();
    if (this.#isMainStalled()) return this.#permission.fence('mainStalled');
    await this.#outage.watch(() => this.#checkInOrJoin(signal));
  }

  /**
   * Returns true if firings of the incarnation `epoch` still belong to this node. While the lease is lost, waits until a check-in renews it, the
   * incarnation ends or the node stops. A stored firing is no proof: its incarnation may have ended after the firing was stored.
   */
  async owns(epoch: string): Promise<boolean> {
    // `check` closes the gate if the lease has expired, because the store may answer before a timer reports the loss.
    while (this.lease.check() === 'lost' && this.epoch === epoch && !this.#stopping.signal.aborted) {
      await this.#permission.whenHeld(this.#stopping.signal);
    }
    return this.epoch === epoch && this.lease.state !== 'lost';
  }

  /** Checks the lease and reports its loss. After a suspension of the process or machine, no timer may have reported it yet. */
  checkLease(): void {
    this.lease.subtractSuspension();
    this.lease.check();
  }

  async #checkInOrJoin(signal: AbortSignal): Promise<void> {
    if (this.#isMember && (await this.#checkIn.runOnce())) return;
    if (this.#isMember) {
      this.#isMember = false;
      this.#permission.fence('takenOver');
    }
    await this.#join(signal);
  }

  #makeLoops(): readonly Service[] {
    const { clock, random, hooks, availability, inFlight } = this.#parts;
    const common = { clock, publish: hooks.publish, onRecovered: () => availability.announce() };
    const sweepIntervalMs = (CHECK_INS_PER_SWEEP * this.#options.node.checkInInterval) / CHECK_INS_PER_INTERVAL;
    let isFirstSweep = true;
    return [
      loopOf('check-in', {
        ...common,
        during: 'checking in',
        runOnce: (signal) => this.checkIn(signal),
        delay: () => this.#checkIn.delay(),
        retryDelayMs: CHECK_IN_RETRY_DELAY_MS,
      }),
      loopOf('change watch', {
        ...common,
        during: 'polling for changes made by other nodes',
        runOnce: () => this.#changeWatch.runOnce(),
        delay: () => this.#changeWatch.delay(),
        wake: this.#wakeChangeWatch,
      }),
      loopOf('machine watch', {
        ...common,
        during: 'checking the nodes on this machine',
        runOnce: () => this.#checkMachine(),
        delay: () =>
          inFlight.isEmpty && !this.#detector.hasNeighbours
            ? IDLE_MACHINE_CHECK_INTERVAL_MS
            : MACHINE_CHECK_INTERVAL_MS,
      }),
      loopOf('sweeper', {
        ...common,
        during: 'checking for inconsistent states',
        runOnce: async (signal) => {
          if (!isFirstSweep && this.lease.mayFire) await this.sweeper.runOnce(signal);
          isFirstSweep = false;
        },
        // Random, so that nodes that start together do not sweep at the same time.
        delay: () => sweepIntervalMs * (0.5 + fraction(random)) * (this.#isIdle ? IDLE_SWEEP_FACTOR : 1),
      }),
    ];
  }

  get #isIdle(): boolean {
    return this.#parts.inFlight.isEmpty && this.#changeWatch.quietMs > IDLE_AFTER_MS && !this.hasJavaPeer;
  }

  async #checkMachine(): Promise<void> {
    this.lease.subtractSuspension();
    if (this.#isMember) await this.#checkIn.detectDeadProcesses();
  }

  async #join(signal: AbortSignal): Promise<void> {
    try {
      const joined = await this.#membership.join(signal);
      if (joined === null) return;
      this.#detector.forget();
      this.#isMember = true;
      this.lease.renew(joined.startedAt, this.#options.node);
      const { released, recovered, exhausted, lost } = joined.recovery;
      if (released + recovered.length + exhausted.length + lost > 0) this.#recovery.announce(joined.recovery);
    } catch (thrown) {
      const isTaken = thrown instanceof SchedulerError && thrown.code === 'INSTANCE_ID_TAKEN';
      if (isTaken && this.#permission.hasFired) this.#permission.fence('instanceIdTaken');
      throw thrown;
    }
  }

  async #leave(): Promise<void> {
    const { clock, hooks } = this.#parts;
    const left = this.#membership.leave().catch((thrown: unknown) => toError(thrown));
    if (!(await completesWithin(clock, LEAVE_TIMEOUT_MS, left))) return;
    const error = await left;
    if (error) hooks.publish({ type: 'schedulerError', at: clock.now(), during: 'leaving the cluster', error });
  }

  #setFailed(failed: readonly NodeRecord[]): void {
    this.#recovery.setFailed(failed);
    if (failed.length > 0) this.#recoveries.runNow();
  }

  #isMainStalled(): boolean {
    const { mainStall, hasNonConcurrentWork } = this.#parts;
    const { maxMainStall } = this.#options;
    if (maxMainStall === 0 || mainStall === undefined || mainStall() <= maxMainStall) return false;
    return hasNonConcurrentWork();
  }
}

/** Returns a random number in [0, 1). */
function fraction(random: RandomSource): number {
  const digits = 4;
  return Number.parseInt(random.token(digits), 36) / 36 ** digits;
}
