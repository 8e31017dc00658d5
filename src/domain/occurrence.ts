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

/** What a run is a run of. Retries, recoveries, reruns and parts are further runs of the same occurrence. */
export interface Occurrence {
  /**
   * The run id of the first firing: unique in the cluster, and carried by every further run. Two occurrences of one trigger may have
   * the same scheduled time, so a time never identifies one.
   */
  readonly id: string;
  /** The trigger whose schedule it belongs to; it may be gone. */
  readonly triggerKey: TriggerKey;
  /** When it was to fire, in epoch milliseconds. */
  readonly scheduledTime: EpochMs;
  /** 1 for the first; a run that died with its node is run again as the same attempt. */
  readonly attempt: number;
  /** The part of it that is run; absent: all of it. */
  readonly shard?: PartOfOccurrence;
}

/** Which part of an occurrence a run is for. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  /** How many parts the occurrence has. */
  readonly count: number;
  /** What was given for this part; null: nothing. */
  readonly param: JsonValue;
}

/** The occurrence of a stored trigger. */
export interface OccurrenceOfTrigger extends Omit<Occurrence, 'id'> {
  /** Null: its first firing is still to come, and gives the id. */
  readonly id: string | null;
}

/** A part, and what waits for its end. */
export interface PartOfOccurrence extends Shard {
  /** The occurrence ends only with this part. False: it has ended already, and this is a rerun. */
  readonly isCounted: boolean;
  /** The only node that may run it; absent: any. */
  readonly node?: string;
}

/** The group of the triggers that run an occurrence again because it failed. */
export const RETRYING_JOBS = 'RETRYING_JOBS';
/** The group of the triggers that run an occurrence later than it fired, because it was not to run then. */
export const DEFERRED_JOBS = 'DEFERRED_JOBS';
/** The group of the triggers that run one part each of an occurrence. */
export const SHARDED_JOBS = 'SHARDED_JOBS';
/** The group of the triggers that run a job because others have ended. */
export const CHAINED_JOBS = 'CHAINED_JOBS';
/** How the groups of backfills begin: each has one of its own, so that it is listed and dropped as one. */
export const BACKFILL_GROUP_PREFIX = 'BACKFILL_';

const GROUPS_OF_FURTHER_RUNS: ReadonlySet<string> = new Set([
  RETRYING_JOBS,
  RECOVERING_JOBS,
  DEFERRED_JOBS,
  SHARDED_JOBS,
  CHAINED_JOBS,
]);

/** Whether a trigger of this group may run an occurrence of another one, as its data says. */
export function isGroupOfFurtherRuns(group: string): boolean {
  return GROUPS_OF_FURTHER_RUNS.has(group) || group.startsWith(BACKFILL_GROUP_PREFIX);
}

/** Where the data of such a trigger keeps its occurrence: all texts, as Quartz keeps those of a recovery. Without an id it is a new one. */
const OCCURRENCE_ID = 'QRTZ_X_OCCURRENCE_ID';
const OCCURRENCE_TRIGGER_NAME = 'QRTZ_X_OCCURRENCE_TRIGGER_NAME';
const OCCURRENCE_TRIGGER_GROUP = 'QRTZ_X_OCCURRENCE_TRIGGER_GROUP';
const OCCURRENCE_SCHEDULED_TIME = 'QRTZ_X_OCCURRENCE_SCHEDULED_TIME';
const OCCURRENCE_ATTEMPT = 'QRTZ_X_OCCURRENCE_ATTEMPT';
/** Of a part: a `PartOfOccurrence` as JSON. */
const OCCURRENCE_SHARD = 'QRTZ_X_OCCURRENCE_SHARD';

/** The data by which a trigger is known as one of the occurrence. */
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

/** The rules that have put a firing off already, and are not asked again: names with commas between them. */
const OCCURRENCE_DEFERRED = 'QRTZ_X_OCCURRENCE_DEFERRED';

/** A rule that puts firings off. */
export type DeferringRule = 'overlap' | 'jitter' | 'rate';

/** Which rules have put off what this trigger runs. */
export function deferredBy({ key, data }: Pick<Trigger, 'key' | 'data'>): readonly DeferringRule[] {
  const { [OCCURRENCE_DEFERRED]: rules } = data;
  if (typeof rules !== 'string' || !key.name.startsWith(DEFERRED_PREFIX) || !isGroupOfFurtherRuns(key.group))
    return NO_RULES;
  return rules.split(',') as DeferringRule[];
}

const NO_RULES: readonly DeferringRule[] = [];

/** The key of the trigger that runs later what a firing did not run: the same whoever plans it. */
export function deferredTriggerKey(runId: string, group = DEFERRED_JOBS): TriggerKey {
  return { group, name: `${DEFERRED_PREFIX}${runId}` };
}

/** The group of what runs later what a trigger of `group` did not run: retries stay retries, and backfills are listed and dropped as one. */
export function deferredGroup(group: string): string {
  return isGroupOfFurtherRuns(group) && group !== SHARDED_JOBS ? group : DEFERRED_JOBS;
}

