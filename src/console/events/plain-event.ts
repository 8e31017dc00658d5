import type { EpochMs } from '../../base/clock';
import type { TriggerFiring } from '../../domain/firing';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { SchedulerEvent } from '../../domain/scheduler-event';

type EventType = SchedulerEvent['type'];

/** Events that are sent to pages, because they may change the content of a page. */
export const REPORTED_EVENTS: readonly EventType[] = [
  ...(['schedulerStarted', 'schedulerInStandbyMode', 'schedulerShuttingDown', 'schedulerShutdown'] as const),
  ...(['schedulingDataCleared', 'jobAdded', 'jobDeleted', 'jobScheduled', 'jobUnscheduled'] as const),
  ...(['triggerFinalized', 'triggerPaused', 'triggerResumed', 'triggersPaused', 'triggersResumed'] as const),
  ...(['jobPaused', 'jobResumed', 'jobsPaused', 'jobsResumed'] as const),
  ...(['runsRerun', 'deadLettersDiscarded', 'waitingRunsDeleted'] as const),
  ...(['jobStarted', 'jobVetoed', 'triggerCompleted'] as const),
  ...(['retryScheduled', 'retriesExhausted', 'firingSkipped', 'firingDeferred', 'occurrenceCompleted'] as const),
  ...([
    'overdue',
    'firingLate',
    'jobStuck',
    'triggerMisfired',
    'scheduleChanged',
    'overrideConflict',
    'scheduleFileApplied',
    'rowUnreadable',
  ] as const),
  ...([
    'nodeJoined',
    'nodeLeft',
    'nodeFailed',
    'nodeRecovered',
    'nodeFenced',
    'nodeStalled',
    'nodeDraining',
    'nodeUndrained',
  ] as const),
  ...(['storeUnavailable', 'storeAvailable', 'statesRepaired', 'jobTypesMissing'] as const),
];

/** An event as sent to pages: keys, times and ids, but no job data, no error messages and no other text from the program. */
export interface PlainEvent {
  readonly type: EventType;
  readonly at: string;
  readonly job?: JobKey;
  readonly trigger?: TriggerKey;
  readonly runId?: string;
  readonly scheduledFireTime?: string;
  /** Duration of the job in milliseconds; -1 if the job did not run. */
  readonly jobRunTime?: number;
  readonly failed?: boolean;
  readonly instanceId?: string;
}

interface Details {
  readonly job?: { readonly key: JobKey };
  readonly jobKey?: JobKey;
  readonly trigger?: { readonly key: TriggerKey; readonly jobKey: JobKey };
  readonly triggerKey?: TriggerKey | null;
  readonly firing?: TriggerFiring;
  readonly jobRunTime?: number;
  readonly instanceId?: string;
}

export function plainEvent(event: SchedulerEvent): PlainEvent {
  const { firing, trigger, ...rest }: Details = event as Details;
  const job = rest.jobKey ?? rest.job?.key ?? firing?.jobDetail.key ?? trigger?.jobKey;
  const triggerKey = rest.triggerKey ?? trigger?.key ?? firing?.trigger.key;
  return {
    type: event.type,
    at: instantOf(event.at),
    ...(job === undefined ? {} : { job: { group: job.group, name: job.name } }),
    ...(triggerKey === undefined ? {} : { trigger: { group: triggerKey.group, name: triggerKey.name } }),
    ...(firing === undefined ? {} : { runId: firing.runId, scheduledFireTime: instantOf(firing.scheduledFireTime) }),
    ...(event.type === 'triggerCompleted' ? { jobRunTime: event.jobRunTime, failed: event.error !== null } : {}),
    ...(rest.instanceId === undefined ? {} : { instanceId: rest.instanceId }),
  };
}

function instantOf(time: EpochMs): string {
  return new Date(time).toISOString();
}
