import type { ExecutionPolicy } from './execution-policy';
import type { TriggerFiring } from './firing';
import type { NodeJobTypes } from './job-types';
import type { TriggerKey } from './keys';
import {
  type Occurrence,
  occurrenceData,
  occurrenceOf,
  occurrenceOfTrigger,
  partOf,
  partOfTrigger,
  SHARDED_JOBS,
  withoutOccurrence,
} from './occurrence';
import { hasLabels, labelOfNode, placementOf } from './placement';
import { retryTrigger } from './retry';
import type { SpreadOccurrence } from './spread-occurrence';
import { type ShardPolicy, SPREAD_LIMITS, type SpreadPolicy } from './spread-policy';
import type { SimpleTrigger, Trigger } from './trigger';

/** The parts of an occurrence, and what counts them. */
export interface PlannedParts {
  readonly further: readonly SimpleTrigger[];
  readonly parts: SpreadOccurrence;
}

/** In how many parts this firing is to be run; null: its job is run. A part is not taken apart, nor an occurrence that began whole. */
export function spreadOf(firing: Pick<TriggerFiring, 'trigger' | 'jobDetail'>): SpreadPolicy | null {
  const spread = firing.trigger.policy?.spread ?? firing.jobDetail.policy?.spread;
  if (spread === undefined) return null;
  const { shard, attempt } = occurrenceOfTrigger(firing.trigger);
  return shard === undefined && attempt === 1 ? spread : null;
}

/**
 * Whether the firing is to be run again if its node dies: what is run in parts must not lose one, whatever its job asks for; but what is one
 * node's is no other's. What its rate has put off has not begun, and is to begin once.
 */
export function isRecoverable(firing: TriggerFiring): boolean {
  const part = partOf(firing);
  if (part !== null) return part.node === undefined;
  return firing.jobDetail.requestsRecovery || spreadOf(firing) !== null || firing.finding?.reason === 'rate';
}

/** The nodes that can run the job of a broadcast, at most 1,000: by their job types and labels, and `own`, which carries the firing. */
export function nodesOfBroadcast(
  firing: TriggerFiring,
  nodes: readonly NodeJobTypes[],
  own: string,
): readonly string[] {
  const { jobType } = firing.jobDetail;
  const { runsOn = [] } = placementOf(firing) ?? {};
  const able = nodes.filter(
    ({ instanceId, isJava, jobTypes, labels = [labelOfNode(instanceId)] }) =>
      !isJava && jobTypes?.includes(jobType) !== false && hasLabels(labels, runsOn),
  );
  const ids = new Set([own, ...able.map(({ instanceId }) => instanceId)]);
  return [...ids].slice(0, SPREAD_LIMITS.shards).sort();
}

/** Takes a firing apart: a trigger for each part, to be fired at once by whichever nodes have room. `nodes`: those of a broadcast, one for each part. */
export function planParts(
  firing: TriggerFiring,
  { shards, params = [] }: ShardPolicy,
  nodes: readonly string[] = [],
): PlannedParts {
  const { runId, trigger, jobDetail, fireTime } = firing;
  const { id, triggerKey, scheduledTime } = occurrenceOf(firing);
  const data = withoutOccurrence(trigger.data);
  const policy = withoutSpread(trigger.policy);
  const further = Array.from({ length: shards }, (_, index): SimpleTrigger => {
    const node = nodes[index];
    const shard = { index, count: shards, param: params[index] ?? null, isCounted: true };
    const part = node === undefined ? shard : { ...shard, node };
    const ofPart = occurrenceData({ id, triggerKey, scheduledTime, attempt: 1, shard: part });
    const of = { jobKey: jobDetail.key, data: { ...data, ...ofPart }, priority: trigger.priority };
    const placed = node === undefined ? policy : { ...policy, runsOn: [labelOfNode(node)], prefers: NOWHERE };
    return { ...retryTrigger(runId, fireTime, of, placed), key: partKey(id, index) };
  });
  const counted = { parts: shards, remaining: shards, failed: 0, isBroadcast: nodes.length > 0 };
  return {
    further,
    parts: { id, triggerKey, jobKey: jobDetail.key, scheduledTime, startTime: fireTime, ...counted },
  };
}

/** No preference, whatever the job says. */
const NOWHERE = Object.freeze({ labels: Object.freeze([]), fallbackAfter: 0 });

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

/** Whether the trigger runs a part that belongs to a node that is not there any more: nobody will run it. */
export function isOfGoneNode(trigger: Trigger, isThere: (instanceId: string) => boolean): boolean {
  const node = partOfTrigger(trigger)?.node;
  return node !== undefined && !isThere(node);
}

/** What is told of an occurrence that has ended. */
export function completedOccurrence({ id, triggerKey, jobKey, scheduledTime, parts, failed }: SpreadOccurrence) {
  const occurrence: Occurrence = { id, triggerKey, scheduledTime, attempt: 1 };
  return { type: 'occurrenceCompleted', occurrence, jobKey, parts, failed } as const;
}
