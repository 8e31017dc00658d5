import type { EpochMs } from '../base/clock';
import { numberDrawnFrom } from '../base/ids';
import { readJson } from '../base/read-json';
import type { TriggerFiring } from './firing';
import { type JobData, type JsonValue, withoutKeys } from './job-data';
import { drawKey, type TriggerKey } from './keys';
import {
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  HAND_OVERS,
  ONE_OFF,
  RECOVERED_RUN_ID,
  RECOVERING_JOBS,
  recoveredTriggerKey,
} from './recovery';
import type { Trigger } from './trigger';

/** Identity of an occurrence, which all its retries, recoveries, reruns and parts (shards) share. */
export interface Occurrence {
  /** Run id of the first firing, unique in the cluster and shared by all further runs. Scheduled times are not unique per trigger. */
  readonly id: string;
  /** Trigger whose schedule produced the occurrence. It may have been deleted since. */
  readonly triggerKey: TriggerKey;
  /** Scheduled fire time, in epoch milliseconds. */
  readonly scheduledTime: EpochMs;
  /** Number of the attempt, from 1. A recovery after a node died has the same number as the run that it repeats. */
  readonly attempt: number;
  /** Part of the occurrence (shard) that this run executes; absent: the whole occurrence. */
  readonly shard?: PartOfOccurrence;
}

/** One part of an occurrence (shard). */
export interface Shard {
  /** Index of the part (shard), from 0. */
  readonly index: number;
  /** Number of parts (shards) in the occurrence. */
  readonly count: number;
  /** Parameter of the part (shard); null: none. */
  readonly param: JsonValue;
}

interface OccurrenceOfTrigger extends Omit<Occurrence, 'id'> {
  /** Id of the occurrence. Null if its first firing has not happened yet; the run id of that firing becomes the occurrence id. */
  readonly id: string | null;
}

/** A part of an occurrence (shard), and how the part affects its occurrence. */
export interface PartOfOccurrence extends Shard {
  /** True if the occurrence cannot end before this part ends. False for a rerun of the part after the occurrence has ended. */
  readonly isCounted: boolean;
  /** Id of the only node that may run the part; absent: any node. */
  readonly node?: string;
}

/** Group of the triggers that retry failed occurrences. */
export const RETRYING_JOBS = 'RETRYING_JOBS';
/** Group of the triggers that run deferred firings: firings that were moved to a later time by a rule or a limit. */
export const DEFERRED_JOBS = 'DEFERRED_JOBS';
/** Group of the triggers that run parts of occurrences (shards), one trigger per part. */
export const SHARDED_JOBS = 'SHARDED_JOBS';
/** Group of the triggers that run chained jobs. */
export const CHAINED_JOBS = 'CHAINED_JOBS';
/** Prefix of backfill groups. Each backfill has its own group, so that its triggers can be listed and deleted together. */
export const BACKFILL_GROUP_PREFIX = 'BACKFILL_';

const GROUPS_OF_FURTHER_RUNS: ReadonlySet<string> = new Set([
  RETRYING_JOBS,
  RECOVERING_JOBS,
  DEFERRED_JOBS,
  SHARDED_JOBS,
  CHAINED_JOBS,
]);

/** True if triggers in this group may run occurrences of other triggers. The data of the trigger then describes the occurrence. */
export function isGroupOfFurtherRuns(group: string): boolean {
  return GROUPS_OF_FURTHER_RUNS.has(group) || group.startsWith(BACKFILL_GROUP_PREFIX);
}

/** Data keys of a further run, such as a retry, for its occurrence. Strings, as in Quartz's recoveries. Without an id, it has not fired yet. */
const OCCURRENCE_ID = 'QRTZ_X_OCCURRENCE_ID';
const OCCURRENCE_TRIGGER_NAME = 'QRTZ_X_OCCURRENCE_TRIGGER_NAME';
const OCCURRENCE_TRIGGER_GROUP = 'QRTZ_X_OCCURRENCE_TRIGGER_GROUP';
const OCCURRENCE_SCHEDULED_TIME = 'QRTZ_X_OCCURRENCE_SCHEDULED_TIME';
const OCCURRENCE_ATTEMPT = 'QRTZ_X_OCCURRENCE_ATTEMPT';
/** Data key of a part of an occurrence (shard). The value is a `PartOfOccurrence` as JSON. */
const OCCURRENCE_SHARD = 'QRTZ_X_OCCURRENCE_SHARD';

/** Returns the trigger data that makes a trigger run this occurrence. */
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

/** True if a trigger has only one occurrence, or runs the only one of another trigger: nothing will run the job if this occurrence fails. */
export function isOneOff(trigger: Trigger): boolean {
  if (isGroupOfFurtherRuns(trigger.key.group)) return trigger.data[ONE_OFF] === 'true';
  return trigger.kind === 'SIMPLE' && trigger.repeatCount === 0;
}

