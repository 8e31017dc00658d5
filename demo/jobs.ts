import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from 'quartz-ts';
import { DEMO_JOBS } from './schedule';

/** A job has started. A recovery has the occurrence and the trigger of the interrupted run. Times are epoch milliseconds. */
export interface Started {
  readonly type: 'started';
  readonly at: number;
  readonly runId: string;
  readonly occurrenceId: string;
  readonly job: string;
  readonly trigger: string;
  readonly scheduledFireTime: number;
  readonly isRecovery: boolean;
}

/** Message from a job. */
export type FromJob = Started | { readonly type: 'ended'; readonly runId: string };

/** Jobs of the demo by type. Each reports its start and its end, and ends early if it is interrupted. */
export function demoJobs(report: (message: FromJob) => void): Readonly<Record<string, Job>> {
  return Object.fromEntries(DEMO_JOBS.map(({ type, durationMs }) => [type, waitFor(durationMs, report)]));
}

const waitFor =
  (durationMs: number, report: (message: FromJob) => void): Job =>
  async (context) => {
    const { runId, occurrenceId, jobDetail, isRecovering, signal } = context;
    const job = jobDetail.key.name;
    const trigger = (isRecovering ? context.recoveringTriggerKey : context.trigger.key).name;
    const scheduledFireTime = context.scheduledFireTime.getTime();
    const firing = { runId, occurrenceId, job, trigger, scheduledFireTime, isRecovery: isRecovering };
    report({ type: 'started', at: Date.now(), ...firing });
    await sleep(durationMs, undefined, { signal }).catch(() => {});
    report({ type: 'ended', runId });
  };
