import { MONTH_COUNT, MONTH_STARTS, monthOfDay, SHAPE_OF_MONTH } from '../time/months';
import type { CronTable } from './cron-table';

/** A wall-clock reading in seconds, counted as if it were UTC. */
export type LocalSeconds = number;

/** The search left the last year. */
export const NO_MATCH = -1;

const DAY_SECONDS = 86_400;
const DAYS = MONTH_STARTS[MONTH_COUNT] as number;

/** The first matching second at or after `from`, or NO_MATCH. */
export function nextMatch(table: CronTable, from: LocalSeconds): LocalSeconds {
  if (from < 0) return nextMatch(table, 0);
  const day = Math.floor(from / DAY_SECONDS);
  const time = timeFrom(table, from - day * DAY_SECONDS);
  const first = time === NO_MATCH ? day + 1 : day;
  const found = dayFrom(table, first);
  if (found === NO_MATCH) return NO_MATCH;
  return found * DAY_SECONDS + (found === day ? time : table.firstOfDay);
}

/** Whether a second matches all fields. */
export function matches(table: CronTable, local: LocalSeconds): boolean {
  return nextMatch(table, local) === local;
}

/** Whether the date of a second matches the fields for days, months and years. */
export function dateMatches(table: CronTable, local: LocalSeconds): boolean {
  const day = Math.floor(local / DAY_SECONDS);
  return day >= 0 && dayFrom(table, day) === day;
}

/** One step of Quartz's search: the smallest field that does not match moves on, smaller ones to their least; `local` itself when all match. */
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

/** The end of the run of matching seconds that `local`, which matches, begins: at most the end of its day. */
export function endOfRun({ runLength }: CronTable, local: LocalSeconds): LocalSeconds {
  return local - (local % runLength) + runLength - 1;
}

/** The first matching second of a day at or after `time`, or NO_MATCH. */
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

/** The first matching day at or after `day`, or NO_MATCH. */
function dayFrom(table: CronTable, day: number): number {
  if (day >= DAYS) return NO_MATCH;
  const month = monthOfDay(day);
  if (nextMonthFrom(table, month) === month) {
    const left = daysOfMonth(table, month) >>> (day - (MONTH_STARTS[month] as number));
    if (left !== 0) return day + lowestBit(left);
  }
  return dayFromMonth(table, month + 1);
}

/** The first matching day in `month` or a later one, or NO_MATCH. */
function dayFromMonth(table: CronTable, from: number): number {
  for (let month = nextMonthFrom(table, from); month < MONTH_COUNT; month = nextMonthFrom(table, month + 1)) {
    const days = daysOfMonth(table, month);
    if (days !== 0) return (MONTH_STARTS[month] as number) + lowestBit(days);
  }
  return NO_MATCH;
}

/** The first month at or after `from` whose month and year match; MONTH_COUNT when there is none. */
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
