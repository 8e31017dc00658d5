import type { EpochMs } from '../base/clock';
import { firesNoMore, type Trigger } from './trigger';
import { fireTimeAfter } from './trigger-behaviour';

/**
 * True if only the trigger's calendar leaves it without a further fire time: its own schedule has fire times after `now`. Such a trigger is kept with
 * its job, and gets a fire time when the calendar changes. Throws any error of the trigger's schedule.
 */
export function isEndedByCalendar(trigger: Trigger, now: EpochMs): boolean {
  if (trigger.calendarName === null || !firesNoMore(trigger)) return false;
  const { previousFireTime, startTime } = trigger;
  const from = isStillDue(trigger, now) ? startTime - 1 : Math.max(now, previousFireTime ?? now);
  return fireTimeAfter(trigger, from) !== null;
}

/**
 * True for a trigger with one fire time that has not fired, and that its misfire instruction would fire late. If its calendar excludes the time, the
 * firing stays due until the calendar changes: no later fire time would make up for it.
 */
export function isStillDue(trigger: Trigger, now: EpochMs): boolean {
  const { previousFireTime, endTime } = trigger;
  if (trigger.kind !== 'SIMPLE' || trigger.repeatCount !== 0 || previousFireTime !== null) return false;
  if (trigger.timesTriggered > 0) return false;
  const isSkippedLate = trigger.misfireInstruction.startsWith('RESCHEDULE_NEXT');
  return !isSkippedLate && (endTime === null || endTime >= now);
}

/** True if the trigger's own schedule has ended, so that the trigger is deleted with a non-durable job. */
export function hasEnded(trigger: Trigger, now: EpochMs): boolean {
  return firesNoMore(trigger) && !isEndedByCalendar(trigger, now);
}
