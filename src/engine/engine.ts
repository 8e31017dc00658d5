import type { JobExecutionContext } from '../api/job';
import type { Scheduler } from '../api/scheduler';
import type { Clock, EpochMs } from '../base/clock';
import { SchedulerStateError } from '../base/errors';
import { type RandomSource, systemRandom } from '../base/ids';
import { LoopService, PeriodicService } from '../base/service';
import { WakeSignal } from '../base/wake-signal';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { SchedulerConfig } from '../config/scheduler-config';
import type { JobKey } from '../domain/keys';
import type { EventBus } from '../events/event-bus';
import { ListenerDispatch } from '../events/listener-dispatch';
import type { ListenerRegistry } from '../events/listener-registry';
import type { FiringStore } from '../store/job-store';
import type { WorkerPool } from '../workers/worker-pool';
import { CompletionQueue } from './completion-queue';
import { ExecutingJobs } from './executing-jobs';
import type { JobRegistry } from './job-registry';
import { JobRunShell } from './job-run-shell';
import { MisfireHandler } from './misfire-handler';
import { type EngineShutdownOptions, shutdownInOrder } from './shutdown';
import { TriggerLoop } from './trigger-loop';

export interface EngineParts {
  /** Opened by the caller with `(earliest) => engine.scheduleChanged(earliest)`, and closed by it after `shutdown`. */
  readonly store: FiringStore;
  readonly clock: Clock;
  readonly workers: WorkerPool;
  readonly registry: JobRegistry;
  readonly bus: EventBus;
  readonly listeners: ListenerRegistry;
  /** What jobs find as `context.scheduler`. */
  readonly scheduler: () => Scheduler;
  /** For jitter; default: the system's. */
  readonly random?: RandomSource;
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
> & {
  readonly jobStore: Pick<SchedulerConfig['jobStore'], 'misfireThreshold' | 'maxMisfiresToHandleAtATime'>;
  /** How often misfires are looked for; default: the misfire threshold, as in Quartz. Milliseconds. */
  readonly misfireInterval?: number;
};

/** Everything that acts: acquires and fires triggers, runs their jobs, completes them, and looks after misfires. */
export class Engine {
  readonly #parts: EngineParts;
  readonly #options: EngineOptions;
  readonly #wake: WakeSignal;
  readonly #executing = new ExecutingJobs();
  readonly #dispatch: ListenerDispatch;
  readonly #completions: CompletionQueue;
  readonly #shell: JobRunShell;
  readonly #triggerLoop: TriggerLoop;
  readonly #firing: LoopService;
  readonly #misfires: PeriodicService;
  #shutdown: Promise<{ readonly abandoned: number }> | null = null;

  constructor(parts: EngineParts, options: EngineOptions) {
    const { store, clock, workers, registry, bus, listeners, scheduler, random = systemRandom } = parts;
    const { jobStore, dbFailureRetryInterval: retryInterval } = options;
    this.#parts = parts;
    this.#options = options;
    this.#wake = new WakeSignal(clock);
    this.#dispatch = new ListenerDispatch({
      registry: listeners,
      bus,
      clock,
      listenerTimeout: options.listenerTimeout,
    });
    this.#completions = new CompletionQueue({ store, clock, bus, random }, { retryInterval });
    this.#shell = new JobRunShell(
      {
        clock,
        registry,
        bus,
        scheduler,
        random,
        listeners: this.#dispatch,
        executing: this.#executing,
        completions: this.#completions,
      },
      { maxRefireCount: options.maxRefireCount },
    );
    const misfireHandler = new MisfireHandler(
      { store, clock, bus, random, listeners: this.#dispatch },
      { ...jobStore, retryInterval },
    );
    this.#misfires = new PeriodicService('misfire handler', {
      clock,
      interval: options.misfireInterval ?? jobStore.misfireThreshold,
      runOnce: (signal) => misfireHandler.runOnce(signal),
    });
    this.#triggerLoop = new TriggerLoop(
      {
        store,
        clock,
        workers,
        bus,
        random,
        wake: this.#wake,
        completions: this.#completions,
        jobTypes: () => registry.types(),
        execute: this.#shell.execute,
        onStall: () => this.#misfires.hurry(),
      },
      {
        idleWaitTime: options.idleWaitTime,
        maxBatchSize: options.batchTriggerAcquisitionMaxCount,
        batchTimeWindow: options.batchTriggerAcquisitionFireAheadTimeWindow,
        misfireThreshold: jobStore.misfireThreshold,
        retryInterval,
      },
    );
    this.#firing = new LoopService('trigger loop', (signal) => this.#triggerLoop.run(signal));
    registry.onRegistered(() => this.scheduleChanged(null));
  }

  /** Jobs begun since construction; vetoed ones are not counted. */
  get numberOfJobsExecuted(): number {
    return this.#shell.numberOfJobsExecuted;
  }

  /** Whether triggers are fired. */
  get isStarted(): boolean {
    return this.#firing.isRunning;
  }

  /** Begins, or after `standby` resumes, to fire. Throws SCHEDULER_STATE after `shutdown`. */
  async start(): Promise<void> {
    if (this.#shutdown !== null) throw new SchedulerStateError('The scheduler was shut down; create another one.');
    await this.#misfires.start();
    await this.#firing.start();
  }

  /** Stops firing; running jobs go on and are completed. Nothing stays acquired. */
  async standby(): Promise<void> {
    await Promise.all([this.#firing.stop(), this.#misfires.stop()]);
  }

  /** Ends everything, in order; a second call returns the promise of the first. `abandoned`: jobs that still run. */
  shutdown(options: EngineShutdownOptions): Promise<{ readonly abandoned: number }> {
    this.#shutdown ??= shutdownInOrder(
      {
        clock: this.#parts.clock,
        loops: [this.#firing, this.#misfires],
        executing: this.#executing,
        workers: this.#parts.workers,
        completions: this.#completions,
        listeners: this.#dispatch,
      },
      { ...this.#options, ...options },
    );
    return this.#shutdown;
  }

  /** Tells the engine that a fire time may have come forward; null: it is not known to when. */
  scheduleChanged(earliest: EpochMs | null): void {
    this.#wake.notify(earliest);
  }

  getCurrentlyExecutingJobs(): readonly JobExecutionContext[] {
    return this.#executing.list();
  }

  /** Aborts the signal of every execution of the job. True when there was one. */
  interruptJob(key: JobKey): boolean {
    return this.#executing.interruptJob(key);
  }

  interruptFireInstance(fireInstanceId: string): boolean {
    return this.#executing.interruptFireInstance(fireInstanceId);
  }

  /** For tests: fires what is due now, without `start`, and resolves when all of it has ended. Returns how many fired. */
  async runOnce(): Promise<number> {
    let count = 0;
    for (;;) {
      const fired = await this.#triggerLoop.fireDue();
      await this.whenQuiet();
      if (fired === 0) return count;
      count += fired;
    }
  }

  /**
   * For tests: resolves when no job runs, every completion is stored, every listener has been told and the trigger loop
   * sleeps. A job that waits for a manual clock keeps it waiting.
   */
  async whenQuiet(): Promise<void> {
    do {
      await yieldToEventLoop();
      await Promise.all([this.#parts.workers.whenIdle(), this.#completions.whenIdle(), this.#dispatch.whenIdle()]);
    } while (!this.#isQuiet());
  }

  #isQuiet(): boolean {
    const isAsleep = this.#triggerLoop.isAsleep || !this.#firing.isRunning;
    return (
      isAsleep && this.#parts.workers.running === 0 && this.#completions.pending === 0 && this.#dispatch.pending === 0
    );
  }
}
