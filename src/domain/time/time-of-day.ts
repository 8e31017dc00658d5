import type { TimeOfDay } from '../trigger';

/** Returns the number of seconds since midnight. */
export function secondOfDay({ hour, minute, second }: TimeOfDay): number {
  return hour * 3_600 + minute * 60 + second;
}

/** Formats a time of day as `HH:MM:SS`. */
export function timeOfDayText({ hour, minute, second }: TimeOfDay): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}
