import type { Calendar } from '../../src/domain/calendars/calendar';
import type { Trigger } from '../../src/domain/trigger';
import { fireTimeAfter } from '../../src/domain/trigger-behaviour';

/*
 * What is expected of a search, found the slow way: from one fire time to the next, asking the calendar about each; no leap, no
 * code of the search. Beyond so many steps the oracle does not know; what it then knows is up to where there is nothing.
 */

/** Fire times that are looked at for one answer. Those of months and years are walked from the start, each time. */
function mostSteps(trigger: Trigger): number {
  return trigger.kind === 'CAL_INT' && /MONTH|YEAR/.test(trigger.repeatIntervalUnit) ? 100 : 1_000;
}

export type Verdict =
  | { readonly found: number | null }
  /** Nothing was found up to here, inclusive. */
  | { readonly nothingUpTo: number };

/** `first`, or the first fire time after it that the calendar includes. */
export function firstIncludedSlowly(trigger: Trigger, calendar: Calendar, first: number | null): Verdict {
  let time = first;
  const last = mostSteps(trigger);
  for (let step = 0; time !== null && !calendar.isIncluded(time); step++) {
    if (step === last) return { nothingUpTo: time };
    time = fireTimeAfter(trigger, time);
  }
  return { found: time };
}

/** Quartz's updateWithNewCalendar, step by step. */
export function onNewCalendarSlowly(
  trigger: Trigger,
  calendar: Calendar,
  { now, misfireThreshold }: { readonly now: number; readonly misfireThreshold: number },
): Verdict {
  const last = mostSteps(trigger);
  let time = fireTimeAfter(trigger, trigger.previousFireTime ?? now, 'quartz');
  for (let step = 0; time !== null && !calendar.isIncluded(time); step++) {
    if (step === last) return { nothingUpTo: time };
    time = fireTimeAfter(trigger, time, 'quartz');
    if (time !== null && time < now && now - time >= misfireThreshold) time = fireTimeAfter(trigger, time, 'quartz');
  }
  return { found: time };
}

/** An included time in the open range, looked for second by second (the first, second and last millisecond of each); or null. */
export function includedBetween(calendar: Calendar, from: number, to: number): number | null {
  for (let second = Math.floor(from / 1_000) * 1_000; second < to; second += 1_000) {
    for (const time of [second, second + 1, second + 999]) {
      if (time > from && time < to && calendar.isIncluded(time)) return time;
    }
  }
  return null;
}
