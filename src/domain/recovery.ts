import type { EpochMs } from '../base/clock';
import type { JobData } from './job-data';
import { distinctKeys, type JobKey, type TriggerKey } from './keys';
import type { SpreadOccurrence } from './spread-occurrence';
import type { SimpleTrigger } from './trigger';
import { restingState, type TriggerState } from './trigger-state';

// Recovers a dead node's fired triggers: releases acquired triggers, reruns jobs that request recovery, and ends all other runs.

/** Group of the triggers that rerun a job because the node that ran it died. */
export const RECOVERING_JOBS = 'RECOVERING_JOBS';

/** Group that Quartz reserves for jobs taken over from another node. Neither Quartz nor this scheduler stores anything in it. */
export const FAILED_OVER_JOBS = 'FAILED_OVER_JOBS';

/** Keys in a recovery trigger's data for the recovered trigger. Quartz's names. */
export const FAILED_JOB_ORIGINAL_TRIGGER_NAME = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME';
/** Key in the data of a recovery: group of the trigger whose firing is repeated. */
export const FAILED_JOB_ORIGINAL_TRIGGER_GROUP = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP';

/** Returns the trigger whose firing a recovery repeats, from its data; null if the data names none. */
export function recoveredTriggerKey({
  [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: name,
  [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: group,
}: JobData): TriggerKey | null {
  return typeof name === 'string' && typeof group === 'string' ? { group, name } : null;
}

/** Keys for the actual and the scheduled fire time of that firing: epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_FIRETIME_IN_MILLISECONDS_AS_STRING';
/** Key in the data of a recovery: scheduled time of that firing, epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING';

/** Keys in addition to Quartz's: the first firing's id, for jobs that check their earlier work, and the number of recoveries. */
export const RECOVERED_RUN_ID = 'QRTZ_X_RECOVERED_RUN_ID';
export const RECOVERY_ATTEMPT = 'QRTZ_X_RECOVERY_ATTEMPT';

/** Fired trigger of a dead node, with the current stored trigger. */
export interface OrphanedFiredTrigger {
  readonly runId: string;
  readonly state: 'ACQUIRED' | 'EXECUTING';
  readonly triggerKey: TriggerKey;
  readonly firedTime: EpochMs;
  readonly scheduledTime: EpochMs;
  readonly priority: number;
  /** Job; null if the trigger was only acquired. */
  readonly jobKey: JobKey | null;
  readonly disallowConcurrentExecution: boolean;
  readonly requestsRecovery: boolean;
  /** Trigger now stored under the key. Null: none. */
  readonly trigger: { readonly state: TriggerState; readonly data: JobData } | null;
  readonly isJobStored: boolean;
}

/** Facts that a recovery depends on, in addition to the fired triggers. */
export interface RecoveryContext {
  /** Maximum number of recoveries of one firing before its trigger is left in ERROR. */
  readonly maxRecoveryAttempts: number;
  /** True if a recovery waits, because its trigger or RECOVERING_JOBS is paused. */
  readonly isHeld: (recovery: SimpleTrigger) => boolean;
  /** True if the job is executing elsewhere. */
  readonly isExecuting: (job: JobKey) => boolean;
}

/** Trigger that reruns a job. Its state is ERROR after the maximum number of recoveries; an operator may reset it. */
export interface PlannedRecovery {
  readonly trigger: SimpleTrigger;
  readonly state: TriggerState;
}

/** Actions that recover a dead node. */
export interface RecoveryPlan {
  /** Triggers that go back to WAITING, if they are still ACQUIRED for that fire time. */
  readonly releases: readonly { readonly triggerKey: TriggerKey; readonly fireTime: EpochMs }[];
  readonly recoveries: readonly PlannedRecovery[];
  /** Non-concurrent jobs whose triggers may no longer be blocked. */
  readonly unblocks: readonly JobKey[];
  /** Triggers that had fired for the last time. They are deleted if none of their firings is still running. */
  readonly finishedTriggers: readonly TriggerKey[];
  /** Firings that are not repeated. */
  readonly lost: number;
}

/** Result of recovering a dead node. */
export interface RecoveryReport {
  readonly instanceId: string;
  /** Acquired triggers that were released. */
  readonly released: number;
  /** Triggers that repeat the firings that were running. */
  readonly recovered: readonly TriggerKey[];
  /** Triggers left in ERROR, because repeated recoveries did not help. */
  readonly exhausted: readonly TriggerKey[];
  /** Firings that are not repeated. */
  readonly lost: number;
  /** Occurrences that ended because their last parts were lost; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** True if the node held more than one transaction recovers; the rest is left to further transactions. Otherwise absent. */
  readonly hasMore?: true;
}

/** Plans the recovery of everything a dead node held. Repeated calls give the same plan, because names derive from the firings. */
export function planRecovery(left: readonly OrphanedFiredTrigger[], context: RecoveryContext): RecoveryPlan {
  const executing = left.filter(({ state }) => state === 'EXECUTING');
  const recoverable = executing.filter(({ requestsRecovery, isJobStored }) => requestsRecovery && isJobStored);
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

/** Returns the key of the trigger that recovers a firing. It is the same whichever node plans it, so the trigger exists at most once. */
export function recoveryTriggerKey(runId: string): TriggerKey {
  return { group: RECOVERING_JOBS, name: `recover_${runId}` };
}

function planOne(firing: OrphanedFiredTrigger, context: RecoveryContext): PlannedRecovery {
  const { jobKey, scheduledTime, priority, disallowConcurrentExecution } = firing;
  const earlierAttempts = recoveryAttempts(firing);
  const attempt = earlierAttempts + 1;
  const trigger: SimpleTrigger = {
    kind: 'SIMPLE',
    key: recoveryTriggerKey(firing.runId),
    jobKey: jobKey as JobKey,
    description: null,
    data: {
      ...firing.trigger?.data,
      ...(earlierAttempts === 0 ? originOf(firing) : {}),
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
  if (attempt > context.maxRecoveryAttempts) return { trigger, state: 'ERROR' };
  const jobExecuting = disallowConcurrentExecution && context.isExecuting(trigger.jobKey);
  return { trigger, state: restingState({ jobExecuting, groupPaused: context.isHeld(trigger) }) };
}

/** Returns the number of earlier recoveries of a firing. A recovery that died itself keeps the first origin in its data. */
function recoveryAttempts({ triggerKey, trigger }: OrphanedFiredTrigger): number {
  const data = trigger?.data;
  if (triggerKey.group !== RECOVERING_JOBS || typeof data?.[FAILED_JOB_ORIGINAL_TRIGGER_NAME] !== 'string') return 0;
  const attempts = Number(data[RECOVERY_ATTEMPT]);
  return Number.isSafeInteger(attempts) && attempts > 0 ? attempts : 1; // Java keeps no count
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
