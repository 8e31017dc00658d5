import type { Clock } from '../base/clock';
import type { PeriodicService, Service } from '../base/service';
import { settlesWithin } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { ListenerDispatch } from '../events/listener-dispatch';
import type { WorkerPool } from '../workers/worker-pool';
import type { CompletionQueue } from './completion-queue';
import type { ExecutingJobs } from './executing-jobs';
import type { JobThreads } from './job-threads';

export interface EngineShutdownOptions {
  /** Let running jobs end by themselves. */
  readonly waitForJobs: boolean;
  /** The longest the shutdown may take, in milliseconds; what still runs then is aborted and abandoned. */
  readonly deadline: number;
}

/** What a shutdown came to. */
export interface ShutdownReport {
  /** Jobs that still run. */
  readonly abandoned: number;
  /** What the store did not answer to in time. */
  readonly undone: readonly string[];
}

/** What runs in an engine. */
export interface RunningParts {
  readonly clock: Clock;
  readonly firing: Service;
  readonly misfires: PeriodicService;
  readonly executing: ExecutingJobs;
  readonly workers: WorkerPool;
  readonly completions: CompletionQueue;
  readonly listeners: ListenerDispatch;
  readonly threads: JobThreads;
}

interface ShutdownOptions extends EngineShutdownOptions {
  readonly interruptJobsOnShutdown: boolean;
  readonly interruptJobsOnShutdownWithWait: boolean;
}

/** Time for aborted jobs to notice, and for the last completions to be written, even when the deadline has passed. */
const GRACE_MS = 250;

/** The longest wait for a failing store once the jobs have ended: what it did not take is recovered by other nodes or later. */
const OUTAGE_TIMEOUT_MS = 5_000;

/** The one place that says in which order the engine stops. */
export async function shutdownInOrder(parts: RunningParts, options: ShutdownOptions): Promise<ShutdownReport> {
  const { clock, executing, workers, completions, listeners } = parts;
  const end = clock.monotonic() + options.deadline;
  const timeLeft = () => Math.max(GRACE_MS, end - clock.monotonic());

  // 1 Nothing is acquired any more; what was acquired and not fired is released. Without waiting for jobs, none is run again.
  if (!options.waitForJobs) executing.endRefires();
  const stopped = Promise.all([parts.firing.stop(), parts.misfires.stop()]);
  const undone: string[] = [];
  if (!(await settlesWithin(clock, timeLeft(), stopped))) undone.push('giving back the triggers it had acquired');

  // 2 Running jobs are interrupted if so configured, and awaited if so requested.
  const mustInterrupt = options.waitForJobs ? options.interruptJobsOnShutdownWithWait : options.interruptJobsOnShutdown;
  if (mustInterrupt) executing.interruptAll();
  if (options.waitForJobs) await drainOrAbort(parts, end);
  else await yieldToEventLoop();

  // 3 Their completions are stored, and listeners are notified.
  const unwritten = await completions.close(
    completions.isFailing ? Math.min(timeLeft(), OUTAGE_TIMEOUT_MS) : timeLeft(),
  );
  await listeners.close(timeLeft());

  // 4 What still runs in threads is cut off; as that of every abandoned job, its firing is left to recovery.
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
