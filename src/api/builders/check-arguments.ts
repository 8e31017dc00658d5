import { invalidArgument, timeOf } from '../../domain/check-text';
import { MAX_INT } from '../../domain/trigger';

/** Checks a whole number between the bounds, both included, and returns it. Throws INVALID_ARGUMENT. */
export function checkWhole(value: number, what: string, min: number, max: number = MAX_INT): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidArgument(`a whole number from ${min} to ${max} as ${what}`, value);
}

/** Returns a copy of a date, so that the caller may change its own. Throws INVALID_ARGUMENT. */
export function checkDate(value: Date, what: string): Date {
  return new Date(timeOf(value, `a valid Date as ${what}`));
}

/** Checks an object, and returns it. Throws INVALID_ARGUMENT. */
export function checkObject<T extends object>(value: T, what: string): T {
  if (typeof value === 'object' && value !== null) return value;
  throw invalidArgument(what, value);
}

/** Checks that the value is one of the known ones, and returns it. Throws INVALID_ARGUMENT. */
export function checkOneOf<T extends string>(value: T, what: string, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalidArgument(`one of ${known.join(', ')} as ${what}`, value);
}
