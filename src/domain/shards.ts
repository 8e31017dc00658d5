import type { ExecutionPolicy } from './execution-policy';
import type { TriggerFiring } from './firing';
import { mayRun, type NodeJobTypes } from './job-types';
import type { TriggerKey } from './keys';
import {
  firstDueData,
  type Occurrence,
  occurrenceData,
  occurrenceOf,
  occurrenceOfTrigger,
  oneOffData,
  partOf,
  partOfTrigger,
  SHARDED_JOBS,
  withoutOccurrence,
} from './occurrence';
import { labelOfNode, placementOf } from './placement';
import type { SpreadOccurrence } from './spread-occurrence';
import { type ShardPolicy, SPREAD_LIMITS, type SpreadPolicy } from './spread-policy';
import { oneShotTrigger, type SimpleTrigger, type Trigger } from './trigger';

interface PlannedParts {
  readonly further: readonly SimpleTrigger[];
  readonly parts: SpreadOccurrence;
}

/** Returns the policy that divides the firing into parts (shards), or null. Parts, and retries of an undivided occurrence, are not divided. */
export function spreadOf(firing: Pick<TriggerFiring, 'trigger' | 'jobDetail'>): SpreadPolicy | null {
  const spread = firing.trigger.policy?.spread ?? firing.jobDetail.policy?.spread;
  if (spread === undefined) return null;
  const { shard, attempt } = occurrenceOfTrigger(firing.trigger);
  return shard === undefined && attempt === 1 ? spread : null;
}

/**
 * True if the run of a firing must be repeated after its node dies. Parts of an occurrence (shards) are always repeated, except parts that only one
 * node may run. A firing that its rate limit has deferred or skipped is also repeated, because a deferred firing must still start once.
 */
export function isRecoverable(firing: TriggerFiring): boolean {
  const part = partOf(firing);
  if (part !== null) return part.node === undefined;
  return firing.jobDetail.requestsRecovery || spreadOf(firing) !== null || firing.finding?.reason === 'rate';
}

/** Returns the ids of the nodes with the required job type and labels, at most 1,000. They include `own`, the node of the firing. */
export function nodesOfBroadcast(
  firing: TriggerFiring,
  nodes: readonly NodeJobTypes[],
  own: string,
): readonly string[] {
  const { jobType } = firing.jobDetail;
  const { runsOn = [] } = placementOf(firing) ?? {};
  const able = nodes.filter((node) => !node.isJava && mayRun(node, { jobType, runsOn }));
  const ids = new Set([own, ...able.map(({ instanceId }) => instanceId)]);
  return [...ids].slice(0, SPREAD_LIMITS.shards).sort();
}

/** Divides a firing into one trigger per part (shard), which any node can fire immediately. `nodes`: ids of the nodes of a broadcast. */
export function planParts(
  firing: TriggerFiring,
  { shards, params = [] }: ShardPolicy,
  nodes: readonly string[] = [],
): PlannedParts {
  const { trigger, jobDetail, fireTime } = firing;
  const { id, triggerKey, scheduledTime } = occurrenceOf(firing);
  const data = { ...withoutOccurrence(trigger.data), ...oneOffData(trigger), ...firstDueData(firing) };
  const policy = withoutSpread(trigger.policy);
  const further = Array.from({ length: shards }, (_, index): SimpleTrigger => {
    const node = nodes[index];
    const shard = { index, count: shards, param: params[index] ?? null, isCounted: true };
    const part = node === undefined ? shard : { ...shard, node };
    const ofPart = occurrenceData({ id, triggerKey, scheduledTime, attempt: 1, shard: part });
    const of = { jobKey: jobDetail.key, data: { ...data, ...ofPart }, priority: trigger.priority };
    const placed = node === undefined ? policy : { ...policy, runsOn: [labelOfNode(node)], prefers: NOWHERE };
    return oneShotTrigger(partKey(id, index), fireTime, of, placed);
  });
  const counted = { parts: shards, remaining: shards, failed: 0, isBroadcast: nodes.length > 0 };
  return {
    further,
    parts: { id, triggerKey, jobKey: jobDetail.key, scheduledTime, startTime: fireTime, ...counted },
  };
}

/** Preference without labels, which overrides the job's preference. */
const NOWHERE = Object.freeze({ labels: Object.freeze([]), fallbackAfter: 0 });

/** Key of the trigger that runs a part of an occurrence (shard). It depends only on the arguments, so the part cannot be stored twice. */
export function partKey(occurrenceId: string, index: number): TriggerKey {
  return { group: SHARDED_JOBS, name: `${partPrefix(occurrenceId)}${index}` };
}

/** Returns the prefix of the names of all triggers that run parts of an occurrence (shards). Other occurrences have other prefixes. */
export function partPrefix(occurrenceId: string): string {
  return `shard_${occurrenceId}_`;
}

/** Returns the policy without its spread policy. A part (shard) is not divided again and does not need the parameters of all parts. */
function withoutSpread(policy: ExecutionPolicy | undefined): ExecutionPolicy | undefined {
  if (policy?.spread === undefined) return policy;
  const { spread: _, ...rest } = policy;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** True if the trigger's part (shard) will never run, because only one node may run it and that node no longer exists. */
export function isOfGoneNode(trigger: Trigger, isThere: (instanceId: string) => boolean): boolean {
  const node = partOfTrigger(trigger)?.node;
  return node !== undefined && !isThere(node);
}

export function completedOccurrence({ id, triggerKey, jobKey, scheduledTime, parts, failed }: SpreadOccurrence) {
  const occurrence: Occurrence = { id, triggerKey, scheduledTime, attempt: 1 };
  return { type: 'occurrenceCompleted', occurrence, jobKey, parts, failed } as const;
}
