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

/** The parts of an occurrence, and their counter. */
export interface PlannedParts {
  readonly further: readonly SimpleTrigger[];
  readonly parts: SpreadOccurrence;
}

/**
 * Returns the spread policy of a firing that is run in parts; null if its job is run as a whole. Parts are not divided again, nor are retries of an
 * occurrence that began as a whole.
 */
export function spreadOf(firing: Pick<TriggerFiring, 'trigger' | 'jobDetail'>): SpreadPolicy | null {
  const spread = firing.trigger.policy?.spread ?? firing.jobDetail.policy?.spread;
  if (spread === undefined) return null;
  const { shard, attempt } = occurrenceOfTrigger(firing.trigger);
  return shard === undefined && attempt === 1 ? spread : null;
}

/**
 * True if the firing must be repeated when its node dies. An occurrence must not lose a part, regardless of its job's settings. A part that
 * belongs to one node runs on no other node. A firing deferred by its rate has not begun, and must begin once.
 */
export function isRecoverable(firing: TriggerFiring): boolean {
  const part = partOf(firing);
  if (part !== null) return part.node === undefined;
  return firing.jobDetail.requestsRecovery || spreadOf(firing) !== null || firing.finding?.reason === 'rate';
}

/** Returns the nodes that can run the job of a broadcast, by job types and labels, at most 1,000. They include `own`, the node of the firing. */
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

/**
 * Divides a firing into one trigger for each part, to be fired immediately by any nodes with free workers. `nodes`: the nodes of a broadcast, one for
 * each part.
 */
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

/** Preference for no node, which overrides the preference of the job. */
const NOWHERE = Object.freeze({ labels: Object.freeze([]), fallbackAfter: 0 });

/** Returns the key of the trigger that runs a part. It is the same whichever node plans it, so the trigger exists at most once. */
export function partKey(occurrenceId: string, index: number): TriggerKey {
  return { group: SHARDED_JOBS, name: `${partPrefix(occurrenceId)}${index}` };
}

/** Returns the common prefix of the trigger names of an occurrence's parts, unique in their group. */
export function partPrefix(occurrenceId: string): string {
  return `shard_${occurrenceId}_`;
}

/** Removes the spread policy: a part is not divided again, and need not carry the parameters of all parts. */
function withoutSpread(policy: ExecutionPolicy | undefined): ExecutionPolicy | undefined {
  if (policy?.spread === undefined) return policy;
  const { spread: _, ...rest } = policy;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** True if the trigger runs a part of a node that no longer exists, so that no node will run it. */
export function isOfGoneNode(trigger: Trigger, isThere: (instanceId: string) => boolean): boolean {
  const node = partOfTrigger(trigger)?.node;
  return node !== undefined && !isThere(node);
}

/** Returns the event data of an ended occurrence. */
export function completedOccurrence({ id, triggerKey, jobKey, scheduledTime, parts, failed }: SpreadOccurrence) {
  const occurrence: Occurrence = { id, triggerKey, scheduledTime, attempt: 1 };
  return { type: 'occurrenceCompleted', occurrence, jobKey, parts, failed } as const;
}
