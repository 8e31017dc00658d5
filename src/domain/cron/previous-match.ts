import { MONTH_COUNT, MONTH_STARTS, monthOfDay, SHAPE_OF_MONTH } from '../time/months';
import type { CronTable } from './cron-table';
import { type LocalSeconds, NO_MATCH } from './next-match';

const DAY_SECONDS = 86_400;
const LAST_SECOND = (MONTH_STARTS[MONTH_COUNT] as number) * DAY_SECONDS - 1;

/** The last matching second before `end`, or NO_MATCH. */
export function previousMatch(table: CronTable, end: LocalSeconds): LocalSeconds {
  const last = Math.min(end - 1, LAST_SECOND);
  if (last < 0) return NO_MATCH;
  const day = Math.floor(last / DAY_SECONDS);
  const time = timeUpTo(table, last - day * DAY_SECONDS);
  const found = dayUpTo(table, time === NO_MATCH ? day - 1 : day);
  if (found === NO_MATCH) return NO_MATCH;
  return found * DAY_SECONDS + (found === day ? time : timeUpTo(table, DAY_SECONDS - 1));
}

/** The last matching second of a day at or before `last`, or NO_MATCH. */
function timeUpTo({ nextHour, nextMinute, nextSecond }: CronTable, last: number): number {
  for (let hour = valueUpTo(nextHour, Math.floor(last / 3600)); hour >= 0; hour = valueUpTo(nextHour, hour - 1)) {
    const inHour = Math.min(last - hour * 3600, 3599);
    let minute = valueUpTo(nextMinute, Math.floor(inHour / 60));
    for (; minute >= 0; minute = valueUpTo(nextMinute, minute - 1)) {
      const second = valueUpTo(nextSecond, Math.min(inHour - minute * 60, 59));
      if (second >= 0) return hour * 3600 + minute * 60 + second;
    }
  }
  return NO_MATCH;
}

/** The last matching day at or before `last`, or NO_MATCH. */
function dayUpTo(table: CronTable, last: number): number {
  if (last < 0) return NO_MATCH;
  for (let month = monthOfDay(last); month >= 0; month--) {
    if (!monthMatches(table, month)) continue;
    const start = MONTH_STARTS[month] as number;
    const upTo = last - start >= 31 ? -1 : (2 << (last - start)) - 1;
    const days = (table.days[SHAPE_OF_MONTH[month] as number] as number) & upTo;
    if (days !== 0) return start + 31 - Math.clz32(days);
  }
  return NO_MATCH;
}

function monthMatches(table: CronTable, month: number): boolean {
  const year = Math.floor(month / 12);
  return table.nextYear[year] === year && table.nextMonth[month % 12] === month % 12;
}

/** The largest matching value at or below `value`; -1 when there is none. */
function valueUpTo(next: Uint8Array, value: number): number {
  let at = value;
  while (at >= 0 && next[at] !== at) at--;
  return at;
}
