import { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import type { RandomSource } from '../base/ids';
import { type LoopService, PeriodicService, type Service } from '../base/service';
import { settlesWithin } from '../base/sleep';
import { detectionTime, outageTimeoutMs } from '../domain/liveness';
import type { RecoveryReport } from '../domain/recovery';
import type { ClusterStore, NodeRecord, RecoveryOptions } from '../store/cluster-store';
import { ChangeWatch } from './change-watch';
import { CheckIn } from './check-in';
import { ClockGuard } from './clock-guard';
import { FailureDetector, type IsDeadProcess } from './failure-detector';
import type { Holdings } from './holdings';
import { Lease, type LeaseState } from './lease';
import { loopOf } from './loop';
import { Membership, type NodeFacts } from './membership';
import type { NodeHooks } from './node-hooks';
import { Recovery } from './recovery';
import { SignalInbox } from './signal-inbox';
import { Standing } from './standing';
import { StoreOutage } from './store-outage';
import { SuspensionWatch } from './suspension-watch';
import { Sweeper } from './sweeper';

type HeldFirings = Pick<Holdings, 'holds' | 'isEmpty' | 'whetherSettled'>;

export interface ClusterNodeParts {
  readonly store: ClusterStore;
  /** Its wall clock is only compared with the store's; everything is timed by its monotonic one. */
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hooks: NodeHooks;
  /** What this node holds, as the store knows that its lease stands in front of; default: whatever is stored as its own. */
  readonly holdings?: HeldFirings;
  /** Of the store, shared with what else waits for it in this thread; its announcements must reach `hooks`. */
  readonly availability?: Availability;
  /** For how long the event loop that runs the jobs has not turned; absent when this is the same one. Milliseconds. */
  readonly mainStall?: () => number;
  /** Whether a job runs here that must not run elsewhere at the same time. */
  readonly hasExclusiveWork?: () => boolean;
  /** For how long the machine has been suspended in all; default: never. Milliseconds. */
  readonly suspendedTime?: () => number;
  /** Default: nothing is known of other processes. */
  readonly isDeadProcess?: IsDeadProcess;
}

/** Durations in milliseconds. */
export interface ClusterNodeOptions extends RecoveryOptions {
  readonly node: NodeFacts;
  /** Job data is written in a form that Java nodes can read. */
  readonly isReadableByJava?: boolean;
  /** With exclusive work, the longest stall of the main loop; then the node gives up its lease. 0: any. */
  readonly maxMainStall: number;
}

/**
 * Milliseconds between two looks whether a process of this machine has ended, or the machine was suspended: they ask no database. The
 * longer one where neither would change anything at once: no other node is on this machine, and nothing runs here.
 */
const MACHINE_LOOK_INTERVAL = 200;
const LONG_MACHINE_LOOK_INTERVAL = 1_000;

/** Check-ins between two looks at everything. */
const CHECK_INS_PER_SWEEP = 5;
/** A node that has lost the store must be back soon after it is, whatever its interval. Milliseconds. */
const CHECK_IN_RETRY_DELAY = 500;
/** For telling the others that this node leaves; if the store does not answer they find out by themselves. */
const LEAVE_PATIENCE = 5_000;

const PHASE_LENGTH = 4;

const EVERYTHING: HeldFirings = { holds: () => true, isEmpty: false, whetherSettled: () => () => true };

/**
 * This process as a node of the cluster: lives as long as it checks in, takes over from those that do not, and looks after
 * what other nodes change. All of it goes on while the main loop is blocked, if it runs in another thread.
 */
export class ClusterNode implements Service {
  readonly name = 'cluster node';
  readonly lease: Lease;
  readonly checkIn: CheckIn;
  readonly recovery: Recovery;
  readonly sweeper: Sweeper;
  readonly changeWatch: ChangeWatch;
  readonly inbox: SignalInbox;
  readonly #parts: ClusterNodeParts;
  readonly #options: ClusterNodeOptions;
  readonly #availability: Availability;
  readonly #membership: Membership;
  readonly #detector: FailureDetector;
  readonly #recoveries: PeriodicService;
  readonly #storeOutage: StoreOutage;
  readonly #suspensions: SuspensionWatch;
  readonly #loops: readonly (LoopService | PeriodicService)[];
  readonly #standing: Standing;
  #stopping = new AbortController();
  #isMember = false;

  constructor(parts: ClusterNodeParts, options: ClusterNodeOptions) {
    const { store, clock, random, hooks, isDeadProcess = () => false } = parts;
    this.#parts = parts;
    this.#availability = parts.availability ?? new Availability(clock, () => hooks.storeAvailable());
    this.#options = options;
    const { instanceId } = options.node;
    const clockGuard = new ClockGuard({ instanceId, clock, hooks, onChange: () => this.#standing.tell() });
    const onLease = (state: LeaseState) => this.#standing.leaseChanged(state, this.#stopping.signal.aborted);
    this.lease = new Lease({ clock, onChange: onLease });
    this.#standing = new Standing({ instanceId, clock, hooks, lease: this.lease, clockGuard });
    this.#storeOutage = new StoreOutage({ instanceId, clock, hooks, patience: outageTimeoutMs(options.node) });
    const timed = this.#storeOutage.timed(store);
    this.#membership = new Membership(options.node, {
      store: { ...timed, join: store.join.bind(store), leave: store.leave.bind(store) },
      clock,
      random,
      recovery: options,
      isDeadProcess,
      onReading: (reading, time) => clockGuard.judge(reading, time),
    });
    const identity = () => this.#membership.identity;
    this.#suspensions = new SuspensionWatch(this.lease, parts.suspendedTime ?? (() => 0));
    this.#detector = new FailureDetector(options.node, isDeadProcess);
    this.recovery = new Recovery({ store, clock, hooks, options });
    const onFailed = (failed: readonly NodeRecord[]) => this.#failed(failed);
    const { isReadableByJava = true } = options;
    const judges = { lease: this.lease, detector: this.#detector, clockGuard };
    this.checkIn = new CheckIn({ store: timed, clock, hooks, identity, onFailed, ...judges }, { isReadableByJava });
    const { holdings = EVERYTHING } = parts;
    const patience = detectionTime(options.node);
    this.sweeper = new Sweeper({ store, clock, hooks, identity, holdings, recovery: this.recovery, patience });
    this.inbox = new SignalInbox({ store, clock, hooks, identity });
    this.changeWatch = new ChangeWatch({ store, hooks, identity, inbox: this.inbox });
    this.#recoveries = new PeriodicService('recovery', {
      clock,
      interval: options.node.checkInInterval,
      runOnce: () => this.recovery.runOnce().then(() => false),
    });
    this.#loops = [this.lease.watch, ...this.#makeLoops(), this.#recoveries];
  }

  /** The present life's mark; another one after the node was fenced and has joined again. */
  get epoch(): string {
    return this.#membership.identity.epoch;
  }

  get nodes(): readonly NodeRecord[] {
    return this.checkIn.nodes;
  }

  /** Whether triggers may be acquired and fired here at this moment. */
  get mayFire(): boolean {
    return this.#standing.mayFire;
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
    await this.inbox.whenIdle();
    if (!this.#isMember) return;
    this.#isMember = false;
    this.lease.revoke();
    await this.#leave();
  }

  /** One beat: checks in, or joins again if this life of the node is over. Rejects with what the store failed with. */
  async beat(signal: AbortSignal): Promise<void> {
    this.#suspensions.look();
    if (this.#isMainStalled()) return this.#standing.fence('mainStalled');
    await this.#storeOutage.watch(() => this.#checkIn(signal));
  }

  async #checkIn(signal: AbortSignal): Promise<void> {
    if (this.#isMember && (await this.checkIn.runOnce())) return;
    if (this.#isMember) {
      this.#isMember = false;
      this.#standing.fence('takenOver');
    }
    await this.#join(signal);
  }

  /** Whether a Java node was among those that were seen last. */
  get hasJavaPeer(): boolean {
    return this.checkIn.hasJavaPeer;
  }

  /**
   * Whether what was fired in the life `epoch` is this node's to run: waits while the lease is over until it is known. The
   * store refuses to fire in a life that has ended; only afterwards may one end.
   */
  async owns(epoch: string): Promise<boolean> {
    // The store's answer may be read before any timer has told that the lease is over: then it would still count as held.
    while (this.lease.look() === 'lost' && this.epoch === epoch && !this.#stopping.signal.aborted) {
      await this.#standing.whenHeld(this.#stopping.signal);
    }
    return this.epoch === epoch && this.lease.state !== 'lost';
  }

  /** Tells at once if the lease is over: a process that was stopped, or a machine that was suspended, may not know it yet. */
  lookAtLease(): void {
    this.#suspensions.look();
    this.lease.look();
  }

  #makeLoops(): readonly LoopService[] {
    const { clock, random, hooks, holdings = EVERYTHING } = this.#parts;
    const { checkInInterval } = this.#options.node;
    const common = { clock, publish: hooks.publish, onRecovered: () => this.#availability.announce() };
    const sweepInterval = (CHECK_INS_PER_SWEEP * checkInInterval) / 3;
    let isFirstSweep = true;
    return [
      loopOf('check-in', {
        ...common,
        during: 'checking in',
        runOnce: (signal) => this.beat(signal),
        delay: () => this.checkIn.delay(),
        retryDelay: CHECK_IN_RETRY_DELAY,
      }),
      loopOf('change watch', {
        ...common,
        during: 'looking for changes made by other nodes',
        runOnce: () => this.changeWatch.runOnce(),
        delay: () => this.changeWatch.delay(),
      }),
      loopOf('machine watch', {
        ...common,
        during: 'looking at the nodes of this machine',
        runOnce: async () => {
          this.#suspensions.look();
          if (this.#isMember) await this.checkIn.lookForDeadProcesses();
        },
        delay: () =>
          holdings.isEmpty && !this.#detector.hasNeighbours ? LONG_MACHINE_LOOK_INTERVAL : MACHINE_LOOK_INTERVAL,
      }),
      loopOf('sweeper', {
        ...common,
        during: 'looking for impossible states',
        runOnce: async () => {
          if (!isFirstSweep && this.lease.mayFire) await this.sweeper.runOnce();
          isFirstSweep = false;
        },
        // Nodes that start together do not sweep together.
        delay: () => sweepInterval * (0.5 + fraction(random)),
      }),
    ];
  }

  async #join(signal: AbortSignal): Promise<void> {
    try {
      const joined = await this.#membership.join(signal);
      if (joined === null) return;
      this.#detector.forget();
      this.#isMember = true;
      this.lease.renew(joined.startedAt, this.#options.node);
      if (!isEmpty(joined.recovery)) this.recovery.announce(joined.recovery);
    } catch (thrown) {
      const isTaken = thrown instanceof SchedulerError && thrown.code === 'INSTANCE_ID_TAKEN';
      if (isTaken && this.#standing.hasFired) this.#standing.fence('instanceIdTaken');
      throw thrown;
    }
  }

  async #leave(): Promise<void> {
    const { clock, hooks } = this.#parts;
    const left = this.#membership.leave();
    if (!(await settlesWithin(clock, LEAVE_PATIENCE, left))) left.catch(() => undefined);
    else {
      await left.catch((thrown: unknown) =>
        hooks.publish({
          type: 'schedulerError',
          at: clock.now(),
          during: 'leaving the cluster',
          error: toError(thrown),
        }),
      );
    }
  }

  #failed(failed: readonly NodeRecord[]): void {
    this.recovery.setFailed(failed);
    if (failed.length > 0) this.#recoveries.runNow();
  }

  #isMainStalled(): boolean {
    const { mainStall, hasExclusiveWork } = this.#parts;
    const { maxMainStall } = this.#options;
    if (maxMainStall === 0 || mainStall === undefined || mainStall() <= maxMainStall) return false;
    return hasExclusiveWork?.() ?? true;
  }
}

function isEmpty({ released, recovered, exhausted, lost }: RecoveryReport): boolean {
  return released + recovered.length + exhausted.length + lost === 0;
}

/** Random, from 0 to below 1. */
function fraction(random: RandomSource): number {
  return Number.parseInt(random.token(PHASE_LENGTH), 36) / 36 ** PHASE_LENGTH;
}
