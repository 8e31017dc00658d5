import type { TriggerFiring } from '../../../src/domain/firing';
import { NO_DATA } from '../../../src/domain/job-data';
import type { JobDetail } from '../../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import { JobThreads } from '../../../src/engine/job-threads';

/** A job detail of type 'job' without data. */
export function aJobDetail(changes: Partial<JobDetail> = {}): JobDetail {
  return {
    key: jobKey('job'),
    jobType: 'job',
    description: null,
    data: NO_DATA,
    durable: true,
    disallowConcurrentExecution: false,
    persistJobDataAfterExecution: false,
    requestsRecovery: false,
    ...changes,
  };
}

/** A trigger that fires once, at 0, for `aJobDetail`. */
export function aTrigger(changes: Partial<SimpleTrigger> = {}): SimpleTrigger {
  return {
    kind: 'SIMPLE',
    key: triggerKey('trigger'),
    jobKey: jobKey('job'),
    description: null,
    data: NO_DATA,
    priority: 5,
    startTime: 0,
    endTime: null,
    calendarName: null,
    nextFireTime: 0,
    previousFireTime: null,
    misfireInstruction: 'SMART_POLICY',
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    ...changes,
  };
}

/** The only firing of `aTrigger`. */
export function aFiring(changes: Partial<TriggerFiring> = {}): TriggerFiring {
  return {
    runId: 'fire-1',
    trigger: aTrigger({ nextFireTime: null, previousFireTime: 0, timesTriggered: 1 }),
    jobDetail: aJobDetail(),
    calendar: null,
    scheduledFireTime: 0,
    previousFireTime: null,
    fireTime: 0,
    recovering: false,
    ...changes,
  };
}

/** Threads for contexts whose jobs are not loaded from files. */
export const threads = new JobThreads({ size: 1, onError() {} });
