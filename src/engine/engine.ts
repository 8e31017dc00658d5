import type { JobExecutionContext, JobMiddleware } from '../api/scheduler';
import { Availability } from '../base/availability';
import type { EpochMs } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { systemRandom } from '../base/ids';
import { LoopService, PeriodicService } from '../base/service';
import { completesWithin } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { SchedulerConfig } from '../config/scheduler-config';
import type { FireResult } from '../domain/firing';
import type { JobKey } from '../domain/keys';
import { LoadCounts } from '../domain/load-counts';
import { ListenerDispatch } from '../events/listener-dispatch';
import type { ListenerRegistry } from '../events/listener-registry';
import type { CheckpointStore, FireNow, FiringStore } from '../store/job-store';
import { isAwaitedCall } from './awaited-call';
import { CallingRuns, ShutdownCallers } from './calling-runs';
import { CompletionQueue } from './completion-queue';
import { ExecutingJobs } from './executing-jobs';
import { FactoryPauses } from './factory-pauses';
import { FiringDispatch, type FiringDispatchParts } from './firing-dispatch';
import { GroupSlots } from './group-slots';
import { JobMiddlewares } from './job-middleware';
import { JobRunShell, type JobRunShellParts } from './job-run-shell';
import { JobThreads } from './job-threads';
import { MisfireHandler } from './misfire-handler';
import type { RunState } from './run-state';
import { type EngineShutdownOptions, type RunningParts, type ShutdownReport, shutdownInOrder } from './shutdown';
import { TriggerLoop, type TriggerLoopOptions, type TriggerLoopParts } from './trigger-loop';

/** Parts that the engine shares with its components. Default of `gate`: always open; of `random`: the random source of the system. */
interface EngineParts
  extends Pick<JobRunShellParts, 'onExpected' | 'onOutput' | 'readNodes' | 'registry' | 'scheduler' | 'transactions'>,
    Pick<FiringDispatchParts, 'bus' | 'checkLease' | 'clock' | 'workers'>,
    Partial<Pick<TriggerLoopParts, 'gate' | 'random'>> {
  /**
   * Store of the engine. The caller opens the store with a listener that calls `engine.scheduleChanged(earliest)`, and closes it after `shutdown`.
   */
  readonly store: FiringStore & CheckpointStore;
  readonly listeners: ListenerRegistry;
  /** Load counts to update. Default: a new instance. */
  readonly load?: LoadCounts;
}

export type EngineOptions = Pick<
  SchedulerConfig,
  | 'idleWaitTime'
  | 'batchTriggerAcquisitionMaxCount'
  | 'batchTriggerAcquisitionFireAheadTimeWindow'
  | 'dbFailureRetryInterval'
  | 'interruptJobsOnShutdown'
  | 'interruptJobsOnShutdownWithWait'
  | 'listenerTimeout'
  | 'maxFactoryRefusals'
  | 'maxHandOvers'
  | 'maxRefireCount'
  | 'policy'
  | 'instanceId'
> & {
  readonly jobStore: Pick<SchedulerConfig['jobStore'], 'misfireThreshold' | 'maxMisfiresToHandleAtATime' | 'sql'>;
  /** Interval between searches for misfired triggers, in milliseconds. Default: the misfire threshold, as in Quartz. */
  readonly misfireInterval?: number;
  /** Maximum time that a completion waits to share a transaction with others, in milliseconds. Default: 0. */
  readonly completionFlushInterval?: number;
  /**
   * `workerThreads`: maximum number of threads for jobs from files; default: the number of workers. `groupLimits`:
   * maximum number of concurrent runs per job group on this node; default: no limit.
   */
  readonly threadPool?: Pick<SchedulerConfig['threadPool'], 'workerThreads' | 'groupLimits'>;
  /** Thresholds for events about late and stuck runs. Default: no such events. */
  readonly alerts?: SchedulerConfig['alerts'];
  /** True to make `currentJobContext` work even without middleware. Default: false. */
  readonly tracksCurrentJob?: boolean;
};

const ALWAYS_OPEN: TriggerLoopParts['gate'] = { isOpen: true, whenOpen: () => Promise.resolve() };

/** Acquires and fires triggers, runs their jobs, stores their completions, and applies misfire policies. */
export class Engine {
  readonly #options: EngineOptions;
  readonly #running: RunningParts;
  readonly #wake: WakeSignal;
  /** Availability of the store. Calling `announce` ends the retry delays of all failed store operations. */
  readonly #availability: Availability;
  readonly #shell: JobRunShell;
  readonly #middleware: JobMiddlewares;
  readonly #triggerLoop: TriggerLoop;
  readonly #misfireHandler: MisfireHandler;
  readonly #pauses: FactoryPauses;
  readonly #callingRuns = new CallingRuns();
  #shutdown: Promise<ShutdownReport> | null = null;

