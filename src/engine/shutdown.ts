import type { Clock } from '../base/clock';
import type { PeriodicService, Service } from '../base/service';
import { completesWithin } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { WorkerPool } from '../workers/worker-pool';
import type { ShutdownCallers } from './calling-runs';
import type { CompletionQueue } from './completion-queue';
import type { ExecutingJobs } from './executing-jobs';
import type { JobThreads } from './job-threads';

export interface EngineShutdownOptions {
  readonly waitForJobs: boolean;
  /**
   * Time limit of the shutdown, in milliseconds. Each step has at least 250 ms, even after the limit, and storing the last completions 2 s. At the limit,
   * jobs that the shutdown waits for are aborted, and abandoned if they still do not end.
   */
  readonly deadline: number;
}

export interface ShutdownReport {
  /** Number of jobs that still ran when the shutdown stopped waiting for them. */
  readonly abandoned: number;
  /** Descriptions of the store operations that were not finished within the deadline. */
  readonly undone: readonly string[];
}

export interface RunningParts {
  readonly clock: Clock;
  readonly firing: Service;
  readonly misfires: PeriodicService;
  readonly executing: ExecutingJobs;
  readonly workers: WorkerPool;
  readonly completions: CompletionQueue;
  readonly listeners: ListenerDispatch;
  readonly threads: JobThreads;
  readonly callers: ShutdownCallers;
}

interface ShutdownOptions extends EngineShutdownOptions {
  readonly interruptJobsOnShutdown: boolean;
  readonly interruptJobsOnShutdownWithWait: boolean;
}

/** Minimum time for each step, even after the deadline, in which aborted jobs end. */
const GRACE_MS = 250;

/**
 * Minimum time in which a store that answers stores the last completions. Runs that the deadline cuts short are handed over by them: without them,
 * these runs count as lost. A busy database needs more than `GRACE_MS`.
 */
const STORE_GRACE_MS = 2_000;

/** Maximum wait for a failing store after all jobs have ended. Firings without a stored completion are recovered, by another node or a restart. */
const OUTAGE_TIMEOUT_MS = 5_000;

/** Stops the engine in four steps. The deadline limits each step, but every step has at least `GRACE_MS`. */
export async function shutdownInOrder(parts: RunningParts, options: ShutdownOptions): Promise<ShutdownReport> {
  const { clock, executing, workers, completions, listeners, callers } = parts;
  const end = clock.monotonic() + options.deadline;
  const timeLeft = () => Math.max(GRACE_MS, end - clock.monotonic());

  // 1 Stop acquiring, and release triggers that have not fired. If the shutdown does not wait for jobs, end refires.
  if (!options.waitForJobs) executing.endRefires();
  const stopped = Promise.all([parts.firing.stop(), parts.misfires.stop()]);
  const undone: string[] = [];
  if (!(await completesWithin(clock, timeLeft(), stopped))) undone.push('releasing acquired triggers');

  callers.stopped(options.waitForJobs);

  // 2 Interrupt running jobs if configured, and wait for them if requested.
  const mustInterrupt = options.waitForJobs ? options.interruptJobsOnShutdownWithWait : options.interruptJobsOnShutdown;
  if (mustInterrupt) executing.interruptAll();
  if (options.waitForJobs) await drainOrAbort(parts, end);
  else {
    await yieldToEventLoop();
    // A run that requested the shutdown itself usually ends now.
    if (callers.count > 0) await completesWithin(clock, GRACE_MS, workers.whenIdle());
  }

  // 3 Store the completions of ended jobs, and notify listeners.
  const unwritten = await completions.close(
    completions.isFailing ? Math.min(timeLeft(), OUTAGE_TIMEOUT_MS) : Math.max(timeLeft(), STORE_GRACE_MS),
  );
  await listeners.close(timeLeft());

  // 4 Terminate the threads of jobs from files. Firings whose jobs still run are recovered.
  const abandoned = workers.running;
  await parts.threads.close();
  if (unwritten > 0) undone.push(`storing the last completions (${unwritten})`);
  return { abandoned, undone };
}

async function drainOrAbort({ clock, workers, executing }: RunningParts, end: number): Promise<void> {
  const { abandoned } = await workers.drain(end - clock.monotonic());
  if (abandoned === 0) return;
  executing.interruptAll();
  await workers.drain(GRACE_MS);
}
