import type { TriggerFiring } from './firing';
import { planRecovery } from './recovery';
import type { SimpleTrigger } from './trigger';

/**
 * Returns the trigger that recovers a firing which this node itself abandoned after losing its lease. The result is the same as if another node had
 * recovered the firing. Null if the maximum number of recoveries is reached.
 */
export function recoveryOfAbandonedRun(firing: TriggerFiring, maxRecoveryAttempts: number): SimpleTrigger | null {
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
  // The store that receives the trigger checks itself whether the trigger is blocked.
  const context = { maxRecoveryAttempts, isHeld: () => false, isExecuting: () => false };
  const [planned] = planRecovery([left], context).recoveries;
  if (planned === undefined || planned.state === 'ERROR') return null;
  return trigger.policy === undefined ? planned.trigger : { ...planned.trigger, policy: trigger.policy };
}
