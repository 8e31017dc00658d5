import { badArgument } from './errors';

/*
 * `list.push(...rows)` throws RangeError for about 60,000 rows or more, because the arguments of a call are put on the stack. Use these functions
 * for lists whose length depends on stored data. test/architecture/rules/spreads.ts rejects the spread.
 */

export function addAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}

export function maxOf(values: Iterable<number>, floor = Number.NEGATIVE_INFINITY): number {
  let largest = floor;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

/** Ignores null. Returns null if there is no value. */
export function minOf(values: Iterable<number | null>): number | null {
  let smallest: number | null = null;
  for (const value of values) if (value !== null && (smallest === null || value < smallest)) smallest = value;
  return smallest;
}

/** Maximum number of values that SQLite can bind to a statement. Far fewer than fit on the stack. */
const MAX_ARGUMENTS = 32_766;

/** Returns the list for use as spread arguments. Throws INVALID_ARGUMENT if the list contains more than 32,766 values. */
export function argumentsOf<T>(values: readonly T[]): T[] {
  if (values.length <= MAX_ARGUMENTS) return values as T[];
  throw badArgument(
    `Expected at most ${MAX_ARGUMENTS} values in one statement or call, found ${values.length}. Pass them as one JSON value or in portions.`,
  );
}

/** Returns the number of leading items for which `isBefore` is true. Items that satisfy `isBefore` must precede all other items. */
export function partition<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
