import { Availability } from '../base/availability';
import { SchedulerError, toError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { PeriodicService, type Service } from '../base/service';
import { settlesWithin } from '../base/sleep';
import { detectionTime, outageTimeoutMs } from '../domain/liveness';
import type { NodeLoad } from '../domain/node-load';
import type { NodeRecord, RecoveryOptions } from '../store/cluster-store';
import { ChangeWatch } from './change-watch';
import { CHECK_INS_PER_INTERVAL, CheckIn } from './check-in';
import { FailureDetector } from './failure-detector';
import { FiringPermission } from './firing-permission';
import type { Lease } from './lease';
import { Membership } from './membership';
import type { Holdings } from './node-fence';
import type { NodeContext, NodeFacts } from './node-hooks';
import { Recovery } from './recovery';
import { loopOf } from './retrying-loop';
import { SignalInbox } from './signals';
import { StoreOutage } from './store-outage';
import { Sweeper } from './sweeper';

type HeldFirings = Pick<Holdings, 'holds' | 'isEmpty' | 'whetherSettled'>;

export interface ClusterNodeParts extends Pick<NodeContext, 'store' | 'clock' | 'random' | 'hooks'> {
  /** Firings in flight on this node, recorded by its fence; default: every firing stored under its id. */
  readonly inFlight?: HeldFirings;
  /** Availability of the store, shared with other users of it in this thread. Its announcements must reach `hooks`. */
  readonly availability?: Availability;
  /**
   * Returns for how many milliseconds the main event loop, which runs the jobs, has been blocked; absent if this node
   * runs on it.
   */
  readonly mainStall?: () => number;
  /** Returns true if a job runs here that must not run on another node at the same time. */
  readonly hasNonConcurrentWork?: () => boolean;
  /** Returns for how many milliseconds the machine has been suspended in total; default: 0. */
  readonly suspendedTime?: () => number;
  /** Returns the load of this node for the other nodes, or null to publish none. Default: null. */
  readonly readLoad?: () => NodeLoad | null;
  /** Default: no process is known to have ended. */
  readonly isDeadProcess?: NodeContext['isDeadProcess'];
}

/** Durations in milliseconds. */
export interface ClusterNodeOptions extends RecoveryOptions {
  readonly node: NodeFacts;
  /** True if job data is stored in a form that Java nodes can read. */
  readonly isReadableByJava?: boolean;
  /**
   * Maximum stall of the main event loop while a job runs that must not run elsewhere at the same time. After it, the
   * node releases its lease. 0: no limit.
   */
  readonly maxMainStall: number;
}

/**
 * Interval of the check for ended processes and suspension of this machine, which costs the database nothing. It is
 * longer while neither would change anything at once: no other node is on this machine, and nothing runs here.
 */
const MACHINE_CHECK_INTERVAL_MS = 200;
const IDLE_MACHINE_CHECK_INTERVAL_MS = 1_000;

const CHECK_INS_PER_SWEEP = 5;
/** Retry delay of the check-in, whatever its interval, so that a node returns soon after the store does. */
const CHECK_IN_RETRY_DELAY_MS = 500;
/**
 * Maximum time to announce that this node leaves. If the store does not answer, the other nodes detect it by
 * themselves.
 */
const LEAVE_TIMEOUT_MS = 5_000;

const EVERYTHING: HeldFirings = { holds: () => true, isEmpty: false, whetherSettled: () => () => true };

/**
 * This process as a node of the cluster. It checks in, recovers failed nodes, and watches the changes of other nodes.
 * All of this continues while the main event loop is blocked, if the node runs in another thread.
 */
export class ClusterNode implements Service {
  readonly name = 'cluster node';
  readonly sweeper: Sweeper;
  readonly #parts: ClusterNodeParts;
  readonly #options: ClusterNodeOptions;
  readonly #inFlight: HeldFirings;
  readonly #membership: Membership;
  readonly #detector: FailureDetector;
  readonly #permission: FiringPermission;
  readonly #outage: StoreOutage;
  readonly #checkIn: CheckIn;
  readonly #recovery: Recovery;
  readonly #recoveries: PeriodicService;
  readonly #changeWatch: ChangeWatch;
  readonly #inbox: SignalInbox;
  readonly #loops: readonly Service[];
  #stopping = new AbortController();
  #isMember = false;

  constructor(parts: ClusterNodeParts, options: ClusterNodeOptions) {
    const { clock, suspendedTime = () => 0, isDeadProcess = () => false, inFlight = EVERYTHING } = parts;
    const { node: facts, isReadableByJava = true } = options;
    this.#parts = parts;
    this.#options = options;
    this.#inFlight = inFlight;
    const identity = () => this.#membership.identity;
    const context: NodeContext = { ...parts, isDeadProcess, recoveryOptions: options, identity };
    this.#permission = new FiringPermission(context, {
      suspendedTime,
      isStopping: () => this.#stopping.signal.aborted,
    });
    this.#outage = new StoreOutage(context, outageTimeoutMs(facts));
    this.#membership = new Membership(context, facts, this.#permission, this.#outage);
    this.#detector = new FailureDetector(facts, isDeadProcess);
    this.#recovery = new Recovery(context);
    this.#recoveries = new PeriodicService('recovery', {
      clock,
      interval: facts.checkInInterval,
      runOnce: (signal) => this.#recovery.runOnce(signal).then(() => false),
    });
    this.#checkIn = new CheckIn(context, {
      permission: this.#permission,
      detector: this.#detector,
      outage: this.#outage,
      onFailed: (failed) => this.#setFailed(failed),
      isReadableByJava,
      readLoad: parts.readLoad ?? (() => null),
    });
    const orphanedAfterMs = detectionTime(facts);
    this.sweeper = new Sweeper(context, { recovery: this.#recovery, inFlight, orphanedAfterMs });
    this.#inbox = new SignalInbox(context);
    this.#changeWatch = new ChangeWatch(context, this.#inbox);
    this.#loops = [this.lease.watch, ...this.#makeLoops(), this.#recoveries];
  }

  get lease(): Lease {
    return this.#permission.lease;
  }

  /** Epoch of the current incarnation. It changes when a fenced node joins again. */
  get epoch(): string {
    return this.#membership.identity.epoch;
  }

  get nodes(): readonly NodeRecord[] {
    return this.#checkIn.nodes;
  }

  /** True if triggers may be acquired and fired here now. */
  get mayFire(): boolean {
    return this.#permission.mayFire;
  }

  /** True if one of the nodes runs Java, as of the last reading. */
  get hasJavaPeer(): boolean {
    return this.#checkIn.hasJavaPeer;
  }

  /** Joins the cluster and starts checking in. Rejects with INSTANCE_ID_TAKEN, or with the store's error. */
  async start(): Promise<void> {
    if (this.#isMember) return;
    this.#stopping = new AbortController();
    await this.#join(this.#stopping.signal);
    if (this.#isMember) for (const loop of this.#loops) await loop.start();
  }

  /**
   * Leaves the cluster. The caller must have stopped acquiring, firing and running jobs. Releases remaining
   * reservations.
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

  /** Checks in, or joins again if this incarnation has ended. Rejects with the store's error. */
  async checkIn(signal: AbortSignal): Promise<void> {
    this.lease.subtractSuspension();
    if (this.#isMainStalled()) return this.#permission.fence('mainStalled');
    await this.#outage.watch(() => this.#checkInOrJoin(signal));
  }

  /**
   * Returns true if firings of the incarnation `epoch` still belong to this node. While the lease is lost, waits until
   * this is known. The store rejects firings of an ended incarnation, so it may end only after they were stored.
   */
  async owns(epoch: string): Promise<boolean> {
    // `check`, because the store's answer may be read before any timer has reported the lost lease, while the gate is
    // still open.
    while (this.lease.check() === 'lost' && this.epoch === epoch && !this.#stopping.signal.aborted) {
      await this.#permission.whenHeld(this.#stopping.signal);
    }
    return this.epoch === epoch && this.lease.state !== 'lost';
  }

  /**
   * Reports a lost lease immediately: after a suspension of the process or the machine, no timer may have reported it
   * yet.
   */
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
    const { clock, random, hooks } = this.#parts;
    const availability = this.#parts.availability ?? new Availability(clock, () => hooks.storeAvailable());
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
      }),
      loopOf('machine watch', {
        ...common,
        during: 'checking the nodes on this machine',
        runOnce: () => this.#checkMachine(),
        delay: () =>
          this.#inFlight.isEmpty && !this.#detector.hasNeighbours
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
        // Nodes that start together should not sweep together.
        delay: () => sweepIntervalMs * (0.5 + fraction(random)),
      }),
    ];
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
    if (!(await settlesWithin(clock, LEAVE_TIMEOUT_MS, left))) return;
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
    return hasNonConcurrentWork?.() ?? true;
  }
}

/** Returns a random number from 0 to below 1. */
function fraction(random: RandomSource): number {
  const digits = 4;
  return Number.parseInt(random.token(digits), 36) / 36 ** digits;
}
