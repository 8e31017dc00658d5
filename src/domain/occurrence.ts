import type { EpochMs } from '../base/clock';
import { numberDrawnFrom } from '../base/ids';
import type { TriggerFiring } from './firing';
import { type JobData, type JsonValue, NO_DATA } from './job-data';
import { drawKey, type TriggerKey } from './keys';
import {
  FAILED_JOB_ORIGINAL_TRIGGER_GROUP,
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  RECOVERED_RUN_ID,
  RECOVERING_JOBS,
} from './recovery';
import type { Trigger } from './trigger';

/** Identity of an occurrence, which retries, recoveries, reruns and parts share. */
export interface Occurrence {
  /**
   * Run id of the first firing. Unique in the cluster, and kept by every further run. A time cannot identify an occurrence, because two
   * occurrences of one trigger may have the same scheduled time.
   */
  readonly id: string;
  /** The trigger whose schedule it belongs to. It may have been deleted. */
  readonly triggerKey: TriggerKey;
  /** Scheduled fire time, in epoch milliseconds. */
  readonly scheduledTime: EpochMs;
  /** Number of the attempt, from 1. A run that died with its node is repeated as the same attempt. */
  readonly attempt: number;
  /** The part that this run executes; absent: the whole occurrence. */
  readonly shard?: PartOfOccurrence;
}

/** One part of an occurrence. */
export interface Shard {
  /** Number of the part, from 0. */
  readonly index: number;
  /** Number of parts of the occurrence. */
  readonly count: number;
  /** Parameter of this part; null: none. */
  readonly param: JsonValue;
}

/** The occurrence of a stored trigger. */
export interface OccurrenceOfTrigger extends Omit<Occurrence, 'id'> {
  /** Id of the occurrence; null if its first firing, which provides the id, is still to come. */
  readonly id: string | null;
}

/** A part, and its effect on its occurrence. */
export interface PartOfOccurrence extends Shard {
  /** True if the occurrence ends only with this part. False if it has already ended, and this is a rerun. */
  readonly isCounted: boolean;
  /** The only node that may run it; absent: any. */
  readonly node?: string;
}

/** Group of the triggers that retry a failed occurrence. */
export const RETRYING_JOBS = 'RETRYING_JOBS';
/** Group of the triggers that run a deferred occurrence. */
export const DEFERRED_JOBS = 'DEFERRED_JOBS';
/** Group of the triggers that each run one part of an occurrence. */
export const SHARDED_JOBS = 'SHARDED_JOBS';
/** Group of the triggers that run a job because other jobs have ended. */
export const CHAINED_JOBS = 'CHAINED_JOBS';
/** Prefix of backfill groups. Each backfill has its own group, so that its triggers are listed and dropped together. */
export const BACKFILL_GROUP_PREFIX = 'BACKFILL_';

const GROUPS_OF_FURTHER_RUNS: ReadonlySet<string> = new Set([
  RETRYING_JOBS,
  RECOVERING_JOBS,
  DEFERRED_JOBS,
  SHARDED_JOBS,
  CHAINED_JOBS,
]);

/** True if a trigger of this group may run an occurrence of another trigger, as its data indicates. */
export function isGroupOfFurtherRuns(group: string): boolean {
  return GROUPS_OF_FURTHER_RUNS.has(group) || group.startsWith(BACKFILL_GROUP_PREFIX);
}

/** Data keys of a further run's occurrence. All values are texts, as in Quartz's recoveries. Without an id it is a new occurrence. */
const OCCURRENCE_ID = 'QRTZ_X_OCCURRENCE_ID';
const OCCURRENCE_TRIGGER_NAME = 'QRTZ_X_OCCURRENCE_TRIGGER_NAME';
const OCCURRENCE_TRIGGER_GROUP = 'QRTZ_X_OCCURRENCE_TRIGGER_GROUP';
const OCCURRENCE_SCHEDULED_TIME = 'QRTZ_X_OCCURRENCE_SCHEDULED_TIME';
const OCCURRENCE_ATTEMPT = 'QRTZ_X_OCCURRENCE_ATTEMPT';
/** Data key of a part: a `PartOfOccurrence` as JSON. */
const OCCURRENCE_SHARD = 'QRTZ_X_OCCURRENCE_SHARD';

