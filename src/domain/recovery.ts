import type { EpochMs } from '../base/clock';
import type { JobData, JsonValue } from './job-data';
import { distinctKeys, type JobKey, type TriggerKey } from './keys';
import type { SpreadOccurrence } from './spread-occurrence';
import { oneShotTrigger, type SimpleTrigger } from './trigger';
import { restingState, type TriggerState } from './trigger-state';

// Recovery of the fired triggers of a node that has ended. Acquired triggers are released, runs of jobs that request recovery are repeated, and all
// other runs end as lost. If the node has left in order, its remaining runs are handed over instead.

/** Group of the triggers that repeat a run after its node died. */
export const RECOVERING_JOBS = 'RECOVERING_JOBS';

/** Group that Quartz reserves for jobs taken over from another node. Neither Quartz nor this scheduler stores triggers in it. */
export const FAILED_OVER_JOBS = 'FAILED_OVER_JOBS';

/** Data key of a recovery trigger: name of the original trigger. All keys without QRTZ_X_ are Quartz's. */
export const FAILED_JOB_ORIGINAL_TRIGGER_NAME = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME';
/** Data key of a recovery trigger: group of the original trigger. */
export const FAILED_JOB_ORIGINAL_TRIGGER_GROUP = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP';

/** Returns the key of the original trigger from the data of a recovery trigger; null if the data contains none. */
export function recoveredTriggerKey({
  [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: name,
  [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: group,
}: JobData): TriggerKey | null {
  return typeof name === 'string' && typeof group === 'string' ? { group, name } : null;
}

/** Data key of a recovery trigger: original fire time in epoch milliseconds, as a string. */
export const FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_FIRETIME_IN_MILLISECONDS_AS_STRING';
/** Data key of a recovery trigger: original scheduled fire time in epoch milliseconds, as a string. */
export const FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING';

/** Keys that Quartz does not have: run id of the first firing, with which a job can check its earlier work, and number of recoveries so far. */
export const RECOVERED_RUN_ID = 'QRTZ_X_RECOVERED_RUN_ID';
export const RECOVERY_ATTEMPT = 'QRTZ_X_RECOVERY_ATTEMPT';
/** Data key: number of hand-overs of an attempt since its last new checkpoint. Starts like the keys of an occurrence, so jobs do not see it. */
export const HAND_OVERS = 'QRTZ_X_OCCURRENCE_HAND_OVERS';
/** Data key: number of times that job factories refused an attempt. Starts like the keys of an occurrence, so jobs do not see it. */
export const REFUSALS = 'QRTZ_X_OCCURRENCE_REFUSALS';
/** Data key of a further run: 'true' if its trigger had only this occurrence. Starts like the keys of an occurrence, so jobs do not see it. */
export const ONE_OFF = 'QRTZ_X_OCCURRENCE_ONE_OFF';

/** Fired trigger of a dead node, and the trigger now stored under the same key. */
export interface OrphanedFiredTrigger {
  readonly runId: string;
  readonly state: 'ACQUIRED' | 'EXECUTING';
  readonly triggerKey: TriggerKey;
  readonly firedTime: EpochMs;
  readonly scheduledTime: EpochMs;
  readonly priority: number;
  /** Key of the job; null if the trigger was only acquired. */
  readonly jobKey: JobKey | null;
  readonly disallowConcurrentExecution: boolean;
  readonly requestsRecovery: boolean;
  /** True if the trigger has only this occurrence. */
  readonly isOneOff: boolean;
  /** True if the run has saved a checkpoint. Only for a run that is handed over. */
  readonly hasNewCheckpoint?: boolean;
  /** State and data of the trigger now stored under `triggerKey`; null if none is stored, or if its row is unreadable. */
  readonly trigger: { readonly state: TriggerState; readonly data: JobData } | null;
  /** False if the trigger was deleted during its run, which is then not repeated. A trigger stays stored while its last run may be repeated. */
  readonly isTriggerStored: boolean;
  readonly isJobStored: boolean;
}

export interface RecoveryContext {
  /** Maximum number of recoveries of one firing. If it is exceeded, the recovery trigger is stored in state ERROR. */
  readonly maxRecoveryAttempts: number;
  /** True if the recovery must wait, because its original trigger or the group RECOVERING_JOBS is paused. */
  readonly isHeld: (recovery: SimpleTrigger) => boolean;
  readonly isExecuting: (job: JobKey) => boolean;
  /** Maximum number of hand-overs without a new checkpoint, if the node has left in order, so that its runs are handed over. Absent: it has died. */
  readonly maxHandOvers?: number | undefined;
}

/** Trigger that repeats a run. Its state is ERROR if the maximum number of recoveries is exceeded. An operator can then reset the trigger. */
export interface PlannedRecovery {
  readonly trigger: SimpleTrigger;
  readonly state: TriggerState;
}

export interface RecoveryPlan {
  /** Triggers that return to WAITING if they are still ACQUIRED with this fire time. */
  readonly releases: readonly { readonly triggerKey: TriggerKey; readonly fireTime: EpochMs }[];
  readonly recoveries: readonly PlannedRecovery[];
  /** Jobs that disallow concurrent execution, and whose blocked triggers may now be unblocked. */
  readonly unblocks: readonly JobKey[];
  /** Triggers that had fired for the last time. The store deletes each of them if none of its firings is still running. */
  readonly finishedTriggers: readonly TriggerKey[];
  /** Number of runs that ended because the node died, and that are not repeated. */
  readonly lost: number;
}

export interface RecoveryReport {
  readonly instanceId: string;
  readonly released: number;
  /** Keys of the triggers that repeat runs of the dead node. */
  readonly recovered: readonly TriggerKey[];
  /** Keys of the recovery triggers stored in state ERROR, because the maximum number of recoveries is exceeded. */
  readonly exhausted: readonly TriggerKey[];
  /** Number of runs that ended because the node died, and that are not repeated. */
  readonly lost: number;
  /** Occurrences that ended because their last parts (shards) were lost; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** Set if the node had more fired triggers than one transaction recovers. Further transactions recover the remaining ones. */
  readonly hasMore?: true;
}

/** Plans the recovery of a dead node. Equal calls return equal plans: the names of recovery triggers are derived from run ids. */
export function planRecovery(left: readonly OrphanedFiredTrigger[], context: RecoveryContext): RecoveryPlan {
  const { maxHandOvers = Number.POSITIVE_INFINITY } = context;
  const executing = left.filter(({ state }) => state === 'EXECUTING');
  const recoverable = executing.filter(
    (firing) => firing.requestsRecovery && isWanted(firing) && handOversWith(firing) <= maxHandOvers,
  );
  return {
    releases: left
      .filter(({ state }) => state === 'ACQUIRED')
      .map(({ triggerKey, scheduledTime }) => ({ triggerKey, fireTime: scheduledTime })),
    recoveries: recoverable.map((firing) => planOne(firing, context)),
    unblocks: distinctKeys(
      executing.flatMap(({ jobKey, disallowConcurrentExecution }) =>
        disallowConcurrentExecution && jobKey !== null ? [jobKey] : [],
      ),
    ),
    finishedTriggers: distinctKeys(
      executing.filter(({ trigger }) => trigger?.state === 'COMPLETE').map(({ triggerKey }) => triggerKey),
    ),
    lost: executing.length - recoverable.length,
  };
}

/** False if the job or the trigger of a run was deleted: deletion also ends what would be repeated. */
function isWanted({ isJobStored, isTriggerStored }: OrphanedFiredTrigger): boolean {
  return isJobStored && isTriggerStored;
}

/** Returns the number of hand-overs without a new checkpoint if this run is handed over too. */
function handOversWith({ hasNewCheckpoint = false, trigger }: OrphanedFiredTrigger): number {
  return hasNewCheckpoint ? 0 : handOversOf(trigger?.data) + 1;
}

/** Returns the number of hand-overs of an attempt since its last new checkpoint, from the data of its trigger. */
export function handOversOf({ [HAND_OVERS]: count }: JobData = {}): number {
  return countIn(count);
}

/** Returns the number of times that job factories have refused an attempt, from the data of its trigger. */
export function refusalsOf({ [REFUSALS]: count }: JobData): number {
  return countIn(count);
}

function countIn(count: JsonValue | undefined): number {
  const number = Number(count);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/**
 * Returns the key of the trigger that repeats a run which was lost or handed over. The key depends only on the run id, and a run ends only once, so the
 * trigger cannot be stored twice.
 */
export function recoveryTriggerKey(runId: string): TriggerKey {
  return { group: RECOVERING_JOBS, name: `recover_${runId}` };
}

function planOne(firing: OrphanedFiredTrigger, context: RecoveryContext): PlannedRecovery {
  const { jobKey, scheduledTime, priority, disallowConcurrentExecution, isOneOff } = firing;
  const isHandedOver = context.maxHandOvers !== undefined;
  const attempt = recoveryAttempts(firing) + (isHandedOver ? 0 : 1);
  const data = {
    ...firing.trigger?.data,
    ...(repeats(firing) ? {} : originOf(firing)),
    [RECOVERY_ATTEMPT]: String(attempt),
    ...(isOneOff && { [ONE_OFF]: 'true' }),
    ...(isHandedOver && { [HAND_OVERS]: String(handOversWith(firing)) }),
  };
  const of = { jobKey: jobKey as JobKey, data, priority };
  const trigger = oneShotTrigger(recoveryTriggerKey(firing.runId), scheduledTime, of, undefined);
  if (!isHandedOver && attempt > context.maxRecoveryAttempts) return { trigger, state: 'ERROR' };
  const jobExecuting = disallowConcurrentExecution && context.isExecuting(trigger.jobKey);
  return { trigger, state: restingState({ jobExecuting, groupPaused: context.isHeld(trigger) }) };
}

/** True if the run of a firing itself repeats a run that was lost or handed over. */
function repeats({ triggerKey, trigger }: OrphanedFiredTrigger): boolean {
  return triggerKey.group === RECOVERING_JOBS && typeof trigger?.data[FAILED_JOB_ORIGINAL_TRIGGER_NAME] === 'string';
}

/** Returns the number of earlier recoveries of a firing; 0 if the firing is not itself a recovery. */
function recoveryAttempts(firing: OrphanedFiredTrigger): number {
  if (!repeats(firing)) return 0;
  const attempts = Number(firing.trigger?.data[RECOVERY_ATTEMPT]);
  return Number.isSafeInteger(attempts) && attempts >= 0 ? attempts : 1; // Java nodes do not count recoveries
}

function originOf({ runId, triggerKey, firedTime, scheduledTime }: OrphanedFiredTrigger): JobData {
  return {
    [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: triggerKey.name,
    [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: triggerKey.group,
    [FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS]: String(firedTime),
    [FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]: String(scheduledTime),
    [RECOVERED_RUN_ID]: runId,
  };
}
