import { SystemClock } from '../base/clock';
import type { Calendar } from '../domain/calendars/calendar';
import { systemTimeZone } from '../domain/time/system-time-zone';
import type * as stored from '../domain/trigger';
import * as domain from '../domain/trigger-behaviour';
import { checkDate, checkObject } from './builders/check-arguments';
import { fromTrigger, type Trigger } from './trigger';

/**
 * The next `count` fire times of a trigger, fewer when it ends, without those its calendar excludes. A trigger without a
 * start begins now, one without a time zone lives in that of this process. Throws INVALID_TRIGGER; INVALID_ARGUMENT for
 * a count that is not whole, from 0 to a million.
 */
export function computeFireTimes(trigger: Trigger, calendar: Calendar | null, count: number): Date[] {
  return domain.computeFireTimes(toStored(trigger), calendar, count).map(toDate);
}

/**
 * The fire times of a trigger from `from` to `to`, both included; a trigger without a start begins at `from`. Throws
 * INVALID_TRIGGER; INVALID_ARGUMENT when that takes more than a million firings.
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
 * The first fire time of a trigger after `after`, without regard to a calendar; null when there is none. A trigger without
 * a start begins now. Throws INVALID_TRIGGER.
 */
export function getFireTimeAfter(trigger: Trigger, after: Date): Date | null {
  const time = domain.fireTimeAfter(toStored(trigger), checkDate(after, 'the time').getTime());
  return time === null ? null : toDate(time);
}

/** The last time a trigger will fire, without regard to a calendar; null when that is not known, or never. Throws INVALID_TRIGGER. */
export function getFinalFireTime(trigger: Trigger): Date | null {
  const time = domain.finalFireTime(toStored(trigger));
  return time === null ? null : toDate(time);
}

/** True if a stored trigger, as `getTrigger` returns it, has another planned firing. */
export function mayFireAgain(trigger: Trigger): boolean {
  return checkObject(trigger, 'a trigger').nextFireTime !== null;
}

/** Its job does not matter here. */
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
