import { SystemClock } from '../base/clock';
import type { Calendar } from '../domain/calendars/calendar';
import { systemTimeZone } from '../domain/time/system-time-zone';
import type * as stored from '../domain/trigger';
import * as domain from '../domain/trigger-behaviour';
import { checkDate, checkObject } from './builders/check-arguments';
import { fromTrigger, type Trigger } from './trigger';

/**
 * Returns the next `count` fire times of a trigger, or fewer if it ends, without those that its calendar excludes. Without a start, the trigger
 * starts now. Without a time zone, it uses the zone of this process. Throws INVALID_TRIGGER, or INVALID_ARGUMENT unless the count is a whole
 * number from 0 to a million.
 */
export function computeFireTimes(trigger: Trigger, calendar: Calendar | null, count: number): Date[] {
  return domain.computeFireTimes(toStored(trigger), calendar, count).map(toDate);
}

/**
 * Returns the fire times of a trigger from `from` to `to`, both inclusive. Without a start, the trigger starts at `from`. Throws
 * INVALID_TRIGGER, or INVALID_ARGUMENT if this takes more than a million firings.
 */
export function computeFireTimesBetween(trigger: Trigger, calendar: Calendar | null, from: Date, to: Date): Date[] {
  const first = checkDate(from, 'the first time').getTime();
  const last = checkDate(to, 'the last time').getTime();
  return domain.computeFireTimesBetween(toStored(trigger, first), calendar, first, last).map(toDate);
}

/**
 * Returns an end time with which the trigger fires `count` times: one second after the last of them. Null if it fires less often. Throws
 * INVALID_TRIGGER, or INVALID_ARGUMENT for a count above a million.
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
 * Returns the first fire time of a trigger after `after`, without regard to a calendar, or null if there is none. Without a start, the trigger
 * starts now. Throws INVALID_TRIGGER.
 */
export function getFireTimeAfter(trigger: Trigger, after: Date): Date | null {
  const time = domain.fireTimeAfter(toStored(trigger), checkDate(after, 'the time').getTime());
  return time === null ? null : toDate(time);
}

/** Returns the last fire time of a trigger, without regard to a calendar. Null if it is unknown or the trigger never ends. Throws INVALID_TRIGGER. */
export function getFinalFireTime(trigger: Trigger): Date | null {
  const time = domain.finalFireTime(toStored(trigger));
  return time === null ? null : toDate(time);
}

/** True if a stored trigger, as `getTrigger` returns it, has another planned firing. */
export function mayFireAgain(trigger: Trigger): boolean {
  return checkObject(trigger, 'a trigger').nextFireTime !== null;
}

/** Converts to the stored form. The job does not matter here. */
function toStored(given: Trigger, startTime = new SystemClock().now()): stored.Trigger {
  const trigger = checkObject(given, 'a trigger');
  const complete = fromTrigger(
    { ...trigger, jobKey: trigger.jobKey ?? trigger.key },
    { startTime, timeZone: systemTimeZone() },
  );
  domain.validateTrigger(complete);
  return complete;
}

function toDate(time: number): Date {
  return new Date(time);
}
