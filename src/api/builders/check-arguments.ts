import { invalidArgument, timeOf } from '../../domain/check-text';
import { MAX_INT } from '../../domain/trigger';

/** Returns the value if it is a whole number from `min` to `max`. Throws INVALID_ARGUMENT otherwise. */
export function checkWhole(value: number, what: string, min: number, max: number = MAX_INT): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidArgument(`a whole number from ${min} to ${max} as ${what}`, value);
}

/** Returns a copy of the date, so that later changes by the caller have no effect. Throws INVALID_ARGUMENT for an invalid date. */
export function checkDate(value: Date, what: string): Date {
  return new Date(timeOf(value, `a valid Date as ${what}`));
}

/** Returns the value if it is an object. Throws INVALID_ARGUMENT otherwise. */
export function checkObject<T extends object>(value: T, what: string): T {
  if (typeof value === 'object' && value !== null) return value;
  throw invalidArgument(what, value);
}

/** Returns the value if it is one of `known`. Throws INVALID_ARGUMENT otherwise. */
export function checkOneOf<T extends string>(value: T, what: string, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalidArgument(`one of ${known.join(', ')} as ${what}`, value);
}
