import { numberDrawnFrom } from '../base/ids';
import { type ConcurrencyLimit, MAX_KEY, PLACE } from './concurrency-limit';
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

/** Trigger that is about to fire, with its job. */
export interface FiringCandidate {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
}

/** Capacity that one firing takes from a limit while it executes. */
export interface LimitClaim {
  /** Key of the limit, at most 190 characters. */
  readonly key: string;
  /** Maximum number of firings. Infinity: it only counts for others. */
  readonly limit: number;
}

/** Requirements on a firing that must not run concurrently with an earlier run of its job. */
export interface OverlapDemand {
  /** Key under which the runs of the job count. */
  readonly key: string;
  /** Key under which the firings that wait for them count. */
  readonly queueKey: string;
  /** Maximum number of waiting firings. */
  readonly maxQueued: number;
  /** True if the earlier runs should be interrupted. */
  readonly cancels: boolean;
}

/** The rate under which a firing begins. */
export interface RateDemand {
  readonly key: string;
  readonly rule: RateRule;
  /** True if the firing waited for its turn under the rate, and the turn has come. */
  readonly isPutOff: boolean;
}

/** Limits and rules between a due trigger and its job. */
export interface FiringDemand {
  /** Claims that must all have room. Otherwise the trigger waits for the first full limit. */
  readonly claims: readonly LimitClaim[];
  /** Overlap rule to check. Null if the firing may run concurrently with other runs of its job, or waits for them as for a limit. */
  readonly overlap: OverlapDemand | null;
  /** Queue position that it leaves when it fires; null: none. */
  readonly leaves: QueuePlace | null;
  /** Rate to check; null if the number of firings in a time is not limited. */
  readonly rate: RateDemand | null;
}

/** Returns the demand of a trigger's firing; null, in nearly all cases, if nothing limits it. `groupLimits`: limits of the whole cluster. */
export function demandOf(candidate: FiringCandidate, groupLimits: GroupLimits | undefined): FiringDemand | null {
  const { trigger, jobDetail } = candidate;
  const ofGroup = groupLimits === undefined ? null : groupClaim(groupLimits, jobDetail.key.group);
  if (trigger.policy === undefined && jobDetail.policy === undefined) {
    return ofGroup === null ? null : { claims: [ofGroup], overlap: null, leaves: null, rate: null };
  }
  const { concurrency, overlap, rate: limit } = { ...jobDetail.policy, ...trigger.policy };
  const rate = limit === undefined ? null : rateDemand(limit, candidate);
  const claims = concurrency === undefined ? [] : [concurrencyClaim(concurrency, candidate)];
  if (ofGroup !== null) claims.push(ofGroup);
  if (overlap === undefined)
    return claims.length === 0 && rate === null ? null : { claims, overlap: null, leaves: null, rate };
  const manner = mannerOf(trigger);
  const waits = manner === 'waits' && overlap !== 'allow';
  claims.unshift({ key: overlapKey(jobDetail.key), limit: waits ? 1 : Number.POSITIVE_INFINITY });
  const leaves = waits && trigger.key.group === DEFERRED_JOBS ? placeOf(candidate) : null;
  return { claims, overlap: manner === 'asks' ? overlapDemand(jobDetail.key, overlap) : null, leaves, rate };
}

/**
 * Returns the relation of the trigger to other runs of its job. `asks`: a first run is subject to the overlap rule. `waits`: a run that follows from an
 * earlier run, or that the rule deferred, is not refused again. `runs`: parts of one occurrence run concurrently, also when retried or recovered.
 */
function mannerOf(trigger: Trigger): 'asks' | 'waits' | 'runs' {
  const { group } = trigger.key;
  if (group === SHARDED_JOBS || isDeferredPart(trigger)) return 'runs';
  if (group === RETRYING_JOBS || group === RECOVERING_JOBS) return isCountedPart(trigger) ? 'runs' : 'waits';
  if (group.startsWith(BACKFILL_GROUP_PREFIX)) return 'waits';
  return deferredBy(trigger).includes('overlap') ? 'waits' : 'asks';
}

/** True if the trigger runs a part that its occurrence waits for. False for a manually rerun part of an occurrence that has ended. */
function isCountedPart(trigger: Trigger): boolean {
  return partOfTrigger(trigger)?.isCounted === true;
}

