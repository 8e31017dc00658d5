import { SchedulerError } from '../../base/errors';
import { describeValue } from '../check-text';

/** Path to a field, outermost first: `['base', 'excludedDays', 2]`. */
type Path = readonly (string | number)[];

/** Malformed calendar definition (code INVALID_CALENDAR). The message names the field, what was expected and what was found. */
export class InvalidCalendarError extends SchedulerError {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;

  constructor(problem: Pick<InvalidCalendarError, 'path' | 'expected' | 'found'>, options?: ErrorOptions) {
    const { path, expected, found } = problem;
    const field = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    super('INVALID_CALENDAR', `calendar${field}: expected ${expected}, found ${found}.`, options);
    this.path = path;
    this.expected = expected;
    this.found = found;
  }

  /** Returns the same problem with its path from the calendar that contains the malformed one under `key`. */
  within(key: string): InvalidCalendarError {
    return new InvalidCalendarError({ ...this, path: [key, ...this.path] }, { cause: this.cause });
  }
}

/** Throws INVALID_CALENDAR unless `holds`. */
export function expectField(holds: boolean, value: unknown, path: Path, expected: string): asserts holds {
  if (!holds) throw new InvalidCalendarError({ path, expected, found: describeField(value) });
}

/** Describes a value for messages. */
export function describeField(value: unknown): string {
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? `a list of ${value.length}` : describeValue(value);
}

/** Enough for every day of 27 years; a longer list is a mistake, and would not fit a stored row either. */
const MAX_LIST = 10_000;

/** Reads a list with `readItem`. Throws INVALID_CALENDAR. */
export function readList<T>(value: unknown, field: string, readItem: (item: unknown, path: Path) => T): readonly T[] {
  expectField(Array.isArray(value), value, [field], 'a list');
  const list = value as readonly unknown[];
  expectField(list.length <= MAX_LIST, value, [field], `a list of at most ${MAX_LIST}`);
  return list.map((item, index) => readItem(item, [field, index]));
}

/** Returns the numbers in ascending order without duplicates, frozen, so that equal calendars have equal JSON forms. */
export function sortedUnique(numbers: readonly number[]): readonly number[] {
  return Object.freeze([...new Set(numbers)].sort((a, b) => a - b));
}