/** Returns the data that marks a trigger as a run of the occurrence. */
export function occurrenceData({ id, triggerKey, scheduledTime, attempt, shard }: OccurrenceOfTrigger): JobData {
  return {
    ...(id !== null && { [OCCURRENCE_ID]: id }),
    [OCCURRENCE_TRIGGER_NAME]: triggerKey.name,
    [OCCURRENCE_TRIGGER_GROUP]: triggerKey.group,
    [OCCURRENCE_SCHEDULED_TIME]: String(scheduledTime),
    [OCCURRENCE_ATTEMPT]: String(attempt),
    ...(shard !== undefined && { [OCCURRENCE_SHARD]: JSON.stringify(shard) }),
  };
}

/** Data key of the rules that have already deferred a firing and are not checked again: names separated by commas. */
const OCCURRENCE_DEFERRED = 'QRTZ_X_OCCURRENCE_DEFERRED';

/** A rule that defers firings. */
export type DeferringRule = 'overlap' | 'jitter' | 'rate';

/** Returns the rules that have deferred this trigger's run. */
export function deferredBy({ key, data }: Pick<Trigger, 'key' | 'data'>): readonly DeferringRule[] {
  const { [OCCURRENCE_DEFERRED]: rules } = data;
  if (typeof rules !== 'string' || !key.name.startsWith(DEFERRED_PREFIX) || !isGroupOfFurtherRuns(key.group))
    return NO_RULES;
  return rules.split(',') as DeferringRule[];
}

const NO_RULES: readonly DeferringRule[] = [];

/** Returns the key of the trigger that runs a deferred firing. It is the same whichever node plans it. */
export function deferredTriggerKey(runId: string, group = DEFERRED_JOBS): TriggerKey {
  return { group, name: `${DEFERRED_PREFIX}${runId}` };
}

/** Returns the group of a deferred run of a trigger in `group`. Retries stay retries, and backfills are listed and dropped together. */
export function deferredGroup(group: string): string {
  return isGroupOfFurtherRuns(group) && group !== SHARDED_JOBS ? group : DEFERRED_JOBS;
}

/** Returns the run id of the firing that was deferred to this trigger. */
export function deferredRunId({ name }: TriggerKey): string {
  return name.slice(DEFERRED_PREFIX.length);
}

/** Prefix of the names of triggers that run deferred firings. */
export const DEFERRED_PREFIX = 'deferred_';

/** Returns the data of a trigger that runs `firing` later. */
export function deferredData(firing: TriggerFiring, rule: DeferringRule): JobData {
  const { trigger } = firing;
  const rules = [...deferredBy(trigger).filter((each) => each !== rule), rule].join(',');
  return { ...trigger.data, ...occurrenceData(occurrenceOf(firing)), [OCCURRENCE_DEFERRED]: rules };
}

/** Returns the occurrence of a firing: its own, or the one that its trigger repeats. */
export function occurrenceOf(
  firing: Pick<TriggerFiring, 'scheduledFireTime' | 'runId'> & {
    readonly trigger: Pick<Trigger, 'key' | 'data'>;
  },
): Occurrence {
  const occurrence = occurrenceOfTrigger(firing.trigger, firing.scheduledFireTime);
  return { ...occurrence, id: occurrence.id ?? firing.runId };
}

/** Returns the occurrence that a stored trigger runs. `scheduledTime` applies to a trigger that runs its own. */
export function occurrenceOfTrigger(
  { key, data }: Pick<Trigger, 'key' | 'data'>,
  scheduledTime: EpochMs = 0,
): OccurrenceOfTrigger {
  if (isGroupOfFurtherRuns(key.group)) {
    const occurrence = retried(data) ?? recovered(data);
    if (occurrence !== null) return { ...occurrence, id: idIn(key, data) };
  }
  return { id: null, triggerKey: key, scheduledTime, attempt: 1 };
}

/**
 * Returns the occurrence id in the data; null if there is none, or if a Java node planned the recovery. A recovery without an id in its data recovers
 * a first firing, whose run id is the occurrence id.
 */
function idIn({ group }: TriggerKey, data: JobData): string | null {
  const { [OCCURRENCE_ID]: id, [RECOVERED_RUN_ID]: recoveredId } = data;
  if (typeof id === 'string') return id;
  return group === RECOVERING_JOBS && typeof recoveredId === 'string' ? recoveredId : null;
}

/** Returns the part of its occurrence that a firing runs; null, in nearly all cases, if it runs all of it. */
export function partOf(firing: TriggerFiring): PartOfOccurrence | null {
  return partOfTrigger(firing.trigger);
}

/** The part of its occurrence that a trigger runs; null: all of it. */
export function partOfTrigger(trigger: Pick<Trigger, 'key' | 'data'>): PartOfOccurrence | null {
  return isGroupOfFurtherRuns(trigger.key.group) ? (occurrenceOfTrigger(trigger).shard ?? null) : null;
}

