import { JobExecutionException } from '../api/job-execution-exception';
import type { LogLevel, StructuredLogger } from '../api/logger';
import type { EpochMs } from '../base/clock';
import { withPrintableTexts } from '../base/printable';
import type { TriggerFiring } from '../domain/firing';
import { formatKey, type GroupMatcher, type JobKey, type TriggerKey } from '../domain/keys';
import type { SchedulerEvent, SchedulerEventOf } from '../domain/scheduler-event';
import type { Trigger } from '../domain/trigger';
import type { EventSubscriber, EventType } from './event-bus';

/** How one type of event is logged. */
export interface LogLine<Event> {
  /** Stable for ever: filter and alert by it. */
  readonly code: string;
  readonly level: LogLevel;
  readonly message: string;
  /** What the line says besides; never job data, which may hold secrets. */
  readonly fields: (event: Event) => Readonly<Record<string, unknown>>;
}

/** One line per event type. */
type LogLines = { readonly [Type in EventType]: LogLine<SchedulerEventOf<Type>> };

/** Every log line this library writes, documented in docs/reference/events.md (a test compares). */
export const LOG_LINES: LogLines = {
  schedulerStarting: { code: 'QTZ101', level: 'debug', message: 'Scheduler starting', fields: nothing },
  schedulerStarted: { code: 'QTZ102', level: 'info', message: 'Scheduler started', fields: nothing },
  schedulerInStandbyMode: { code: 'QTZ103', level: 'info', message: 'Scheduler in standby mode', fields: nothing },
  schedulerShuttingDown: { code: 'QTZ104', level: 'info', message: 'Scheduler shutting down', fields: nothing },
  schedulerShutdown: {
    code: 'QTZ105',
    level: 'info',
    message: 'Scheduler shut down',
    fields: ({ abandonedJobs }) => ({ abandonedJobs }),
  },
  configurationWarning: {
    code: 'QTZ106',
    level: 'warn',
    message: 'Configuration warning',
    fields: ({ message }) => ({ warning: message }),
  },
  scheduleFileApplied: {
    code: 'QTZ107',
    level: 'info',
    message: 'Schedule file applied',
    fields: ({ file, created, replaced, unchanged, deleted }) => ({ file, created, replaced, unchanged, deleted }),
  },

  jobAdded: {
    code: 'QTZ201',
    level: 'debug',
    message: 'Job added',
    fields: ({ job }) => ({ job: formatKey(job.key) }),
  },
  jobDeleted: { code: 'QTZ202', level: 'debug', message: 'Job deleted', fields: ofJobKey },
  jobScheduled: {
    code: 'QTZ203',
    level: 'debug',
    message: 'Job scheduled',
    fields: ({ trigger }) => ({ ...ofTrigger({ trigger }), nextFireTime: timeText(trigger.nextFireTime) }),
  },
  jobUnscheduled: { code: 'QTZ204', level: 'debug', message: 'Job unscheduled', fields: ofTriggerKey },
  triggerFinalized: {
    code: 'QTZ205',
    level: 'debug',
    message: 'Trigger will not fire again',
    fields: ofTrigger,
  },
  triggerPaused: { code: 'QTZ206', level: 'info', message: 'Trigger paused', fields: ofTriggerKey },
  triggersPaused: { code: 'QTZ207', level: 'info', message: 'Triggers paused', fields: ofMatcher },
  triggerResumed: { code: 'QTZ208', level: 'info', message: 'Trigger resumed', fields: ofTriggerKey },
  triggersResumed: { code: 'QTZ209', level: 'info', message: 'Triggers resumed', fields: ofMatcher },
  jobPaused: { code: 'QTZ210', level: 'info', message: 'Job paused', fields: ofJobKey },
  jobsPaused: { code: 'QTZ211', level: 'info', message: 'Jobs paused', fields: ofMatcher },
  jobResumed: { code: 'QTZ212', level: 'info', message: 'Job resumed', fields: ofJobKey },
  jobsResumed: { code: 'QTZ213', level: 'info', message: 'Jobs resumed', fields: ofMatcher },
  schedulingDataCleared: { code: 'QTZ214', level: 'warn', message: 'All scheduling data deleted', fields: nothing },

  triggersAcquired: {
    code: 'QTZ301',
    level: 'debug',
    message: 'Triggers acquired',
    fields: ({ count }) => ({ count }),
  },
  triggerFired: {
    code: 'QTZ302',
    level: 'debug',
    message: 'Trigger fired',
    fields: ({ firing }) => ({
      ...ofFiring({ firing }),
      scheduledFireTime: timeText(firing.scheduledFireTime),
      nextFireTime: timeText(firing.trigger.nextFireTime),
    }),
  },
  triggerNotFired: {
    code: 'QTZ303',
    level: 'debug',
    message: 'Acquired trigger did not fire',
    fields: ({ acquired, reason }) => ({
      ...ofTrigger(acquired),
      fireInstanceId: acquired.fireInstanceId,
      reason,
    }),
  },
  jobVetoed: { code: 'QTZ304', level: 'debug', message: 'Job vetoed by a listener', fields: ofFiring },
  jobStarted: {
    code: 'QTZ305',
    level: 'debug',
    message: 'Job started',
    fields: ({ firing, refireCount }) => ({ ...ofFiring({ firing }), refireCount }),
  },
  triggerCompleted: {
    code: 'QTZ306',
    level: 'debug',
    message: 'Firing completed',
    fields: ({ firing, instruction, jobRunTime }) => ({
      ...ofFiring({ firing }),
      instruction,
      jobRunTime: Math.round(jobRunTime),
    }),
  },
  jobFailed: {
    code: 'QTZ308',
    level: 'warn',
    message: 'Job failed',
    fields: ({ firing, refireCount, error }) => ({ ...ofFiring({ firing }), refireCount, err: thrownBy(error) }),
  },
  triggerMisfired: {
    code: 'QTZ307',
    level: 'warn',
    message: 'Trigger misfired',
    fields: ({ trigger }) => ({
      ...ofTrigger({ trigger }),
      missedFireTime: timeText(trigger.nextFireTime),
      misfireInstruction: trigger.misfireInstruction,
    }),
  },

  nodeJoined: { code: 'QTZ501', level: 'info', message: 'Node joined the cluster', fields: ofInstance },
  nodeFailed: {
    code: 'QTZ502',
    level: 'warn',
    message: 'Node failed: it stopped checking in',
    fields: ({ instanceId, lastCheckInTime }) => ({ instanceId, lastCheckInTime: timeText(lastCheckInTime) }),
  },
  nodeRecovered: {
    code: 'QTZ503',
    level: 'warn',
    message: 'Firings of a failed node recovered',
    fields: ({ report: { instanceId, released, recovered, exhausted, lost } }) => ({
      instanceId,
      released,
      recovered: recovered.map(formatKey),
      exhausted: exhausted.map(formatKey),
      lost,
    }),
  },
  nodeFenced: {
    code: 'QTZ504',
    level: 'error',
    message: 'This node may not act any more; its jobs are aborted',
    fields: ({ instanceId, reason }) => ({ instanceId, reason }),
  },
  statesRepaired: {
    code: 'QTZ505',
    level: 'warn',
    message: 'Impossible trigger states put right',
    fields: ({ released, unblocked, failed }) => ({ released, unblocked, failed: failed.map(formatKey) }),
  },
  clockUnsafe: {
    code: 'QTZ506',
    level: 'error',
    message: "This machine's clock is too far from the database's to fire beside Java nodes; set it right",
    fields: ofClock,
  },
  clockSafe: {
    code: 'QTZ507',
    level: 'info',
    message: 'The clock does not keep this node from firing any more',
    fields: ofClock,
  },
  storeUnavailable: {
    code: 'QTZ520',
    level: 'error',
    message: 'The job store does not answer; this node goes on when it does',
    fields: ofInstance,
  },
  storeAvailable: {
    code: 'QTZ521',
    level: 'warn',
    message: 'The job store answers again',
    fields: ({ instanceId, unavailableFor }) => ({ instanceId, unavailableFor }),
  },
  jobTypesMissing: {
    code: 'QTZ512',
    level: 'warn',
    message: 'Triggers wait for job types that no node has',
    fields: ({ missing }) => ({
      missing: missing.map(({ jobType, triggers, example, overdueSince }) => ({
        jobType,
        triggers,
        example: formatKey(example),
        overdueSince: timeText(overdueSince),
      })),
    }),
  },
  nodeLeft: { code: 'QTZ508', level: 'info', message: 'Node left the cluster', fields: ofInstance },

  schedulerError: {
    code: 'QTZ401',
    level: 'error',
    message: 'Something failed; the scheduler goes on',
    fields: ({ during, error }) => ({ during, err: error }),
  },
  rowUnreadable: {
    code: 'QTZ404',
    level: 'warn',
    message: 'A stored row cannot be read on this node, which passes it over',
    fields: ({ row: { what, group, name, cause }, silenced }) => ({
      [what]: group === null ? name : formatKey({ group, name }),
      reason: cause,
      ...(silenced ? { silenced } : {}),
    }),
  },
  completionFenced: {
    code: 'QTZ402',
    level: 'warn',
    message: 'Completion refused: the firing was no longer ours',
    fields: ofFiring,
  },
  clockStepped: { code: 'QTZ403', level: 'warn', message: 'Wall clock stepped', fields: ({ stepMs }) => ({ stepMs }) },
};

