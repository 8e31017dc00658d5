import { invalidArgument } from '../../domain/check-text';
import type { TimeOfDay } from '../../domain/trigger';
import { checkWhole } from './check-arguments';

/** Creates a time of day on the wall clock: hour 0–23, minute 0–59, second 0–59 (default 0). Throws INVALID_ARGUMENT for any other value. */
export function timeOfDay(hour: number, minute: number, second = 0): TimeOfDay {
  return checkTimeOfDay({ hour, minute, second });
}

/** Returns a frozen copy of a valid time of day. Throws INVALID_ARGUMENT otherwise. */
export function checkTimeOfDay(time: TimeOfDay): TimeOfDay {
  if (typeof time !== 'object' || time === null) throw invalidArgument('a time of day such as timeOfDay(9, 30)', time);
  return Object.freeze({
    hour: checkWhole(time.hour, 'the hour', 0, 23),
    minute: checkWhole(time.minute, 'the minute', 0, 59),
    second: checkWhole(time.second, 'the second', 0, 59),
  });
}
