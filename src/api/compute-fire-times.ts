import { SystemClock } from '../base/clock';
import type { Calendar } from '../domain/calendars/calendar';
import { checkRules, DEFAULT_RULES, type Rules } from '../domain/rules';
import { systemTimeZone } from '../domain/time/system-time-zone';
import type * as stored from '../domain/trigger';
import * as domain from '../domain/trigger-behaviour';
import { checkDate, checkObject } from './builders/check-arguments';
import { fromTrigger, type Trigger, toDate } from './trigger';

/**
 * Returns the next `count` fire times of a trigger, or fewer if the trigger ends earlier. Omits times that the calendar excludes. A trigger without
 * a start time starts now; without a time zone, it uses the zone of this process. Throws INVALID_TRIGGER. Throws INVALID_ARGUMENT unless the count
 * is a whole number from 0 to 1,000,000. `rules`: rules of the scheduler (`scheduler.rules`). Default: `safe`.
 */
export function computeFireTimes(
  trigger: Trigger,
  calendar: Calendar | null,
  count: number,
  rules: Rules = DEFAULT_RULES,
): Date[] {
  return domain.computeFireTimes(toStored(trigger), calendar, count, checkRules(rules)).map((time) => new Date(time));
}

/**
 * Returns the fire times of a trigger from `from` to `to`, both inclusive. Omits times that the calendar excludes. A trigger without a start time
 * starts at `from`. Throws INVALID_TRIGGER. Throws INVALID_ARGUMENT if more than 1,000,000 fire times must be computed.
 * `rules`: rules of the scheduler (`scheduler.rules`). Default: `safe`.
 */
export function computeFireTimesBetween(
  trigger: Trigger,
  calendar: Calendar | null,
  ...[from, to, rules = DEFAULT_RULES]: [from: Date, to: Date, rules?: Rules]
): Date[] {
  const first = checkDate(from, 'the first time').getTime();
  const last = checkDate(to, 'the last time').getTime();
  return domain
    .computeFireTimesBetween(toStored(trigger, first), calendar, { from: first, to: last, rules: checkRules(rules) })
    .map((time) => new Date(time));
}

/**
 * Returns an end time that allows exactly `count` firings: one second after the last of them. Returns null if the trigger fires less often. Throws
 * INVALID_TRIGGER. Throws INVALID_ARGUMENT unless the count is a whole number from 0 to 1,000,000.
 */
export function computeEndTimeToAllowParticularNumberOfFirings(
  trigger: Trigger,
  calendar: Calendar | null,
  count: number,
): Date | null {
  const last = computeFireTimes(trigger, calendar, count)[count - 1];
  return last === undefined ? null : new Date(last.getTime() + 1_000);
}

/**
 * Returns the first fire time after `after`, or null. Ignores calendars. A trigger without a start time starts now. Throws INVALID_TRIGGER. `rules`:
 * rules of the scheduler (`scheduler.rules`). Default: `safe`.
 */
export function getFireTimeAfter(trigger: Trigger, after: Date, rules: Rules = DEFAULT_RULES): Date | null {
  return toDate(domain.fireTimeAfter(toStored(trigger), checkDate(after, 'the time').getTime(), checkRules(rules)));
}

/**
 * Returns the last fire time, or null if the trigger never ends or the time is unknown. Ignores calendars. Throws INVALID_TRIGGER. `rules`: rules of
 * the scheduler (`scheduler.rules`). Default: `safe`.
 */
export function getFinalFireTime(trigger: Trigger, rules: Rules = DEFAULT_RULES): Date | null {
  return toDate(domain.finalFireTime(toStored(trigger), checkRules(rules)));
}

/** Returns true if a trigger from `getTrigger` has a next fire time. A trigger that is not scheduled has none. */
export function mayFireAgain(trigger: Trigger): boolean {
  return checkObject(trigger, 'a trigger').nextFireTime !== null;
}

/** Converts a trigger to its stored form. If no job is set, uses the trigger's key as the job key, because fire times do not depend on the job. */
function toStored(given: Trigger, startTime = new SystemClock().now()): stored.Trigger {
  const trigger = checkObject(given, 'a trigger');
  const jobKey = trigger.jobKey ?? trigger.key;
  return domain.validateTrigger(fromTrigger({ ...trigger, jobKey }, { startTime, timeZone: systemTimeZone() }));
}
