import type { EpochMs } from '../base/clock';
import type { ExecutionPolicy } from './execution-policy';
import type { TriggerFiring } from './firing';
import type { JobKey, TriggerKey } from './keys';
import { type Occurrence, occurrenceData, occurrenceOf, partOf, SHARDED_JOBS, withoutOccurrence } from './occurrence';
import { retryTrigger } from './retry';
import type { ShardPolicy, SpreadPolicy } from './spread-policy';
import type { SimpleTrigger } from './trigger';

/** An occurrence that is run in parts, from its first firing until each part has ended for good. */
export interface SpreadOccurrence {
  /** The fire instance id of the firing in whose place the parts are run. */
  readonly id: string;
  /** The trigger whose occurrence it is; it may be gone. */
  readonly triggerKey: TriggerKey;
  readonly jobKey: JobKey;
  /** When it was to fire. */
  readonly scheduledTime: EpochMs;
  /** When it was taken apart. */
  readonly startTime: EpochMs;
  readonly parts: number;
  /** Parts that have not ended for good. */
  readonly remaining: number;
  /** Parts that have, as failed. */
  readonly failed: number;
}

/** The parts of an occurrence, and what counts them. */
export interface PlannedParts {
  readonly further: readonly SimpleTrigger[];
  readonly parts: SpreadOccurrence;
}

/** In how many parts this firing is to be run; null: its job is run. A part is not taken apart, nor an occurrence that began whole. */
export function spreadOf(firing: TriggerFiring): SpreadPolicy | null {
  const spread = firing.trigger.policy?.spread ?? firing.jobDetail.policy?.spread;
  if (spread === undefined) return null;
  const { shard, attempt } = occurrenceOf(firing);
  return shard === undefined && attempt === 1 ? spread : null;
}

/** Whether the firing is to be run again if its node dies: what is run in parts must not lose one, whatever its job asks for. */
export function isRecoverable(firing: TriggerFiring): boolean {
  return firing.jobDetail.requestsRecovery || spreadOf(firing) !== null || partOf(firing) !== null;
}

/** Takes a firing apart: a trigger for each part, to be fired at once by whichever nodes have room. */
export function planParts(firing: TriggerFiring, { shards, params = [] }: ShardPolicy): PlannedParts {
  const { fireInstanceId, trigger, jobDetail, fireTime } = firing;
  const { triggerKey, scheduledTime } = occurrenceOf(firing);
  const data = withoutOccurrence(trigger.data);
  const policy = withoutSpread(trigger.policy);
  const further = Array.from({ length: shards }, (_, index): SimpleTrigger => {
    const shard = { index, count: shards, param: params[index] ?? null, occurrenceId: fireInstanceId };
    const ofPart = occurrenceData({ triggerKey, scheduledTime, attempt: 1, shard });
    const of = { jobKey: jobDetail.key, data: { ...data, ...ofPart }, priority: trigger.priority };
    return { ...retryTrigger(fireInstanceId, fireTime, of, policy), key: partKey(fireInstanceId, index) };
  });
  const counted = { remaining: shards, failed: 0, parts: shards };
  return {
    further,
    parts: { id: fireInstanceId, triggerKey, jobKey: jobDetail.key, scheduledTime, startTime: fireTime, ...counted },
  };
}

/** The key of the trigger that runs a part: the same whoever plans it, so that it exists at most once. */
export function partKey(occurrenceId: string, index: number): TriggerKey {
  return { group: SHARDED_JOBS, name: `${partPrefix(occurrenceId)}${index}` };
}

/** How the names of the triggers of an occurrence's parts begin, and of no others of their group. */
export function partPrefix(occurrenceId: string): string {
  return `shard_${occurrenceId}_`;
}

/** A part is taken apart no more, and need not carry what all are given. */
function withoutSpread(policy: ExecutionPolicy | undefined): ExecutionPolicy | undefined {
  if (policy?.spread === undefined) return policy;
  const { spread: _, ...rest } = policy;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** The occurrence after so many of its parts have ended, so many of them as failed. */
export function afterParts(
  { remaining, failed, ...occurrence }: SpreadOccurrence,
  ended: { readonly count: number; readonly failed: number },
): SpreadOccurrence {
  return { ...occurrence, remaining: Math.max(0, remaining - ended.count), failed: failed + ended.failed };
}

/** The occurrence after its remaining parts were given up. */
export function withoutRemaining(occurrence: SpreadOccurrence): SpreadOccurrence {
  const { remaining } = occurrence;
  return afterParts(occurrence, { count: remaining, failed: remaining });
}

/** What is told of an occurrence that has ended. */
export function completedOccurrence({ triggerKey, jobKey, scheduledTime, parts, failed }: SpreadOccurrence) {
  const occurrence: Occurrence = { triggerKey, scheduledTime, attempt: 1 };
  return { type: 'occurrenceCompleted', occurrence, jobKey, parts, failed } as const;
}
