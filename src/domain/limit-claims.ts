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

/** What is to fire. */
export interface FiringCandidate {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
}

/** What one firing takes of a limit while it executes. */
export interface LimitClaim {
  /** At most 190 characters. */
  readonly key: string;
  /** Infinity: it only counts for others. */
  readonly limit: number;
}

/** What is asked of a firing that must not run beside an earlier run of its job. */
export interface OverlapDemand {
  /** Under which the runs of the job count. */
  readonly key: string;
  /** Under which the firings count that wait for their end. */
  readonly queueKey: string;
  /** How many may wait. */
  readonly maxQueued: number;
  /** Whether the earlier runs are to be interrupted. */
  readonly cancels: boolean;
}

/** The rate under which a firing begins. */
export interface RateDemand {
  readonly key: string;
  readonly rule: RateRule;
  /** It waited for its turn under the rate, which has come. */
  readonly isPutOff: boolean;
}

/** What stands between a due trigger and its job. */
export interface FiringDemand {
  /** All of them, or the trigger waits for the first that is full. */
  readonly claims: readonly LimitClaim[];
  /** Null: it may run beside other runs of its job, or is to wait for them like for a limit. */
  readonly overlap: OverlapDemand | null;
  /** The place in a queue that it leaves when it fires; null: it has none. */
  readonly leaves: QueuePlace | null;
  /** Null: it may begin as often as it likes. */
  readonly rate: RateDemand | null;
}

/** What the firing of a trigger demands; null: nothing limits it, as nearly always. `groupLimits`: those of the whole cluster. */
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
 * How the trigger meets other runs of its job: a first run asks the rule. What follows from an earlier run, or was put off by the rule, is
 * not refused again: it waits. Parts of one occurrence run beside each other, also where one is tried again or was taken over.
 */
function mannerOf(trigger: Trigger): 'asks' | 'waits' | 'runs' {
  const { group } = trigger.key;
  if (group === SHARDED_JOBS || isDeferredPart(trigger)) return 'runs';
  if (group === RETRYING_JOBS || group === RECOVERING_JOBS) return isCountedPart(trigger) ? 'runs' : 'waits';
  if (group.startsWith(BACKFILL_GROUP_PREFIX)) return 'waits';
  return deferredBy(trigger).includes('overlap') ? 'waits' : 'asks';
}

/** Whether it runs a part whose occurrence waits for it; the rerun of one by hand stands alone. */
function isCountedPart(trigger: Trigger): boolean {
  return partOfTrigger(trigger)?.isCounted === true;
}

/** A part that a rate has put off. */
function isDeferredPart(trigger: Trigger): boolean {
  return trigger.key.group === DEFERRED_JOBS && partOfTrigger(trigger) !== null;
}

function overlapDemand(job: JobKey, rule: OverlapRule): OverlapDemand | null {
  if (rule === 'allow') return null;
  const maxQueued = queueLimit(rule);
  return { key: overlapKey(job), queueKey: queueKey(job), maxQueued, cancels: rule === 'cancelRunning' };
}

/** The key that the runs of a job hold for its overlap rule. */
export function overlapKey(job: JobKey): string {
  return keyFor('overlap', job);
}

function queueKey(job: JobKey): string {
  return keyFor('queue', job);
}

/** Of one job: no other text reads so. */
function keyFor(purpose: string, { group, name }: JobKey): string {
  return keyOf(purpose, [group, name]);
}

function keyOf(purpose: string, names: readonly string[]): string {
  return shortened(`${purpose} ${JSON.stringify(names)}`);
}

/** Under which the runs of a group count. */
export function groupKey(group: string): string {
  return keyOf('group', [group]);
}

/** Whether it is the key of a group that has no limit any more. */
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

/** Null: this firing is run in parts, which count one by one. */
function rateDemand({ key, ...rule }: CheckedRate, candidate: FiringCandidate): RateDemand | null {
  const { trigger } = candidate;
  if (spreadOf(candidate) !== null) return null;
  return { key: filledIn(key, candidate), rule, isPutOff: deferredBy(trigger).at(-1) === 'rate' };
}

/** A key with what the firing has in its places. */
function filledIn(template: string, { trigger, jobDetail }: FiringCandidate): string {
  const { triggerKey } = occurrenceOfTrigger(trigger); // a retry counts as what it retries
  const places = { job: jobDetail.key, trigger: triggerKey, data: [trigger.data, jobDetail.data] } as const;
  return shortened(template.replaceAll(PLACE, (_, path: string) => placed(path, places)));
}

/**
 * Places of the keys of a job's or trigger's limits, such as `{data.customer}`, for which neither has a value: firings whose data does not
 * bring one share a key.
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

/** The value at a path, in the first of the data that has its first step. */
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

/** A key that no column holds is cut, and told from others by a number drawn from the whole. */
function shortened(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${[...key].slice(0, 100).join('')}#${numberDrawnFrom(key).toString(36)}`;
}
