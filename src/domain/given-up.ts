import type { TriggerFiring } from './firing';
import { planRecovery } from './recovery';
import type { SimpleTrigger } from './trigger';

/**
 * The trigger that runs a firing again which its own node has given up, because it lost its lease: as if another node had taken it over. Null: it
 * was run again often enough.
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
  // Whatever blocks it is found by whoever stores it.
  const context = { maxRecoveryAttempts, isHeld: () => false, isExecuting: () => false };
  const [planned] = planRecovery([left], context).recoveries;
  if (planned === undefined || planned.state === 'ERROR') return null;
  return trigger.policy === undefined ? planned.trigger : { ...planned.trigger, policy: trigger.policy };
}