/** The firing that was put off to this trigger. */
export function deferredRunId({ name }: TriggerKey): string {
  return name.slice(DEFERRED_PREFIX.length);
}

/** With which their names begin. */
export const DEFERRED_PREFIX = 'deferred_';

/** The data of a trigger that runs later what `firing` does not run now. */
export function deferredData(firing: TriggerFiring, rule: DeferringRule): JobData {
  const { trigger } = firing;
  const rules = [...deferredBy(trigger).filter((each) => each !== rule), rule].join(',');
  return { ...trigger.data, ...occurrenceData(occurrenceOf(firing)), [OCCURRENCE_DEFERRED]: rules };
}

/** The occurrence that a firing belongs to: its own, or the one that its trigger runs again. */
export function occurrenceOf(
  firing: Pick<TriggerFiring, 'scheduledFireTime' | 'runId'> & {
    readonly trigger: Pick<Trigger, 'key' | 'data'>;
  },
): Occurrence {
  const occurrence = occurrenceOfTrigger(firing.trigger, firing.scheduledFireTime);
  return { ...occurrence, id: occurrence.id ?? firing.runId };
}

/** The occurrence that a stored trigger runs; `scheduledTime`: of a trigger that runs its own. */
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

/** A recovery whose data has no id recovers a first firing, which gave it. Null: there is none, or a Java node planned the recovery. */
function idIn({ group }: TriggerKey, data: JobData): string | null {
  const { [OCCURRENCE_ID]: id, [RECOVERED_RUN_ID]: recoveredId } = data;
  if (typeof id === 'string') return id;
  return group === RECOVERING_JOBS && typeof recoveredId === 'string' ? recoveredId : null;
}

/** The part of its occurrence that a firing runs; null: all of it, as nearly always. */
export function partOf(firing: TriggerFiring): PartOfOccurrence | null {
  return partOfTrigger(firing.trigger);
}

/** The part of its occurrence that a trigger runs; null: all of it. */
export function partOfTrigger(trigger: Pick<Trigger, 'key' | 'data'>): PartOfOccurrence | null {
  return isGroupOfFurtherRuns(trigger.key.group) ? (occurrenceOfTrigger(trigger).shard ?? null) : null;
}

/** When the occurrence that is dispatched was to fire. */
export function scheduledTimeOf({ trigger, scheduledFireTime }: Dispatch): EpochMs {
  return occurrenceOfTrigger(trigger, scheduledFireTime).scheduledTime;
}

/** A firing, or what it will be. */
export type Dispatch = Pick<TriggerFiring, 'trigger' | 'jobDetail' | 'scheduledFireTime' | 'fireTime'>;

/** When a first run is to begin: at its scheduled time, or later by what its trigger's jitter draws for that time. */
export function startOf(dispatch: Pick<Dispatch, 'trigger' | 'scheduledFireTime'>): EpochMs {
  const { triggerKey, scheduledTime } = occurrenceOfTrigger(dispatch.trigger, dispatch.scheduledFireTime);
  const { jitter } = dispatch.trigger.policy ?? {};
  if (jitter === undefined) return scheduledTime;
  return scheduledTime + (numberDrawnFrom(`${scheduledTime} ${drawKey(triggerKey)}`) % (jitter + 1));
}

/**
 * By how much a first run comes later than its policy allows (`startWithin`), counted from when it is to begin, in milliseconds; null: it is to
 * be run. One that was put off is a first run. A further run of an occurrence is never too late: its trigger has a time of its own.
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

/** A recovery of a retry carries the retry's data. */
function retried(data: JobData): Omit<Occurrence, 'id'> | null {
  const { [OCCURRENCE_TRIGGER_NAME]: name, [OCCURRENCE_TRIGGER_GROUP]: group } = data;
  const scheduledTime = Number(data[OCCURRENCE_SCHEDULED_TIME]);
  const attempt = Number(data[OCCURRENCE_ATTEMPT]);
  if (typeof name !== 'string' || typeof group !== 'string') return null;
  if (!Number.isSafeInteger(scheduledTime) || !Number.isSafeInteger(attempt) || attempt < 1) return null;
  const shard = toShard(data[OCCURRENCE_SHARD]);
  return { triggerKey: { group, name }, scheduledTime, attempt, ...(shard !== null && { shard }) };
}

/** Null: there is none, or none that can be understood. */
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
    return null; // written by hand
  }
}

function recovered(data: JobData): Omit<Occurrence, 'id'> | null {
  const { [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: name, [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: group } = data;
  const scheduledTime = Number(data[FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]);
  if (typeof name !== 'string' || typeof group !== 'string' || !Number.isSafeInteger(scheduledTime)) return null;
  return { triggerKey: { group, name }, scheduledTime, attempt: 1 };
}

/** The data of a trigger without that by which it is known as one of an occurrence: what its job is to see. */
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
