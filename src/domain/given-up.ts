import type { TriggerFiring } from './firing';
import { planRecovery } from './recovery';
import type { SimpleTrigger } from './trigger';

/**
 * Returns the trigger that repeats a firing which its own node abandoned after losing its lease, as if another node had taken it over. Null if it has
 * already been recovered the maximum number of times.
 */
export function recoveryOfGivenUp(firing: TriggerFiring, maxRecoveryAttempts: number): SimpleTrigger | null {
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
    trigger: { state: 'WAITING', data: trigger.data },
    isJobStored: true,
  } as const;
  // The store that saves the trigger checks for itself whether anything blocks it.
  const context = { maxRecoveryAttempts, isHeld: () => false, isExecuting: () => false };
  const [planned] = planRecovery([left], context).recoveries;
  if (planned === undefined || planned.state === 'ERROR') return null;
  return trigger.policy === undefined ? planned.trigger : { ...planned.trigger, policy: trigger.policy };
}
