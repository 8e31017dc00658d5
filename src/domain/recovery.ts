import type { EpochMs } from '../base/clock';
import type { JobData } from './job-data';
import { type JobKey, keyText, type TriggerKey } from './keys';
import type { SimpleTrigger } from './trigger';
import { restingState, type TriggerState } from './trigger-state';

/*
 * What happens to the firings of a node that died: reservations go back, jobs that asked for it run again, everything else
 * is over.
 */

/** The group of the triggers that run a job again because the node that ran it died. */
export const RECOVERING_JOBS = 'RECOVERING_JOBS';

/** A group that Quartz keeps for jobs taken over from another node; nothing is stored in it here either. */
export const FAILED_OVER_JOBS = 'FAILED_OVER_JOBS';

/** Where the data of a recovery trigger names the trigger it stands for. Quartz's keys. */
export const FAILED_JOB_ORIGINAL_TRIGGER_NAME = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME';
/** Key in the data of a recovery: group of the trigger whose firing is run again. */
export const FAILED_JOB_ORIGINAL_TRIGGER_GROUP = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP';

/** Where it keeps when that trigger fired, and when it should have: epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_FIRETIME_IN_MILLISECONDS_AS_STRING';
/** Key in the data of a recovery: when that firing was scheduled, epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING';

/** Ours: the first firing's id, for jobs that want to know what they did before, and how often it was run again. */
export const RECOVERED_FIRE_INSTANCE_ID = 'QRTZ_X_RECOVERED_FIRE_INSTANCE_ID';
export const RECOVERY_ATTEMPT = 'QRTZ_X_RECOVERY_ATTEMPT';

/** A firing or reservation of a node that died, with what is stored beside it now. */
export interface OrphanedFiredTrigger {
  readonly fireInstanceId: string;
  readonly state: 'ACQUIRED' | 'EXECUTING';
  readonly triggerKey: TriggerKey;
  readonly firedTime: EpochMs;
  readonly scheduledTime: EpochMs;
  readonly priority: number;
  /** Null for a reservation. */
  readonly jobKey: JobKey | null;
  readonly disallowConcurrentExecution: boolean;
  readonly requestsRecovery: boolean;
  /** What is stored under the trigger's key; null: nothing any more. */
  readonly trigger: { readonly state: TriggerState; readonly data: JobData } | null;
  readonly isJobStored: boolean;
}

export interface RecoveryCircumstances {
  /** How often one firing is run again before its trigger is left in ERROR. */
  readonly maxRecoveryAttempts: number;
  /** RECOVERING_JOBS itself is paused; pausing everything does not stop a recovery. */
  readonly groupPaused: boolean;
  /** Whether an execution of the job goes on elsewhere. */
  readonly isExecuting: (job: JobKey) => boolean;
}

/** A trigger that runs a job again. ERROR: it was tried often enough; an operator may reset it. */
export interface PlannedRecovery {
  readonly trigger: SimpleTrigger;
  readonly state: TriggerState;
}

export interface RecoveryPlan {
  /** Triggers that go back to WAITING, if they are still ACQUIRED for that fire time. */
  readonly releases: readonly { readonly triggerKey: TriggerKey; readonly fireTime: EpochMs }[];
  readonly recoveries: readonly PlannedRecovery[];
  /** Non-concurrent jobs whose triggers may be free now. */
  readonly unblocks: readonly JobKey[];
  /** Triggers that had fired for the last time: to be deleted, if nothing of them runs any more. */
  readonly leftovers: readonly TriggerKey[];
  /** Firings that are not run again. */
  readonly lost: number;
}

/** What was done for a node that died. */
export interface RecoveryReport {
  readonly instanceId: string;
  /** Reservations given back. */
  readonly released: number;
  /** Triggers that run again what was running. */
  readonly recovered: readonly TriggerKey[];
  /** Triggers left in ERROR, because running them again did not help. */
  readonly exhausted: readonly TriggerKey[];
  /** Firings that are not run again. */
  readonly lost: number;
}

