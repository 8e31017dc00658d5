import type { TriggerFiring } from './firing';
import { isOneOff } from './occurrence';
import { planRecovery, type RecoveryContext } from './recovery';
import type { SimpleTrigger } from './trigger';

/** Returns the trigger that recovers a run which this node abandoned, the same as on any other node. Null if no recoveries are left. */
export function recoveryOfAbandonedRun(firing: TriggerFiring, maxRecoveryAttempts: number): SimpleTrigger | null {
  return repeating(firing, { maxRecoveryAttempts });
}

/**
 * Returns the trigger with which this node hands over a run, the same as when another node takes it over. Null if earlier runs of the attempt were
 * handed over `maxHandOvers` times without a new checkpoint. A new checkpoint of this run sets the count to 0.
 */
export function handOverOf(
  firing: TriggerFiring,
  { maxHandOvers, hasNewCheckpoint }: { readonly maxHandOvers: number; readonly hasNewCheckpoint: boolean },
): SimpleTrigger | null {
  return repeating(firing, { maxRecoveryAttempts: Number.POSITIVE_INFINITY, maxHandOvers }, hasNewCheckpoint);
}

function repeating(
  firing: TriggerFiring,
  limits: Pick<RecoveryContext, 'maxRecoveryAttempts' | 'maxHandOvers'>,
  hasNewCheckpoint = false,
): SimpleTrigger | null {
  const { trigger, jobDetail, runId, fireTime, scheduledFireTime } = firing;
  const left = {
    runId,
    state: 'EXECUTING',
    triggerKey: trigger.key,
    firedTime: fireTime,
    scheduledTime: scheduledFireTime,
    priority: trigger.priority,
    jobKey: jobDetail.key,
    disallowConcurrentExecution: jobDetail.disallowConcurrentExecution,
    requestsRecovery: true,
    isOneOff: isOneOff(trigger),
    hasNewCheckpoint,
    trigger: { state: 'WAITING', data: trigger.data },
    isTriggerStored: true,
    isJobStored: true,
  } as const;
  // The store checks whether a running job or a paused group blocks the new trigger.
  const context = { ...limits, isHeld: () => false, isExecuting: () => false };
  const [planned] = planRecovery([left], context).recoveries;
  if (planned === undefined || planned.state === 'ERROR') return null;
  return trigger.policy === undefined ? planned.trigger : { ...planned.trigger, policy: trigger.policy };
}
