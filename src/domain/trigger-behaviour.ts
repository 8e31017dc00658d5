import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import type { Trigger } from './trigger';
import type { TriggerBehaviour } from './triggers/behaviour';
import { calendarIntervalBehaviour } from './triggers/calendar-interval-trigger';
import { firstIncluded, nextOnNewCalendar } from './triggers/calendar-search';
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

/**
 * The trigger at its first fire time from `from` on that its calendar includes; itself when it is there. What it fires before that
 * is left out, whatever the calendar says of it.
 */
export function leaptTo<T extends Trigger>(trigger: T, calendar: Calendar | null, from: EpochMs): T {
  const fireTimes = behaviourOf(trigger).fireTimes(trigger);
  let time = trigger.nextFireTime;
  while (time !== null && time < from) time = fireTimes.leap(time, from);
  return time === trigger.nextFireTime
    ? trigger
    : { ...trigger, nextFireTime: firstIncluded(time, calendar, fireTimes) };
}

/** The first fire time after `time`, whether or not `time` is one, that the calendar includes; null when there is none. */
export function includedFireTimeAfter(trigger: Trigger, calendar: Calendar | null, time: EpochMs): EpochMs | null {
  const fireTimes = behaviourOf(trigger).fireTimes(trigger);
  return firstIncluded(fireTimes.after(time), calendar, fireTimes);
}

/** The trigger after its calendar was replaced (Quartz: updateWithNewCalendar): continues after its last firing. */
export function withNewCalendar<T extends Trigger>(
  trigger: T,
  calendar: Calendar | null,
  now: EpochMs,
  misfireThreshold: number,
): T {
  const behaviour = behaviourOf(trigger);
  const from = behaviour.fireTimeAfter(trigger, trigger.previousFireTime ?? now);
  const clock = { now, misfireThreshold };
  return { ...trigger, nextFireTime: nextOnNewCalendar(from, calendar, behaviour.fireTimes(trigger), clock) };
}

/**
 * Whether two triggers name the same fire times, apart from where they start: their start time, progress, names, data,
 * priority and misfire instruction are not compared.
 */
export function sameSchedule(a: Trigger, b: Trigger): boolean {
  return a.kind === b.kind && behaviourOf(a).sameSchedule(a, b);
}
