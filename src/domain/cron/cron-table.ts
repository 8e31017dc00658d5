import type { Rules } from '../rules';
import { FIRST_YEAR, MONTH_COUNT, MONTH_STARTS, monthOfDay, SHAPE_OF_MONTH } from '../time/months';
import { MAX_YEAR } from '../trigger';
import type { CronFields } from './cron-fields';
import { matchingDays } from './day-rules';

/** A cron expression compiled for searching. About 1 kB, immutable. */
export interface CronTable {
  /** Smallest matching value that is at least the index, or the number of values if there is none. The other `next` tables have the same form. */
  readonly nextSecond: Uint8Array;
  readonly nextMinute: Uint8Array;
  readonly nextHour: Uint8Array;
  /** Index and value 0 mean January. */
  readonly nextMonth: Uint8Array;
  /** Index and value 0 mean FIRST_YEAR. */
  readonly nextYear: Uint8Array;
  /** Matching days for each month shape (time/months.ts) as a bit mask. Bit 0 is the first day of the month. */
  readonly days: Int32Array;
  /** First matching second of a matching hour (`firstOfHour`) and of a matching day (`firstOfDay`), in seconds from the start of the hour or day. */
  readonly firstOfHour: number;
  readonly firstOfDay: number;
  /** Length in seconds of the largest unit (second, minute, hour or day) of which either all seconds match or none. */
  readonly runLength: number;
}