/** Returns the trigger data of a further run of a one-off; empty for other further runs. */
export function oneOffData(trigger: Trigger): JobData {
  return isOneOff(trigger) ? { [ONE_OFF]: 'true' } : {};
}

/** Data key of a further run: the time at which the occurrence's trigger was first due, if a misfire had moved its fire time. */
const OCCURRENCE_FIRST_DUE = 'QRTZ_X_OCCURRENCE_FIRST_DUE';

/** Returns the time at which an occurrence was first due. Null if its first firing was due at its scheduled time, or if this is unknown. */
export function firstDueTimeOf({
  trigger,
  firstDueTime,
}: Pick<TriggerFiring, 'trigger' | 'firstDueTime'>): EpochMs | null {
  if (!isGroupOfFurtherRuns(trigger.key.group)) return firstDueTime ?? null;
  const { [OCCURRENCE_FIRST_DUE]: stored } = trigger.data;
  return typeof stored === 'string' && Number.isSafeInteger(Number(stored)) ? Number(stored) : null;
}

/** Returns the trigger data with which a further run keeps the first due time of its occurrence; usually empty. */
export function firstDueData(firing: Pick<TriggerFiring, 'trigger' | 'firstDueTime'>): JobData {
  const time = firstDueTimeOf(firing);
  return time === null ? {} : { [OCCURRENCE_FIRST_DUE]: String(time) };
}

/** Data key of the rules that have deferred a firing, as comma-separated names. These rules do not apply to the firing again. */
const OCCURRENCE_DEFERRED = 'QRTZ_X_OCCURRENCE_DEFERRED';

export type DeferringRule = 'overlap' | 'jitter' | 'rate' | 'limit' | 'factory';

/** Returns the rules that have deferred the trigger's run; empty for a run that was not deferred. */
export function deferredBy({ key, data }: Pick<Trigger, 'key' | 'data'>): readonly DeferringRule[] {
  const { [OCCURRENCE_DEFERRED]: rules } = data;
  if (typeof rules !== 'string' || !key.name.startsWith(DEFERRED_PREFIX) || !isGroupOfFurtherRuns(key.group))
    return NO_RULES;
  return rules.split(',') as DeferringRule[];
}

const NO_RULES: readonly DeferringRule[] = [];

/** Returns the key of the trigger that runs a deferred firing. The key depends only on the arguments, so all nodes compute the same key. */
export function deferredTriggerKey(runId: string, group = DEFERRED_JOBS): TriggerKey {
  return { group, name: `${DEFERRED_PREFIX}${runId}` };
}

/** A deferred retry, recovery, chained run or backfill stays in its group; other deferred runs use DEFERRED_JOBS. */
export function deferredGroup(group: string): string {
  return isGroupOfFurtherRuns(group) && group !== SHARDED_JOBS ? group : DEFERRED_JOBS;
}

/** Returns the run id of the deferred firing that a trigger runs. The name of the trigger must start with `DEFERRED_PREFIX`. */
export function deferredRunId({ name }: TriggerKey): string {
  return name.slice(DEFERRED_PREFIX.length);
}

export const DEFERRED_PREFIX = 'deferred_';

/** Returns the data of the trigger that runs `firing` later. `rule`: the rule that defers the firing. */
export function deferredData(firing: TriggerFiring, rule: DeferringRule): JobData {
  const { trigger } = firing;
  const rules = [...deferredBy(trigger).filter((each) => each !== rule), rule].join(',');
  return {
    ...trigger.data,
    ...occurrenceData(occurrenceOf(firing)),
    ...oneOffData(trigger),
    ...firstDueData(firing),
    [OCCURRENCE_DEFERRED]: rules,
  };
}

/** Returns the occurrence of a firing. For a further run, such as a retry, returns the occurrence of the original trigger. */
export function occurrenceOf(
  firing: Pick<TriggerFiring, 'scheduledFireTime' | 'runId'> & {
    readonly trigger: Pick<Trigger, 'key' | 'data'>;
  },
): Occurrence {
  const occurrence = occurrenceOfTrigger(firing.trigger, firing.scheduledFireTime);
  return { ...occurrence, id: occurrence.id ?? firing.runId };
}

/** Returns the occurrence that a stored trigger runs. `scheduledTime`: used only if the trigger runs its own occurrences. */
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
 * Returns the occurrence id, or null if the data contains none, as in recoveries by Java nodes. A recovery without an occurrence id repeats a first
 * firing, whose run id is that id.
 */
