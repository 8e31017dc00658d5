import {
  type Configuration,
  createScheduler,
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  type Scheduler,
  type SchedulerEvent,
  type TriggerFiring,
} from 'quartz-ts';
import type { FromNode, Started, ToNode } from './node-process';
import { demoJobs } from './schedule';

/*
 * One node of the demo, in its own process: a scheduler that runs the demo's jobs and reports events to the parent process. It ends with
 * the parent.
 */

let scheduler: Scheduler | null = null;

async function start(config: Configuration): Promise<void> {
  scheduler = await createScheduler(config, { jobs: demoJobs() });
  scheduler.subscribe((event) => {
    const message = messageOf(event);
    if (message !== null) report(message);
  });
  await scheduler.start();
  report({ type: 'ready' });
}

function messageOf(event: SchedulerEvent): FromNode | null {
  const { at } = event;
  switch (event.type) {
    case 'jobStarted':
      return startedMessage(at, event.firing);
    case 'triggerCompleted':
    case 'completionFenced':
      return { type: 'ended', runId: event.firing.runId };
    case 'nodeFailed':
      return { type: 'peerFailed', at, instanceId: event.instanceId };
    case 'nodeRecovered':
      return { type: 'peerRecovered', at, instanceId: event.report.instanceId };
    case 'nodeFenced':
      return { type: 'trouble', at, message: `was fenced (${event.reason})` };
    case 'schedulerError':
      return { type: 'trouble', at, message: `${event.during}: ${event.error.message}` };
    default:
      return null;
  }
}

function startedMessage(at: number, firing: TriggerFiring): Started {
  const { runId, trigger, jobDetail, scheduledFireTime, recovering } = firing;
  const { data } = trigger;
  const names = { trigger: trigger.key.name, job: jobDetail.key.name };
  const recovers = {
    trigger: String(data[FAILED_JOB_ORIGINAL_TRIGGER_NAME]),
    scheduledFireTime: Number(data[FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]),
  };
  const isRetry = trigger.key.group === 'RETRYING_JOBS';
  const recovered = recovering ? recovers : null;
  return { type: 'started', at, runId, ...names, scheduledFireTime, isRetry, recovers: recovered };
}

function report(message: FromNode): void {
  if (process.connected) process.send?.(message);
}

process.on('message', (message: ToNode) => {
  const step = message.type === 'start' ? start(message.config) : stop();
  step.catch((error: Error) => {
    process.send?.({ type: 'failed', message: error.message } satisfies FromNode, () => process.exit(1));
  });
});

async function stop(): Promise<void> {
  await scheduler?.shutdown({ waitForJobs: true });
  process.disconnect();
}

// The parent decides when this process ends, even if Ctrl-C reaches the whole process group.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