  constructor(parts: EngineParts, options: EngineOptions) {
    const { clock, workers, registry, listeners, random = systemRandom, load = new LoadCounts() } = parts;
    const { jobStore, dbFailureRetryInterval: retryInterval } = options;
    const storeRetryInterval = jobStore.sql?.dbRetryInterval ?? retryInterval;
    const dispatch = new ListenerDispatch({ ...parts, registry: listeners, listenerTimeout: options.listenerTimeout });
    const flushInterval = options.completionFlushInterval ?? 0;
    const wake = new WakeSignal(clock);
    this.#options = options;
    this.#wake = wake;
    this.#availability = new Availability(clock);
    const ofStore = { ...parts, random, availability: this.#availability, load };
    const completions = new CompletionQueue(ofStore, { retryInterval: storeRetryInterval, flushInterval });
    this.#misfireHandler = new MisfireHandler(
      { ...ofStore, listeners: dispatch },
      { ...jobStore, retryInterval: storeRetryInterval },
    );
    const misfires = new PeriodicService('misfire handler', {
      clock,
      interval: options.misfireInterval ?? jobStore.misfireThreshold,
      runOnce: (signal) => this.#misfireHandler.runOnce(signal),
    });
    const threads = threadsOf(parts, options);
    const ofRuns = { executing: new ExecutingJobs(load), completions, listeners: dispatch, threads };
    this.#middleware = new JobMiddlewares(options.tracksCurrentJob ?? false);
    const ofEnds = { ...endsOf(options), random };
    this.#pauses = new FactoryPauses({ clock, registry, load, onEnd: () => this.#endPause() });
    const ofJobs = { middleware: this.#middleware, pauses: this.#pauses, callingRuns: this.#callingRuns };
    this.#shell = new JobRunShell({ ...parts, ...ofRuns, ...ofEnds, ...ofJobs });
    const groupLimits = options.threadPool?.groupLimits;
    const slots = groupLimits === undefined ? null : new GroupSlots(groupLimits, () => wake.notify(null));
    this.#triggerLoop = new TriggerLoop(
      {
        ...ofStore,
        wake,
        gate: parts.gate ?? ALWAYS_OPEN,
        completions,
        dispatch: new FiringDispatch({ ...parts, execute: this.#shell.execute, defer: this.#shell.defer, slots }),
        slots,
        jobTypes: () => this.#pauses.types(),
        onStall: () => misfires.runNow(),
        recentRuns: () => ofRuns.executing.takeRecent(),
      },
      acquisitionOf(options),
    );
    const firing = new LoopService('trigger loop', (signal) => this.#triggerLoop.run(signal));
    registry.onChanged(() => wake.notify(null));
    this.#running = { clock, workers, ...ofRuns, firing, misfires, callers: new ShutdownCallers() };
  }

  /** `requested`: requests to the store for due triggers since construction. `empty`: requests that returned no trigger. */
  get acquisitions(): { readonly requested: number; readonly empty: number } {
    return this.#triggerLoop.acquisitions;
  }

  /** Number of job executions since construction, including refires. Vetoed jobs are not counted. */
  get numberOfJobsExecuted(): number {
    return this.#shell.numberOfJobsExecuted;
  }

  /** Starts firing, or resumes firing after `standby`. Rejects with SCHEDULER_STATE after `shutdown`. */
  async start(): Promise<void> {
    if (this.#shutdown !== null) throw new SchedulerStateError('The scheduler was shut down. Create a new one.');
    await this.#running.misfires.start();
    await this.#running.firing.start();
  }

  /** Stops firing and releases acquired triggers. Running jobs continue, and their completions are stored. */
  async standby(): Promise<void> {
    await Promise.all([this.#running.firing.stop(), this.#running.misfires.stop()]);
  }

  /** Stops the engine within `options.deadline`. Later calls return the promise of the first call. */
  shutdown(options: EngineShutdownOptions): Promise<ShutdownReport> {
    this.#shutdown ??= shutdownInOrder(this.#running, { ...this.#options, ...options }).finally(() =>
      this.#pauses.clear(),
    );
    return this.#shutdown;
  }

  /** True if a run of this engine awaits the current code. Must be called before the first await. */
  isCalledByRun(): boolean {
    return this.#callingRuns.isCaller();
  }

  /** Resolves when a run that has requested the shutdown need not wait any longer: the rest of the shutdown happens when that run has ended. */
  whenOthersHaveEnded(): Promise<void> {
    return this.#running.callers.add(this.#running.workers);
  }

  /**
   * Reserves workers for `count` triggers that a schedule change may fire immediately. Returns null if the trigger loop
   * must acquire them instead. Every result other than null must be passed to `dispatchReserved`.
   */
  offer(count: number): FireNow | null {
    return this.#triggerLoop.offer(count);
  }

  /**
   * Releases the workers that `offer` reserved, and runs the fired triggers. Starts in the next turn of the event loop,
   * so that the caller receives the result of its schedule change first.
   */
  dispatchReserved(offer: FireNow, fired: readonly FireResult[]): void {
    void yieldToEventLoop().then(() => this.#triggerLoop.dispatchReserved(offer, fired));
  }

  /** Reports that a schedule change made a trigger fire at `earliest`, perhaps before all others. Null if the time is unknown. */
  scheduleChanged(earliest: EpochMs | null): void {
    this.#wake.notify(earliest);
    // A trigger late by more than the misfire threshold needs its misfire policy now: the next regular search may be a minute away.
    const { clock, misfires } = this.#running;
    if (earliest !== null && earliest < clock.now() - this.#options.jobStore.misfireThreshold) misfires.runNow();
  }

  /** Sets whether other nodes acquire triggers. If not, this node cannot leave triggers to them after a stall. */
  setOthers(takeWork: boolean): void {
    this.#triggerLoop.stalls.setOthers(takeWork);
  }

  /** Ends the retry delays of failed store operations, because the store answers again. */
  storeAvailable(): void {
    this.#availability.announce();
  }

  /** Adds `middleware` around every execution of a job. Returns a function that removes it. */
  use(middleware: JobMiddleware): () => void {
    return this.#middleware.add(middleware);
  }

  /** Returns the contexts of all runs on this node, with abandoned runs last. */
  getCurrentlyExecutingJobs(): readonly JobExecutionContext[] {
    return this.listRuns().map(({ context }) => context);
  }

  /** Returns the internal state of all runs on this node, with abandoned runs last. */
  listRuns(): readonly RunState[] {
    const { executing } = this.#running;
    return [...executing.list(), ...executing.abandoned];
  }

  /** Number of jobs that still run after their run was abandoned. */
  get numberOfAbandonedJobs(): number {
    return this.#running.executing.abandoned.size;
  }

  /** Aborts the signal of every run of the job on this node. Returns true if the job has at least one run here. */
  interruptJob(key: JobKey, by: string | null = null): boolean {
    return this.#running.executing.interruptJob(key, by);
  }

  interruptRun(runId: string, by: string | null = null): boolean {
    return this.#running.executing.interruptRun(runId, by);
  }

  /**
   * Resolves to true once the job of every firing stored before the call has begun or will not begin. Resolves to false after `timeoutMs`, or if the
   * caller is a listener that a run awaits, because that run's job cannot begin before the listener returns.
   */
  async whenStarted(timeoutMs: number): Promise<boolean> {
    const isCallerAwaited = isAwaitedCall();
    const dispatched = this.#triggerLoop.whenDispatched();
    const started = isCallerAwaited ? dispatched : dispatched.then(() => this.#shell.whenTheseBegin());
    return (await completesWithin(this.#running.clock, timeoutMs, started)) && !isCallerAwaited;
  }

  /**
   * Aborts the signal of every run fired so far, because another node may recover it. Drops firings that wait for their fire time. A run that waits
   * for its listeners or checkpoint starts its job with an aborted signal.
   */
  abortJobs(): void {
    this.#triggerLoop.dropHeld();
    this.#running.executing.interruptEach();
  }

  /**
   * For tests, instead of `start`. Applies misfire policies and fires due triggers until none is due, including triggers that become due during the
   * call. Resolves to the number of firings after all runs have ended. Rejects with the store's error.
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

  /** For tests. Resolves when no job runs, completions are stored, listeners were called and the loop sleeps; not while a job waits for the clock. */
  async whenQuiet(): Promise<void> {
    const { workers, completions, listeners } = this.#running;
    do {
      await yieldToEventLoop();
      await Promise.all([workers.whenIdle(), completions.whenIdle(), listeners.whenIdle()]);
    } while (!this.#isQuiet());
  }

  /** Acquires the triggers of a job type again. Some may have misfired, because a pause may be longer than the misfire threshold. */
  #endPause(): void {
    this.#wake.notify(null);
    this.#running.misfires.runNow();
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
 * Maximum time that a stored firing waits on its node for its fire time. If the process is killed during that time, the firing is delayed until its
 * recovery. A call that pauses the trigger waits for the firing, too. Java clusters use larger windows and fire early instead.
 */
const MAX_TIME_WINDOW_MS = 1_000;

function acquisitionOf(options: EngineOptions): TriggerLoopOptions {
  return {
    instanceId: options.instanceId,
    yieldAfterStall: options.jobStore.sql?.yieldAfterStall ?? 0,
    idleWaitTime: options.idleWaitTime,
    maxBatchSize: options.batchTriggerAcquisitionMaxCount,
    batchTimeWindow: Math.min(MAX_TIME_WINDOW_MS, options.batchTriggerAcquisitionFireAheadTimeWindow),
    misfireThreshold: options.jobStore.misfireThreshold,
    retryInterval: options.dbFailureRetryInterval,
  };
}

function endsOf(options: EngineOptions) {
  const { policy, instanceId, maxRefireCount, maxHandOvers, maxFactoryRefusals, alerts, jobStore } = options;
  const maxRecoveryAttempts = jobStore.sql?.maxRecoveryAttempts ?? 0;
  return { policy, instanceId, maxRefireCount, maxHandOvers, maxFactoryRefusals, alerts, maxRecoveryAttempts };
}
