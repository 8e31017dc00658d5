import { pino } from 'pino';
import type { Scheduler } from '../../api/scheduler';
import { toError } from '../../base/errors';
import type { Configuration } from '../../config/configuration';
import type { TriggerFiring } from '../../domain/firing';
import {
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
} from '../../domain/recovery';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import { createScheduler } from '../../scheduler/create-scheduler';
import type { FromNode, RecoveredFiring, ToNode } from './demo-messages';
import { demoJobs } from './demo-workload';

/*
 * One node of the demo, a process of its own: a scheduler that runs the demo's jobs and tells the process that started it
 * what happens. It ends with that process.
 */

let scheduler: Scheduler | null = null;

async function start(config: object): Promise<void> {
  scheduler = await createScheduler(config as Configuration, { jobs: demoJobs(), logger: pino({ level: 'silent' }) });
  scheduler.subscribe((event) => {
    const message = messageOf(event);
    if (message !== null) tell(message);
  });
  await scheduler.start();
  tell({ type: 'ready' });
}

function messageOf(event: SchedulerEvent): FromNode | null {
  switch (event.type) {
    case 'jobStarted':
      return startedMessage(event.at, event.firing);
    case 'triggerCompleted':
    case 'completionFenced':
      return { type: 'ended', at: event.at, fireInstanceId: event.firing.fireInstanceId };
    case 'nodeFailed':
      return { type: 'peerFailed', at: event.at, instanceId: event.instanceId };
    case 'nodeRecovered':
      return { type: 'peerRecovered', at: event.at, instanceId: event.report.instanceId };
    case 'nodeFenced':
      return { type: 'trouble', at: event.at, message: `may not act any more (${event.reason})` };
    case 'schedulerError':
      return { type: 'trouble', at: event.at, message: `${event.during}: ${event.error.message}` };
    default:
      return null;
  }
}

function startedMessage(at: number, firing: TriggerFiring): FromNode {
  const { fireInstanceId, trigger, jobDetail, scheduledFireTime } = firing;
  const names = { trigger: trigger.key.name, job: jobDetail.key.name };
  return { type: 'started', at, fireInstanceId, ...names, scheduledFireTime, recovers: recoveredBy(firing) };
}

function recoveredBy({ recovering, trigger: { data } }: TriggerFiring): RecoveredFiring | null {
  if (!recovering) return null;
  return {
    trigger: String(data[FAILED_JOB_ORIGINAL_TRIGGER_NAME]),
    scheduledFireTime: Number(data[FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]),
  };
}

function tell(message: FromNode): void {
  if (process.connected) process.send?.(message);
}

process.on('message', (message: ToNode) => {
  const step = message.type === 'start' ? start(message.config) : stop();
  step.catch((error: unknown) => {
    process.send?.({ type: 'failed', message: toError(error).message } satisfies FromNode, () => process.exit(1));
  });
});

async function stop(): Promise<void> {
  await scheduler?.shutdown({ waitForJobs: true });
  process.disconnect();
}

// The process that started it decides when it ends, also when somebody presses Ctrl-C for the whole group.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
