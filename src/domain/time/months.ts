import { MAX_YEAR } from '../trigger';

/** First year of the month tables. There are no earlier fire times. */
export const FIRST_YEAR = 1970;

export const MONTH_COUNT = (MAX_YEAR - FIRST_YEAR + 1) * 12;

/** Number of month shapes: four lengths (28 to 31 days) times seven days of the week for the first day. */
export const MONTH_SHAPES = 28;

const AVERAGE_MONTH = 365.2425 / 12;

/** First day of each month, in days since 1970-01-01. The last entry is the day after the last month. */
export const MONTH_STARTS = new Int32Array(MONTH_COUNT + 1);

/** Shape of each month: `(days - 28) * 7 + first`, where `first` is the day of the week of the first day (0 = Sunday). */
export const SHAPE_OF_MONTH = new Uint8Array(MONTH_COUNT);

for (let month = 0; month < MONTH_COUNT; month++) {
  const year = FIRST_YEAR + Math.floor(month / 12);
  const start = MONTH_STARTS[month] as number;
  const length = daysInMonth(year, (month % 12) + 1);
  MONTH_STARTS[month + 1] = start + length;
  SHAPE_OF_MONTH[month] = (length - 28) * 7 + dayOfWeek(start);
}

/** Returns the index of the month that contains a day, from January of FIRST_YEAR. `day`: days since 1970-01-01, within the tables. */
export function monthOfDay(day: number): number {
  const guess = (day / AVERAGE_MONTH) | 0; // off by at most one month
  if (day < (MONTH_STARTS[guess] as number)) return guess - 1;
  return day >= (MONTH_STARTS[guess + 1] as number) ? guess + 1 : guess;
}

/** Returns the number of days in a month (1-12). */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Returns the day of the week (0 = Sunday) of a day, given in days since 1970-01-01, which was a Thursday. */
function dayOfWeek(day: number): number {
  return (day + 4) % 7;
}