export function compileCron(fields: CronFields, rules: Rules): CronTable {
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
    days: matchingDays(fields.days, rules),
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

/** Local time in seconds since 1970, computed as if the local time were UTC. */
export type LocalSeconds = number;

/** Result of a search that found no match up to the last supported year. */
export const NO_MATCH = -1;

const DAY_SECONDS = 86_400;
const DAYS = MONTH_STARTS[MONTH_COUNT] as number;
const LAST_SECOND = DAYS * DAY_SECONDS - 1;

/** Returns the first matching second at or after `from`, or NO_MATCH. */
export function nextMatch(table: CronTable, from: LocalSeconds): LocalSeconds {
  if (from < 0) return nextMatch(table, 0);
  const day = Math.floor(from / DAY_SECONDS);
  const time = timeFrom(table, from - day * DAY_SECONDS);
  const first = time === NO_MATCH ? day + 1 : day;
  const found = dayFrom(table, first);
  if (found === NO_MATCH) return NO_MATCH;
  return found * DAY_SECONDS + (found === day ? time : table.firstOfDay);
}

export function matches(table: CronTable, local: LocalSeconds): boolean {
  return nextMatch(table, local) === local;
}

/** True if the date of the second matches the day, month and year fields. */
export function dateMatches(table: CronTable, local: LocalSeconds): boolean {
  const day = Math.floor(local / DAY_SECONDS);
  return day >= 0 && dayFrom(table, day) === day;
}

/** One step of Quartz's search: advances the smallest field that must change and resets smaller ones. Returns `local` if all match, or NO_MATCH. */
export function quartzStep(table: CronTable, local: LocalSeconds): LocalSeconds {
  const day = Math.floor(local / DAY_SECONDS);
  const time = local - day * DAY_SECONDS;
  const inMinute = time % 60;
  const second = table.nextSecond[inMinute] as number;
  const firstSecond = table.nextSecond[0] as number;
  if (second === 60) return local - inMinute + 60 + firstSecond;
  if (second !== inMinute) return local - inMinute + second;

  const inHour = Math.floor((time % 3600) / 60);
  const startOfHour = local - (time % 3600);
  const minute = table.nextMinute[inHour] as number;
  if (minute === 60) return startOfHour + 3600 + (table.nextMinute[0] as number) * 60;
  if (minute !== inHour) return startOfHour + minute * 60;

  const inDay = Math.floor(time / 3600);
  const hour = table.nextHour[inDay] as number;
  if (hour === 24) return (day + 1) * DAY_SECONDS + (table.nextHour[0] as number) * 3600;
  if (hour !== inDay) return day * DAY_SECONDS + hour * 3600;

  const next = dayFrom(table, day);
  return next === day ? local : next === NO_MATCH ? NO_MATCH : next * DAY_SECONDS;
}

/** Returns the last second of the `runLength` unit that contains `local`. If `local` matches, all seconds up to the returned one match. */
export function endOfRun({ runLength }: CronTable, local: LocalSeconds): LocalSeconds {
  return local - (local % runLength) + runLength - 1;
}

/** Returns the first matching second of a day at or after `time`, or NO_MATCH. Ignores the date fields. */
function timeFrom(table: CronTable, time: number): number {
  const hour = (time / 3600) | 0;
  let next = table.nextHour[hour] as number;
  if (next === hour) {
    const inHour = timeOfHourFrom(table, time - hour * 3600);
    if (inHour !== NO_MATCH) return hour * 3600 + inHour;
    next = table.nextHour[hour + 1] as number;
  }
  return next < 24 ? next * 3600 + table.firstOfHour : NO_MATCH;
}

function timeOfHourFrom(table: CronTable, time: number): number {
  const minute = (time / 60) | 0;
  let next = table.nextMinute[minute] as number;
  if (next === minute) {
    const second = table.nextSecond[time - minute * 60] as number;
    if (second < 60) return minute * 60 + second;
    next = table.nextMinute[minute + 1] as number;
  }
  return next < 60 ? next * 60 + (table.nextSecond[0] as number) : NO_MATCH;
}

/** Returns the first matching day at or after `day`, or NO_MATCH. Days count from the start of FIRST_YEAR. */
function dayFrom(table: CronTable, day: number): number {
  if (day >= DAYS) return NO_MATCH;
  const month = monthOfDay(day);
  if (nextMonthFrom(table, month) === month) {
    const left = daysOfMonth(table, month) >>> (day - (MONTH_STARTS[month] as number));
    if (left !== 0) return day + lowestBit(left);
  }
  return dayFromMonth(table, month + 1);
}

function dayFromMonth(table: CronTable, from: number): number {
  for (let month = nextMonthFrom(table, from); month < MONTH_COUNT; month = nextMonthFrom(table, month + 1)) {
    const days = daysOfMonth(table, month);
    if (days !== 0) return (MONTH_STARTS[month] as number) + lowestBit(days);
  }
  return NO_MATCH;
}

/** Returns the first month at or after `from` that matches the month and year fields, or at least MONTH_COUNT if there is none. */
function nextMonthFrom(table: CronTable, from: number): number {
  const year = (from / 12) | 0;
  const matching = table.nextYear[year] as number;
  if (matching !== year) return matching * 12 + (table.nextMonth[0] as number);
  const month = table.nextMonth[from - year * 12] as number;
  if (month < 12) return year * 12 + month;
  return (table.nextYear[year + 1] as number) * 12 + (table.nextMonth[0] as number);
}

function daysOfMonth(table: CronTable, month: number): number {
  return table.days[SHAPE_OF_MONTH[month] as number] as number;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** Returns the last matching second before `end`, or NO_MATCH. */
export function previousMatch(table: CronTable, end: LocalSeconds): LocalSeconds {
  const last = Math.min(end - 1, LAST_SECOND);
  if (last < 0) return NO_MATCH;
  const day = Math.floor(last / DAY_SECONDS);
  const time = timeUpTo(table, last - day * DAY_SECONDS);
  const found = dayUpTo(table, time === NO_MATCH ? day - 1 : day);
  if (found === NO_MATCH) return NO_MATCH;
  return found * DAY_SECONDS + (found === day ? time : timeUpTo(table, DAY_SECONDS - 1));
}

/** Returns the last matching second of a day at or before `last`, or NO_MATCH. Ignores the date fields. */
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

function dayUpTo(table: CronTable, last: number): number {
  if (last < 0) return NO_MATCH;
  for (let month = monthOfDay(last); month >= 0; month--) {
    if (!monthMatches(table, month)) continue;
    const start = MONTH_STARTS[month] as number;
    const upTo = last - start >= 31 ? -1 : (2 << (last - start)) - 1;
    const days = daysOfMonth(table, month) & upTo;
    if (days !== 0) return start + 31 - Math.clz32(days);
  }
  return NO_MATCH;
}

function monthMatches(table: CronTable, month: number): boolean {
  const year = Math.floor(month / 12);
  return table.nextYear[year] === year && table.nextMonth[month % 12] === month % 12;
}

function valueUpTo(next: Uint8Array, value: number): number {
  let at = value;
  while (at >= 0 && next[at] !== at) at--;
  return at;
}
