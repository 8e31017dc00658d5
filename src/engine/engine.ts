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
  /** Opened by the caller with `(earliest) => engine.scheduleChanged(earliest)`, and closed by it after `shutdown`. */
  readonly store: FiringStore & CheckpointStore;
  /** The store in the transactions of jobs; null or absent: it is in no database. */
  readonly transactions?: TransactionStore | null;
  readonly clock: Clock;
  readonly workers: WorkerPool;
  readonly registry: JobRegistry;
  readonly bus: EventBus;
  readonly listeners: ListenerRegistry;
  /** What jobs find as `context.scheduler`. */
  readonly scheduler: () => Scheduler;
  /** Closed while this node may not fire; default: always open. */
  readonly gate?: Pick<Gate, 'isOpen' | 'whenOpen'>;
  /** Resolves when the node has looked at its lease, and called `abortJobs` if that was lost; absent: there is none. */
  readonly checkLease?: () => Promise<void>;
  /** Called each time a job logs a line or sets its progress; absent: no other node reads them. */
  readonly onOutput?: (run: RunState) => void;
  /** The nodes that share the store, for broadcasts; absent: there is this one alone. */
  readonly readNodes?: () => Promise<readonly NodeJobTypes[]>;
  /** For jitter; default: the system's. */
  readonly random?: RandomSource;
  /** Hears when something will be overdue that has succeeded now. */
  readonly onExpected?: (time: EpochMs) => void;
  /** What it counts in; default: in memory of its own. */
  readonly load?: LoadCounts;
}

/** The part of the configuration the engine reads: give it a whole `SchedulerConfig`. */
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
  /** How often misfires are looked for; default: the misfire threshold, as in Quartz. Milliseconds. */
  readonly misfireInterval?: number;
  /** How long a completion may wait for others to be written with, when many end; default: not at all. Milliseconds. */
  readonly completionFlushInterval?: number;
  /** In how many threads the jobs of files run at once; default: in as many as jobs may run. And how many jobs of a group run; default: any. */
  readonly threadPool?: Pick<SchedulerConfig['threadPool'], 'workerThreads' | 'groupLimits'>;
  /** Which runs are told of; default: none. */
  readonly alerts?: SchedulerConfig['alerts'];
  /** Whether `currentJobContext` knows the job where there is no middleware; default false. */
  readonly tracksCurrentJob?: boolean;
};

/** For a scheduler that is the only one on its store. */
const ALWAYS_OPEN: Pick<Gate, 'isOpen' | 'whenOpen'> = { isOpen: true, whenOpen: () => Promise.resolve() };

/** Everything that acts: acquires and fires triggers, runs their jobs, completes them, and looks after misfires. */
export class Engine {
  readonly #options: EngineOptions;
  /** What runs, and so has to be stopped. */
  readonly #running: RunningParts;
  readonly #wake: WakeSignal;
  /** Of the store: whatever fails waits for it, and tries again at once when it is announced. */
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

  /** How often triggers were asked for, and how often there was none. */
  get acquisitions(): { readonly asked: number; readonly empty: number } {
    return this.#triggerLoop.acquisitions;
  }

  /** Jobs begun since construction; vetoed ones are not counted. */
  get numberOfJobsExecuted(): number {
    return this.#shell.numberOfJobsExecuted;
  }

