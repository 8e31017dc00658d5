import type { EpochMs } from '../base/clock';
import type { RandomSource } from '../base/ids';
import type { TriggerFiring } from './firing';
import { NO_DATA } from './job-data';
import type { JobKey, TriggerKey } from './keys';
import { type Occurrence, occurrenceData, occurrenceOfTrigger, RETRYING_JOBS } from './occurrence';
import { type RetryPolicy, retryDelay } from './retry-policy';
import type { RunRecord } from './run';
import { detailOf } from './run-detail';
import { type SpreadOccurrence, withRerun } from './spread-occurrence';
import { DEFAULT_PRIORITY, type SimpleTrigger } from './trigger';

/** What follows from an attempt that failed. `exhausted`: it was tried as often, or for as long, as its policy allows. */
export type RetryDecision =
  | { readonly status: 'retry'; readonly trigger: SimpleTrigger }
  | { readonly status: 'exhausted' }
  /** There is no policy, or the job does not want to be retried. */
  | { readonly status: 'none' };

const NONE: RetryDecision = { status: 'none' };
const EXHAUSTED: RetryDecision = { status: 'exhausted' };

export interface RetryRequest {
  readonly firing: TriggerFiring;
  readonly occurrence: Occurrence;
  readonly policy: RetryPolicy;
  /** The pause that the job asked for; null: as the policy says. Without a policy it may ask for as many as it likes. Milliseconds. */
  readonly delay: number | null;
  /** When the occurrence has to be done; null: any time. */
  readonly deadline?: EpochMs | null;
  readonly now: EpochMs;
  readonly random: RandomSource;
}

/** Decides whether, and when, an occurrence is tried again. The schedule of its trigger has no part in it. */
export function planRetry(request: RetryRequest): RetryDecision {
  const { firing, occurrence, policy, delay, deadline = null, now, random } = request;
  const { max, maxAge = Number.POSITIVE_INFINITY, from } = policy;
  const isOnDemand = max === 0 && delay !== null;
  if (max === 0 && !isOnDemand) return from === undefined ? NONE : EXHAUSTED;
  const attempts = from === undefined ? occurrence.attempt : Math.max(1, occurrence.attempt - from.attempt + 1);
  if (!isOnDemand && attempts > max) return EXHAUSTED;
  const startTime = now + (delay ?? retryDelay(policy, attempts, random));
  if (startTime - (from?.time ?? occurrence.scheduledTime) > maxAge) return EXHAUSTED;
  if (deadline !== null && startTime >= deadline) return EXHAUSTED; // it would not be run
  const { trigger } = firing;
  const next = { ...occurrence, attempt: occurrence.attempt + 1 };
  const of = { jobKey: trigger.jobKey, data: { ...trigger.data, ...occurrenceData(next) }, priority: trigger.priority };
  return { status: 'retry', trigger: retryTrigger(firing.runId, startTime, of, trigger.policy) };
}

/**
 * The trigger that runs the occurrence of a dead letter again, now, with the data that it had. `retry`: under which policy, counted from
 * this run on.
 */
export function rerunTrigger(run: RunRecord, retry: RetryPolicy, now: EpochMs): SimpleTrigger {
  const { triggerData = NO_DATA, priority = DEFAULT_PRIORITY, policy, shard } = detailOf(run);
  const attempt = run.attempt + 1;
  const part = shard === undefined ? {} : { shard: { ...shard, isCounted: true } };
  const data = { ...triggerData, ...occurrenceData({ ...run, ...part, id: run.occurrenceId, attempt }) };
  const withRetry = { ...policy, retry: { ...retry, from: { attempt, time: now } } };
  return retryTrigger(run.runId, now, { jobKey: run.jobKey, data, priority }, withRetry);
}

/** Reruns of dead letters, where some are parts of occurrences. */
export interface PlannedReruns {
  /** One for each, in their order. */
  readonly triggers: readonly SimpleTrigger[];
  /** Occurrences whose other parts go on: they wait for the reruns too. */
  readonly reopened: readonly SpreadOccurrence[];
}

/**
 * Decides which reruns of parts their occurrences wait for: those whose occurrence still has other parts left. A part of an occurrence that has ended
 * is run alone, and nothing follows from its end. `ongoing`: finds an occurrence that has parts left.
 */
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

/** The key of the trigger that follows a run: the same whoever plans it, so that it exists at most once. */
export function retryTriggerKey(runId: string): TriggerKey {
  return { group: RETRYING_JOBS, name: `retry_${runId}` };
}

/** The trigger that runs an occurrence again at `startTime`, with the data that its trigger had. */
export function retryTrigger(
  runId: string,
  startTime: EpochMs,
  { jobKey, data, priority }: { readonly jobKey: JobKey } & Pick<SimpleTrigger, 'data' | 'priority'>,
  policy: SimpleTrigger['policy'],
): SimpleTrigger {
  return {
    kind: 'SIMPLE',
    key: retryTriggerKey(runId),
    jobKey,
    description: null,
    data,
    priority,
    startTime,
    endTime: null,
    calendarName: null,
    nextFireTime: startTime,
    previousFireTime: null,
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    misfireInstruction: 'IGNORE_MISFIRE_POLICY',
    ...(policy === undefined ? {} : { policy }),
  };
}
