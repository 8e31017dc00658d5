import type { ClockChanges } from './rules';
import type { ScheduleChange } from './schedule-change';
import type { Trigger } from './trigger';

/** Returns a cron trigger without its own `clockChanges` with those of the scheduler, and every other trigger unchanged. */
export function withClockChanges(trigger: Trigger, ofScheduler: ClockChanges = 'quartz'): Trigger {
  const isSet = trigger.policy?.clockChanges !== undefined;
  if (ofScheduler === 'quartz' || trigger.kind !== 'CRON' || isSet) return trigger; // absent means 'quartz'
  return { ...trigger, policy: { ...trigger.policy, clockChanges: ofScheduler } };
}

/** Returns a change that stores a trigger with the scheduler's `clockChanges`, so that all nodes compute its fire times alike from then on. */
export function storingClockChanges(change: ScheduleChange, ofScheduler?: ClockChanges): ScheduleChange {
  if (change.type !== 'storeTrigger' && change.type !== 'replaceTrigger') return change;
  const trigger = withClockChanges(change.trigger, ofScheduler);
  return trigger === change.trigger ? change : { ...change, trigger };
}
