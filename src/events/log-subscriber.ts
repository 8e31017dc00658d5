import { JobExecutionException } from '../api/job-execution-exception';
import type { StructuredLogger } from '../api/logger';
import { type EpochMs, SystemClock } from '../base/clock';
import { withPrintableTexts } from '../base/printable';
import { maskValue } from '../base/secrets';
import { formatKey } from '../domain/keys';
import type { SchedulerEvent, SchedulerEventOf } from '../domain/scheduler-event';
import type { EventSubscriber, EventType } from './event-bus';
import { LineBursts } from './line-bursts';
import {
  all,
  type LogLine,
  line,
  ofError,
  ofFiring,
  ofJobKey,
  ofMatcher,
  ofOccurrence,
  ofRuns,
  ofRunsInFlight,
  ofScheduledFiring,
  ofTrigger,
  ofTriggerKey,
  only,
  time,
  timeText,
} from './log-fields';

export type { LogLine } from './log-fields';

type LogLines = { readonly [Type in EventType]: LogLine<SchedulerEventOf<Type>> };

/** Log lines of quartz-ts. docs/reference/events.md documents them, and a test compares both. */
export const LOG_LINES: LogLines = {
  schedulerStarting: line('QTZ101', 'debug', 'Scheduler starting'),
  schedulerStarted: line('QTZ102', 'info', 'Scheduler started'),
  schedulerInStandbyMode: line('QTZ103', 'info', 'Scheduler in standby mode'),
  schedulerShuttingDown: line('QTZ104', 'info', 'Scheduler shutting down'),
  schedulerShutdown: line('QTZ105', 'info', 'Scheduler shut down', only('abandonedJobs')),
  configurationWarning: line('QTZ106', 'warn', 'Configuration warning', ({ message }) => ({ warning: message })),
  scheduleFileApplied: line(
    'QTZ107',
    'info',
    'Schedule file applied',
    only('file', 'created', 'replaced', 'unchanged', 'deleted'),
  ),
  scheduleChanged: line('QTZ108', 'info', 'Schedule changed', ({ by, set, names, created, changed, ...others }) => ({
    ...(by === null ? {} : { by }),
    ...(set === null ? {} : { set }),
    ...{ created, changed, deleted: others.deleted, overridden: others.overridden, unchanged: others.unchanged },
    ...Object.fromEntries(
      Object.entries(names).flatMap(([what, list]) => (list.length === 0 ? [] : [[`${what}Names`, list]])),
    ),
  })),
  overrideConflict: line(
    'QTZ109',
    'warn',
    'Declaration changed, but it has manual overrides: they are kept where they still apply',
    only('what', 'group', 'name', 'fields', 'dropped'),
  ),

  jobAdded: line('QTZ201', 'debug', 'Job added', ({ job }) => ({ job: formatKey(job.key) })),
  jobDeleted: line('QTZ202', 'debug', 'Job deleted', ofJobKey),
  jobScheduled: line('QTZ203', 'debug', 'Job scheduled', ({ trigger }) => ({
    ...ofTrigger({ trigger }),
    nextFireTime: timeText(trigger.nextFireTime),
  })),
  jobUnscheduled: line('QTZ204', 'debug', 'Job unscheduled', ofTriggerKey),
  triggerFinalized: line('QTZ205', 'debug', 'Trigger will not fire again', ofTrigger),
  triggerPaused: line('QTZ206', 'info', 'Trigger paused', ofTriggerKey),
  triggersPaused: line('QTZ207', 'info', 'Triggers paused', ofMatcher),
  triggerResumed: line('QTZ208', 'info', 'Trigger resumed', ofTriggerKey),
  triggersResumed: line('QTZ209', 'info', 'Triggers resumed', ofMatcher),
  jobPaused: line('QTZ210', 'info', 'Job paused', ofJobKey),
  jobsPaused: line('QTZ211', 'info', 'Jobs paused', ofMatcher),
  jobResumed: line('QTZ212', 'info', 'Job resumed', ofJobKey),
  jobsResumed: line('QTZ213', 'info', 'Jobs resumed', ofMatcher),
  schedulingDataCleared: line('QTZ214', 'warn', 'All scheduling data deleted'),
  runsRerun: line('QTZ215', 'info', 'Failed runs rerun', ofRuns),
  deadLettersDiscarded: line('QTZ216', 'info', 'Dead letters discarded', ofRuns),
  waitingRunsDeleted: line(
    'QTZ217',
    'warn',
    'Waiting retries or recoveries deleted: they are now dead letters',
    ofRuns,
  ),

  triggerEndedByCalendar: line(
    'QTZ218',
    'warn',
    'Trigger will not fire until its calendar changes: the calendar excludes all its fire times',
    ({ trigger }) => ({ ...ofTrigger({ trigger }), calendar: trigger.calendarName }),
  ),

  triggersAcquired: line('QTZ301', 'debug', 'Triggers acquired', only('count')),
  triggerFired: line(
    'QTZ302',
    'debug',
    'Trigger fired',
    all(ofScheduledFiring, ({ firing }) => ({ nextFireTime: timeText(firing.trigger.nextFireTime) })),
  ),
  triggerNotFired: line('QTZ303', 'debug', 'Acquired trigger did not fire', ({ acquired, reason }) => ({
    ...ofTrigger(acquired),
    runId: acquired.runId,
    reason,
  })),
  jobVetoed: line('QTZ304', 'debug', 'Job vetoed by a listener', ofFiring),
  jobStarted: line('QTZ305', 'debug', 'Job started', all(ofFiring, only('refireCount'))),
  triggerCompleted: line('QTZ306', 'debug', 'Firing completed', ({ firing, instruction, jobRunTime }) => ({
    ...ofFiring({ firing }),
    instruction,
    jobRunTime: Math.round(jobRunTime),
  })),
  jobFailed: line(
    'QTZ308',
    'warn',
    'Job failed',
    all(ofFiring, only('attempt', 'refireCount'), time('retryTime'), ofError),
  ),
  runHandedOver: line('QTZ317', 'info', 'Run handed over: this node stops, and any node repeats the run', (event) => ({
    ...ofOccurrence(event),
    handOvers: event.handOvers,
  })),
  runRefused: line(
    'QTZ318',
    'warn',
    'Run refused: this node could not create the job, and any other node may run it',
    (event) => ({
      ...ofFiring(event),
      jobType: event.firing.jobDetail.jobType,
      instanceId: event.instanceId,
      refusals: event.refusals,
      pausedUntil: timeText(event.pausedUntil),
      ...ofError(event),
    }),
  ),
  retryScheduled: line('QTZ309', 'info', 'Retry scheduled', ({ firing, occurrence, trigger }) => ({
    ...ofOccurrence({ firing, occurrence }),
    retryTime: timeText(trigger.nextFireTime),
  })),
  retriesExhausted: line(
    'QTZ310',
    'warn',
    'Retries exhausted: the run is now a dead letter',
    all(ofOccurrence, ofError),
  ),
  firingSkipped: line('QTZ311', 'warn', 'Firing skipped', all(ofScheduledFiring, only('reason', 'lateBy'))),
  occurrenceCompleted: line('QTZ316', 'info', 'Occurrence completed: all of its parts have ended', (event) => ({
    trigger: formatKey(event.occurrence.triggerKey),
    job: formatKey(event.jobKey),
    scheduledFireTime: timeText(event.occurrence.scheduledTime),
    parts: event.parts,
    failed: event.failed,
  })),
  firingDeferred: line('QTZ312', 'info', 'Firing deferred', all(ofScheduledFiring, only('reason'), time('until'))),
  overdue: line(
    'QTZ320',
    'warn',
    'Overdue: no run has succeeded in time',
    ({ jobKey, triggerKey, mustSucceedWithin, since, lastSuccess }) => ({
      job: formatKey(jobKey),
      ...(triggerKey === null ? {} : { trigger: formatKey(triggerKey) }),
      mustSucceedWithin,
      since: timeText(since),
      lastSuccess: timeText(lastSuccess),
    }),
  ),
  firingLate: line('QTZ321', 'warn', 'Job started late', all(ofScheduledFiring, only('lateBy'))),
  jobStuck: line('QTZ322', 'warn', 'Job has been running for a long time', all(ofFiring, only('runningFor'))),
  triggerMisfired: line('QTZ307', 'warn', 'Trigger misfired', ({ trigger, reason }) => ({
    ...ofTrigger({ trigger }),
    ...(reason !== undefined && { reason }),
    missedFireTime: timeText(trigger.nextFireTime),
    misfireInstruction: trigger.misfireInstruction,
  })),

  nodeJoined: line('QTZ501', 'info', 'Node joined the cluster', only('instanceId')),
  nodeFailed: line(
    'QTZ502',
    'warn',
    'Node failed: it stopped checking in',
    all(only('instanceId'), time('lastCheckInTime')),
  ),
  nodeRecovered: line(
    'QTZ503',
    'warn',
    'Firings of a failed node recovered',
    ({ report: { instanceId, released, recovered, exhausted, lost } }) => ({
      instanceId,
      released,
      recovered: recovered.map(formatKey),
      exhausted: exhausted.map(formatKey),
      lost,
    }),
  ),
  nodeFenced: line('QTZ504', 'error', 'This node was fenced; its jobs are aborted', only('instanceId', 'reason')),
  nodeStalled: line(
    'QTZ515',
    'warn',
    'The event loop of this node was blocked; the node leaves triggers to other nodes for a while',
    all(only('instanceId', 'stalledFor'), time('holdsBackUntil'), ofRunsInFlight),
  ),
  workersHeld: line(
    'QTZ516',
    'warn',
    'All workers of this node are held by the same runs, and triggers wait',
    all(only('instanceId', 'heldFor'), time('waitingSince'), ofRunsInFlight),
  ),
  nodeDraining: line(
    'QTZ513',
    'info',
    'This node is draining: it acquires no more triggers until it is undrained',
    only('instanceId'),
  ),
  nodeUndrained: line('QTZ514', 'info', 'This node was undrained and acquires triggers again', only('instanceId')),
  statesRepaired: line('QTZ505', 'warn', 'Inconsistent trigger states repaired', ({ released, unblocked, failed }) => ({
    released,
    unblocked,
    failed: failed.map(formatKey),
  })),
  fireTimesRecomputed: line(
    'QTZ517',
    'info',
    'Next fire times recomputed by newer time zone data',
    all(only('from', 'to', 'triggers', 'changed'), ({ examples }) => ({
      examples: examples.map(({ key, before, after }) => `${formatKey(key)}: ${timeText(before)} → ${timeText(after)}`),
    })),
  ),
  clockUnsafe: line(
    'QTZ506',
    'error',
    "This machine's clock differs too much from the database's clock to fire alongside Java nodes; correct the clock",
    only('instanceId', 'clockOffset'),
  ),
  clockSafe: line(
    'QTZ507',
    'info',
    'Clock skew is back within the limit; this node acquires triggers again',
    only('instanceId', 'clockOffset'),
  ),
  storeUnavailable: line(
    'QTZ520',
    'error',
    'The job store does not answer; this node continues when it does',
    only('instanceId'),
  ),
  storeAvailable: line('QTZ521', 'warn', 'The job store answers again', only('instanceId', 'unavailableFor')),
  jobTypesMissing: line('QTZ512', 'warn', 'Triggers wait for job types that no node has registered', ({ missing }) => ({
    missing: missing.map(({ jobType, labels, triggers, example, waitingSince }) => ({
      jobType,
      ...(labels !== undefined && { labels }),
      triggers,
      example: formatKey(example),
      waitingSince: timeText(waitingSince),
    })),
  })),
  nodeLeft: line('QTZ508', 'info', 'Node left the cluster', only('instanceId')),

  schedulerError: line('QTZ401', 'error', 'An operation failed; the scheduler keeps running', ({ during, error }) => ({
    during,
    err: error,
  })),
  rowUnreadable: line(
    'QTZ404',
    'warn',
    'A stored row cannot be read on this node and is skipped here',
    ({ row: { what, group, name, cause }, silenced }) => ({
      [what]: group === null ? name : formatKey({ group, name }),
      reason: cause,
      ...(silenced ? { silenced } : {}),
    }),
  ),
  loginFailed: line('QTZ405', 'warn', 'A login to the console failed', only('name', 'from')),
  completionFenced: line('QTZ402', 'warn', 'Completion rejected: the firing no longer belongs to this node', ofFiring),
  clockStepped: line('QTZ403', 'warn', 'The system clock jumped', only('stepMs')),
};

