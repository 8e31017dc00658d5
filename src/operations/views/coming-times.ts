import { fromTrigger, type Trigger } from '../../api/trigger';
import type { Calendar } from '../../domain/calendars/calendar';
import type { Rules } from '../../domain/rules';
import { afterFiring, includedFireTimeAfter } from '../../domain/trigger-behaviour';

interface ComingRange {
  /** Earliest time to return, in epoch milliseconds. Default: the next fire time, even if it has passed. */
  readonly from?: number;
  /** Latest time to return, in epoch milliseconds. */
  readonly until: number;
  readonly count: number;
  /** Rules of the scheduler. */
  readonly rules: Rules;
}

/** Returns the next fire times of a stored trigger, assuming that every firing is on time. */
export function comingTimes(
  trigger: Trigger,
  calendar: Calendar | null,
  { from, until, count, rules }: ComingRange,
): readonly number[] {
  const times: number[] = [];
  // A stored trigger has a start time and a time zone, so these defaults have no effect.
  const stored = fromTrigger(trigger, { startTime: 0, timeZone: 'UTC' });
  const isEarly = from !== undefined && stored.nextFireTime !== null && stored.nextFireTime < from;
  let next = isEarly ? { ...stored, nextFireTime: includedFireTimeAfter(stored, calendar, from - 1, rules) } : stored;
  while (next.nextFireTime !== null && next.nextFireTime <= until && times.length < count) {
    times.push(next.nextFireTime);
    next = afterFiring(next, calendar, rules);
  }
  return times;
}
