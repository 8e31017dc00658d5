import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { REPEAT_INDEFINITELY, type SimpleMisfireInstruction, type SimpleTrigger, type Trigger } from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';
import { intervalsBetween } from './triggers/simple-trigger';

/** The current time, and the lateness above which a trigger's misfire instruction decides. */
export interface MisfireClock {
  readonly now: EpochMs;
  /** Lateness above which a fire time counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
}

/** Returns the time before which fire times are misfired. */
export function misfireTime({ now, misfireThreshold }: MisfireClock): EpochMs {
  return now - misfireThreshold;
}

/** True if the trigger's instruction requests every missed fire time, however late. */
export function ignoresMisfires(trigger: Trigger): boolean {
  return trigger.misfireInstruction === 'IGNORE_MISFIRE_POLICY';
}

/** True if the misfire instruction, instead of the plain schedule, decides when the trigger fires next. */
export function isMisfired(trigger: Trigger, clock: MisfireClock): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime < misfireTime(clock) && !ignoresMisfires(trigger);
}

/** Returns the trigger with its misfire instruction applied, or unchanged if it is not misfired. */
export function recoverMisfire<T extends Trigger>(trigger: T, calendar: Calendar | null, clock: MisfireClock): T {
  return isMisfired(trigger, clock) ? afterMisfire(trigger, clock.now, calendar) : trigger;
}

/** True if a fire time was missed and is not caught up. `recovered`: the trigger after `recoverMisfire`. */
export function passesOver(before: Trigger, recovered: Trigger, clock: MisfireClock): boolean {
  return recovered.nextFireTime !== clock.now && isMisfired(before, clock);
}

/** Returns the trigger after its misfire instruction was applied (Quartz: updateAfterMisfire). */
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

/** Resolves Quartz's smart policy, and FIRE_NOW of a repeating trigger, to the instruction that they stand for. */
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

/** Restarts the trigger now. A finite repeat count becomes `remaining`, and counting starts from 0. A trigger past its end is finished. */
function restarted(trigger: SimpleTrigger, now: EpochMs, remaining: number): SimpleTrigger {
  const finite = trigger.repeatCount !== 0 && trigger.repeatCount !== REPEAT_INDEFINITELY;
  const counted = finite ? { repeatCount: remaining, timesTriggered: 0 } : {};
  if (trigger.endTime !== null && trigger.endTime < now) return { ...trigger, ...counted, nextFireTime: null };
  return { ...trigger, ...counted, startTime: now, nextFireTime: now };
}

function missedUntil({ nextFireTime, repeatInterval }: SimpleTrigger, time: EpochMs): number {
  return nextFireTime === null ? 0 : intervalsBetween(nextFireTime, time, repeatInterval);
}