export const EVENT_TYPES = Object.keys(LOG_LINES) as readonly EventType[];

/** Lines that may come once per trigger, with the time that the line of a burst names as the oldest. Failed jobs are not among them: each has its own error. */
const PER_TRIGGER: { readonly [Type in EventType]?: (event: SchedulerEventOf<Type>) => EpochMs | null } = {
  triggerMisfired: ({ trigger }) => trigger.nextFireTime,
  triggerEndedByCalendar: ({ at }) => at,
  firingSkipped: ({ firing }) => firing.scheduledFireTime,
  firingDeferred: ({ firing }) => firing.scheduledFireTime,
  firingLate: ({ firing }) => firing.scheduledFireTime,
  overdue: ({ since }) => since,
  runRefused: ({ firing }) => firing.scheduledFireTime,
  jobStuck: ({ firing }) => firing.scheduledFireTime,
  completionFenced: ({ firing }) => firing.scheduledFireTime,
};

export function logSubscriber(
  logger: StructuredLogger,
  bursts = new LineBursts(new SystemClock({ keepsAlive: false })),
): EventSubscriber {
  return (event) => {
    if (event.type === 'schedulerShutdown') bursts.end();
    // A failed job already has the line `jobFailed`.
    if (event.type === 'schedulerError' && event.error instanceof JobExecutionException) return;
    // The cast is needed because the compiler cannot infer that the line belongs to the event's type.
    const { code, level, message, fields } = LOG_LINES[event.type] as LogLine<SchedulerEvent>;
    if (!logger.isLevelEnabled(level)) return;
    const timeOf = PER_TRIGGER[event.type] as ((event: SchedulerEvent) => EpochMs | null) | undefined;
    const writeBurst = ({ omitted, oldest }: { readonly omitted: number; readonly oldest: EpochMs | null }) =>
      logger[level]({ code, count: omitted, oldest: timeText(oldest) }, `${message}: further ones in one line`);
    if (timeOf === undefined || bursts.admits(code, timeOf(event), writeBurst))
      logger[level]({ code, ...Object(maskValue(withPrintableTexts(fields(event)))) }, message);
  };
}

/** Returns the event types that the logger writes at its current level. Subscribe only to these, so that other events are not created. */
export function loggedTypes(logger: StructuredLogger): readonly EventType[] {
  return EVENT_TYPES.filter((type) => logger.isLevelEnabled(LOG_LINES[type].level));
}
