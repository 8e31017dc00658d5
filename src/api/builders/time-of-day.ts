import type { TimeOfDay } from '../../domain/trigger';
import { checkObject, checkWhole } from './check-arguments';

/** Creates a time of day on the wall clock: hour 0–23, minute 0–59, second 0–59 (default 0). Throws INVALID_ARGUMENT for any other value. */
export function timeOfDay(hour: number, minute: number, second = 0): TimeOfDay {
  return checkTimeOfDay({ hour, minute, second });
}

/** Returns a frozen copy of a valid time of day. Throws INVALID_ARGUMENT otherwise. */
export function checkTimeOfDay(time: TimeOfDay): TimeOfDay {
  const { hour, minute, second } = checkObject(time, 'a time of day such as timeOfDay(9, 30)');
  return Object.freeze({
    hour: checkWhole(hour, 'the hour', 0, 23),
    minute: checkWhole(minute, 'the minute', 0, 59),
    second: checkWhole(second, 'the second', 0, 59),
  });
}
