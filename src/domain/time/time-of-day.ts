import type { TimeOfDay } from '../trigger';

/** Seconds since midnight. */
export function secondOfDay({ hour, minute, second }: TimeOfDay): number {
  return hour * 3_600 + minute * 60 + second;
}

/** `HH:MM:SS`. */
export function timeOfDayText({ hour, minute, second }: TimeOfDay): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}
