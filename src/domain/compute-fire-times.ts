import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { invalidArgument } from './check-text';
import type { Trigger } from './trigger';
import { afterFiring, leaptTo, scheduled } from './trigger-behaviour';

/** More firings than this are not looked through at once. */
export const MAX_FIRINGS = 1_000_000;

/** The next `count` fire times, fewer when the trigger ends. Throws INVALID_ARGUMENT unless the count is a whole number up to a million. */
export function computeFireTimes(trigger: Trigger, calendar: Calendar | null, count: number): EpochMs[] {
  if (!Number.isInteger(count) || count < 0 || count > MAX_FIRINGS)
    throw invalidArgument(`a whole number from 0 to ${MAX_FIRINGS} as the count of fire times`, count);
  const times: EpochMs[] = [];
  for (let next = begun(trigger, calendar); times.length < count; next = afterFiring(next, calendar)) {
    if (next.nextFireTime === null) break;
    times.push(next.nextFireTime);
  }
  return times;
}

/** The fire times from `from` to `to`, both included. Throws INVALID_ARGUMENT when that takes more than a million firings. */
export function computeFireTimesBetween(
  trigger: Trigger,
  calendar: Calendar | null,
  from: EpochMs,
  to: EpochMs,
): EpochMs[] {
  const times: EpochMs[] = [];
  const first = begun(trigger, calendar);
  let next = isCountedByDay(first) ? first : leaptTo(first, calendar, from);
  for (let firings = 0; next.nextFireTime !== null && next.nextFireTime <= to; firings++) {
    if (firings === MAX_FIRINGS) {
      const expected = `a shorter time than from ${isoTime(from)} to ${isoTime(to)}, with at most ${MAX_FIRINGS} firings`;
      throw invalidArgument(expected, 'more of them');
    }
    if (next.nextFireTime >= from) times.push(next.nextFireTime);
    next = afterFiring(next, calendar);
  }
  return times;
}

function begun(trigger: Trigger, calendar: Calendar | null): Trigger {
  return trigger.nextFireTime === null && trigger.previousFireTime === null ? scheduled(trigger, calendar) : trigger;
}

/** Whether a firing left out would be one too many in the end. */
function isCountedByDay(trigger: Trigger): boolean {
  return trigger.kind === 'DAILY_I' && trigger.repeatCount >= 0;
}

function isoTime(time: EpochMs): string {
  return new Date(time).toISOString();
}
