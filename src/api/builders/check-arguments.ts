import { invalidArgument, timeOf } from '../../domain/check-text';
import { MAX_INT } from '../../domain/trigger';

/** Throws INVALID_ARGUMENT unless the value is a whole number between the bounds, both included. */
export function checkWhole(value: number, what: string, min: number, max: number = MAX_INT): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidArgument(`a whole number from ${min} to ${max} as ${what}`, value);
}

/** A copy of a date, so that the caller's may change. Throws INVALID_ARGUMENT. */
export function checkDate(value: Date, what: string): Date {
  return new Date(timeOf(value, `a valid Date as ${what}`));
}

/** Throws INVALID_ARGUMENT unless the value is an object. */
export function checkObject<T extends object>(value: T, what: string): T {
  if (typeof value === 'object' && value !== null) return value;
  throw invalidArgument(what, value);
}

/** Throws INVALID_ARGUMENT unless the value is one of those known. */
export function checkOneOf<T extends string>(value: T, what: string, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalidArgument(`one of ${known.join(', ')} as ${what}`, value);
}
