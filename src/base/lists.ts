import { SchedulerError } from './errors';

/*
 * A call puts its arguments on the stack, so `list.push(...rows)` throws RangeError for about 60,000 rows or more.
 * Lists that grow with the data use these functions instead; test/architecture/spreads.test.ts rejects the spread.
 */

/** Appends every item of `more` to `list`. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}

/** Returns the largest of the values, but at least `floor`. Without values, returns `floor`, by default -Infinity. */
export function maxOf(values: Iterable<number>, floor = Number.NEGATIVE_INFINITY): number {
  let largest = floor;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

/** Returns the smallest of the values; null if there are none. */
export function minOf(values: Iterable<number>): number | null {
  let smallest: number | null = null;
  for (const value of values) if (smallest === null || value < smallest) smallest = value;
  return smallest;
}

/** The number of values that SQLite can bind to one statement, far fewer than the stack can hold. */
const MAX_ARGUMENTS = 32_766;

/** Returns the list for use as spread arguments. Throws INVALID_ARGUMENT if it is too long for a safe call. */
export function argumentsOf<T>(values: readonly T[]): T[] {
  if (values.length <= MAX_ARGUMENTS) return values as T[];
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected at most ${MAX_ARGUMENTS} values in one statement or call, found ${values.length}. Pass them as one JSON value or in portions.`,
  );
}
