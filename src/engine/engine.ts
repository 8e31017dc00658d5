import type { JobExecutionContext, JobMiddleware, Scheduler } from '../api/scheduler';
import { Availability } from '../base/availability';
import type { Clock, EpochMs } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import type { Gate } from '../base/gate';
import { type RandomSource, systemRandom } from '../base/ids';
import { LoopService, PeriodicService } from '../base/service';
import { settlesWithin } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { SchedulerConfig } from '../config/scheduler-config';
import type { FireResult } from '../domain/firing';
import type { NodeJobTypes } from '../domain/job-types';
import type { JobKey } from '../domain/keys';
import { LoadCounts } from '../domain/load-counts';
import type { EventBus } from '../events/event-bus';
import { ListenerDispatch } from '../events/listener-dispatch';
import type { ListenerRegistry } from '../events/listener-registry';
import type { CheckpointStore, FireNow, FiringStore } from '../store/job-store';
import type { TransactionStore } from '../store/transaction-store';
import type { WorkerPool } from '../workers/worker-pool';
import { isAwaitedCall } from './awaited-call';
import { CompletionQueue } from './completion-queue';
import { ExecutingJobs } from './executing-jobs';
import { FiringDispatch } from './firing-dispatch';
import { GroupSlots } from './group-slots';
import { JobMiddlewares } from './job-middleware';
import type { JobRegistry } from './job-registry';
import { JobRunShell } from './job-run-shell';
import { JobThreads } from './job-threads';
import { MisfireHandler } from './misfire-handler';
import type { RunState } from './run-state';
import { type EngineShutdownOptions, type RunningParts, type ShutdownReport, shutdownInOrder } from './shutdown';
import { TriggerLoop, type TriggerLoopOptions } from './trigger-loop';

export interface EngineParts {
  /**
   * Opened by the caller with `(earliest) => engine.scheduleChanged(earliest)`. The caller closes it after `shutdown`.
   */
  readonly store: FiringStore & CheckpointStore;
  /** Store operations for transactions of jobs; null or absent if the store is not in a database. */
  readonly transactions?: TransactionStore | null;
  readonly clock: Clock;
  readonly workers: WorkerPool;
  readonly registry: JobRegistry;
  readonly bus: EventBus;
  readonly listeners: ListenerRegistry;
  /** The scheduler that jobs receive as `context.scheduler`. */
  readonly scheduler: () => Scheduler;
  /** Closed while this node may not fire; default: always open. */
  readonly gate?: Pick<Gate, 'isOpen' | 'whenOpen'>;
  /**
   * Resolves when the node has checked its lease, and has called `abortJobs` if the lease was lost; absent: there is no
   * lease.
   */
  readonly checkLease?: () => Promise<void>;
  /** Called each time a job logs a line or sets its progress; absent: no other node reads them. */
  readonly onOutput?: (run: RunState) => void;
  /** Lists the nodes that share the store, for broadcasts; absent: this is the only node. */
  readonly readNodes?: () => Promise<readonly NodeJobTypes[]>;
  /** Random source for jitter; default: the system's. */
  readonly random?: RandomSource;
  /** Called with the time at which a job or trigger that has just succeeded will be overdue. */
  readonly onExpected?: (time: EpochMs) => void;
  /** Load counts to update; default: a new instance in memory. */
  readonly load?: LoadCounts;
}

/** The part of the configuration that the engine reads. A whole `SchedulerConfig` fits. */
export type EngineOptions = Pick<
  SchedulerConfig,
  | 'idleWaitTime'
  | 'batchTriggerAcquisitionMaxCount'
  | 'batchTriggerAcquisitionFireAheadTimeWindow'
  | 'dbFailureRetryInterval'
  | 'interruptJobsOnShutdown'
  | 'interruptJobsOnShutdownWithWait'
  | 'listenerTimeout'
  | 'maxRefireCount'
  | 'policy'
  | 'instanceId'
> & {
  readonly jobStore: Pick<SchedulerConfig['jobStore'], 'misfireThreshold' | 'maxMisfiresToHandleAtATime' | 'sql'>;
  /**
   * Interval between two searches for misfired triggers, in milliseconds; default: the misfire threshold, as in Quartz.
   */
  readonly misfireInterval?: number;
  /**
   * Maximum time for which a completion waits to share a transaction when many runs end, in milliseconds; default: 0.
   */
  readonly completionFlushInterval?: number;
  /**
   * `workerThreads`: threads for the jobs of files; default: one per worker. `groupLimits`: maximum runs per job group;
   * default: no limit.
   */
  readonly threadPool?: Pick<SchedulerConfig['threadPool'], 'workerThreads' | 'groupLimits'>;
  /** Thresholds for events about late and stuck runs; default: none. */
  readonly alerts?: SchedulerConfig['alerts'];
  /** True if `currentJobContext` works without middleware; default: false. */
  readonly tracksCurrentJob?: boolean;
};

/** Gate of a scheduler that is the only one on its store. */
const ALWAYS_OPEN: Pick<Gate, 'isOpen' | 'whenOpen'> = { isOpen: true, whenOpen: () => Promise.resolve() };

