import { setTimeout as sleep } from 'node:timers/promises';
import { type Configuration, createScheduler, type Job, type Scheduler } from 'quartz-ts';
import { DEMO_JOBS } from './schedule';

/*
 * One node of the demo, in its own process. It receives its configuration as a message, runs the demo's jobs, and reports events to the
 * parent process. When the parent disconnects or ends, it shuts down.
 */

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

/** Message from a node. */
export type FromNode =
  | Started
  | { readonly type: 'ended'; readonly runId: string }
  | { readonly type: 'peerRecovered'; readonly instanceId: string }
  | { readonly type: 'trouble' | 'failed'; readonly message: string }
  | { readonly type: 'ready' };

let scheduler: Scheduler | null = null;

async function start(config: Configuration): Promise<void> {
  const jobs = Object.fromEntries(DEMO_JOBS.map(({ type, durationMs }) => [type, waitFor(durationMs)]));
  scheduler = await createScheduler(config, { jobs });
  scheduler.subscribe((event) => {
    if (event.type === 'nodeRecovered') report({ type: 'peerRecovered', instanceId: event.report.instanceId });
    if (event.type === 'schedulerError')
      report({ type: 'trouble', message: `${event.during}: ${event.error.message}` });
  });
  await scheduler.start();
  report({ type: 'ready' });
}

/** A job that reports its start and its end, and ends early if it is interrupted. */
const waitFor =
  (durationMs: number): Job =>
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

function report(message: FromNode, onSent = () => {}): void {
  if (process.connected) process.send?.(message, onSent);
}

process.once('message', (config: Configuration) => {
  start(config).catch(({ message }: Error) => report({ type: 'failed', message }, () => process.exit(1)));
});
process.once('disconnect', async () => {
  await scheduler?.shutdown({ waitForJobs: true }).catch(() => {});
  process.exit();
});
process.on('SIGINT', () => {}); // reaches the whole process group, but the parent decides when this process ends
