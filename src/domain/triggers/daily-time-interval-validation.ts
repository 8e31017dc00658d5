import { isNameIn } from '../check-text';
import { timeZoneOf } from '../time/time-zone';
import { type DailyTimeIntervalTrigger, REPEAT_INDEFINITELY, type TimeOfDay } from '../trigger';
import { invalidTrigger, MAX_INT, requireInteger, validateCommon } from './validation';

/** The longest interval of each unit: a day. */
const LONGEST = { SECOND: 86_400, MINUTE: 1_440, HOUR: 24 } as const;

/** Throws INVALID_TRIGGER or UNKNOWN_TIME_ZONE. */
export function validateDailyTimeInterval(trigger: DailyTimeIntervalTrigger): void {
  const { repeatIntervalUnit: unit, daysOfWeek } = trigger;
  validateCommon(trigger);
  requireInteger(trigger, 'repeatCount', trigger.repeatCount, { min: REPEAT_INDEFINITELY, max: MAX_INT });
  if (!isNameIn(LONGEST, unit)) {
    throw invalidTrigger(trigger, 'repeatIntervalUnit', 'SECOND, MINUTE or HOUR', unit);
  }
  requireInteger(trigger, 'repeatInterval', trigger.repeatInterval, { min: 1, max: LONGEST[unit] });
  if (!areDaysOfWeek(daysOfWeek)) {
    throw invalidTrigger(trigger, 'daysOfWeek', 'one or more of 1 (Sunday) to 7 (Saturday), ascending', daysOfWeek);
  }
  validateTimesOfDay(trigger);
  timeZoneOf(trigger.timeZone);
}

function validateTimesOfDay(trigger: DailyTimeIntervalTrigger): void {
  const { startTimeOfDay, endTimeOfDay } = trigger;
  requireTimeOfDay(trigger, 'startTimeOfDay', startTimeOfDay);
  if (endTimeOfDay === null) return;
  requireTimeOfDay(trigger, 'endTimeOfDay', endTimeOfDay);
  if (text(endTimeOfDay) < text(startTimeOfDay)) {
    throw invalidTrigger(
      trigger,
      'endTimeOfDay',
      `at or after startTimeOfDay ${text(startTimeOfDay)}`,
      text(endTimeOfDay),
    );
  }
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

function text({ hour, minute, second }: TimeOfDay): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}
