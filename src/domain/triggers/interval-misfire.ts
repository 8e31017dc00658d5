import type { EpochMs } from '../../base/clock';
import type { SimpleTrigger, Trigger } from '../trigger';

/** Applies the misfire instruction of a cron, calendar-interval or daily-time-interval trigger; smart is fire once now. */
export function afterIntervalMisfire<T extends Exclude<Trigger, SimpleTrigger>>(
  trigger: T,
  now: EpochMs,
  nextAfterNow: () => EpochMs | null,
): T {
  switch (trigger.misfireInstruction) {
    case 'IGNORE_MISFIRE_POLICY':
      return trigger;
    case 'SMART_POLICY':
    case 'FIRE_ONCE_NOW':
      return { ...trigger, nextFireTime: now };
    case 'DO_NOTHING':
      return { ...trigger, nextFireTime: nextAfterNow() };
  }
}
