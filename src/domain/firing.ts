import type { EpochMs } from '../base/clock';
import { badTrigger } from '../base/errors';
import type { Calendar, CalendarData } from './calendars/calendar';
import type { ExecutionPolicy } from './execution-policy';
import type { JobDetail } from './job-detail';
import { formatKey, type TriggerKey } from './keys';
import { type MisfireClock, misfireTime } from './misfire';
import { RECOVERING_JOBS } from './recovery';
import { DEFAULT_RULES, type Rules } from './rules';
import type { Trigger } from './trigger';
import { afterFiring, sameRegistration } from './trigger-behaviour';
import { isBlocked, isPaused, nextState, type TriggerState } from './trigger-state';

/** `runId` identifies this node's acquisition. Later operations have no effect if the store no longer contains it. */
export interface AcquiredTrigger {
  readonly trigger: Trigger;
  readonly runId: string;
}

/** A firing, with everything that is needed to run its job. */
export interface TriggerFiring {
  /** Id of this firing, unique in the whole cluster. */
  readonly runId: string;
  /** The trigger after this firing; its `nextFireTime` is the fire time that follows this firing. */
  readonly trigger: Trigger;
  /** The stored job. */
  readonly jobDetail: JobDetail;
  /** Calendar of the trigger; null: none. */
  readonly calendar: CalendarData | null;
  /** Scheduled fire time, in epoch milliseconds. */
  readonly scheduledFireTime: EpochMs;
  /** Time at which the trigger was first due for this firing, if a misfire has moved its fire time since; absent otherwise. Epoch milliseconds. */
  readonly firstDueTime?: EpochMs;
  /** Scheduled time of the previous firing, in epoch milliseconds. Null for the first firing. */
  readonly previousFireTime: EpochMs | null;
  /** Actual fire time, in epoch milliseconds, never before the scheduled time. A firing that is stored earlier waits until then to run its job. */
  readonly fireTime: EpochMs;
  /** True if this run repeats an earlier run whose node died. */
  readonly recovering: boolean;
  /** Set if AFTER triggers waited for this job to end when the trigger fired. */
  readonly hasFollowers?: true;
  /** Keys of the limits that count this firing until it ends; absent if no limit counts it. */
  readonly holds?: readonly string[];
  /** Number of a limit's slot that firings of the batch share; see `slot-sharing.ts`. Absent if the firing shares none. */
  readonly slot?: number;
  /** Set if other triggers may soon wait for the end of this firing, because it left a limit with little capacity. */
  readonly isAwaited?: true;
  /** Reason found by the firing transaction why the job must not run now; absent if the job may run. */
  readonly finding?: FiringFinding;
}

/** A reason not to run the job that only the store can find. `status` states whether the firing is skipped or deferred. */
export type FiringFinding =
  /** An earlier run of the job is executing, and no further firing may wait for its end. */
  | { readonly status: 'skip'; readonly reason: 'overlap' }
  /** The firing waits for the end of earlier runs. `cancels`: ids of earlier runs to interrupt. */
  | { readonly status: 'defer'; readonly reason: 'overlap'; readonly cancels: readonly string[] }
  /** `until`: time of the next free turn under the rate limit. The firing waits until then, or is skipped because that would be too late. */
  | { readonly status: 'defer' | 'skip'; readonly reason: 'rate'; readonly until: EpochMs };

/** Effects of limits and rules on a firing; absent if the firing has no limits or rules. */
export interface FiringTerms extends Pick<TriggerFiring, 'holds' | 'slot' | 'isAwaited' | 'finding'> {
  /** Key of the queue that the firing joins. */
  readonly queues?: string;
  /** Position in the queue that the firing leaves. */
  readonly leaves?: QueuePlace;
  /** Keys of limits with free capacity that this trigger, although next in turn, does not use now. Other waiting triggers may use it. */
  readonly passes?: readonly string[];
  readonly line?: RateLine;
}

/** Changes that a firing makes to the queue of its rate limit. */
export interface RateLine {
  /** Set if the trigger joins the queue: the key of the rate limit and the trigger's original fire time. */
  readonly joins?: { readonly key: string; readonly due: EpochMs };
  /** Key of the trigger that leaves the queue because it fires now. */
  readonly leaves?: TriggerKey;
}

