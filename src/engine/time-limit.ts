import { JobExecutionException } from '../api/job-execution-exception';
import type { Clock, EpochMs } from '../base/clock';
import { completesWithin } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { TimeLimit } from '../domain/time-limit';
import type { RunState } from './run-state';
import { timedOut } from './stop-reason';

interface TimeLimitHost {
  readonly clock: Clock;
  readonly jobName: string;
  /** Time by which the job must end; null if there is no deadline. */
  readonly deadline: EpochMs | null;
  /** Called if the run ends while its job still executes. `running` settles when the job ends. */
  readonly onAbandoned: (running: Promise<unknown>) => void;
}

/**
 * Runs a job within its time limit. Rejects without running the job if its deadline has passed.
 *
 * At the limit, the run's signal aborts. If the job then returns within `grace` milliseconds, its return value counts; if it throws, the run has
 * timed out. After `grace`, the job's threads are terminated and the promise rejects: the firing ends, although the job may still execute.
 */
export async function runWithin(
  state: RunState,
  run: () => Promise<unknown>,
  { after = Number.POSITIVE_INFINITY, grace, deadline: byDeadline }: TimeLimit,
  { clock, jobName, deadline, onAbandoned }: TimeLimitHost,
): Promise<unknown> {
  const left = deadline === null ? Number.POSITIVE_INFINITY : deadline - clock.now();
  const limit =
    left < after
      ? `by its deadline, ${byDeadline} ms after its scheduled time`
      : `within its time limit of ${after} ms`;
  const reason = timedOut(limit);
  if (left <= 0) {
    state.timeOut(reason);
    throw new JobExecutionException(`The job '${jobName}' was not run. It had to end ${limit}, which has passed.`);
  }
  const running = run();
  if (await completesWithin(clock, Math.min(after, left), running)) return running;
  state.timeOut(reason);
  if (await completesWithin(clock, grace, running)) return running;
  const stopping = state.stopThreads();
  await stopping;
  // Terminating the thread may have ended the job, whose promise then settles in the next turn of the event loop.
  if (stopping === null || !(await hasEndedNow(running))) onAbandoned(running);
  throw new JobExecutionException(
    `The job '${jobName}' did not end ${limit}, nor within ${grace} ms after it was aborted.` +
      (stopping === null ? '' : ' Its thread was stopped.'),
  );
}

async function hasEndedNow(running: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  running.then(end, end);
  await yieldToEventLoop();
  return hasEnded;
}
