import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { Calendar, CalendarData } from './calendars/calendar';
import type { ExecutionPolicy } from './execution-policy';
import type { JobDetail } from './job-detail';
import { formatKey, type TriggerKey } from './keys';
import { type MisfireClock, misfireTime } from './misfire';
import { RECOVERING_JOBS } from './recovery';
import { sameRegistration } from './registration';
import type { Trigger } from './trigger';
import { afterFiring } from './trigger-behaviour';
import { nextState, type TriggerState } from './trigger-state';

/** A trigger reserved for this node; `runId` names the reservation and fences everything done with it. */
export interface AcquiredTrigger {
  readonly trigger: Trigger;
  readonly runId: string;
}

/** One firing: what the run shell needs to run the job. */
export interface TriggerFiring {
  /** Of this firing alone, in the whole cluster. */
  readonly runId: string;
  /** As it is after this firing: `nextFireTime` is the time after this one. */
  readonly trigger: Trigger;
  /** The job as it is stored. */
  readonly jobDetail: JobDetail;
  /** The calendar of the trigger; null: none. */
  readonly calendar: CalendarData | null;
  /** When it was to fire, in epoch milliseconds. */
  readonly scheduledFireTime: EpochMs;
  /** The scheduled time of the firing before, in epoch milliseconds; null for the first. */
  readonly previousFireTime: EpochMs | null;
  /** When it did fire, in epoch milliseconds; what is fired ahead of its time waits for it in its node. */
  readonly fireTime: EpochMs;
  /** Run again because the node that ran it before died. */
  readonly recovering: boolean;
  /** Triggers wait for the end of this job, as far as was known when it fired. */
  readonly hasFollowers?: true;
  /** The keys of limits that it counts under until it ends; absent: none. */
  readonly holds?: readonly string[];
  /** Why its job is not run now, where the transaction that fired it has found a reason; absent: it has none. */
  readonly finding?: FiringFinding;
}

/** What only the store knows of a firing, and what is done in place of its job. */
export type FiringFinding =
  /** An earlier run of the job executes, and no further firing may wait for its end. */
  | { readonly status: 'skip'; readonly reason: 'overlap' }
  /** It waits for the end of earlier runs; `cancels`: those of them that are to be interrupted. */
  | { readonly status: 'defer'; readonly reason: 'overlap'; readonly cancels: readonly string[] }
  /** `until`: its turn under its rate, for which it waits, or which would come too late. */
  | { readonly status: 'defer' | 'skip'; readonly reason: 'rate'; readonly until: EpochMs };

/** What firing a trigger writes and finds where limits and rules have been asked; absent: nothing limits it. */
export interface FiringTerms extends Pick<TriggerFiring, 'holds' | 'finding'> {
  /** The key of the queue in which it takes a place. */
  readonly queues?: string;
  /** The place that it had in a queue, and leaves. */
  readonly leaves?: QueuePlace;
  /** The keys of limits that have room although it was its turn. */
  readonly passes?: readonly string[];
  /** Its place in the line of its rate. */
  readonly line?: RateLine;
}

/** What a firing changes in the line of its rate. */
export interface RateLine {
  /** It waits from now on: the key of the rate, and when it was due. */
  readonly joins?: { readonly key: string; readonly due: EpochMs };
  /** The trigger that waited, and fires now. */
  readonly leaves?: TriggerKey;
}

/** Of a firing that was put off. */
export interface QueuePlace {
  readonly key: string;
  readonly runId: string;
}

/** What became of one acquired trigger. A `notFired` one owns no running job; the store has put it back already. */
export type FireResult =
  | { readonly status: 'fired'; readonly firing: TriggerFiring }
  | { readonly status: 'notFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason };

/**
 * `lost`: the reservation is no longer ours. `changed`: the trigger was replaced after it was acquired. `elsewhere`: its
 * job may not run on this node any more. `failed`: the store cannot write its firing; it stays due, and is tried again later.
 */
export type NotFiredReason =
  | 'deleted'
  | 'paused'
  | 'blocked'
  | 'changed'
  | 'lost'
  | 'jobMissing'
  | 'calendarMissing'
  | 'elsewhere'
  | 'invalid'
  | 'failed';

/** A stored calendar: what it is, and its data. */
export interface StoredCalendar {
  readonly calendar: Calendar;
  readonly data: CalendarData;
}

/** What a trigger fires with. */
export interface FiringParts {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
  /** The trigger's calendar; null when it names none. */
  readonly calendar: StoredCalendar | null;
  /** Whether triggers wait for the end of the job; absent: none do. */
  readonly hasFollowers?: boolean;
}

/** The firing of a trigger at its next fire time. Throws what its schedule throws. */
export function planFiring(
  { trigger, jobDetail, calendar, hasFollowers }: FiringParts,
  runId: string,
  now: EpochMs,
  { holds, finding }: FiringTerms = {},
): TriggerFiring {
  if (trigger.nextFireTime === null) {
    throw new SchedulerError(
      'INVALID_TRIGGER',
      `The trigger '${formatKey(trigger.key)}' cannot fire: it has no next fire time.`,
    );
  }
  const firing: TriggerFiring = {
    runId,
    trigger: afterFiring(trigger, calendar === null ? null : calendar.calendar),
    jobDetail,
    calendar: calendar === null ? null : calendar.data,
    scheduledFireTime: trigger.nextFireTime,
    previousFireTime: trigger.previousFireTime,
    fireTime: Math.max(now, trigger.nextFireTime),
    recovering: trigger.key.group === RECOVERING_JOBS,
    ...(holds !== undefined && { holds }),
    ...(finding !== undefined && { finding }),
  };
  return hasFollowers === true ? followed(firing) : firing;
}

/** The firing of a job whose end others wait for. */
export function followed(firing: TriggerFiring): TriggerFiring {
  return { ...firing, hasFollowers: true };
}

/** Whether a new trigger may fire while it is stored: due, not misfired, on no calendar, of a job that may run concurrently, and under no limit. */
export function mayFireAsStored(
  { nextFireTime, calendarName, policy }: Trigger,
  job: JobDetail,
  clock: MisfireClock,
): boolean {
  if (nextFireTime === null || calendarName !== null || job.disallowConcurrentExecution) return false;
  if (isAsked(policy) || isAsked(job.policy)) return false;
  return nextFireTime <= clock.now && nextFireTime >= misfireTime(clock);
}

/** Whether the transaction that fires has to ask more than the trigger itself. */
function isAsked(policy: ExecutionPolicy | undefined): boolean {
  return (
    policy !== undefined &&
    (policy.concurrency !== undefined || policy.overlap !== undefined || policy.rate !== undefined)
  );
}

/** The state in which a firing leaves its trigger. */
export function stateAfterFiring({ trigger, jobDetail }: TriggerFiring): TriggerState {
  if (trigger.nextFireTime === null) return 'COMPLETE';
  return nextState('ACQUIRED', 'fire', {
    jobExecuting: jobDetail.disallowConcurrentExecution,
    groupPaused: false,
  });
}

/** Why an acquired trigger cannot be fired any more, from what is stored under its key now (null: nothing). */
export function refusalReason(
  acquired: AcquiredTrigger,
  stored: { readonly trigger: Trigger; readonly state: TriggerState } | null,
): NotFiredReason {
  if (stored === null) return 'deleted';
  switch (stored.state) {
    case 'PAUSED':
    case 'PAUSED_BLOCKED':
      return 'paused';
    case 'BLOCKED':
      return 'blocked';
    default:
      return sameRegistration(stored.trigger, acquired.trigger) ? 'lost' : 'changed';
  }
}
