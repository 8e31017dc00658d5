import type { EpochMs } from '../base/clock';
import type { RandomSource } from '../base/ids';
import { calendarFrom } from './calendars/calendar-from-data';
import type { TriggerFiring } from './firing';
import { NO_DATA, withoutKeys } from './job-data';
import type { TriggerKey } from './keys';
import { makeUpTime } from './make-up-time';
import {
  firstDueData,
  type Occurrence,
  occurrenceData,
  occurrenceOfTrigger,
  oneOffData,
  RETRYING_JOBS,
} from './occurrence';
import { HAND_OVERS, REFUSALS } from './recovery';
import { type RetryPolicy, retryDelay } from './retry-policy';
import { DEFAULT_RULES, type Rules } from './rules';
import type { RunRecord } from './run';
import { detailOf } from './run-detail';
import { type SpreadOccurrence, withRerun } from './spread-occurrence';
import { DEFAULT_PRIORITY, oneShotTrigger, type SimpleTrigger } from './trigger';

/** Decision after a failed attempt. `exhausted`: no retries are left, or the next retry would start after `maxAge` or the deadline. */
export type RetryDecision =
  | { readonly status: 'retry'; readonly trigger: SimpleTrigger }
  | { readonly status: 'exhausted' }
  /** The policy has no retries and the job requested no retry, or the job refused a retry. */
  | { readonly status: 'none' };

const NONE: RetryDecision = { status: 'none' };
const EXHAUSTED: RetryDecision = { status: 'exhausted' };

interface RetryRequest {
  readonly firing: TriggerFiring;
  readonly occurrence: Occurrence;
  readonly policy: RetryPolicy;
  /** Delay that the job requested, in milliseconds; null: the policy's. Without retries in the policy, a job may request any number of retries. */
  readonly delay: number | null;
  /** Time by which the occurrence must end; null: none. */
  readonly deadline?: EpochMs | null;
  readonly now: EpochMs;
  readonly random: RandomSource;
  /** Rules of the scheduler. Default: `safe`. */
  readonly rules?: Rules | undefined;
}

/**
 * Decides whether and when a failed occurrence is retried. Under safe rules, the calendar and the hours of the day of its trigger apply, unless the
 * policy ignores them; other parts of the schedule do not.
 */
export function planRetry(request: RetryRequest): RetryDecision {
  const { firing, occurrence, policy, delay, deadline = null, now, random, rules = DEFAULT_RULES } = request;
  const { max, maxAge = Number.POSITIVE_INFINITY, from } = policy;
  const isOnDemand = max === 0 && delay !== null;
  if (max === 0 && !isOnDemand) return from === undefined ? NONE : EXHAUSTED;
  const attempts = from === undefined ? occurrence.attempt : Math.max(1, occurrence.attempt - from.attempt + 1);
  if (!isOnDemand && attempts > max) return EXHAUSTED;
  const followsCalendar = rules === 'safe' && policy.calendar !== 'ignore';
  const delayed = now + (delay ?? retryDelay(policy, attempts, random));
  const startTime = followsCalendar ? nextAllowed(firing, delayed) : delayed;
  if (startTime - (from?.time ?? occurrence.scheduledTime) > maxAge) return EXHAUSTED;
  if (deadline !== null && startTime >= deadline) return EXHAUSTED; // the retry would be skipped
  const { trigger } = firing;
  const next = { ...occurrence, attempt: occurrence.attempt + 1 };
  const data = {
    ...withoutKeys(trigger.data, [HAND_OVERS, REFUSALS]),
    ...occurrenceData(next),
    ...oneOffData(trigger),
    ...firstDueData(firing),
  };
  // A later retry follows the calendar too.
  const calendarName = followsCalendar ? trigger.calendarName : null;
  const of = { jobKey: trigger.jobKey, data, priority: trigger.priority, calendarName };
  return { status: 'retry', trigger: oneShotTrigger(retryTriggerKey(firing.runId), startTime, of, trigger.policy) };
}

/** Returns the first time from `time` on that the calendar of the firing includes and that is within the hours of its trigger. */
function nextAllowed({ trigger, calendar }: TriggerFiring, time: EpochMs): EpochMs {
  if (calendar === null && trigger.kind !== 'DAILY_I') return time;
  return makeUpTime(trigger, calendar === null ? null : calendarFrom(calendar), time) ?? time;
}

/** Returns the trigger that reruns a dead letter immediately, with its original data. `retry`: retry policy, with all its retries again. */
export function rerunTrigger(run: RunRecord, retry: RetryPolicy, now: EpochMs): SimpleTrigger {
  const { triggerData = NO_DATA, priority = DEFAULT_PRIORITY, policy, shard } = detailOf(run);
  const attempt = run.attempt + 1;
  const part = shard === undefined ? {} : { shard: { ...shard, isCounted: true } };
  const data = { ...triggerData, ...occurrenceData({ ...run, ...part, id: run.occurrenceId, attempt }) };
  const withRetry = { ...policy, retry: { ...retry, from: { attempt, time: now } } };
  return oneShotTrigger(retryTriggerKey(run.runId), now, { jobKey: run.jobKey, data, priority }, withRetry);
}

interface PlannedReruns {
  /** One trigger per requested rerun, in the same order. */
  readonly triggers: readonly SimpleTrigger[];
  /** Occurrences of which other parts (shards) have not ended. These occurrences end only after the parts that are rerun. */
  readonly reopened: readonly SpreadOccurrence[];
}

/** A rerun part (shard) rejoins its occurrence if `ongoing` returns it. If the occurrence has ended, the part is rerun without effect on it. */
export function planReruns(
  reruns: readonly SimpleTrigger[],
  ongoing: (occurrenceId: string) => SpreadOccurrence | undefined,
): PlannedReruns {
  const reopened = new Map<string, SpreadOccurrence>();
  const triggers = reruns.map((trigger): SimpleTrigger => {
    const { shard, ...occurrence } = occurrenceOfTrigger(trigger);
    const { id } = occurrence;
    if (shard === undefined || id === null) return trigger;
    const before = reopened.get(id) ?? ongoing(id);
    if (before !== undefined) reopened.set(id, withRerun(before));
    const ofPart = occurrenceData({ ...occurrence, shard: { ...shard, isCounted: before !== undefined } });
    return { ...trigger, data: { ...trigger.data, ...ofPart } };
  });
  return { triggers, reopened: [...reopened.values()] };
}

/** Returns the key of the trigger that retries a run. The key depends only on the run id, so the retry cannot be stored twice. */
export function retryTriggerKey(runId: string): TriggerKey {
  return { group: RETRYING_JOBS, name: `retry_${runId}` };
}
