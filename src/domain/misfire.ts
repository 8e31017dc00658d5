import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import type { Trigger } from './trigger';
import { afterMisfire } from './trigger-behaviour';

/** The moment, and how late a trigger may be before its misfire instruction decides. */
export interface MisfireClock {
  readonly now: EpochMs;
  /** Milliseconds. */
  readonly misfireThreshold: number;
}

/** Fire times before this are misfired. */
export function misfireTime({ now, misfireThreshold }: MisfireClock): EpochMs {
  return now - misfireThreshold;
}

/** Whether the trigger wants every missed fire time, however late. */
export function ignoresMisfires(trigger: Trigger): boolean {
  return trigger.misfireInstruction === 'IGNORE_MISFIRE_POLICY';
}

/** Whether the misfire instruction, and no longer the plain schedule, decides when the trigger fires next. */
export function isMisfired(trigger: Trigger, clock: MisfireClock): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime < misfireTime(clock) && !ignoresMisfires(trigger);
}

/** The trigger with its misfire instruction applied if it misfired; else itself. */
export function recoverMisfire<T extends Trigger>(trigger: T, calendar: Calendar | null, clock: MisfireClock): T {
  return isMisfired(trigger, clock) ? afterMisfire(trigger, clock.now, calendar) : trigger;
}