  /** Begins, or after `standby` resumes, to fire. Throws SCHEDULER_STATE after `shutdown`. */
  async start(): Promise<void> {
    if (this.#shutdown !== null) throw new SchedulerStateError('The scheduler was shut down; create another one.');
    await this.#running.misfires.start();
    await this.#running.firing.start();
  }

  /** Stops firing; running jobs go on and are completed. Nothing stays acquired. */
  async standby(): Promise<void> {
    await Promise.all([this.#running.firing.stop(), this.#running.misfires.stop()]);
  }

  /** Ends everything, in order, before the deadline; a second call returns the promise of the first. */
  shutdown(options: EngineShutdownOptions): Promise<ShutdownReport> {
    this.#shutdown ??= shutdownInOrder(this.#running, { ...this.#options, ...options });
    return this.#shutdown;
  }

  /** Reserves workers for so many triggers that are scheduled for now; null: they are to be acquired as usual. See `dispatchReserved`. */
  offer(count: number): FireNow | null {
    return this.#triggerLoop.offer(count);
  }

  /** Ends a reservation: runs what was fired with it, in the next turn of the event loop, after the caller has its answer. */
  dispatchReserved(offer: FireNow, fired: readonly FireResult[]): void {
    void yieldToEventLoop().then(() => this.#triggerLoop.dispatchReserved(offer, fired));
  }

  /** A fire time may have come forward; null: it is not known to when. */
  scheduleChanged(earliest: EpochMs | null): void {
    this.#wake.notify(earliest);
    // What was too late when it was scheduled is for the misfire handler, whose next run may be a minute away.
    const { clock, misfires } = this.#running;
    if (earliest !== null && earliest < clock.now() - this.#options.jobStore.misfireThreshold) misfires.runNow();
  }

  /** Notes if other nodes take work, which this node may leave to them after a stall. */
  setOthers(takeWork: boolean): void {
    this.#triggerLoop.stalls.setOthers(takeWork);
  }

  /** The store answers again: what waits to try again does so now. */
  storeAvailable(): void {
    this.#availability.announce();
  }

  /** Runs `middleware` around every job. Returns the function that takes it away again. */
  use(middleware: JobMiddleware): () => void {
    return this.#middleware.add(middleware);
  }

  /** Contexts of the runs of this node. Abandoned ones come last. */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[] {
    return this.listRuns().map(({ context }) => context);
  }

  /** Runs of this node, as the engine knows them. Abandoned ones come last. */
  listRuns(): readonly RunState[] {
    const { executing } = this.#running;
    return [...executing.list(), ...executing.abandoned];
  }

  /** Jobs that go on although their runs have ended without them. */
  get numberOfAbandonedJobs(): number {
    return this.#running.executing.abandoned.size;
  }

  /** Aborts the signal of every execution of the job. True when there was one. */
  interruptJob(key: JobKey): boolean {
    return this.#running.executing.interruptJob(key);
  }

  interruptRun(runId: string): boolean {
    return this.#running.executing.interruptRun(runId);
  }

  /**
   * Resolves when the jobs of everything that the store had fired by now have begun, or will not: true. False after `timeoutMs`, because
   * something is slow, and for a listener that a run waits for: that run has not begun.
   */
  async whenBegun(timeoutMs: number): Promise<boolean> {
    const isCallerAwaited = isAwaitedCall();
    const dispatched = this.#triggerLoop.whenDispatched();
    const begun = isCallerAwaited ? dispatched : dispatched.then(() => this.#shell.whenTheseBegin());
    return (await settlesWithin(this.#running.clock, timeoutMs, begun)) && !isCallerAwaited;
  }

  /**
   * Aborts the signal of everything that was fired by now: this node may have lost it to another one. What waits for its fire time does not
   * begin; a job that waits for its listeners or its checkpoint begins with a signal that has aborted.
   */
  abortJobs(): void {
    this.#triggerLoop.dropHeld();
    this.#running.executing.interruptEach();
  }

  /**
   * For tests: without `start`, applies misfire instructions, fires what is due now and what becomes due by that, and
   * resolves when all of it has ended. Returns how many fired. Rejects with what the store failed with.
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
   * For tests: resolves when no job runs, every completion is stored, every listener was called and the trigger loop
   * sleeps. A job that waits for a manual clock keeps it waiting.
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
  const during = 'running what a job has left behind in its thread';
  const onError = (error: Error) => bus.publish({ type: 'schedulerError', at: clock.now(), during, error });
  return new JobThreads({ size: threadPool?.workerThreads ?? workers.size, onError });
}

/**
 * The longest that a firing waits in its node: for so long it is lost if the process is killed, and a pause of its trigger waits for it.
 * Java fleets have larger windows, which fire early there.
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