/** Returns the scheduled time of the dispatched occurrence. */
export function scheduledTimeOf({ trigger, scheduledFireTime }: Dispatch): EpochMs {
  return occurrenceOfTrigger(trigger, scheduledFireTime).scheduledTime;
}

/** A firing, or a planned firing. */
export type Dispatch = Pick<TriggerFiring, 'trigger' | 'jobDetail' | 'scheduledFireTime' | 'fireTime'>;

/** Returns the start time of a first run: its scheduled time, or later by the jitter that its trigger draws for that time. */
export function startOf(dispatch: Pick<Dispatch, 'trigger' | 'scheduledFireTime'>): EpochMs {
  const { triggerKey, scheduledTime } = occurrenceOfTrigger(dispatch.trigger, dispatch.scheduledFireTime);
  const { jitter } = dispatch.trigger.policy ?? {};
  if (jitter === undefined) return scheduledTime;
  return scheduledTime + (numberDrawnFrom(`${scheduledTime} ${drawKey(triggerKey)}`) % (jitter + 1));
}

/**
 * Returns the lateness of a first run that is later than `startWithin` allows, in milliseconds from its start time; null if it should run. A deferred
 * run is a first run. A further run of an occurrence is never too late, because its trigger has its own time.
 */
export function tooLateBy(dispatch: Dispatch): number | null {
  const { trigger, jobDetail, fireTime } = dispatch;
  const startWithin = trigger.policy?.startWithin ?? jobDetail.policy?.startWithin;
  if (startWithin === undefined) return null;
  const { group } = trigger.key;
  if (isGroupOfFurtherRuns(group) && (group !== DEFERRED_JOBS || partOfTrigger(trigger) !== null)) return null;
  const lateBy = fireTime - startOf(dispatch);
  return lateBy > startWithin ? lateBy : null;
}

/** Returns the retry that a recovery recovers, whose data it carries. Null if it recovers a first run. */
function retried(data: JobData): Omit<Occurrence, 'id'> | null {
  const { [OCCURRENCE_TRIGGER_NAME]: name, [OCCURRENCE_TRIGGER_GROUP]: group } = data;
  const scheduledTime = Number(data[OCCURRENCE_SCHEDULED_TIME]);
  const attempt = Number(data[OCCURRENCE_ATTEMPT]);
  if (typeof name !== 'string' || typeof group !== 'string') return null;
  if (!Number.isSafeInteger(scheduledTime) || !Number.isSafeInteger(attempt) || attempt < 1) return null;
  const shard = toShard(data[OCCURRENCE_SHARD]);
  return { triggerKey: { group, name }, scheduledTime, attempt, ...(shard !== null && { shard }) };
}

/** Parses the part; null if there is none, or if it is unreadable. */
function toShard(text: JsonValue | undefined): PartOfOccurrence | null {
  if (typeof text !== 'string') return null;
  try {
    const { index, count, param = null, isCounted, node } = JSON.parse(text) as Partial<PartOfOccurrence>;
    if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count)) return null;
    return {
      index: index as number,
      count: count as number,
      param,
      isCounted: isCounted === true,
      ...(typeof node === 'string' && { node }),
    };
  } catch {
    return null; // not written by a scheduler
  }
}

function recovered(data: JobData): Omit<Occurrence, 'id'> | null {
  const { [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: name, [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: group } = data;
  const scheduledTime = Number(data[FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]);
  if (typeof name !== 'string' || typeof group !== 'string' || !Number.isSafeInteger(scheduledTime)) return null;
  return { triggerKey: { group, name }, scheduledTime, attempt: 1 };
}

/** Returns a trigger's data without occurrence keys, as its job should see it. */
export function withoutOccurrence(data: JobData): JobData {
  if (data[OCCURRENCE_TRIGGER_NAME] === undefined) return data;
  const {
    [OCCURRENCE_ID]: _id,
    [OCCURRENCE_TRIGGER_NAME]: _name,
    [OCCURRENCE_TRIGGER_GROUP]: _group,
    [OCCURRENCE_SCHEDULED_TIME]: _scheduledTime,
    [OCCURRENCE_ATTEMPT]: _attempt,
    [OCCURRENCE_SHARD]: _shard,
    [OCCURRENCE_DEFERRED]: _deferred,
    ...own
  } = data;
  return Object.keys(own).length === 0 ? NO_DATA : own;
}
