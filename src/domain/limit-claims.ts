import { numberDrawnFrom } from '../base/ids';
import { MAX_KEY, PLACE } from './concurrency-limit';
import type { QueuePlace } from './firing';
import { type GroupLimits, groupLimitOf } from './group-limits';
import type { JobData, JsonValue } from './job-data';
import type { JobDetail } from './job-detail';
import type { JobKey } from './keys';
import {
  BACKFILL_GROUP_PREFIX,
  DEFERRED_JOBS,
  deferredBy,
  deferredRunId,
  occurrenceOfTrigger,
  partOfTrigger,
  RETRYING_JOBS,
  SHARDED_JOBS,
} from './occurrence';
import { type OverlapRule, queueLimit } from './overlap';
import type { CheckedRate, RateRule } from './rate-limit';
import { RECOVERING_JOBS } from './recovery';
import { spreadOf } from './shards';
import type { Trigger } from './trigger';

export interface FiringCandidate {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
}

/** Use of one limit's capacity by a firing while it executes. */
export interface LimitClaim {
  /** Key of the limit, at most 190 characters. */
  readonly key: string;
  /** Maximum number of concurrent firings. Infinity: the limit counts the firing, but never makes it wait. */
  readonly limit: number;
}

/** Overlap rule that applies to a firing, with the keys under which runs and waiting firings are counted. */
export interface OverlapDemand {
  /** Key that counts the executing runs of the job. */
  readonly key: string;
  /** Key that counts the firings waiting for these runs. */
  readonly queueKey: string;
  /** Maximum number of waiting firings. 0: no firing may wait. */
  readonly maxQueued: number;
  /** True if the rule interrupts the earlier runs. */
  readonly cancels: boolean;
}

export interface RateDemand {
  readonly key: string;
  readonly rule: RateRule;
  /** True if the firing has already waited for its turn, which has now come. */
  readonly isPutOff: boolean;
}

/** Limits and rules to check before a due trigger fires. */
export interface FiringDemand {
  /** Limits that must all have free capacity. If one of them has no free capacity, the trigger waits for the first such limit. */
  readonly claims: readonly LimitClaim[];
  /** Overlap rule to check. Null: none, or it does not apply: deferred and repeated firings wait through `claims`, parts (shards) do not wait. */
  readonly overlap: OverlapDemand | null;
  /** Queue position that the firing leaves when it starts; null: none. */
  readonly leaves: QueuePlace | null;
  readonly rate: RateDemand | null;
}

/** Returns the limits and rules that apply to a firing; usually null. `groupLimits`: group limits of the whole cluster. */
export function demandOf(candidate: FiringCandidate, groupLimits: GroupLimits | undefined): FiringDemand | null {
  const { trigger, jobDetail } = candidate;
  const { group } = jobDetail.key;
  const groupLimit = groupLimitOf(groupLimits, group);
  const ofGroup = groupLimit === null ? null : { key: groupKey(group), limit: groupLimit };
  if (trigger.policy === undefined && jobDetail.policy === undefined) {
    return ofGroup === null ? null : { claims: [ofGroup], overlap: null, leaves: null, rate: null };
  }
  const { concurrency, overlap, rate: limit } = { ...jobDetail.policy, ...trigger.policy };
  const rate = limit === undefined ? null : rateDemand(limit, candidate);
  const claims: LimitClaim[] =
    concurrency === undefined ? [] : [{ ...concurrency, key: filledIn(concurrency.key, candidate) }];
  if (ofGroup !== null) claims.push(ofGroup);
  if (overlap === undefined)
    return claims.length === 0 && rate === null ? null : { claims, overlap: null, leaves: null, rate };
  const manner = mannerOf(trigger);
  const waits = manner === 'waits' && overlap !== 'allow';
  claims.unshift({ key: overlapKey(jobDetail.key), limit: waits ? 1 : Number.POSITIVE_INFINITY });
  const isQueued = waits && trigger.key.group === DEFERRED_JOBS && !deferredBy(trigger).includes('factory');
  const leaves = isQueued ? { key: queueKey(jobDetail.key), runId: deferredRunId(trigger.key) } : null;
  return { claims, overlap: manner === 'asks' ? overlapDemand(jobDetail.key, overlap) : null, leaves, rate };
}

