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

/** A trigger reserved for this node. `runId` names the reservation, and protects every later operation on it. */
export interface AcquiredTrigger {
  readonly trigger: Trigger;
  readonly runId: string;
}

/** One firing, with everything that the run shell needs to run the job. */
export interface TriggerFiring {
  /** Id of this firing, unique in the whole cluster. */
  readonly runId: string;
  /** The trigger after this firing; `nextFireTime` is its next time. */
  readonly trigger: Trigger;
  /** Stored job. */
  readonly jobDetail: JobDetail;
  /** The calendar of the trigger; null: none. */
  readonly calendar: CalendarData | null;
  /** Scheduled fire time, in epoch milliseconds. */
  readonly scheduledFireTime: EpochMs;
  /** Scheduled time of the previous firing, in epoch milliseconds. Null for the first. */
  readonly previousFireTime: EpochMs | null;
  /** Actual fire time, in epoch milliseconds. If it is fired early, the node waits until the scheduled time. */
  readonly fireTime: EpochMs;
  /** True if the run is repeated because the node that ran it before died. */
  readonly recovering: boolean;
  /** True if triggers waited for the end of this job when it fired. */
  readonly hasFollowers?: true;
  /** Keys of the limits under which it counts until it ends; absent: none. */
  readonly holds?: readonly string[];
  /** Reason why its job is not run now, if the firing transaction has found one; absent: none. */
  readonly finding?: FiringFinding;
}

/** A condition that only the store knows, and the action that replaces the firing's job. */
export type FiringFinding =
  /** An earlier run of the job executes, and no further firing may wait for its end. */
  | { readonly status: 'skip'; readonly reason: 'overlap' }
  /** The firing waits for the end of earlier runs; `cancels`: ids of the earlier runs to interrupt. */
  | { readonly status: 'defer'; readonly reason: 'overlap'; readonly cancels: readonly string[] }
  /** `until`: its turn under its rate. The firing waits for it, or is skipped because it would be too late. */
  | { readonly status: 'defer' | 'skip'; readonly reason: 'rate'; readonly until: EpochMs };

/** Effects of limits and rules on firing a trigger; absent if nothing limits it. */
export interface FiringTerms extends Pick<TriggerFiring, 'holds' | 'finding'> {
  /** Key of the queue that it joins. */
  readonly queues?: string;
  /** Queue position that it leaves. */
  readonly leaves?: QueuePlace;
  /** Keys of limits that have room although it was this trigger's turn. */
  readonly passes?: readonly string[];
  /** Position in the queue of its rate. */
  readonly line?: RateLine;
}

/** Changes that a firing makes to the queue of its rate. */
export interface RateLine {
  /** Set if the trigger starts to wait: key of the rate, and the time it was due. */
  readonly joins?: { readonly key: string; readonly due: EpochMs };
  /** The trigger that waited, and fires now. */
  readonly leaves?: TriggerKey;
}

/** Queue position of a deferred firing. */
export interface QueuePlace {
  readonly key: string;
  readonly runId: string;
}

/** Result for one acquired trigger. A `notFired` trigger has no running job; the store has already released it. */
export type FireResult =
  | { readonly status: 'fired'; readonly firing: TriggerFiring }
  | { readonly status: 'notFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason };

/**
 * Reason why an acquired trigger did not fire. `lost`: the node no longer holds the reservation. `changed`: the trigger was replaced after
 * it was acquired. `elsewhere`: its job may no longer run on this node. `failed`: the store cannot write its firing; the trigger stays
 * due and is tried again later.
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

/** A stored calendar with its data. */
export interface StoredCalendar {
  readonly calendar: Calendar;
  readonly data: CalendarData;
}

/** Objects needed to fire a trigger. */
export interface FiringParts {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
  /** The trigger's calendar; null when it names none. */
  readonly calendar: StoredCalendar | null;
  /** True if triggers wait for the end of the job; absent: false. */
  readonly hasFollowers?: boolean;
}

/** Plans the firing of a trigger at its next fire time. Throws the errors of its schedule. */
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

/** Returns the firing with a mark that triggers wait for the end of its job. */
export function followed(firing: TriggerFiring): TriggerFiring {
  return { ...firing, hasFollowers: true };
}

/**
 * True if a new trigger may fire in the transaction that stores it: it is due, not misfired, without calendar and limits, and its job allows
 * concurrent execution.
 */
export function mayFireAsStored(
  { nextFireTime, calendarName, policy }: Trigger,
  job: JobDetail,
  clock: MisfireClock,
): boolean {
  if (nextFireTime === null || calendarName !== null || job.disallowConcurrentExecution) return false;
  if (isAsked(policy) || isAsked(job.policy)) return false;
  return nextFireTime <= clock.now && nextFireTime >= misfireTime(clock);
}

/** True if the firing transaction has to check more than the trigger itself. */
function isAsked(policy: ExecutionPolicy | undefined): boolean {
  return (
    policy !== undefined &&
    (policy.concurrency !== undefined || policy.overlap !== undefined || policy.rate !== undefined)
  );
}

/** Returns the trigger's state after the firing. */
export function stateAfterFiring({ trigger, jobDetail }: TriggerFiring): TriggerState {
  if (trigger.nextFireTime === null) return 'COMPLETE';
  return nextState('ACQUIRED', 'fire', {
    jobExecuting: jobDetail.disallowConcurrentExecution,
    groupPaused: false,
  });
}

/** Returns the reason why an acquired trigger can no longer fire, given the trigger now stored under its key (null if there is none). */
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