/** Acquires and fires triggers, runs their jobs, stores their completions, and handles misfires. */
export class Engine {
  readonly #options: EngineOptions;
  /** Parts that run, and that `shutdown` stops. */
  readonly #running: RunningParts;
  readonly #wake: WakeSignal;
  /** Availability of the store. Failed operations wait for it, and retry at once when it is announced. */
  readonly #availability: Availability;
  readonly #shell: JobRunShell;
  readonly #middleware: JobMiddlewares;
  readonly #triggerLoop: TriggerLoop;
  readonly #misfireHandler: MisfireHandler;
  #shutdown: Promise<ShutdownReport> | null = null;

  constructor(parts: EngineParts, options: EngineOptions) {
    const { clock, workers, registry, listeners, random = systemRandom, load = new LoadCounts() } = parts;
    const { jobStore, dbFailureRetryInterval: retryInterval } = options;
    const storeRetryInterval = jobStore.sql?.dbRetryInterval ?? retryInterval;
    const dispatch = new ListenerDispatch({ ...parts, registry: listeners, listenerTimeout: options.listenerTimeout });
    const flushInterval = options.completionFlushInterval ?? 0;
    const availability = new Availability(clock);
    const ofStore = { ...parts, random, availability, load };
    const completions = new CompletionQueue(ofStore, { retryInterval: storeRetryInterval, flushInterval });
    const wake = new WakeSignal(clock);
    const misfireHandler = new MisfireHandler(
      { ...ofStore, listeners: dispatch },
      { ...jobStore, retryInterval: storeRetryInterval },
    );
    const misfires = new PeriodicService('misfire handler', {
      clock,
      interval: options.misfireInterval ?? jobStore.misfireThreshold,
      runOnce: (signal) => misfireHandler.runOnce(signal),
    });
    const threads = threadsOf(parts, options);
    const ofRuns = { executing: new ExecutingJobs(load), completions, listeners: dispatch, threads };
    const middleware = new JobMiddlewares(options.tracksCurrentJob ?? false);
    const ofEnds = { ...endsOf(options), random };
    const shell = new JobRunShell({ ...parts, ...ofRuns, ...ofEnds, middleware });
    const groupLimits = options.threadPool?.groupLimits;
    const slots = groupLimits === undefined ? null : new GroupSlots(groupLimits, () => wake.notify(null));
    const triggerLoop = new TriggerLoop(
      {
        ...ofStore,
        wake,
        gate: parts.gate ?? ALWAYS_OPEN,
        completions,
        dispatch: new FiringDispatch({ ...parts, execute: shell.execute, slots }),
        slots,
        jobTypes: () => registry.types(),
        onStall: () => misfires.runNow(),
      },
      acquisitionOf(options),
    );
    const firing = new LoopService('trigger loop', (signal) => triggerLoop.run(signal));
    registry.onRegistered(() => wake.notify(null));
    this.#running = { clock, workers, ...ofRuns, firing, misfires };
    this.#options = options;
    this.#wake = wake;
    this.#availability = availability;
    this.#shell = shell;
    this.#middleware = middleware;
    this.#triggerLoop = triggerLoop;
    this.#misfireHandler = misfireHandler;
  }

  /** Number of requests for due triggers since construction, and the number of those that found none. */
  get acquisitions(): { readonly asked: number; readonly empty: number } {
    return this.#triggerLoop.acquisitions;
  }

  /** Number of jobs begun since construction. Vetoed jobs do not count. */
  get numberOfJobsExecuted(): number {
    return this.#shell.numberOfJobsExecuted;
  }

