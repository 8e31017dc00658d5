import { fromTrigger, type Trigger } from '../../api/trigger';
import type { Calendar } from '../../domain/calendars/calendar';
import { afterFiring } from '../../domain/trigger-behaviour';

/** The fire times that a stored trigger has before it, up to an instant, at most `count`: as if each fired on time. */
export function comingTimes(
  trigger: Trigger,
  calendar: Calendar | null,
  { until, count }: { readonly until: number; readonly count: number },
): readonly number[] {
  const times: number[] = [];
  // A stored trigger has its start and its zone.
  let next = fromTrigger(trigger, { startTime: 0, timeZone: 'UTC' });
  while (next.nextFireTime !== null && next.nextFireTime <= until && times.length < count) {
    times.push(next.nextFireTime);
    next = afterFiring(next, calendar);
  }
  return times;
}
