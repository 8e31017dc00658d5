import { SchedulerError } from '../../base/errors';

/** What is wrong with one field of a calendar. */
export interface CalendarProblem {
  /** The way to the field, outermost first: `['base', 'excludedDays', 2]`. */
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly found: string;
}

/** A calendar definition is malformed (code INVALID_CALENDAR); says where, what was expected and what was found. */
export class InvalidCalendarError extends SchedulerError {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly found: string;

  constructor(problem: CalendarProblem, options?: ErrorOptions) {
    super(
      'INVALID_CALENDAR',
      `${pathText(problem.path)}: expected ${problem.expected}, found ${problem.found}.`,
      options,
    );
    this.path = problem.path;
    this.expected = problem.expected;
    this.found = problem.found;
  }

  /** The same problem, seen from the calendar that holds the malformed one under `key`. */
  within(key: string): InvalidCalendarError {
    return new InvalidCalendarError({ ...this, path: [key, ...this.path] }, { cause: this.cause });
  }
}

/** Throws unless `holds`. */
export function expectField(
  holds: boolean,
  value: unknown,
  path: CalendarProblem['path'],
  expected: string,
): asserts holds {
  if (!holds) throw new InvalidCalendarError({ path, expected, found: describeValue(value) });
}

const LONGEST_VALUE = 80;

/** A value as an error message shows it: JSON, cut short, and never a reason to fail. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return `the Date ${String(value)}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function quoted(text: string): string {
  return text.length <= LONGEST_VALUE ? `'${text}'` : `'${text.slice(0, LONGEST_VALUE)}…' (${text.length} characters)`;
}

function pathText(path: CalendarProblem['path']): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return `calendar${steps.join('')}`;
}
