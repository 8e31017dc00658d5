import type { EpochMs } from '../../base/clock';
import { isNameIn } from '../check-text';
import { clockShape, dateShape, movesTimeOfDay } from '../time/day-shape';
import { type LocalMs, type TimeZone, timeZoneOf } from '../time/time-zone';
import { atTimeOfDay, dayOf, dayOfWeekOf, plusDays } from '../time/wall-clock';
import {
  type DailyTimeIntervalTrigger,
  END_OF_DAY,
  MAX_INT,
  REPEAT_INDEFINITELY,
  secondOfDay,
  type TimeOfDay,
  timeOfDayText,
} from '../trigger';
import type { TriggerBehaviour } from './behaviour';
import { LAST_TIME, MAX_UNSTABLE_MS, wallClockSequence } from './fire-time-sequence';
import { invalidTrigger, isExhausted, requireInteger, validateCommon } from './validation';

const SECONDS = { SECOND: 1, MINUTE: 60, HOUR: 3_600 } as const;
const SECONDS_A_DAY = 86_400;

/** Behaviour of daily-interval triggers: they fire every n seconds, minutes or hours between two times of day, on selected days of the week. */
export const dailyTimeIntervalBehaviour: TriggerBehaviour<DailyTimeIntervalTrigger> = {
  validate,

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

function validate(trigger: DailyTimeIntervalTrigger): void {
  const { repeatIntervalUnit: unit, daysOfWeek, startTimeOfDay, endTimeOfDay } = trigger;
  validateCommon(trigger);
  requireInteger(trigger, 'repeatCount', trigger.repeatCount, { min: REPEAT_INDEFINITELY, max: MAX_INT });
  if (!isNameIn(SECONDS, unit)) throw invalidTrigger(trigger, 'repeatIntervalUnit', 'SECOND, MINUTE or HOUR', unit);
  requireInteger(trigger, 'repeatInterval', trigger.repeatInterval, { min: 1, max: SECONDS_A_DAY / SECONDS[unit] });
  if (!areDaysOfWeek(daysOfWeek)) {
    const found = Array.isArray(daysOfWeek) ? `[${daysOfWeek.join(', ')}]` : daysOfWeek;
    throw invalidTrigger(trigger, 'daysOfWeek', 'one or more of 1 (Sunday) to 7 (Saturday), ascending', found);
  }
  requireTimeOfDay(trigger, 'startTimeOfDay', startTimeOfDay);
  if (endTimeOfDay !== null) {
    requireTimeOfDay(trigger, 'endTimeOfDay', endTimeOfDay);
    if (secondOfDay(endTimeOfDay) < secondOfDay(startTimeOfDay)) {
      const expected = `at or after startTimeOfDay ${timeOfDayText(startTimeOfDay)}`;
      throw invalidTrigger(trigger, 'endTimeOfDay', expected, timeOfDayText(endTimeOfDay));
    }
  }
  timeZoneOf(trigger.timeZone);
}

function areDaysOfWeek(days: unknown): boolean {
  if (!Array.isArray(days) || days.length === 0) return false;
  return days.every((day, i) => Number.isInteger(day) && day >= 1 && day <= 7 && (i === 0 || days[i - 1] < day));
}

function requireTimeOfDay(trigger: DailyTimeIntervalTrigger, field: string, time: TimeOfDay): void {
  requireInteger(trigger, `${field}.hour`, time?.hour, { min: 0, max: 23 });
  requireInteger(trigger, `${field}.minute`, time?.minute, { min: 0, max: 59 });
  requireInteger(trigger, `${field}.second`, time?.second, { min: 0, max: 59 });
}

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
  const interval = trigger.repeatInterval * SECONDS[trigger.repeatIntervalUnit];
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

function msOfDay(time: TimeOfDay): number {
  return secondOfDay(time) * 1_000;
}