/** True for a part that a rate has deferred. */
function isDeferredPart(trigger: Trigger): boolean {
  return trigger.key.group === DEFERRED_JOBS && partOfTrigger(trigger) !== null;
}

function overlapDemand(job: JobKey, rule: OverlapRule): OverlapDemand | null {
  if (rule === 'allow') return null;
  const maxQueued = queueLimit(rule);
  return { key: overlapKey(job), queueKey: queueKey(job), maxQueued, cancels: rule === 'cancelRunning' };
}

/** Returns the key that the runs of a job hold for its overlap rule. */
export function overlapKey(job: JobKey): string {
  return keyFor('overlap', job);
}

function queueKey(job: JobKey): string {
  return keyFor('queue', job);
}

/** Returns a unique text for one job and purpose. */
function keyFor(purpose: string, { group, name }: JobKey): string {
  return keyOf(purpose, [group, name]);
}

function keyOf(purpose: string, names: readonly string[]): string {
  return shortened(`${purpose} ${JSON.stringify(names)}`);
}

/** Returns the key under which the runs of a group count. */
export function groupKey(group: string): string {
  return keyOf('group', [group]);
}

/** True if the key belongs to a group that no longer has a limit. */
export function isLimitGone(key: string, groupLimits: GroupLimits = {}): boolean {
  return key.startsWith('group [') && !Object.keys(groupLimits).some((group) => groupKey(group) === key);
}

function groupClaim(groupLimits: GroupLimits, group: string): LimitClaim | null {
  const limit = groupLimitOf(groupLimits, group);
  return limit === null ? null : { key: groupKey(group), limit };
}

function placeOf({ trigger, jobDetail }: FiringCandidate): QueuePlace {
  return { key: queueKey(jobDetail.key), runId: deferredRunId(trigger.key) };
}

function concurrencyClaim({ key, limit }: ConcurrencyLimit, candidate: FiringCandidate): LimitClaim {
  return { key: filledIn(key, candidate), limit };
}

/** Returns the rate to check; null if this firing is run in parts, which count one by one. */
function rateDemand({ key, ...rule }: CheckedRate, candidate: FiringCandidate): RateDemand | null {
  const { trigger } = candidate;
  if (spreadOf(candidate) !== null) return null;
  return { key: filledIn(key, candidate), rule, isPutOff: deferredBy(trigger).at(-1) === 'rate' };
}

/** Fills the placeholders of a key with values of the firing. */
function filledIn(template: string, { trigger, jobDetail }: FiringCandidate): string {
  const { triggerKey } = occurrenceOfTrigger(trigger); // a retry counts as what it retries
  const places = { job: jobDetail.key, trigger: triggerKey, data: [trigger.data, jobDetail.data] } as const;
  return shortened(template.replaceAll(PLACE, (_, path: string) => placed(path, places)));
}

/**
 * Returns the placeholders in the limit keys of a job or trigger, such as `{data.customer}`, for which neither has a value. Firings whose data does
 * not provide one share a key.
 */
export function emptyPlaces({ trigger, jobDetail }: FiringCandidate): readonly string[] {
  const { concurrency, rate } = { ...jobDetail.policy, ...trigger.policy };
  const paths = [concurrency, rate].flatMap((limit) =>
    [...(limit?.key ?? '').matchAll(PLACE)].map(([, path = '']) => path),
  );
  const data = [trigger.data, jobDetail.data];
  const isEmpty = (path: string) => path.startsWith('data.') && valueIn(data, path.split('.').slice(1)) === undefined;
  return [...new Set(paths.filter(isEmpty))].map((path) => `{${path}}`);
}

interface Places {
  readonly job: JobKey;
  readonly trigger: JobKey;
  /** The trigger's data overrides the job's. */
  readonly data: readonly JobData[];
}

function placed(path: string, { job, trigger, data }: Places): string {
  const [root, ...rest] = path.split('.');
  if (root === 'job' || root === 'trigger')
    return (root === 'job' ? job : trigger)[rest[0] === 'name' ? 'name' : 'group'];
  const value = valueIn(data, rest);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** Returns the value at a path, from the first data object that has the path's first step. */
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

/** Shortens a key that is too long for its column. A number drawn from the whole key keeps it distinct. */
function shortened(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${[...key].slice(0, 100).join('')}#${numberDrawnFrom(key).toString(36)}`;
}
