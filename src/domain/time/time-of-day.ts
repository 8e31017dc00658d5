import type { TimeOfDay } from '../trigger';

export function secondOfDay({ hour, minute, second }: TimeOfDay): number {
  return hour * 3_600 + minute * 60 + second;
}

export function timeOfDayText({ hour, minute, second }: TimeOfDay): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}
