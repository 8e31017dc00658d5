import { checkWhole } from './check-arguments';

/** Throws INVALID_ARGUMENT unless 1 (Sunday) to 7 (Saturday). */
export function validateDayOfWeek(dayOfWeek: number): void {
  checkWhole(dayOfWeek, 'the day of the week', 1, 7);
}

/** Throws INVALID_ARGUMENT unless 0 to 23. */
export function validateHour(hour: number): void {
  checkWhole(hour, 'the hour', 0, 23);
}

/** Throws INVALID_ARGUMENT unless 0 to 59. */
export function validateMinute(minute: number): void {
  checkWhole(minute, 'the minute', 0, 59);
}

/** Throws INVALID_ARGUMENT unless 0 to 59. */
export function validateSecond(second: number): void {
  checkWhole(second, 'the second', 0, 59);
}

/** Throws INVALID_ARGUMENT unless 1 to 31. */
export function validateDayOfMonth(dayOfMonth: number): void {
  checkWhole(dayOfMonth, 'the day of the month', 1, 31);
}

/** Throws INVALID_ARGUMENT unless 1 to 12. */
export function validateMonth(month: number): void {
  checkWhole(month, 'the month', 1, 12);
}

/** Throws INVALID_ARGUMENT unless 1970 to 2199, the years Quartz knows. */
export function validateYear(year: number): void {
  checkWhole(year, 'the year', 1970, 2199);
}
