import { type EpochMs, earliestOf } from '../base/clock';
import { atOnce, type Steps } from '../base/steps';
import type { Calendar } from './calendars/calendar';
import { makeUpTime } from './make-up-time';
import { isGroupOfFurtherRuns } from './occurrence';
import { DEFAULT_RULES, type Rules } from './rules';
import { SCHEDULE_FIELDS, type Trigger } from './trigger';
import { fireTimeAfter, fireTimesOf } from './trigger-behaviour';
import { isStillDue } from './trigger-end';
import { nextOnNewCalendar, searchIncluded } from './triggers/fire-time-sequence';

/**
 * Returns a function for the next fire time of triggers under their new calendar. Under Quartz's rules, it follows the previous fire time (Quartz:
 * updateWithNewCalendar). Under safe rules, a pending fire time that the calendar includes remains, and no fire time before it or before now is added.
 * Triggers with the same schedule and search start share a result, because a search may take milliseconds.
 */
export function newCalendarTimes(
  calendar: Calendar | null,
  now: EpochMs,
  misfireThreshold: number,
  rules: Rules = DEFAULT_RULES,
): (trigger: Trigger) => EpochMs | null {
  const steps = newCalendarSteps(calendar, now, misfireThreshold, rules);
  return (trigger) => atOnce(steps(trigger));
}

/** Like `newCalendarTimes`, but yields during the search, which continues to the last supported year if a trigger never fires again. */
export function newCalendarSteps(
  calendar: Calendar | null,
  now: EpochMs,
  misfireThreshold: number,
  rules: Rules = DEFAULT_RULES,
): (trigger: Trigger) => Steps<EpochMs | null> {
  const found = new Map<string, EpochMs | null>();
  function* nextTime(trigger: Trigger): Steps<EpochMs | null> {
    const { kind, endTime } = trigger;
    const from = fireTimeAfter(trigger, searchStart(trigger, now, rules), rules);
    const startTime = kind === 'CRON' ? null : trigger.startTime; // cron fire times do not depend on the start time
    const fields = SCHEDULE_FIELDS[kind].map((field) => trigger[field as keyof Trigger]);
    const text = JSON.stringify([from, kind, startTime, endTime, fields, trigger.policy?.clockChanges]);
    const known = found.get(text);
    if (known !== undefined) return known;
    const fireTimes = fireTimesOf(trigger, rules);
    const time =
      rules === 'quartz'
        ? yield* nextOnNewCalendar(from, calendar, fireTimes, { now, misfireThreshold })
        : yield* searchIncluded(from, calendar, fireTimes);
    found.set(text, time);
    return time;
  }
  return function* search(trigger) {
    const next = yield* nextTime(trigger);
    if (rules === 'quartz' || !isMoved(trigger, rules)) return next;
    const { nextFireTime, endTime } = trigger;
    const moved = makeUpTime(trigger, calendar, nextFireTime ?? now, endTime ?? undefined);
    return earliestOf([moved, next]) ?? null;
  };
}

function searchStart(trigger: Trigger, now: EpochMs, rules: Rules): EpochMs {
  const { previousFireTime, nextFireTime } = trigger;
  if (rules === 'safe' && nextFireTime === null && isStillDue(trigger, now)) return trigger.startTime - 1;
  // A trigger without a fire time has missed none: only later times count.
  if (rules === 'quartz')
    return nextFireTime === null ? Math.max(now, previousFireTime ?? now) : (previousFireTime ?? now);
  // The last fire time may be later than `now`: fired while the change waited for the lock, or in a batch up to 50 ms ahead.
  return nextFireTime === null || nextFireTime > now ? Math.max(now, previousFireTime ?? now) : nextFireTime - 1;
}

/** True if the next fire time is not one of the schedule: a missed firing that was moved to an included time, or the retry of an occurrence. */
function isMoved(trigger: Trigger, rules: Rules): boolean {
  const { nextFireTime, key } = trigger;
  if (nextFireTime === null) return false;
  return isGroupOfFurtherRuns(key.group) || fireTimeAfter(trigger, nextFireTime - 1, rules) !== nextFireTime;
}
