import type { TriggerFiring } from './firing';
import { planRecovery } from './recovery';
import type { SimpleTrigger } from './trigger';

/** Returns the trigger that recovers a run which this node abandoned, the same as on any other node. Null if no recoveries are left. */
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
  // The store checks whether a running job or a paused group blocks the new trigger.
  const context = { maxRecoveryAttempts, isHeld: () => false, isExecuting: () => false };
  const [planned] = planRecovery([left], context).recoveries;
  if (planned === undefined || planned.state === 'ERROR') return null;
  return trigger.policy === undefined ? planned.trigger : { ...planned.trigger, policy: trigger.policy };
}