export interface QueuePlace {
  readonly key: string;
  readonly runId: string;
}

/** Result of firing one acquired trigger. `notFired`: its job does not run, and the store has already released the trigger. */
export type FireResult =
  | { readonly status: 'fired'; readonly firing: TriggerFiring }
  | { readonly status: 'notFired'; readonly acquired: AcquiredTrigger; readonly reason: NotFiredReason };

/**
 * Reason why an acquired trigger did not fire. `lost`: the store no longer contains this node's acquisition. `changed`: the trigger was replaced.
 * `elsewhere`: the job may no longer run on this node. `failed`: the store could not write the firing; the trigger stays due and is retried later.
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

export interface StoredCalendar {
  readonly calendar: Calendar;
  readonly data: CalendarData;
}

export interface FiringParts {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
  readonly calendar: StoredCalendar | null;
  /** First due time, if a misfire has moved the trigger's fire time; null or absent otherwise. */
  readonly firstDueTime?: EpochMs | null;
  /** True if AFTER triggers wait for the job to end. Absent: false. */
  readonly hasFollowers?: boolean;
}

/** Plans the firing at the next fire time. Throws INVALID_TRIGGER if there is none, and any error of the trigger's schedule. */
export function planFiring(
  { trigger, jobDetail, calendar, firstDueTime = null, hasFollowers }: FiringParts,
  runId: string,
  { now, rules = DEFAULT_RULES }: { readonly now: EpochMs; readonly rules?: Rules | undefined },
  { holds, slot, isAwaited, finding }: FiringTerms = {},
): TriggerFiring {
  if (trigger.nextFireTime === null) {
    throw badTrigger(`The trigger '${formatKey(trigger.key)}' cannot fire: it has no next fire time.`);
  }
  const firing: TriggerFiring = {
    runId,
    trigger: afterFiring(trigger, calendar === null ? null : calendar.calendar, rules),
    jobDetail,
    calendar: calendar === null ? null : calendar.data,
    scheduledFireTime: trigger.nextFireTime,
    ...(firstDueTime !== null && { firstDueTime }),
    previousFireTime: trigger.previousFireTime,
    fireTime: Math.max(now, trigger.nextFireTime),
    recovering: trigger.key.group === RECOVERING_JOBS,
    ...(holds !== undefined && { holds }),
    ...(slot !== undefined && { slot }),
    ...(isAwaited !== undefined && { isAwaited }),
    ...(finding !== undefined && { finding }),
  };
  return hasFollowers === true ? followed(firing) : firing;
}

/** Returns a copy of the firing, marked so that AFTER triggers wait for its job to end. */
function followed(firing: TriggerFiring): TriggerFiring {
  return { ...firing, hasFollowers: true };
}

/** True if a new trigger may fire in the transaction that stores it: due, not misfired, no calendar or limits, and its job allows concurrent runs. */
export function mayFireAsStored(
  { nextFireTime, calendarName, policy }: Trigger,
  job: JobDetail,
  clock: MisfireClock,
): boolean {
  if (nextFireTime === null || calendarName !== null || job.disallowConcurrentExecution) return false;
  if (needsChecks(policy) || needsChecks(job.policy)) return false;
  return nextFireTime <= clock.now && nextFireTime >= misfireTime(clock);
}

function needsChecks({ concurrency, overlap, rate }: ExecutionPolicy = {}): boolean {
  return concurrency !== undefined || overlap !== undefined || rate !== undefined;
}

export function stateAfterFiring({ trigger, jobDetail }: TriggerFiring): TriggerState {
  if (trigger.nextFireTime === null) return 'COMPLETE';
  return nextState('ACQUIRED', 'fire', {
    jobExecuting: jobDetail.disallowConcurrentExecution,
    groupPaused: false,
  });
}

/** Returns why an acquired trigger did not fire. `stored`: the trigger now stored under its key; null if it was deleted. */
export function refusalReason(
  acquired: AcquiredTrigger,
  stored: { readonly trigger: Trigger; readonly state: TriggerState } | null,
): NotFiredReason {
  if (stored === null) return 'deleted';
  if (isPaused(stored.state)) return 'paused';
  if (isBlocked(stored.state)) return 'blocked';
  return sameRegistration(stored.trigger, acquired.trigger) ? 'lost' : 'changed';
}
