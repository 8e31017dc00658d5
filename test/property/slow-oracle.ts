import type { Calendar } from '../../src/domain/calendars/calendar';
import type { Trigger } from '../../src/domain/trigger';
import { fireTimeAfter } from '../../src/domain/trigger-behaviour';

/*
 * Expected results of a search, computed step by step: it asks the calendar about each fire time and uses no code of the search
 * under test. After a maximum number of steps the oracle knows only a time before which there is no fire time.
 */

/** Maximum number of fire times checked for one answer. It is small for months and years, which are walked from the start. */
function mostSteps(trigger: Trigger): number {
  return trigger.kind === 'CAL_INT' && /MONTH|YEAR/.test(trigger.repeatIntervalUnit) ? 100 : 1_000;
}

export type Verdict =
  | { readonly found: number | null }
  /** No fire time was found up to this time, inclusive. */
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

/** Steps of Quartz's updateWithNewCalendar. */
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

/** First included time in the open range, checking the first, second and last millisecond of each second; or null. */
export function includedBetween(calendar: Calendar, from: number, to: number): number | null {
  for (let second = Math.floor(from / 1_000) * 1_000; second < to; second += 1_000) {
    for (const time of [second, second + 1, second + 999]) {
      if (time > from && time < to && calendar.isIncluded(time)) return time;
    }
  }
  return null;
}
