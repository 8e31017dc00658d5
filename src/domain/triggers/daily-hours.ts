import { DAY_MS, type EpochMs } from '../../base/clock';
import { isNameIn } from '../check-text';
import { type TimeZone, timeZoneOf } from '../time/time-zone';
import { dayOf, dayOfWeekOf } from '../time/wall-clock';
import {
  type DailyTimeIntervalTrigger,
  END_OF_DAY,
  MAX_INT,
  REPEAT_INDEFINITELY,
  secondOfDay,
  type TimeOfDay,
  timeOfDayText,
} from '../trigger';
import { invalidTrigger, requireInteger, validateCommon } from './validation';

/** Length of each unit of daily intervals, in seconds. */
export const UNIT_SECONDS = { SECOND: 1, MINUTE: 60, HOUR: 3_600 } as const;
const SECONDS_A_DAY = 86_400;

export function msOfDay(time: TimeOfDay): number {
  return secondOfDay(time) * 1_000;
}

/** Hours of one day in which a daily-interval trigger fires: both instants are inclusive. */
export interface DailyHours {
  readonly opening: EpochMs;
  readonly closing: EpochMs;
}

/**
 * Returns the hours of a local date; null if the trigger does not fire on it, or if its start time of day does not exist there.
 * `date`: days since 1970-01-01. A skipped start time of day moves forward by the length of the gap, a skipped end moves back to the gap.
 */
export function hoursOn(trigger: DailyTimeIntervalTrigger, zone: TimeZone, date: number): DailyHours | null {
  const midnight = date * DAY_MS;
  if (!trigger.daysOfWeek.includes(dayOfWeekOf(midnight))) return null;
  const opening = zone.instantOf(midnight + msOfDay(trigger.startTimeOfDay));
  if (dayOf(zone.localAt(opening)) !== date) return null;
  const end = midnight + msOfDay(trigger.endTimeOfDay ?? END_OF_DAY);
  const last = zone.instantOf(end);
  const closing = zone.localAt(last) === end ? last : zone.spanAt(last).start - 1;
  return closing < opening ? null : { opening, closing };
}

/** Days that a search visits: enough for one selected day of the week, and for a date that a zone skipped. */
const SEARCHED_DAYS = 16;

/** Returns the hours that contain `time` or begin next after it. */
export function hoursFrom(trigger: DailyTimeIntervalTrigger, time: EpochMs): DailyHours | null {
  for (const hours of hoursAfter(trigger, time)) return hours;
  return null;
}

/** Returns the hours that have not ended at `time`, of the next days in order. */
export function* hoursAfter(trigger: DailyTimeIntervalTrigger, time: EpochMs): Generator<DailyHours, void> {
  const zone = timeZoneOf(trigger.timeZone);
  const first = dayOf(zone.localAt(time)) - 1;
  for (let date = first; date <= first + SEARCHED_DAYS; date++) {
    const hours = hoursOn(trigger, zone, date);
    if (hours !== null && hours.closing >= time) yield hours;
  }
}

/** Returns the interval in milliseconds. */
export function intervalMs({ repeatInterval, repeatIntervalUnit }: DailyTimeIntervalTrigger): number {
  return repeatInterval * UNIT_SECONDS[repeatIntervalUnit] * 1_000;
}

/** Throws INVALID_TRIGGER or UNKNOWN_TIME_ZONE. */
export function validateDailyTimeInterval(trigger: DailyTimeIntervalTrigger): void {
  const { repeatIntervalUnit: unit, daysOfWeek, startTimeOfDay, endTimeOfDay } = trigger;
  validateCommon(trigger);
  requireInteger(trigger, 'repeatCount', trigger.repeatCount, { min: REPEAT_INDEFINITELY, max: MAX_INT });
  if (!isNameIn(UNIT_SECONDS, unit))
    throw invalidTrigger(trigger, 'repeatIntervalUnit', 'SECOND, MINUTE or HOUR', unit);
  requireInteger(trigger, 'repeatInterval', trigger.repeatInterval, {
    min: 1,
    max: SECONDS_A_DAY / UNIT_SECONDS[unit],
  });
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
