import { DAY_MS, type EpochMs } from '../../base/clock';
import { clockShape, dateShape } from '../time/day-shape';
import { timeZoneOf } from '../time/time-zone';
import { dayOf, dayOfWeekOf } from '../time/wall-clock';
import { type DailyTimeIntervalTrigger, REPEAT_INDEFINITELY } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { type DailyHours, hoursAfter, hoursOn, intervalMs, validateDailyTimeInterval } from './daily-hours';
import { LAST_TIME } from './fire-time-sequence';
import { isExhausted } from './validation';

/**
 * Daily-interval triggers under safe rules: each selected day, they fire at the start time of day and then after each interval of elapsed time, up to
 * the end time of day. The end time is inclusive.
 */
export const dailyTimeIntervalBehaviour: TriggerBehaviour<DailyTimeIntervalTrigger> = {
  validate: validateDailyTimeInterval,

  firstFireTime: (trigger) => fireTimeAfter(trigger, beforeStart(trigger)),

  fireTimeAfter,

  fireTimes(trigger) {
    const zone = timeZoneOf(trigger.timeZone);
    const after = (time: EpochMs) => uncountedFireTimeAfter(trigger, time);
    const dayShape = (day: EpochMs) => {
      // Fire times are counted from the start time of day, which may be on the UTC day before, and before a clock change.
      const firesOn = dateShape(day, (date) => trigger.daysOfWeek.includes(dayOfWeekOf(date)), 2);
      return `${clockShape(zone, day)} ${firesOn}`;
    };
    return { after, leap: (time, bound) => after(Math.max(time, bound - 1)), dayShape };
  },

  finalFireTime(trigger) {
    const { endTime, previousFireTime, nextFireTime, repeatCount } = trigger;
    const finished = previousFireTime !== null && nextFireTime === null;
    if (finished) return null;
    if (repeatCount !== REPEAT_INDEFINITELY) return lastCounted(trigger);
    return endTime === null ? null : lastUpTo(trigger, endTime);
  },
};

function fireTimeAfter(trigger: DailyTimeIntervalTrigger, after: EpochMs): EpochMs | null {
  return isExhausted(trigger) ? null : uncountedFireTimeAfter(trigger, after);
}

/** Fire times begin with the whole second of the start time, as those of cron triggers. */
function beforeStart({ startTime }: DailyTimeIntervalTrigger): EpochMs {
  return Math.floor(startTime / 1_000) * 1_000 - 1;
}

/** Returns the next fire time like `fireTimeAfter`, but ignores the repeat count. */
function uncountedFireTimeAfter(trigger: DailyTimeIntervalTrigger, after: EpochMs): EpochMs | null {
  const from = Math.max(beforeStart(trigger), after) + 1;
  if (from > LAST_TIME) return null;
  const interval = intervalMs(trigger);
  for (const { opening, closing } of hoursAfter(trigger, from)) {
    const time = opening + Math.max(0, Math.ceil((from - opening) / interval)) * interval;
    if (time <= closing) return trigger.endTime !== null && time > trigger.endTime ? null : time;
  }
  return null;
}

/** Returns the last fire time up to `end`, ignoring the repeat count; null if there is none. */
function lastUpTo(trigger: DailyTimeIntervalTrigger, end: EpochMs): EpochMs | null {
  const zone = timeZoneOf(trigger.timeZone);
  const first = beforeStart(trigger) + 1;
  const last = Math.min(end, LAST_TIME);
  for (let date = dayOf(zone.localAt(last)) + 1; date >= dayOf(zone.localAt(first)) - 1; date--) {
    const hours = hoursOn(trigger, zone, date);
    const count = hours === null ? 0 : countIn(trigger, hours, first, last);
    if (hours !== null && count > 0) return firstIn(trigger, hours, first) + (count - 1) * intervalMs(trigger);
  }
  return null;
}

/** Returns the fire time of the last firing that the repeat count allows, or the last one up to the end time if that is earlier. */
function lastCounted(trigger: DailyTimeIntervalTrigger): EpochMs | null {
  let left = trigger.repeatCount + 1 - trigger.timesTriggered;
  const last = trigger.endTime === null ? LAST_TIME : Math.min(trigger.endTime, LAST_TIME);
  const first = Math.max(beforeStart(trigger) + 1, trigger.nextFireTime ?? 0);
  let found: EpochMs | null = null;
  for (const [hours, count] of countedDays(trigger, first, last)) {
    const start = firstIn(trigger, hours, first);
    found = start + (Math.min(count, left) - 1) * intervalMs(trigger);
    left -= count;
    if (left <= 0) break;
  }
  return found;
}

/** Number of fire times from `first` to `last`, inclusive, ignoring calendar and repeat count. */
export function countDailyFireTimes(trigger: DailyTimeIntervalTrigger, first: EpochMs, last: EpochMs): number {
  let total = 0;
  for (const [, count] of countedDays(trigger, Math.max(first, beforeStart(trigger) + 1), last)) total += count;
  return total;
}

/** Yields the hours of each day with fire times from `first` to `last`, inclusive, and the number of these fire times. */
function* countedDays(
  trigger: DailyTimeIntervalTrigger,
  first: EpochMs,
  last: EpochMs,
): Generator<readonly [DailyHours, number], void> {
  const zone = timeZoneOf(trigger.timeZone);
  for (let date = dayOf(zone.localAt(first)) - 1; date * DAY_MS <= zone.localAt(last) + DAY_MS; date++) {
    const hours = hoursOn(trigger, zone, date);
    const count = hours === null ? 0 : countIn(trigger, hours, first, last);
    if (hours !== null && count > 0) yield [hours, count];
  }
}

function countIn(trigger: DailyTimeIntervalTrigger, hours: DailyHours, first: EpochMs, last: EpochMs): number {
  const span = Math.min(hours.closing, last) - firstIn(trigger, hours, first);
  return span < 0 ? 0 : Math.floor(span / intervalMs(trigger)) + 1;
}

function firstIn(trigger: DailyTimeIntervalTrigger, { opening }: DailyHours, from: EpochMs): EpochMs {
  const interval = intervalMs(trigger);
  return opening + Math.max(0, Math.ceil((from - opening) / interval)) * interval;
}
