import { MONTH_COUNT, MONTH_STARTS, monthOfDay, SHAPE_OF_MONTH } from '../time/months';
import type { CronTable } from './cron-table';
import { type LabelSeconds, NO_MATCH } from './next-match';

const DAY = 86_400;
const LAST_DAY = (MONTH_STARTS[MONTH_COUNT] as number) - 1;

/** The largest matching label before `end`, or NO_MATCH. */
export function labelBefore(table: CronTable, end: LabelSeconds): LabelSeconds {
  const last = Math.min(end - 1, LAST_DAY * DAY + DAY - 1);
  if (last < 0) return NO_MATCH;
  const day = Math.floor(last / DAY);
  const time = timeUpTo(table, last - day * DAY);
  const found = dayUpTo(table, time === NO_MATCH ? day - 1 : day);
  if (found === NO_MATCH) return NO_MATCH;
  return found * DAY + (found === day ? time : timeUpTo(table, DAY - 1));
}

/** The last matching second of a day at or before `time`, or NO_MATCH. */
function timeUpTo(table: CronTable, time: number): number {
  const hour = Math.floor(time / 3600);
  const lastHour = valueUpTo(table.nextHour, hour);
  if (lastHour === hour) {
    const inHour = timeOfHourUpTo(table, time - hour * 3600);
    if (inHour !== NO_MATCH) return hour * 3600 + inHour;
  }
  const earlier = lastHour === hour ? valueUpTo(table.nextHour, hour - 1) : lastHour;
  return earlier < 0 ? NO_MATCH : earlier * 3600 + timeOfHourUpTo(table, 3599);
}

function timeOfHourUpTo(table: CronTable, time: number): number {
  const minute = Math.floor(time / 60);
  const lastMinute = valueUpTo(table.nextMinute, minute);
  if (lastMinute === minute) {
    const second = valueUpTo(table.nextSecond, time - minute * 60);
    if (second >= 0) return minute * 60 + second;
  }
  const earlier = lastMinute === minute ? valueUpTo(table.nextMinute, minute - 1) : lastMinute;
  return earlier < 0 ? NO_MATCH : earlier * 60 + valueUpTo(table.nextSecond, 59);
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
