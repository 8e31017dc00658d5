import { SchedulerError } from '../base/errors';

/** Lone surrogates: no UTF-8 can hold them. */
const ILL_FORMED = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** True if the text can be encoded as UTF-8. */
export function isWellFormed(text: string): boolean {
  return !ILL_FORMED.test(text);
}

/** A non-empty, well-formed text without U+0000 of at most `limit` characters (code points, as in SQL). Throws INVALID_ARGUMENT. */
export function checkText(text: unknown, what: string, limit: number): string {
  if (typeof text !== 'string') throw invalidArgument(`a string as ${what}`, text);
  if (text === '') throw bad(`Expected a non-empty string as ${what}.`);
  if (text.includes('\u0000')) throw bad(`Expected ${what} without the character U+0000.`);
  if (!isWellFormed(text)) throw bad(`Expected well-formed Unicode as ${what}, found a lone surrogate.`);
  // Checks code units first. Nearly every text passes this check, and a huge one is not split.
  if (text.length > limit && (text.length > 2 * limit || [...text].length > limit)) {
    throw bad(`Expected at most ${limit} characters as ${what}, found ${text.length}: '${text.slice(0, 40)}…'.`);
  }
  return text;
}

/** Returns the beginning of any text: at most `limit` characters (code points), well-formed, with `…` in place of the rest. */
export function cutText(text: string, limit: number): string {
  let beginning = text.length > limit ? text.slice(0, 2 * limit + 2) : text;
  if (beginning.length > limit) {
    const characters = [...beginning];
    if (characters.length > limit) beginning = `${characters.slice(0, limit - 1).join('')}…`;
  }
  return beginning.replace(LONE_SURROGATES, '\ufffd');
}

/** True if the value is a key of the table. Non-strings that merely convert to one are not. */
export function isNameIn<Table extends object>(table: Table, value: unknown): value is keyof Table & string {
  return typeof value === 'string' && Object.hasOwn(table, value);
}

/** Describes any value briefly, for messages. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? `'${value.slice(0, 40)}…'` : `'${value}'`;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'an invalid Date' : `the Date ${value.toISOString()}`;
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' || typeof value === 'symbol' ? `a ${typeof value}` : String(value);
}

/** Returns the error for an invalid argument: what was expected, and what was found. */
export function invalidArgument(expected: string, found: unknown): SchedulerError {
  return bad(`Expected ${expected}, found ${describeValue(found)}.`);
}

/** Returns the time of a date. Throws INVALID_ARGUMENT. */
export function timeOf(date: Date, what: string): number {
  const time = date instanceof Date ? date.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw invalidArgument(what, date);
  return time;
}

function bad(message: string): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', message);
}