/** Plans the recovery of everything a dead node held. Asked twice, it plans the same: the names are those of the firings. */
export function planRecovery(
  left: readonly OrphanedFiredTrigger[],
  circumstances: RecoveryCircumstances,
): RecoveryPlan {
  const executing = left.filter(({ state }) => state === 'EXECUTING');
  const recoverable = executing.filter(({ requestsRecovery, isJobStored }) => requestsRecovery && isJobStored);
  return {
    releases: left
      .filter(({ state }) => state === 'ACQUIRED')
      .map(({ triggerKey, scheduledTime }) => ({ triggerKey, fireTime: scheduledTime })),
    recoveries: recoverable.map((firing) => planOne(firing, circumstances)),
    unblocks: distinct(executing.flatMap((firing) => blockedJob(firing))),
    leftovers: distinct(
      executing.filter(({ trigger }) => trigger?.state === 'COMPLETE').map(({ triggerKey }) => triggerKey),
    ),
    lost: executing.length - recoverable.length,
  };
}

/** The key of the trigger that recovers a firing: the same whoever plans it, so that it exists at most once. */
export function recoveryTriggerKey(fireInstanceId: string): TriggerKey {
  return { group: RECOVERING_JOBS, name: `recover_${fireInstanceId}` };
}

function planOne(firing: OrphanedFiredTrigger, circumstances: RecoveryCircumstances): PlannedRecovery {
  const { jobKey, scheduledTime, priority, disallowConcurrentExecution } = firing;
  const before = recoveredAlready(firing);
  const attempt = before === null ? 1 : before.attempt + 1;
  const trigger: SimpleTrigger = {
    kind: 'SIMPLE',
    key: recoveryTriggerKey(firing.fireInstanceId),
    jobKey: jobKey as JobKey,
    description: null,
    data: {
      ...firing.trigger?.data,
      ...(before === null ? originOf(firing) : {}),
      [RECOVERY_ATTEMPT]: String(attempt),
    },
    priority,
    startTime: scheduledTime,
    endTime: null,
    calendarName: null,
    nextFireTime: scheduledTime,
    previousFireTime: null,
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    misfireInstruction: 'IGNORE_MISFIRE_POLICY',
  };
  if (attempt > circumstances.maxRecoveryAttempts) return { trigger, state: 'ERROR' };
  const jobExecuting = disallowConcurrentExecution && circumstances.isExecuting(trigger.jobKey);
  return { trigger, state: restingState({ jobExecuting, groupPaused: circumstances.groupPaused }) };
}

/** What the data of a recovery trigger that died itself says: it keeps the first origin. */
function recoveredAlready({ triggerKey, trigger }: OrphanedFiredTrigger): { readonly attempt: number } | null {
  if (triggerKey.group !== RECOVERING_JOBS || typeof trigger?.data[FAILED_JOB_ORIGINAL_TRIGGER_NAME] !== 'string')
    return null;
  const attempt = Number(trigger.data[RECOVERY_ATTEMPT]);
  return { attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1 }; // Java counts none
}

function originOf({ fireInstanceId, triggerKey, firedTime, scheduledTime }: OrphanedFiredTrigger): JobData {
  return {
    [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: triggerKey.name,
    [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: triggerKey.group,
    [FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS]: String(firedTime),
    [FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]: String(scheduledTime),
    [RECOVERED_FIRE_INSTANCE_ID]: fireInstanceId,
  };
}

function blockedJob({ jobKey, disallowConcurrentExecution }: OrphanedFiredTrigger): readonly JobKey[] {
  return disallowConcurrentExecution && jobKey !== null ? [jobKey] : [];
}

function distinct<Key extends JobKey | TriggerKey>(keys: readonly Key[]): readonly Key[] {
  return [...new Map(keys.map((key) => [keyText(key), key])).values()];
}
