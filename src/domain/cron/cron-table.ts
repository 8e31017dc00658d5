import { FIRST_YEAR } from '../time/months';
import { MAX_YEAR } from '../trigger';
import type { CronFields } from './cron-fields';
import { matchingDays } from './day-rules';

/** A parsed expression compiled for searching: about 1 kB, and nothing in it is written after. */
export interface CronTable {
  /** `nextX[n]`: the smallest matching value at or after n; the number of values of the field when there is none. */
  readonly nextSecond: Uint8Array;
  readonly nextMinute: Uint8Array;
  readonly nextHour: Uint8Array;
  /** 0 = January. */
  readonly nextMonth: Uint8Array;
  /** Counted from FIRST_YEAR. */
  readonly nextYear: Uint8Array;
  /** By shape of month (time/months.ts): the matching days as bits, bit 0 being the first. */
  readonly days: Int32Array;
  /** The first matching second of an hour that matches, and of a day that does. */
  readonly firstOfHour: number;
  readonly firstOfDay: number;
  /** Seconds of the largest unit (second, minute, hour, day) that always matches as a whole. */
  readonly runLength: number;
}

/** Compiles fields for searching. */
export function compileCron(fields: CronFields): CronTable {
  const nextSecond = nextTable(fields.seconds, 0, 60);
  const nextMinute = nextTable(fields.minutes, 0, 60);
  const nextHour = nextTable(fields.hours, 0, 24);
  const firstOfHour = (nextMinute[0] as number) * 60 + (nextSecond[0] as number);
  return {
    nextSecond,
    nextMinute,
    nextHour,
    nextMonth: nextTable(fields.months, 1, 12),
    nextYear: nextTable(fields.years, FIRST_YEAR, MAX_YEAR - FIRST_YEAR + 1),
    days: matchingDays(fields.days),
    firstOfHour,
    firstOfDay: (nextHour[0] as number) * 3600 + firstOfHour,
    runLength: runLength(fields),
  };
}

function runLength({ seconds, minutes, hours }: CronFields): number {
  if (seconds.length < 60) return 1;
  if (minutes.length < 60) return 60;
  return hours.length < 24 ? 3600 : 86_400;
}

function nextTable(values: readonly number[], origin: number, size: number): Uint8Array {
  const table = new Uint8Array(size + 1).fill(size);
  for (const value of values) table[value - origin] = value - origin;
  for (let index = size - 1; index >= 0; index--) {
    if (table[index] === size) table[index] = table[index + 1] as number;
  }
  return table;
}
