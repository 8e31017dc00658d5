import type { CalendarIntervalTrigger } from '../trigger';

const SECOND_MS = 1_000;

/** Size of each unit of calendar intervals in milliseconds, days or months. */
export const INTERVAL_UNITS = {
  SECOND: { of: 'milliseconds', size: SECOND_MS },
  MINUTE: { of: 'milliseconds', size: 60 * SECOND_MS },
  HOUR: { of: 'milliseconds', size: 3_600 * SECOND_MS },
  DAY: { of: 'days', size: 1 },
  WEEK: { of: 'days', size: 7 },
  MONTH: { of: 'months', size: 1 },
  YEAR: { of: 'months', size: 12 },
} as const;

/** Returns the length of a trigger's interval, and its unit. */
export function lengthOf({ repeatInterval, repeatIntervalUnit }: CalendarIntervalTrigger) {
  const { of, size } = INTERVAL_UNITS[repeatIntervalUnit];
  return { of, length: repeatInterval * size };
}
