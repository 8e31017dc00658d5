import { type EpochMs, earliestOf } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { makeUpTime } from './make-up-time';
import { DEFAULT_RULES, type Rules } from './rules';
import {
  type MisfireInstruction,
  REPEAT_INDEFINITELY,
  type SimpleMisfireInstruction,
  type SimpleTrigger,
  type Trigger,
} from './trigger';
import { includedFireTimeAfter } from './trigger-behaviour';
import { intervalsBetween } from './triggers/simple-trigger';

export interface MisfireClock {
  readonly now: EpochMs;
  /** Lateness above which a fire time counts as misfired. Milliseconds. */
  readonly misfireThreshold: number;
  /** Rules of the scheduler. Default: `safe`. */
  readonly rules?: Rules;
}

/** Returns the time before which fire times count as misfired. */
export function misfireTime({ now, misfireThreshold }: MisfireClock): EpochMs {
  return now - misfireThreshold;
}

/** True if the trigger fires for every missed fire time, regardless of lateness. */
export function ignoresMisfires(trigger: Trigger): boolean {
  return trigger.misfireInstruction === 'IGNORE_MISFIRE_POLICY';
}

/** True if the misfire instruction skips missed fire times, so that the trigger continues with the next one. */
export function skipsMissed(trigger: Trigger): boolean {
  const instruction = trigger.kind === 'SIMPLE' ? effectiveInstruction(trigger) : trigger.misfireInstruction;
  return SKIPPING.has(instruction);
}

const SKIPPING: ReadonlySet<MisfireInstruction> = new Set([
  'DO_NOTHING',
  'RESCHEDULE_NEXT_WITH_REMAINING_COUNT',
  'RESCHEDULE_NEXT_WITH_EXISTING_COUNT',
]);

/** True if the trigger is misfired, so that its misfire instruction determines the next fire time. */
export function isMisfired(trigger: Trigger, clock: MisfireClock): boolean {
  return trigger.nextFireTime !== null && trigger.nextFireTime < misfireTime(clock) && !ignoresMisfires(trigger);
}

/** Applies the misfire instruction if the trigger is misfired. Otherwise returns the trigger unchanged. */
export function recoverMisfire<T extends Trigger>(trigger: T, calendar: Calendar | null, clock: MisfireClock): T {
  return isMisfired(trigger, clock) ? afterMisfire(trigger, clock.now, calendar, clock.rules) : trigger;
}

/**
 * True if a misfired trigger skips its missed fire time instead of firing now or at the next possible time. `recovered`: result of `recoverMisfire`
 * for `before`.
 */
export function skipsFireTime(
  before: Trigger,
  recovered: Trigger,
  calendar: Calendar | null,
  { now, rules = DEFAULT_RULES }: MisfireClock,
): boolean {
  const { nextFireTime } = recovered;
  if (nextFireTime === now) return false;
  if (nextFireTime === null || rules === 'quartz') return true;
  return nextFireTime === includedFireTimeAfter(before, calendar, now, rules);
}

/** Applies the trigger's misfire instruction (Quartz: updateAfterMisfire). */
export function afterMisfire<T extends Trigger>(
  trigger: T,
  now: EpochMs,
  calendar: Calendar | null,
  rules: Rules = DEFAULT_RULES,
): T {
  if (trigger.kind === 'SIMPLE') return afterSimpleMisfire(trigger, { now, calendar, rules }) as T;
  switch (trigger.misfireInstruction) {
    case 'IGNORE_MISFIRE_POLICY':
      return trigger;
    case 'DO_NOTHING':
      return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, calendar, now, rules) };
    default:
      return { ...trigger, nextFireTime: firingNow(trigger, { now, calendar, rules }) };
  }
}

interface Circumstances {
  readonly now: EpochMs;
  readonly calendar: Calendar | null;
  readonly rules: Rules;
}

/**
 * Returns the time at which a misfired trigger fires once: now, or under safe rules the first time that its calendar and its hours allow. This is at
 * most its next fire time, and null after its end.
 */
function firingNow(trigger: Trigger, { now, calendar, rules }: Circumstances): EpochMs | null {
  if (rules === 'quartz') return now;
  const { endTime } = trigger;
  if (endTime !== null && endTime < now) return null;
  const possible = makeUpTime(trigger, calendar, now, endTime ?? undefined);
  if (possible === now) return now;
  const next = includedFireTimeAfter(trigger, calendar, now, rules);
  return earliestOf([possible, next]) ?? null;
}

function afterSimpleMisfire(trigger: SimpleTrigger, at: Circumstances): SimpleTrigger {
  const { repeatCount, timesTriggered } = trigger;
  const { now, calendar, rules } = at;
  switch (effectiveInstruction(trigger)) {
    case 'IGNORE_MISFIRE_POLICY':
      return trigger;
    case 'FIRE_NOW':
      return { ...trigger, nextFireTime: firingNow(trigger, at) };
    case 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT':
      return { ...trigger, nextFireTime: includedFireTimeAfter(trigger, calendar, now, rules) };
    case 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT': {
      const next = includedFireTimeAfter(trigger, calendar, now, rules);
      const missed = next === null ? 0 : missedUntil(trigger, next);
      return { ...trigger, nextFireTime: next, timesTriggered: timesTriggered + missed };
    }
    case 'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT':
      return restarted(trigger, at, repeatCount - timesTriggered);
    case 'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT':
      return restarted(trigger, at, Math.max(0, repeatCount - timesTriggered - missedUntil(trigger, now)));
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

/**
 * Restarts the trigger now, or under safe rules at the first time that its calendar includes. A finite repeat count becomes `remaining`. After the
 * end time, there is no next fire time.
 */
function restarted(trigger: SimpleTrigger, { now, calendar, rules }: Circumstances, remaining: number): SimpleTrigger {
  const finite = trigger.repeatCount !== 0 && trigger.repeatCount !== REPEAT_INDEFINITELY;
  const counted = finite ? { repeatCount: remaining, timesTriggered: 0 } : {};
  const { endTime } = trigger;
  const start = rules === 'quartz' ? now : makeUpTime(trigger, calendar, now, endTime ?? undefined);
  if (start === null || (endTime !== null && endTime < start)) return { ...trigger, ...counted, nextFireTime: null };
  return { ...trigger, ...counted, startTime: start, nextFireTime: start };
}

function missedUntil({ nextFireTime, repeatInterval }: SimpleTrigger, time: EpochMs): number {
  return nextFireTime === null ? 0 : intervalsBetween(nextFireTime, time, repeatInterval);
}
