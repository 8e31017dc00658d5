import { formatKey } from '../../domain/keys';
import { isoText } from '../../domain/time/local-text';
import { timeZoneIn } from '../../domain/time/time-zone';
import { REPEAT_INDEFINITELY, type Trigger } from '../../domain/trigger';
import { instantOf } from './plain';

/** Names of the trigger kinds in schedule files. */
export const KIND_WORDS = {
  CRON: 'cron',
  SIMPLE: 'simple',
  CAL_INT: 'calendarInterval',
  DAILY_I: 'dailyTimeInterval',
  AFTER: 'after',
} as const satisfies Record<Trigger['kind'], string>;

export function scheduleText(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'CRON':
      return trigger.cronExpression;
    case 'SIMPLE':
      return simpleText(trigger.repeatInterval, trigger.repeatCount);
    case 'CAL_INT':
      return `every ${unitsText(trigger.repeatInterval, trigger.repeatIntervalUnit)}`;
    case 'DAILY_I':
      return `every ${unitsText(trigger.repeatInterval, trigger.repeatIntervalUnit)} within daily hours`;
    case 'AFTER':
      return `after ${trigger.on} of ${trigger.after.map(formatKey).join(' and ')}`;
  }
}

function simpleText(interval: number, count: number): string {
  if (count === 0) return 'once';
  const every = `every ${intervalText(interval)}`;
  return count === REPEAT_INDEFINITELY ? every : `${every}, ${count + 1} times`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
] as const;

/** Formats an interval in milliseconds, such as "1 min 40 s". */
function intervalText(milliseconds: number): string {
  let rest = milliseconds;
  const parts: string[] = [];
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ') || '0 ms';
}

function unitsText(count: number, unit: string): string {
  const word = unit.toLowerCase();
  return count === 1 ? word : `${count} ${word}s`;
}

/** Formats a time in a time zone, with its offset: `2027-03-28T03:00:00.000+02:00`. */
export function localText(time: number, timeZone: string): string {
  const zone = timeZoneIn(timeZone);
  return zone === null ? instantOf(time) : isoText(time, zone);
}
