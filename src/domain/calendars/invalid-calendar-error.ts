import { SchedulerError } from '../../base/errors';
import { sharedClass } from '../../base/shared-class';
import { describeValue } from '../check-text';

/** Path to a field, starting at the outermost calendar: `['base', 'excludedDays', 2]`. */
type Path = readonly (string | number)[];

/** Thrown for an invalid calendar definition (code INVALID_CALENDAR). The message states the field, the expected value and the value found. */
export class InvalidCalendarError extends SchedulerError {
  static {
    sharedClass(InvalidCalendarError, 'InvalidCalendarError');
  }

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

  /** Returns the same error with `key` prepended to its path. Used by the calendar that contains the invalid calendar. */
  within(key: string): InvalidCalendarError {
    return new InvalidCalendarError({ ...this, path: [key, ...this.path] }, { cause: this.cause });
  }
}

export function expectField(holds: boolean, value: unknown, path: Path, expected: string): asserts holds {
  if (!holds) throw new InvalidCalendarError({ path, expected, found: describeField(value) });
}

export function describeField(value: unknown): string {
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? `a list of ${value.length}` : describeValue(value);
}

/** Maximum length of a list in a calendar: enough for every day of 27 years. A longer list would not fit into the database column. */
const MAX_LIST = 10_000;

/** Parses each item of a list with `readItem`. Throws INVALID_CALENDAR if `value` is not a list or is too long. */
export function readList<T>(value: unknown, field: string, readItem: (item: unknown, path: Path) => T): readonly T[] {
  expectField(Array.isArray(value), value, [field], 'a list');
  const list = value as readonly unknown[];
  expectField(list.length <= MAX_LIST, value, [field], `a list of at most ${MAX_LIST} values`);
  return list.map((item, index) => readItem(item, [field, index]));
}

/** Returns the numbers sorted, without duplicates, and frozen, so that equal calendars have equal JSON data. */
export function sortedUnique(numbers: readonly number[]): readonly number[] {
  return Object.freeze([...new Set(numbers)].sort((a, b) => a - b));
}
