import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { REPEAT_INDEFINITELY, type SimpleMisfireInstruction, type SimpleTrigger, type Trigger } from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';
import { intervalsBetween } from './triggers/simple-trigger';

export interface MisfireClock {
  readonly now: EpochMs;
  /** Lateness above which a fire time counts as misfired. Milliseconds. */
  readonly misfireThreshold: number;
}

/** Returns the time before which fire times count as misfired. */
export function misfireTime({ now, misfireThreshold }: MisfireClock): EpochMs {
  return now - misfireThreshold;
}

/** True if the trigger fires for every missed fire time, regardless of lateness. */
export function ignoresMisfires(trigger: Trigger): boolean {
  return trigger.misfireInstruction === 'IGNORE_MISFIRE_POLICY';
}

/** True if the trigger is misfired, so that its misfire instruction determines the next fire time. */
export function isMisfired(trigger: Trigger, clock: MisfireClock): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime < misfireTime(clock) && !ignoresMisfires(trigger);
}

/** Applies the misfire instruction if the trigger is misfired. Otherwise returns the trigger unchanged. */
export function recoverMisfire<T extends Trigger>(trigger: T, calendar: Calendar | null, clock: MisfireClock): T {
  return isMisfired(trigger, clock) ? afterMisfire(trigger, clock.now, calendar) : trigger;
}

/** True if a misfired trigger skips its missed fire time instead of firing now. `recovered`: result of `recoverMisfire` for `before`. */
export function skipsFireTime(before: Trigger, recovered: Trigger, clock: MisfireClock): boolean {
  return recovered.nextFireTime !== clock.now && isMisfired(before, clock);
}

/** Applies the trigger's misfire instruction (Quartz: updateAfterMisfire). */
export function afterMisfire<T extends Trigger>(trigger: T, now: EpochMs, calendar: Calendar | null): T {
  if (trigger.kind === 'SIMPLE') return afterSimpleMisfire(trigger, now, calendar) as T;
  switch (trigger.misfireInstruction) {
    case 'IGNORE_MISFIRE_POLICY':
      return trigger;
    case 'DO_NOTHING':
      return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, calendar, now) };
    default:
      return { ...trigger, nextFireTime: now };
  }
}

function afterSimpleMisfire(trigger: SimpleTrigger, now: EpochMs, calendar: Calendar | null): SimpleTrigger {
  const { repeatCount, timesTriggered } = trigger;
  switch (effectiveInstruction(trigger)) {
    case 'IGNORE_MISFIRE_POLICY':
      return trigger;
    case 'FIRE_NOW':
      return { ...trigger, nextFireTime: now };
    case 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT':
      return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, calendar, now) };
    case 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT': {
      const next = includedFireTimeAfter(trigger, calendar, now);
      const missed = next === null ? 0 : missedUntil(trigger, next);
      return { ...trigger, nextFireTime: next, timesTriggered: timesTriggered + missed };
    }
    case 'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT':
      return restarted(trigger, now, repeatCount - timesTriggered);
    case 'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT':
      return restarted(trigger, now, Math.max(0, repeatCount - timesTriggered - missedUntil(trigger, now)));
  }
}

/** Returns the instruction that actually applies. As in Quartz, replaces SMART_POLICY, and also FIRE_NOW if the trigger repeats. */
function effectiveInstruction({
  misfireInstruction,
  repeatCount,
}: SimpleTrigger): Exclude<SimpleMisfireInstruction, 'SMART_POLICY'> {
  if (misfireInstruction === 'FIRE_NOW' && repeatCount !== 0) return 'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT';
  if (misfireInstruction !== 'SMART_POLICY') return misfireInstruction;
  if (repeatCount === 0) return 'FIRE_NOW';
  if (repeatCount === REPEAT_INDEFINITELY) return 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT';
  return 'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT';
}

/** Restarts the trigger now. A finite repeat count becomes `remaining`. After the end time, there is no next fire time. */
function restarted(trigger: SimpleTrigger, now: EpochMs, remaining: number): SimpleTrigger {
  const finite = trigger.repeatCount !== 0 && trigger.repeatCount !== REPEAT_INDEFINITELY;
  const counted = finite ? { repeatCount: remaining, timesTriggered: 0 } : {};
  if (trigger.endTime !== null && trigger.endTime < now) return { ...trigger, ...counted, nextFireTime: null };
  return { ...trigger, ...counted, startTime: now, nextFireTime: now };
}

function missedUntil({ nextFireTime, repeatInterval }: SimpleTrigger, time: EpochMs): number {
  return nextFireTime === null ? 0 : intervalsBetween(nextFireTime, time, repeatInterval);
}