/** Every type of event there is. */
export const EVENT_TYPES = Object.keys(LOG_LINES) as readonly EventType[];

/** Logs what happens, as one structured line each. */
export function logSubscriber(logger: StructuredLogger): EventSubscriber {
  return (event) => {
    // What a job throws has a line of its own, jobFailed.
    if (event.type === 'schedulerError' && event.error instanceof JobExecutionException) return;
    // One line per event type, so the event is what its line expects; the compiler cannot follow that through the table.
    const { code, level, message, fields } = LOG_LINES[event.type] as LogLine<SchedulerEvent>;
    if (logger.isLevelEnabled(level)) logger[level]({ code, ...withPrintableTexts(fields(event)) }, message);
  };
}

/** The events that make a line at the logger's present level: subscribe to these, and the others cost nothing. */
export function loggedTypes(logger: StructuredLogger): readonly EventType[] {
  return EVENT_TYPES.filter((type) => logger.isLevelEnabled(LOG_LINES[type].level));
}

function nothing(): Readonly<Record<string, unknown>> {
  return {};
}

function ofTriggerKey({ triggerKey }: { readonly triggerKey: TriggerKey }) {
  return { trigger: formatKey(triggerKey) };
}

function ofJobKey({ jobKey }: { readonly jobKey: JobKey }) {
  return { job: formatKey(jobKey) };
}

function ofInstance({ instanceId }: { readonly instanceId: string }) {
  return { instanceId };
}

function ofClock({ instanceId, clockOffset }: SchedulerEventOf<'clockUnsafe' | 'clockSafe'>) {
  return { instanceId, clockOffset };
}

function ofMatcher({ matcher }: { readonly matcher: GroupMatcher }) {
  return { groups: matcher.operator === 'any' ? 'any' : `${matcher.operator} ${matcher.value}` };
}

function ofTrigger({ trigger }: { readonly trigger: Trigger }) {
  return { trigger: formatKey(trigger.key), job: formatKey(trigger.jobKey) };
}

function ofFiring({ firing }: { readonly firing: TriggerFiring }) {
  return { ...ofTrigger(firing), fireInstanceId: firing.fireInstanceId };
}

/** What the job threw: the exception around it repeats its message, and a logger would print both. */
function thrownBy(error: Error): Error {
  const { cause } = error;
  return cause instanceof Error && error.message.includes(cause.message) ? cause : error;
}

function timeText(time: EpochMs | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
