import type { EpochMs } from '../base/clock';
import type { Calendar } from './calendars/calendar';
import { nextPossiblyIncluded } from './calendars/chained-calendar';
import type { Trigger } from './trigger';
import { hoursFrom } from './triggers/daily-hours';

/** Periods of a calendar that a search visits, for example excluded days. */
const MAX_STEPS = 10_000;

/**
 * Returns the first time from `time` on at which a missed firing may run: a time that the calendar includes and that is within the hours of a
 * daily-interval trigger. Null if that would be after `limit`, or if no such time is found.
 */
export function makeUpTime(
  trigger: Trigger,
  calendar: Calendar | null,
  time: EpochMs,
  limit = Number.POSITIVE_INFINITY,
): EpochMs | null {
  let next: EpochMs | null = time;
  for (let step = 0; step < MAX_STEPS && next !== null; step++) {
    const open = trigger.kind === 'DAILY_I' ? hoursFrom(trigger, next)?.opening : next;
    if (open === undefined) return null;
    const possible = Math.max(open, next);
    if (possible > limit) return null;
    if (calendar === null || calendar.isIncluded(possible)) return possible;
    next = nextPossiblyIncluded(calendar, possible);
  }
  return null;
}
