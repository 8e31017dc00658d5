import { expectField } from './invalid-calendar-error';

type Path = readonly (string | number)[];

/** Enough for every day of 27 years; a longer list is a mistake, and would not fit a stored row either. */
const LONGEST_LIST = 10_000;

/** A list, each item read by `readItem`. Throws INVALID_CALENDAR. */
export function readList<T>(value: unknown, field: string, readItem: (item: unknown, path: Path) => T): readonly T[] {
  expectField(Array.isArray(value), value, [field], 'a list');
  const list = value as readonly unknown[];
  expectField(list.length <= LONGEST_LIST, value, [field], `a list of at most ${LONGEST_LIST}`);
  return list.map((item, index) => readItem(item, [field, index]));
}

/** A whole number within bounds, both included. `orElse` names what else the caller takes. Throws INVALID_CALENDAR. */
export function readWholeNumber(
  value: unknown,
  path: Path,
  bounds: { readonly from: number; readonly to: number; readonly orElse?: string },
): number {
  const { from, to, orElse } = bounds;
  const isWithin = typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
  expectField(isWithin, value, path, `a whole number from ${from} to ${to}${orElse ? ` or ${orElse}` : ''}`);
  return value as number;
}

/** Ascending, each once, frozen: equal calendars have equal JSON forms. */
export function sortedUnique(numbers: readonly number[]): readonly number[] {
  return Object.freeze([...new Set(numbers)].sort((a, b) => a - b));
}
