import type { EpochMs } from '../../base/clock';
import { clockShape, dateShape, movesTimeOfDay } from '../time/day-shape';
import { type LocalMs, type TimeZone, timeZoneOf } from '../time/time-zone';
import { atTimeOfDay, dayOf, dayOfWeekOf, plusDays } from '../time/wall-clock';
import { type DailyTimeIntervalTrigger, END_OF_DAY } from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { msOfDay, UNIT_SECONDS, validateDailyTimeInterval } from './daily-hours';
import { LAST_TIME, MAX_UNSTABLE_MS, wallClockSequence } from './fire-time-sequence';
import { isExhausted } from './validation';

/** Daily-interval triggers under Quartz's rules: fire times after the end time are returned on a day that has started before it. */
export const quartzDailyTimeIntervalBehaviour: TriggerBehaviour<DailyTimeIntervalTrigger> = {
  validate: validateDailyTimeInterval,

  firstFireTime: (trigger) => fireTimeAfter(trigger, trigger.startTime - 1_000),

  fireTimeAfter,

  fireTimes(trigger) {
    const zone = timeZoneOf(trigger.timeZone);
    // Fire times are whole seconds. If `after` had a fraction of a second, the last fire time of a day would be missed.
    const after = (time: EpochMs) => uncountedFireTimeAfter(trigger, Math.floor(time / 1_000) * 1_000);
    const firesOn = (date: LocalMs) => trigger.daysOfWeek.includes(dayOfWeekOf(date));
    // Quartz searches the next matching day from one start time of day to the next. A clock change that moves the start time of day therefore affects
    // the next seven days.
    const opening = msOfDay(trigger.startTimeOfDay);
    const isMovedBy = (change: EpochMs) => movesTimeOfDay(zone, change, opening);
    const dayShape = (day: EpochMs) => {
      let shape = clockShape(zone, day);
      for (let at = zone.steadyUntil(day - MAX_UNSTABLE_MS); at < day; at = zone.steadyUntil(at)) {
        if (isMovedBy(at)) shape += ` moved ${day - at} ${dateShape(day, firesOn, 9)}`;
      }
      return `${shape} ${dateShape(day, firesOn)}`;
    };
    const unstableAfter = (change: EpochMs) => (isMovedBy(change) ? MAX_UNSTABLE_MS : 0);
    return wallClockSequence({ after, dayShape, zone, endTime: trigger.endTime, unstableAfter });
  },

  finalFireTime(trigger) {
    const { endTime, endTimeOfDay, previousFireTime, nextFireTime } = trigger;
    const finished = previousFireTime !== null && nextFireTime === null;
    if (endTime === null || finished) return null;
    if (endTimeOfDay === null) return endTime;
    return Math.max(endTime, atTimeOfDay(timeZoneOf(trigger.timeZone), endTime, msOfDay(endTimeOfDay)));
  },
};

function fireTimeAfter(trigger: DailyTimeIntervalTrigger, after: EpochMs): EpochMs | null {
  return isExhausted(trigger) ? null : uncountedFireTimeAfter(trigger, after);
}

/** Returns the next fire time like `fireTimeAfter`, but ignores the repeat count. */
function uncountedFireTimeAfter(trigger: DailyTimeIntervalTrigger, after: EpochMs): EpochMs | null {
  const zone = timeZoneOf(trigger.timeZone);
  const earliest = Math.max(trigger.startTime, after + 1_000);
  if (earliest > LAST_TIME) return null;
  const endOfDay = msOfDay(trigger.endTimeOfDay ?? END_OF_DAY);
  const startOfDay = msOfDay(trigger.startTimeOfDay);

  const isPastEnd = trigger.endTimeOfDay !== null && earliest > atTimeOfDay(zone, earliest, endOfDay);
  const day = fireableDay(trigger, zone, earliest, isPastEnd);
  if (day === null) return null;

  const opening = atTimeOfDay(zone, day, startOfDay);
  if (day < opening) return opening;
  const closing = atTimeOfDay(zone, day, endOfDay);
  const interval = trigger.repeatInterval * UNIT_SECONDS[trigger.repeatIntervalUnit];
  const time = opening + Math.ceil(Math.floor((day - opening) / 1_000) / interval) * interval * 1_000;
  if (time <= closing) return time;

  const isSameDay = dayOf(zone.localAt(time)) === dayOf(zone.localAt(closing));
  const nextDay = fireableDay(trigger, zone, time, isSameDay);
  return nextDay === null ? null : atTimeOfDay(zone, nextDay, startOfDay);
}

/**
 * Returns `time` if its day of the week matches, otherwise the start time of day on the next matching day; null if that is after the end time. As in
 * Quartz, the end time is only checked here, so fire times after it are returned on a day that has started before it.
 */
function fireableDay(
  trigger: DailyTimeIntervalTrigger,
  zone: TimeZone,
  time: EpochMs,
  skipToday: boolean,
): EpochMs | null {
  const { daysOfWeek, endTime } = trigger;
  const firesOn = (instant: EpochMs) => daysOfWeek.includes(dayOfWeekOf(zone.localAt(instant)));
  const opening = atTimeOfDay(zone, time, msOfDay(trigger.startTimeOfDay));
  let day = time;
  if (skipToday || !firesOn(opening)) {
    day = opening;
    let tries = 0;
    do day = plusDays(zone, day, 1);
    while (!firesOn(day) && ++tries < 7);
  }
  return endTime !== null && day > endTime ? null : day;
}