  /** Starts firing, or resumes it after `standby`. Throws SCHEDULER_STATE after `shutdown`. */
  async start(): Promise<void> {
    if (this.#shutdown !== null) throw new SchedulerStateError('The scheduler was shut down. Create a new one.');
    await this.#running.misfires.start();
    await this.#running.firing.start();
  }

  /** Stops firing and releases acquired triggers. Running jobs continue and are completed. */
  async standby(): Promise<void> {
    await Promise.all([this.#running.firing.stop(), this.#running.misfires.stop()]);
  }

  /** Shuts down in order and within the deadline. Later calls return the promise of the first. */
  shutdown(options: EngineShutdownOptions): Promise<ShutdownReport> {
    this.#shutdown ??= shutdownInOrder(this.#running, { ...this.#options, ...options });
    return this.#shutdown;
  }

  /**
   * Reserves workers for `count` triggers that a schedule change makes due. Null if the trigger loop must acquire them
   * instead. See `dispatchReserved`.
   */
  offer(count: number): FireNow | null {
    return this.#triggerLoop.offer(count);
  }

  /**
   * Ends a reservation and runs the fired triggers in the next turn of the event loop, after the caller has its result.
   */
  dispatchReserved(offer: FireNow, fired: readonly FireResult[]): void {
    void yieldToEventLoop().then(() => this.#triggerLoop.dispatchReserved(offer, fired));
  }

  /** Notifies the engine that a fire time may be earlier now; null if the new time is unknown. */
  scheduleChanged(earliest: EpochMs | null): void {
    this.#wake.notify(earliest);
    // The misfire handler processes triggers that were already too late, and its next run may be a minute away.
    const { clock, misfires } = this.#running;
    if (earliest !== null && earliest < clock.now() - this.#options.jobStore.misfireThreshold) misfires.runNow();
  }

  /** Sets whether other nodes take work that this node may leave to them after a stall. */
  setOthers(takeWork: boolean): void {
    this.#triggerLoop.stalls.setOthers(takeWork);
  }

  /** Notifies the engine that the store answers again, so that waiting retries start at once. */
  storeAvailable(): void {
    this.#availability.announce();
  }

  /** Runs `middleware` around every job. Returns a function that removes it. */
  use(middleware: JobMiddleware): () => void {
    return this.#middleware.add(middleware);
  }

  /** Contexts of the runs of this node; abandoned ones come last. */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[] {
    return this.listRuns().map(({ context }) => context);
  }

  /** Runs of this node in the engine's representation; abandoned ones come last. */
  listRuns(): readonly RunState[] {
    const { executing } = this.#running;
    return [...executing.list(), ...executing.abandoned];
  }

  /** Number of jobs that still execute although their runs have ended. */
  get numberOfAbandonedJobs(): number {
    return this.#running.executing.abandoned.size;
  }

  /** Aborts the signal of every execution of the job. Returns true if there was one. */
  interruptJob(key: JobKey): boolean {
    return this.#running.executing.interruptJob(key);
  }

  interruptRun(runId: string): boolean {
    return this.#running.executing.interruptRun(runId);
  }

  /**
   * Resolves to true when the jobs of all firings that the store has stored so far have begun, or will not begin.
   * Resolves to false after `timeoutMs`. Also resolves to false if the caller is a listener for which a run waits: that
   * run cannot begin before the listener returns.
   */
  async whenBegun(timeoutMs: number): Promise<boolean> {
    const isCallerAwaited = isAwaitedCall();
    const dispatched = this.#triggerLoop.whenDispatched();
    const begun = isCallerAwaited ? dispatched : dispatched.then(() => this.#shell.whenTheseBegin());
    return (await settlesWithin(this.#running.clock, timeoutMs, begun)) && !isCallerAwaited;
  }

  /**
   * Aborts the signal of every run fired so far, because another node may have taken over. Firings that wait for their
   * fire time do not begin. A job that waits for its listeners or its checkpoint begins with an aborted signal.
   */
  abortJobs(): void {
    this.#triggerLoop.dropHeld();
    this.#running.executing.interruptEach();
  }

  /**
   * For tests, without `start`. Applies misfire policies, fires due triggers and those that become due as a result, and
   * resolves when all runs have ended. Returns the number of firings. Rejects with the store's error.
   */
  async runOnce(): Promise<number> {
    let count = 0;
    while (await this.#misfireHandler.sweep()) await yieldToEventLoop();
    for (;;) {
      const fired = await this.#triggerLoop.fireDue();
      await this.whenQuiet();
      if (fired === 0) return count;
      count += fired;
    }
  }

  /**
   * For tests. Resolves when no job runs, all completions are stored, all listeners were called, and the trigger loop
   * sleeps. A job that waits for a manual clock blocks it.
   */
  async whenQuiet(): Promise<void> {
    const { workers, completions, listeners } = this.#running;
    do {
      await yieldToEventLoop();
      await Promise.all([workers.whenIdle(), completions.whenIdle(), listeners.whenIdle()]);
    } while (!this.#isQuiet());
  }

  #isQuiet(): boolean {
    const { workers, completions, listeners } = this.#running;
    return this.#triggerLoop.isAsleep && workers.running + completions.pending + listeners.pending === 0;
  }
}

function threadsOf({ bus, clock, workers }: EngineParts, { threadPool }: EngineOptions): JobThreads {
  const during = 'running code that a job left behind in its thread';
  const onError = (error: Error) => bus.publish({ type: 'schedulerError', at: clock.now(), during, error });
  return new JobThreads({ size: threadPool?.workerThreads ?? workers.size, onError });
}

/**
 * Maximum time for which a firing waits in its node. A killed process loses such firings until recovery, and pausing
 * their trigger waits for them. Java clusters use larger windows, and fire early instead.
 */
const MAX_TIME_WINDOW_MS = 1_000;

function acquisitionOf(options: EngineOptions): TriggerLoopOptions {
  return {
    instanceId: options.instanceId,
    handOverAfterStall: options.jobStore.sql?.handOverAfterStall ?? 0,
    idleWaitTime: options.idleWaitTime,
    maxBatchSize: options.batchTriggerAcquisitionMaxCount,
    batchTimeWindow: Math.min(MAX_TIME_WINDOW_MS, options.batchTriggerAcquisitionFireAheadTimeWindow),
    misfireThreshold: options.jobStore.misfireThreshold,
    retryInterval: options.dbFailureRetryInterval,
  };
}

function endsOf({ policy, instanceId, maxRefireCount, alerts, jobStore: { sql } }: EngineOptions) {
  return { policy, instanceId, maxRefireCount, alerts, maxRecoveryAttempts: sql?.maxRecoveryAttempts ?? 0 };
}
