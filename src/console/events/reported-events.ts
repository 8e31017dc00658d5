import type { Scheduler } from '../../api/scheduler';
import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import type { TriggerFiring } from '../../domain/firing';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import { instantOf } from '../../operations/views/plain';
import type { Message } from './event-record';

/** Interval in milliseconds at which collected events are sent together, so that a thousand events a second cost as little as two messages. */
const FLUSH_INTERVAL_MS = 500;

/** Maximum number of events per interval that are sent individually. One message reports the number of further events. */
export const MAX_PER_FLUSH = 25;

interface ReportedEventsParts {
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly publish: (messages: readonly Message[]) => void;
}

/** Collects this node's events and sends them in batches. Each event costs one list entry or the increment of a counter. */
export class ReportedEvents {
  readonly #parts: ReportedEventsParts;
  #events: SchedulerEvent[] = [];
  #leftOut = 0;
  #unsubscribe: (() => void) | null = null;
  #sleep: AbortController | null = null;

  constructor(parts: ReportedEventsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unsubscribe ??= this.#parts.scheduler.subscribe((event) => this.#take(event), REPORTED_EVENTS);
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.flush();
  }

  flush(): void {
    this.#sleep?.abort();
    this.#sleep = null;
    const [events, leftOut] = [this.#events, this.#leftOut];
    this.#events = [];
    this.#leftOut = 0;
    if (events.length === 0) return;
    const more: readonly Message[] = leftOut === 0 ? [] : [{ name: 'changed', data: { reason: 'many', leftOut } }];
    this.#parts.publish([...events.map((event) => ({ data: plainEvent(event) })), ...more]);
  }

  #take(event: SchedulerEvent): void {
    if (this.#events.length < MAX_PER_FLUSH) this.#events.push(event);
    else this.#leftOut++;
    if (this.#sleep === null) void this.#flushSoon();
  }

  async #flushSoon(): Promise<void> {
    const sleep = new AbortController();
    this.#sleep = sleep;
    await sleepFor(this.#parts.clock, FLUSH_INTERVAL_MS, sleep.signal);
    if (!sleep.signal.aborted) this.flush();
  }
}

type EventType = SchedulerEvent['type'];

/** Events that are sent to pages, because they may change the content of a page. */
export const REPORTED_EVENTS: readonly EventType[] = [
  ...(['schedulerStarted', 'schedulerInStandbyMode', 'schedulerShuttingDown', 'schedulerShutdown'] as const),
  ...(['schedulingDataCleared', 'jobAdded', 'jobDeleted', 'jobScheduled', 'jobUnscheduled'] as const),
  ...([
    'triggerFinalized',
    'triggerEndedByCalendar',
    'triggerPaused',
    'triggerResumed',
    'triggersPaused',
    'triggersResumed',
  ] as const),
  ...(['jobPaused', 'jobResumed', 'jobsPaused', 'jobsResumed'] as const),
  ...(['runsRerun', 'deadLettersDiscarded', 'waitingRunsDeleted'] as const),
  ...(['jobStarted', 'jobVetoed', 'triggerCompleted'] as const),
  ...([
    'retryScheduled',
    'retriesExhausted',
    'runHandedOver',
    'runRefused',
    'firingSkipped',
    'firingDeferred',
    'occurrenceCompleted',
  ] as const),
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
    'workersHeld',
    'nodeDraining',
    'nodeUndrained',
  ] as const),
  ...(['storeUnavailable', 'storeAvailable', 'statesRepaired', 'fireTimesRecomputed', 'jobTypesMissing'] as const),
];

/** An event as sent to pages: keys, times and ids, but no job data, no error messages and no other text from the program. */
interface PlainEvent {
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

function plainEvent(event: SchedulerEvent): PlainEvent {
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
