import type { EpochMs } from '../base/clock';
import { firesNoMore, type Trigger } from './trigger';
import { fireTimeAfter } from './trigger-behaviour';

/**
 * True if only the trigger's calendar leaves it without a further fire time: its own schedule has fire times after `now`. Such a trigger is kept with
 * its job, and gets a fire time when the calendar changes. Throws any error of the trigger's schedule.
 */
export function isEndedByCalendar(trigger: Trigger, now: EpochMs): boolean {
  if (trigger.calendarName === null || !firesNoMore(trigger)) return false;
  return fireTimeAfter(trigger, Math.max(now, trigger.previousFireTime ?? now)) !== null;
}

/** True if the trigger's own schedule has ended, so that the trigger is deleted with a non-durable job. */
export function hasEnded(trigger: Trigger, now: EpochMs): boolean {
  return firesNoMore(trigger) && !isEndedByCalendar(trigger, now);
}
