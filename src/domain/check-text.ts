import { badArgument, type SchedulerError } from '../base/errors';

/** Matches lone surrogates, which UTF-8 cannot encode. */
const ILL_FORMED = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

export function isWellFormed(text: string): boolean {
  return !ILL_FORMED.test(text);
}

/** Returns a non-empty, well-formed string without U+0000, of at most `limit` code points (as in SQL). Throws INVALID_ARGUMENT for other values. */
export function checkText(text: unknown, what: string, limit: number): string {
  if (typeof text !== 'string') throw invalidArgument(`a string as ${what}`, text);
  if (text === '') throw unmet(`a non-empty string as ${what}`, 'an empty one');
  if (text.includes('\u0000')) throw unmet(`${what} without the character U+0000`, 'one with it');
  if (!isWellFormed(text)) throw badArgument(`Expected well-formed Unicode as ${what}, found a lone surrogate.`);
  // Compares the number of code units first, which is enough for nearly every string. A huge string is thus not split into code points.
  if (text.length > limit && (text.length > 2 * limit || [...text].length > limit)) {
    throw badArgument(
      `Expected at most ${limit} characters as ${what}, found ${text.length}: '${text.slice(0, 40)}…'.`,
    );
  }
  return text;
}

/** Truncates a string to at most `limit` characters (code points). A truncated string ends in `…`. Replaces lone surrogates with U+FFFD. */
export function truncateText(text: string, limit: number): string {
  let beginning = text.length > limit ? text.slice(0, 2 * limit + 2) : text;
  if (beginning.length > limit) {
    const characters = [...beginning];
    if (characters.length > limit) beginning = `${characters.slice(0, limit - 1).join('')}…`;
  }
  return beginning.replace(LONE_SURROGATES, '\ufffd');
}

/** Throws INVALID_ARGUMENT if `others`, the rest of an object, has a field. `expected` lists the known fields. */
export function refuseOthers(others: object, expected: string): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(expected, unknown);
}

/** Returns a whole number from 1 to `max`. Throws INVALID_ARGUMENT for other values. */
export function checkCount(count: unknown, what: string, max: number): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw invalidArgument(`a whole number from 1 to ${max} as ${what}`, count);
}

/** True if the value is a string and one of the table's own keys. False for other values, even if JavaScript would convert them to such a string. */
export function isNameIn<Table extends object>(table: Table, value: unknown): value is keyof Table & string {
  return typeof value === 'string' && Object.hasOwn(table, value);
}

/** Describes any value briefly, for error messages. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? `'${value.slice(0, 40)}…'` : `'${value}'`;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'an invalid Date' : `the Date ${value.toISOString()}`;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

export function invalidArgument(expected: string, found: unknown): SchedulerError {
  return badArgument(`Expected ${expected}, found ${describeValue(found)}.`);
}

/** Returns an INVALID_ARGUMENT error. Unlike for `invalidArgument`, `found` is text and appears without quotes. */
export function unmet(expected: string, found: string): SchedulerError {
  return badArgument(`Expected ${expected}, found ${found}.`);
}

/** Describes a value as `describeValue` does, but an object by its field names. */
export function describeFields(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return describeValue(value);
  const names = Object.keys(value).join(', ');
  return names === '' ? 'an empty object' : `an object with ${truncateText(names, 60)}`;
}

/** Returns the epoch milliseconds of a date. Throws INVALID_ARGUMENT if the date is invalid; `what` describes the expected date. */
export function timeOf(date: Date, what: string): number {
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw invalidArgument(what, date);
  return time;
}
