import type { EpochMs } from '../base/clock';
import type { JobData } from './job-data';
import { distinctKeys, type JobKey, type TriggerKey } from './keys';
import type { SpreadOccurrence } from './spread-occurrence';
import type { SimpleTrigger } from './trigger';
import { restingState, type TriggerState } from './trigger-state';

// The fired triggers of a dead node: acquired ones are released, jobs that request recovery run again, everything else is over.

/** The group of the triggers that run a job again because the node that ran it died. */
export const RECOVERING_JOBS = 'RECOVERING_JOBS';

/** A group that Quartz keeps for jobs taken over from another node; nothing is stored in it here either. */
export const FAILED_OVER_JOBS = 'FAILED_OVER_JOBS';

/** Where the data of a recovery trigger names the trigger it stands for. Quartz's keys. */
export const FAILED_JOB_ORIGINAL_TRIGGER_NAME = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME';
/** Key in the data of a recovery: group of the trigger whose firing is run again. */
export const FAILED_JOB_ORIGINAL_TRIGGER_GROUP = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP';

/** The trigger whose firing a recovery runs again, as its data names it; null: it names none. */
export function recoveredTriggerKey({
  [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: name,
  [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: group,
}: JobData): TriggerKey | null {
  return typeof name === 'string' && typeof group === 'string' ? { group, name } : null;
}

/** Where it keeps when that trigger fired, and when it should have: epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_FIRETIME_IN_MILLISECONDS_AS_STRING';
/** Key in the data of a recovery: when that firing was scheduled, epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING';

/** Ours: the first firing's id, for jobs that want to know what they did before, and how often it was run again. */
export const RECOVERED_RUN_ID = 'QRTZ_X_RECOVERED_RUN_ID';
export const RECOVERY_ATTEMPT = 'QRTZ_X_RECOVERY_ATTEMPT';

/** A fired trigger of a node that died, with what is stored beside it now. */
export interface OrphanedFiredTrigger {
  readonly runId: string;
  readonly state: 'ACQUIRED' | 'EXECUTING';
  readonly triggerKey: TriggerKey;
  readonly firedTime: EpochMs;
  readonly scheduledTime: EpochMs;
  readonly priority: number;
  /** Null for one that was only acquired. */
  readonly jobKey: JobKey | null;
  readonly disallowConcurrentExecution: boolean;
  readonly requestsRecovery: boolean;
  /** What is stored under the trigger's key; null: nothing any more. */
  readonly trigger: { readonly state: TriggerState; readonly data: JobData } | null;
  readonly isJobStored: boolean;
}

/** What a recovery depends on besides the fired triggers. */
export interface RecoveryContext {
  /** How often one firing is run again before its trigger is left in ERROR. */
  readonly maxRecoveryAttempts: number;
  /** Whether a recovery waits: its trigger is paused, or RECOVERING_JOBS is. */
  readonly isHeld: (recovery: SimpleTrigger) => boolean;
  /** Whether an execution of the job goes on elsewhere. */
  readonly isExecuting: (job: JobKey) => boolean;
}

/** A trigger that runs a job again. ERROR: it was tried often enough; an operator may reset it. */
export interface PlannedRecovery {
  readonly trigger: SimpleTrigger;
  readonly state: TriggerState;
}

/** What is to be done for a dead node. */
export interface RecoveryPlan {
  /** Triggers that go back to WAITING, if they are still ACQUIRED for that fire time. */
  readonly releases: readonly { readonly triggerKey: TriggerKey; readonly fireTime: EpochMs }[];
  readonly recoveries: readonly PlannedRecovery[];
  /** Non-concurrent jobs whose triggers may be free now. */
  readonly unblocks: readonly JobKey[];
  /** Triggers that had fired for the last time: to be deleted, if nothing of them runs any more. */
  readonly finishedTriggers: readonly TriggerKey[];
  /** Firings that are not run again. */
  readonly lost: number;
}

/** What was done for a node that died. */
export interface RecoveryReport {
  readonly instanceId: string;
  /** Acquired triggers that were released. */
  readonly released: number;
  /** Triggers that run again what was running. */
  readonly recovered: readonly TriggerKey[];
  /** Triggers left in ERROR, because running them again did not help. */
  readonly exhausted: readonly TriggerKey[];
  /** Firings that are not run again. */
  readonly lost: number;
  /** Occurrences of which the last parts are lost so; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** It held more than one transaction recovers: the rest is left to further ones. Absent: nothing is left. */
  readonly hasMore?: true;
}

/** Plans the recovery of everything a dead node held. Asked twice, it plans the same: the names are those of the firings. */
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

/** The key of the trigger that recovers a firing: the same whoever plans it, so that it exists at most once. */
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

/** How often a firing was recovered before; a recovery that died itself keeps the first origin in its data. */
function recoveryAttempts({ triggerKey, trigger }: OrphanedFiredTrigger): number {
  const data = trigger?.data;
  if (triggerKey.group !== RECOVERING_JOBS || typeof data?.[FAILED_JOB_ORIGINAL_TRIGGER_NAME] !== 'string') return 0;
  const attempts = Number(data[RECOVERY_ATTEMPT]);
  return Number.isSafeInteger(attempts) && attempts > 0 ? attempts : 1; // Java counts none
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
