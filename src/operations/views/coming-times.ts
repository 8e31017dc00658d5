import { fromTrigger, type Trigger } from '../../api/trigger';
import type { Calendar } from '../../domain/calendars/calendar';
import { afterFiring, includedFireTimeAfter } from '../../domain/trigger-behaviour';

export interface ComingRange {
  /** Epoch milliseconds before which times are skipped. Default: the next fire time, even if it has passed. */
  readonly from?: number;
  /** Last time, in epoch milliseconds. */
  readonly until: number;
  /** Maximum number of times. */
  readonly count: number;
}

/** Returns the future fire times of a stored trigger, as if each fired on time. */
export function comingTimes(
  trigger: Trigger,
  calendar: Calendar | null,
  { from, until, count }: ComingRange,
): readonly number[] {
  const times: number[] = [];
  // A stored trigger has a start and a zone, so these defaults are not used.
  const stored = fromTrigger(trigger, { startTime: 0, timeZone: 'UTC' });
  const isEarly = from !== undefined && stored.nextFireTime !== null && stored.nextFireTime < from;
  let next = isEarly ? { ...stored, nextFireTime: includedFireTimeAfter(stored, calendar, from - 1) } : stored;
  while (next.nextFireTime !== null && next.nextFireTime <= until && times.length < count) {
    times.push(next.nextFireTime);
    next = afterFiring(next, calendar);
  }
  return times;
}
