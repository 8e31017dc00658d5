import { JobExecutionException } from '../api/job-execution-exception';
import type { Clock } from '../base/clock';
import { settlesWithin } from '../base/sleep';
import type { TimeLimit } from '../domain/time-limit';
import { JobContext } from './job-context';

/**
 * What the job answers, if it does so in time: when its time is over its signal aborts, and when its grace is over too, this rejects
 * although the job goes on: its firing ends without it. A job that ends by itself after the signal has the last word: what it answers counts, what it throws is a time-out.
 */
export async function runWithin(
  context: JobContext,
  running: Promise<unknown>,
  { after, grace }: TimeLimit,
  { clock, jobName }: { readonly clock: Clock; readonly jobName: string },
): Promise<unknown> {
  if (await settlesWithin(clock, after, running)) return running;
  JobContext.timeOut(context);
  if (await settlesWithin(clock, grace, running)) return running;
  throw new JobExecutionException(
    `The job '${jobName}' did not end within its time limit of ${after} ms, nor within ${grace} ms after it was told to stop.`,
  );
}
