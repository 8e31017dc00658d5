import { MAX_YEAR } from '../trigger';

/** The first year of all month tables: fire times before the epoch do not exist. */
export const FIRST_YEAR = 1970;

/** Months from January of FIRST_YEAR to December of MAX_YEAR. */
export const MONTH_COUNT = (MAX_YEAR - FIRST_YEAR + 1) * 12;

/** Kinds of month: 28 to 31 days, beginning on any of seven days of the week. */
export const MONTH_SHAPES = 28;

const AVERAGE_MONTH = 365.2425 / 12;

/** Days since the epoch at which each month begins, and the day after the last one. */
export const MONTH_STARTS = new Int32Array(MONTH_COUNT + 1);

/** The shape of each month, `(days - 28) * 7 + first`, `first` being the day of the week (0 = Sunday) of its first day. */
export const SHAPE_OF_MONTH = new Uint8Array(MONTH_COUNT);

for (let month = 0; month < MONTH_COUNT; month++) {
  const year = FIRST_YEAR + Math.floor(month / 12);
  const start = MONTH_STARTS[month] as number;
  const length = daysInMonth(year, (month % 12) + 1);
  MONTH_STARTS[month + 1] = start + length;
  SHAPE_OF_MONTH[month] = (length - 28) * 7 + dayOfWeek(start);
}

/** Returns the month that contains a day since the epoch, counted from January of FIRST_YEAR. The day must be in the tables. */
export function monthOfDay(day: number): number {
  const guess = (day / AVERAGE_MONTH) | 0; // never off by more than one month
  if (day < (MONTH_STARTS[guess] as number)) return guess - 1;
  return day >= (MONTH_STARTS[guess + 1] as number) ? guess + 1 : guess;
}

/** The number of days of a month (1-12). */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 = Sunday … 6 = Saturday, of a day since the epoch (which was a Thursday). */
function dayOfWeek(day: number): number {
  return (day + 4) % 7;
}
