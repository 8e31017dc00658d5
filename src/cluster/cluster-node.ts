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
  /** What this node holds, as the store knows that its lease stands in front of; default: whatever is stored as its own. */
  readonly inFlight?: HeldFirings;
  /** Of the store, shared with what else waits for it in this thread; its announcements must reach `hooks`. */
  readonly availability?: Availability;
  /** For how long the event loop that runs the jobs has not turned; absent when this is the same one. Milliseconds. */
  readonly mainStall?: () => number;
  /** Whether a job runs here that must not run elsewhere at the same time. */
  readonly hasNonConcurrentWork?: () => boolean;
  /** For how long the machine has been suspended in all; default: never. Milliseconds. */
  readonly suspendedTime?: () => number;
  /** What the node does, for the others to see; null: it does not say. Default: that. */
  readonly readLoad?: () => NodeLoad | null;
  /** Default: nothing is known of other processes. */
  readonly isDeadProcess?: NodeContext['isDeadProcess'];
}

/** Durations in milliseconds. */
export interface ClusterNodeOptions extends RecoveryOptions {
  readonly node: NodeFacts;
  /** Job data is written in a form that Java nodes can read. */
  readonly isReadableByJava?: boolean;
  /** With a job that must not run elsewhere at the same time, the longest stall of the main loop; then the node gives up its lease. 0: any. */
  readonly maxMainStall: number;
}

/**
 * How often the machine is asked, at no cost to the database, whether one of its processes has ended or it was suspended. Less often
 * where neither would change anything at once: no other node is on this machine, and nothing runs here.
 */
const MACHINE_CHECK_INTERVAL_MS = 200;
const IDLE_MACHINE_CHECK_INTERVAL_MS = 1_000;

const CHECK_INS_PER_SWEEP = 5;
/** A node that has lost the store must be back soon after it is, whatever its interval. */
const CHECK_IN_RETRY_DELAY_MS = 500;
/** For telling the others that this node leaves; if the store does not answer they find out by themselves. */
const LEAVE_TIMEOUT_MS = 5_000;

const EVERYTHING: HeldFirings = { holds: () => true, isEmpty: false, whetherSettled: () => () => true };

/**
 * This process as a node of the cluster: lives as long as it checks in, takes over from nodes that do not, and watches what other
 * nodes change. All of it goes on while the main loop is blocked, if it runs in another thread.
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

  /** The mark of the present incarnation; another one after the node was fenced and has joined again. */
  get epoch(): string {
    return this.#membership.identity.epoch;
  }

  get nodes(): readonly NodeRecord[] {
    return this.#checkIn.nodes;
  }

  /** Whether triggers may be acquired and fired here at this moment. */
  get mayFire(): boolean {
    return this.#permission.mayFire;
  }

  /** Whether a Java node was among those that were read last. */
  get hasJavaPeer(): boolean {
    return this.#checkIn.hasJavaPeer;
  }

  /** Joins the cluster, then keeps itself alive. Rejects with INSTANCE_ID_TAKEN, or with what the store failed with. */
  async start(): Promise<void> {
    if (this.#isMember) return;
    this.#stopping = new AbortController();
    await this.#join(this.#stopping.signal);
    if (this.#isMember) for (const loop of this.#loops) await loop.start();
  }

  /** Leaves the cluster: nothing may be acquired, fired or run any more. What still is reserved is given back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#inbox.whenIdle();
    if (!this.#isMember) return;
    this.#isMember = false;
    this.lease.revoke();
    await this.#leave();
  }

  /** Checks in, or joins again if this incarnation of the node is over. Rejects with what the store failed with. */
  async checkIn(signal: AbortSignal): Promise<void> {
    this.lease.subtractSuspension();
    if (this.#isMainStalled()) return this.#permission.fence('mainStalled');
    await this.#outage.watch(() => this.#checkInOrJoin(signal));
  }

  /**
   * Whether what was fired in the incarnation `epoch` is this node's to run: waits while the lease is over until it is known. The
   * store refuses to fire in an incarnation that has ended; only afterwards may one end.
   */
  async owns(epoch: string): Promise<boolean> {
    // The store's answer may be read before any timer has reported that the lease is over: then the gate would still be open.
    while (this.lease.check() === 'lost' && this.epoch === epoch && !this.#stopping.signal.aborted) {
      await this.#permission.whenHeld(this.#stopping.signal);
    }
    return this.epoch === epoch && this.lease.state !== 'lost';
  }

  /** Reports at once if the lease is over: a process that was stopped, or a machine that was suspended, may not know it yet. */
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
        // Nodes that start together do not sweep together.
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

/** Random, from 0 to below 1. */
function fraction(random: RandomSource): number {
  const digits = 4;
  return Number.parseInt(random.token(digits), 36) / 36 ** digits;
}
