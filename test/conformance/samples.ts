import type { CalendarData } from '../../src/domain/calendars/calendar';
import { DEFAULT_POLICY } from '../../src/domain/execution-policy';
import { NO_DATA } from '../../src/domain/job-data';
import type { JobDetail } from '../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../src/domain/keys';
import { scopeOfNode } from '../../src/domain/placement';
import type { RunRecord } from '../../src/domain/run';
import type { CronTrigger, SimpleTrigger } from '../../src/domain/trigger';
import { REPEAT_INDEFINITELY } from '../../src/domain/trigger';

/** Noon of a Thursday, UTC: the time at which every test of the suite begins. Stores use no other clock. */
export const NOW = Date.UTC(2026, 0, 1, 12);
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const MISFIRE_THRESHOLD = MINUTE;

/** Labels and priorities of the node of the suite. */
export const SCOPE = scopeOfNode('node', { labels: ['eu', 'ssd'], priorities: { min: -1_000, max: 1_000 } });

/** Policy of the node of the suite: the defaults, and the limit of a group. */
export const POLICY = { ...DEFAULT_POLICY, groupLimits: { limited: 2 } };

/** A job that may be executed concurrently and is deleted with its last trigger. */
export function job(name = 'job', fields: Partial<JobDetail> = {}): JobDetail {
  return {
    key: jobKey(name),
    jobType: 'sample',
    description: null,
    data: NO_DATA,
    durable: false,
    disallowConcurrentExecution: false,
    persistJobDataAfterExecution: false,
    requestsRecovery: false,
    ...fields,
  };
}

const COMMON = {
  description: null,
  data: NO_DATA,
  priority: 5,
  startTime: NOW,
  endTime: null,
  calendarName: null,
  nextFireTime: null,
  previousFireTime: null,
} as const;

/** Fires once, now. */
export function once(name = 'trigger', fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return {
    ...COMMON,
    kind: 'SIMPLE',
    key: triggerKey(name),
    jobKey: jobKey('job'),
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    misfireInstruction: 'SMART_POLICY',
    ...fields,
  };
}

/** Fires every minute from now on. */
export function everyMinute(name = 'trigger', fields: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return once(name, { repeatCount: REPEAT_INDEFINITELY, repeatInterval: MINUTE, ...fields });
}

/** Fires every day at noon, UTC. */
export function everyNoon(name = 'trigger', fields: Partial<CronTrigger> = {}): CronTrigger {
  return {
    ...COMMON,
    kind: 'CRON',
    key: triggerKey(name),
    jobKey: jobKey('job'),
    cronExpression: '0 0 12 * * ?',
    timeZone: 'UTC',
    misfireInstruction: 'SMART_POLICY',
    ...fields,
  };
}

/** Record of a run of the sample job that succeeded and ended now. */
export function ran(runId: string, fields: Partial<RunRecord> = {}): RunRecord {
  return {
    runId,
    triggerKey: triggerKey('trigger'),
    jobKey: jobKey('job'),
    jobType: 'sample',
    instanceId: 'a',
    occurrenceId: runId,
    scheduledTime: NOW,
    fireTime: NOW,
    endTime: NOW,
    attempt: 1,
    outcome: 'succeeded',
    isDeadLetter: false,
    error: null,
    detail: null,
    ...fields,
  };
}

/** Excludes one day, YYYY-MM-DD, in UTC. */
export function without(...excludedDates: readonly string[]): CalendarData {
  return { type: 'holiday', excludedDates, description: null, timeZone: 'UTC', base: null };
}
