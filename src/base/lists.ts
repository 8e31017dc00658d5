import { SchedulerError } from './errors';

/*
 * A call takes its arguments on the stack, so `list.push(...rows)` throws RangeError from some 60,000 rows on. Lists that grow with data go
 * through these functions instead; test/architecture/spreads.test.ts refuses the spread.
 */

/** Appends every item of `more` to `list`. */
export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}

/** The largest of the values, and at least `floor`; without values the floor, by default -Infinity. */
export function maxOf(values: Iterable<number>, floor = Number.NEGATIVE_INFINITY): number {
  let largest = floor;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

/** The smallest of the values; null without values. */
export function minOf(values: Iterable<number>): number | null {
  let smallest: number | null = null;
  for (const value of values) if (smallest === null || value < smallest) smallest = value;
  return smallest;
}

/** As many as SQLite binds to one statement; far fewer than the stack holds. */
const MAX_ARGUMENTS = 32_766;

/** The list, to be spread as the arguments of a call. Throws INVALID_ARGUMENT if it is longer than a call takes safely. */
export function argumentsOf<T>(values: readonly T[]): T[] {
  if (values.length <= MAX_ARGUMENTS) return values as T[];
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected at most ${MAX_ARGUMENTS} values in one statement or call, found ${values.length}. Pass them as one JSON value or in portions.`,
  );
}
