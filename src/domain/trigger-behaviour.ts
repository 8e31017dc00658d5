import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import type { Trigger } from './trigger';
import type { TriggerBehaviour } from './triggers/behaviour';
import { calendarIntervalBehaviour } from './triggers/calendar-interval-trigger';
import { nextOnNewCalendar } from './triggers/calendar-search';
import { cronBehaviour } from './triggers/cron-trigger';
import { dailyTimeIntervalBehaviour } from './triggers/daily-time-interval-trigger';
import { simpleBehaviour } from './triggers/simple-trigger';

/** The rules of the trigger's kind: the only switch on it. */
export function behaviourOf<T extends Trigger>(trigger: T): TriggerBehaviour<T> {
  return rulesOf(trigger.kind) as unknown as TriggerBehaviour<T>;
}

function rulesOf(kind: Trigger['kind']) {
  switch (kind) {
    case 'SIMPLE':
      return simpleBehaviour;
    case 'CRON':
      return cronBehaviour;
    case 'CAL_INT':
      return calendarIntervalBehaviour;
    case 'DAILY_I':
      return dailyTimeIntervalBehaviour;
  }
}

/** Throws INVALID_TRIGGER (or CRON_SYNTAX, UNKNOWN_TIME_ZONE) naming the field, what was expected and what was found. */
export function validateTrigger(trigger: Trigger): void {
  behaviourOf(trigger).validate(trigger);
}

/** The first fire time after `after`, without regard to a calendar; null when there is none. */
export function fireTimeAfter(trigger: Trigger, after: EpochMs): EpochMs | null {
  return behaviourOf(trigger).fireTimeAfter(trigger, after);
}

/** The last time the trigger will fire, without regard to a calendar; null when unknown or never ending. */
export function finalFireTime(trigger: Trigger): EpochMs | null {
  return behaviourOf(trigger).finalFireTime(trigger);
}

/** Whether another firing is planned. */
export function mayFireAgain(trigger: Trigger): boolean {
  return trigger.nextFireTime !== null;
}

/** The trigger with its first fire time (Quartz: computeFirstFireTime). `nextFireTime` null: it will never fire. */
export function scheduled<T extends Trigger>(trigger: T, calendar: Calendar | null): T {
  return behaviourOf(trigger).scheduled(trigger, calendar);
}

/** The trigger after one firing at its next fire time (Quartz: triggered). */
export function afterFiring<T extends Trigger>(trigger: T, calendar: Calendar | null): T {
  return behaviourOf(trigger).afterFiring(trigger, calendar);
}

/** The trigger after its misfire instruction was applied (Quartz: updateAfterMisfire). */
export function afterMisfire<T extends Trigger>(trigger: T, now: EpochMs, calendar: Calendar | null): T {
  return behaviourOf(trigger).afterMisfire(trigger, now, calendar);
}

/** The trigger after its calendar was replaced (Quartz: updateWithNewCalendar): continues after its last firing. */
export function withNewCalendar<T extends Trigger>(
  trigger: T,
  calendar: Calendar | null,
  now: EpochMs,
  misfireThreshold: number,
): T {
  const next = (after: EpochMs) => fireTimeAfter(trigger, after);
  const from = next(trigger.previousFireTime ?? now);
  return { ...trigger, nextFireTime: nextOnNewCalendar(from, calendar, next, { now, misfireThreshold }) };
}

/**
 * Whether two triggers name the same fire times, apart from where they start: their start time, progress, names, data,
 * priority and misfire instruction are not compared.
 */
export function sameSchedule(a: Trigger, b: Trigger): boolean {
  return a.kind === b.kind && behaviourOf(a).sameSchedule(a, b);
}