function idIn({ group }: TriggerKey, data: JobData): string | null {
  const { [OCCURRENCE_ID]: id, [RECOVERED_RUN_ID]: recoveredId } = data;
  if (typeof id === 'string') return id;
  return group === RECOVERING_JOBS && typeof recoveredId === 'string' ? recoveredId : null;
}

/** Returns the part of an occurrence (shard) that a firing runs; null if it runs the whole occurrence, as nearly all firings do. */
export function partOf(firing: TriggerFiring): PartOfOccurrence | null {
  return partOfTrigger(firing.trigger);
}

/** Returns the part of an occurrence (shard) that a trigger runs; null if it runs the whole occurrence. */
export function partOfTrigger(trigger: Pick<Trigger, 'key' | 'data'>): PartOfOccurrence | null {
  return isGroupOfFurtherRuns(trigger.key.group) ? (occurrenceOfTrigger(trigger).shard ?? null) : null;
}

export function scheduledTimeOf({ trigger, scheduledFireTime }: Dispatch): EpochMs {
  return occurrenceOfTrigger(trigger, scheduledFireTime).scheduledTime;
}

/** A firing, or a firing that is only planned. */
export type Dispatch = Pick<TriggerFiring, 'trigger' | 'jobDetail' | 'scheduledFireTime' | 'fireTime'>;

/** Returns the start time of a first run: its scheduled time plus jitter. The jitter is hashed from the trigger key and the scheduled time. */
export function startOf(dispatch: Pick<Dispatch, 'trigger' | 'scheduledFireTime'>): EpochMs {
  const { triggerKey, scheduledTime } = occurrenceOfTrigger(dispatch.trigger, dispatch.scheduledFireTime);
  const { jitter } = dispatch.trigger.policy ?? {};
  if (jitter === undefined) return scheduledTime;
  return scheduledTime + (numberDrawnFrom(`${scheduledTime} ${drawKey(triggerKey)}`) % (jitter + 1));
}

/** Returns the lateness of a first or deferred run in milliseconds if it exceeds `startWithin`; otherwise null. Other further runs are never late. */
export function tooLateBy(dispatch: Dispatch): number | null {
  const { trigger, jobDetail, fireTime } = dispatch;
  const startWithin = trigger.policy?.startWithin ?? jobDetail.policy?.startWithin;
  if (startWithin === undefined) return null;
  const { group } = trigger.key;
  if (isGroupOfFurtherRuns(group) && (group !== DEFERRED_JOBS || partOfTrigger(trigger) !== null)) return null;
  const lateBy = fireTime - startOf(dispatch);
  return lateBy > startWithin ? lateBy : null;
}

/** Returns the occurrence in the keys that this scheduler adds, also to recoveries of retries. Null if the keys are missing or invalid. */
function retried(data: JobData): Omit<Occurrence, 'id'> | null {
  const { [OCCURRENCE_TRIGGER_NAME]: name, [OCCURRENCE_TRIGGER_GROUP]: group } = data;
  const scheduledTime = Number(data[OCCURRENCE_SCHEDULED_TIME]);
  const attempt = Number(data[OCCURRENCE_ATTEMPT]);
  if (typeof name !== 'string' || typeof group !== 'string') return null;
  if (!Number.isSafeInteger(scheduledTime) || !Number.isSafeInteger(attempt) || attempt < 1) return null;
  const shard = toShard(data[OCCURRENCE_SHARD]);
  return { triggerKey: { group, name }, scheduledTime, attempt, ...(shard !== null && { shard }) };
}

/** Parses a part of an occurrence (shard). Null if there is none or the value is invalid. */
function toShard(text: JsonValue | undefined): PartOfOccurrence | null {
  if (typeof text !== 'string') return null;
  const { index, count, param = null, isCounted, node } = (readJson(text) ?? {}) as Partial<PartOfOccurrence>;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(count)) return null; // not written by a scheduler
  return {
    index: index as number,
    count: count as number,
    param,
    isCounted: isCounted === true,
    ...(typeof node === 'string' && { node }),
  };
}

function recovered(data: JobData): Omit<Occurrence, 'id'> | null {
  const triggerKey = recoveredTriggerKey(data);
  const scheduledTime = Number(data[FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]);
  return triggerKey === null || !Number.isSafeInteger(scheduledTime) ? null : { triggerKey, scheduledTime, attempt: 1 };
}

/** Returns the data without the keys that describe the occurrence. Jobs receive the data in this form. */
export function withoutOccurrence(data: JobData): JobData {
  const isPlain =
    data[OCCURRENCE_TRIGGER_NAME] === undefined && data[HAND_OVERS] === undefined && data[ONE_OFF] === undefined;
  return isPlain ? data : withoutKeys(data, ['QRTZ_X_OCCURRENCE_']);
}