/**
 * Returns how the job's overlap rule applies to a trigger. `asks`: the rule applies, as to first runs. `waits`: the rule has admitted or deferred the run, or it follows an
 * earlier run, so it only waits for other runs. `runs`: a part of an occurrence (shard), which runs concurrently with the other parts, also when it
 * is retried or recovered.
 */
function mannerOf(trigger: Trigger): 'asks' | 'waits' | 'runs' {
  const { group } = trigger.key;
  const part = partOfTrigger(trigger);
  if (group === SHARDED_JOBS || (group === DEFERRED_JOBS && part !== null)) return 'runs';
  // A manual rerun of a part whose occurrence has ended does not count.
  if (group === RETRYING_JOBS || group === RECOVERING_JOBS) return part?.isCounted === true ? 'runs' : 'waits';
  if (group.startsWith(BACKFILL_GROUP_PREFIX)) return 'waits';
  return deferredBy(trigger).some((rule) => rule === 'overlap' || rule === 'factory') ? 'waits' : 'asks';
}

function overlapDemand(job: JobKey, rule: OverlapRule): OverlapDemand | null {
  if (rule === 'allow') return null;
  const maxQueued = queueLimit(rule);
  return { key: overlapKey(job), queueKey: queueKey(job), maxQueued, cancels: rule === 'cancelRunning' };
}

/** Returns the key that counts the executing runs of a job for its overlap rule. */
export function overlapKey({ group, name }: JobKey): string {
  return keyOf('overlap', group, name);
}

function queueKey({ group, name }: JobKey): string {
  return keyOf('queue', group, name);
}

function keyOf(purpose: string, ...names: readonly string[]): string {
  return shortened(`${purpose} ${JSON.stringify(names)}`);
}

/** Returns the key that counts the executing runs of a job group. */
export function groupKey(group: string): string {
  return keyOf('group', group);
}

/** True if the key belongs to the limit of a job group that has no limit any more. */
export function isLimitGone(key: string, groupLimits: GroupLimits = {}): boolean {
  return key.startsWith('group [') && !Object.keys(groupLimits).some((group) => groupKey(group) === key);
}

/** Returns the rate limit to check. Null if the firing is divided into parts (shards), because the rate limit counts each part separately. */
function rateDemand({ key, ...rule }: CheckedRate, candidate: FiringCandidate): RateDemand | null {
  const { trigger } = candidate;
  if (spreadOf(candidate) !== null) return null;
  return { key: filledIn(key, candidate), rule, isPutOff: deferredBy(trigger).at(-1) === 'rate' };
}

function filledIn(template: string, { trigger, jobDetail }: FiringCandidate): string {
  const { triggerKey } = occurrenceOfTrigger(trigger); // a retry counts as its original trigger
  const keys = { job: jobDetail.key, trigger: triggerKey };
  const placed = (_: string, path: string) => {
    const [root, ...rest] = path.split('.');
    if (root === 'job' || root === 'trigger') return keys[root][rest[0] === 'name' ? 'name' : 'group'];
    const value = valueIn([trigger.data, jobDetail.data], rest);
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  };
  return shortened(template.replaceAll(PLACE, placed));
}

/** Returns the data placeholders in limit keys, such as `{data.customer}`, that have no value. All firings without a value share one key. */
export function emptyPlaces({ trigger, jobDetail }: FiringCandidate): readonly string[] {
  const { concurrency, rate } = { ...jobDetail.policy, ...trigger.policy };
  const paths = [concurrency, rate].flatMap((limit) =>
    [...(limit?.key ?? '').matchAll(PLACE)].map(([, path = '']) => path),
  );
  const data = [trigger.data, jobDetail.data];
  const isEmpty = (path: string) => path.startsWith('data.') && valueIn(data, path.split('.').slice(1)) === undefined;
  return [...new Set(paths.filter(isEmpty))].map((path) => `{${path}}`);
}

/** Returns the value at a path in the first data object that contains the first step of the path. Undefined if there is no value. */
function valueIn(data: readonly JobData[], path: readonly string[]): JsonValue | undefined {
  const [first = ''] = path;
  let value: JsonValue | undefined = data.find((each) => Object.hasOwn(each, first)) ?? {};
  for (const step of path) value = memberOf(value, step);
  return value;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, JsonValue>>)[name];
}

/** Shortens a key that exceeds `MAX_KEY`. The shortened key ends in a hash of the whole key, so that different keys remain distinct. */
function shortened(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${[...key].slice(0, 100).join('')}#${numberDrawnFrom(key).toString(36)}`;
}
