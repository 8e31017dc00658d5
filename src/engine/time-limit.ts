import { JobExecutionException } from '../api/job-execution-exception';
import type { Clock, EpochMs } from '../base/clock';
import { settlesWithin } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { TimeLimit } from '../domain/time-limit';
import type { RunState } from './run-state';
import { timedOut } from './stop-reason';

/** What a limited run is watched with. */
export interface TimeLimitHost {
  readonly clock: Clock;
  readonly jobName: string;
  /** When the run has to end; null: it has no deadline. */
  readonly deadline: EpochMs | null;
  /** Called where the run ends without its job, which goes on until `running` settles. */
  readonly onAbandoned: (running: Promise<unknown>) => void;
}

/**
 * What the job answers, if it does so in time: when its time is over its signal aborts, and when its grace is over too, this rejects
 * although the job goes on: its firing ends without it. A job that ends by itself after the signal has the last word: what it answers
 * counts, what it throws is a time-out. Nothing is run when its deadline has passed.
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
    throw new JobExecutionException(`The job '${jobName}' was not run: it was to end ${limit}, which has passed.`);
  }
  const running = run();
  if (await settlesWithin(clock, Math.min(after, left), running)) return running;
  state.timeOut(reason);
  if (await settlesWithin(clock, grace, running)) return running;
  const stopping = state.stopThreads();
  await stopping;
  // Once more round the event loop: what ends with its thread has ended then.
  if (stopping === null || !(await isSettledNow(running))) onAbandoned(running);
  throw new JobExecutionException(
    `The job '${jobName}' did not end ${limit}, nor within ${grace} ms after it was told to stop.` +
      (stopping === null ? '' : ' Its thread was stopped.'),
  );
}

async function isSettledNow(running: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  running.then(settle, settle);
  await yieldToEventLoop();
  return isSettled;
}
