import { SchedulerError } from '../base/errors';
import type { JobData, JsonValue } from './job-data';

/**
 * Typed access to job data. A getter throws INVALID_JOB_DATA if its key is missing or holds another type. The error names the key, the expected type
 * and the found type, but never the value, because errors are logged. The `…FromString` getters read values stored as text; with `useProperties`,
 * Quartz stores all values that way.
 */
export class JobDataMap {
  readonly #data: JobData;

  /** Throws INVALID_JOB_DATA unless `data` is a plain object. */
  constructor(data: JobData) {
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      throw new SchedulerError('INVALID_JOB_DATA', `Expected job data as a plain object, found ${found(data)}.`);
    this.#data = data;
  }

  /** Number of keys. */
  get size(): number {
    return this.keys().length;
  }

  /** The keys, in the order of the data. */
  keys(): readonly string[] {
    return Object.keys(this.#data);
  }

  /** True if the key exists, with any value. */
  containsKey(key: string): boolean {
    return Object.hasOwn(this.#data, key);
  }

  /** Returns the raw value, or undefined if the key is missing. */
  get(key: string): JsonValue | undefined {
    return this.containsKey(key) ? this.#data[key] : undefined;
  }

  /** Returns the text under a key. Throws INVALID_JOB_DATA for anything else. */
  getString(key: string): string {
    return this.#read(key, isString, 'a string');
  }

  /** Returns the boolean under a key. Throws INVALID_JOB_DATA for anything else. */
  getBoolean(key: string): boolean {
    return this.#read(key, isBoolean, 'true or false');
  }

  /** Returns the 32-bit integer under a key. Throws INVALID_JOB_DATA for anything else. */
  getInt(key: string): number {
    return this.#read(key, isInt, EXPECTED.int);
  }

  /** Returns the integer under a key, which must be one that JavaScript represents exactly. Throws INVALID_JOB_DATA for anything else. */
  getLong(key: string): number {
    return this.#read(key, isLong, EXPECTED.long);
  }

  /** Returns the number under a key. Throws INVALID_JOB_DATA for anything else. */
  getDouble(key: string): number {
    return this.#read(key, isNumber, EXPECTED.double);
  }

  /** Returns the date under a key: ISO-8601 text or epoch milliseconds. Throws INVALID_JOB_DATA for anything else. */
  getDate(key: string): Date {
    const value = this.get(key);
    const date = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
    return Number.isNaN(date.getTime()) ? this.#refuse(key, 'a date: ISO-8601 text or epoch milliseconds') : date;
  }

  /** True for the text 'true' in any case, as in Java, and false for any other text. Throws INVALID_JOB_DATA for anything else. */
  getBooleanFromString(key: string): boolean {
    return this.getString(key).toLowerCase() === 'true';
  }

  /** Returns the 32-bit integer in the text under a key. Throws INVALID_JOB_DATA for anything else. */
  getIntFromString(key: string): number {
    const value = numberIn(this.getString(key), WHOLE);
    return isInt(value) ? value : this.#refuse(key, `${EXPECTED.int} as text`);
  }

  /** Returns the integer in the text under a key. Throws INVALID_JOB_DATA for anything else. */
  getLongFromString(key: string): number {
    const value = numberIn(this.getString(key), WHOLE);
    return isLong(value) ? value : this.#refuse(key, `${EXPECTED.long} as text`);
  }

  /** Returns the number in the text under a key. Throws INVALID_JOB_DATA for anything else. */
  getDoubleFromString(key: string): number {
    const value = numberIn(this.getString(key), DECIMAL);
    return Number.isNaN(value) ? this.#refuse(key, `${EXPECTED.double} as text`) : value;
  }

  /** Returns a 32-bit integer that is stored as a number or as text. Throws INVALID_JOB_DATA for anything else. */
  getIntValue(key: string): number {
    return typeof this.get(key) === 'string' ? this.getIntFromString(key) : this.getInt(key);
  }

  /** Returns an integer that is stored as a number or as text. Throws INVALID_JOB_DATA for anything else. */
  getLongValue(key: string): number {
    return typeof this.get(key) === 'string' ? this.getLongFromString(key) : this.getLong(key);
  }

  /** Returns a number that is stored as a number or as text. Throws INVALID_JOB_DATA for anything else. */
  getDoubleValue(key: string): number {
    return typeof this.get(key) === 'string' ? this.getDoubleFromString(key) : this.getDouble(key);
  }

  /** Returns a boolean that is stored as a boolean or as text. Throws INVALID_JOB_DATA for anything else. */
  getBooleanValue(key: string): boolean {
    return typeof this.get(key) === 'string' ? this.getBooleanFromString(key) : this.getBoolean(key);
  }

  #read<T extends JsonValue>(key: string, accepts: (value: unknown) => value is T, expected: string): T {
    const value = this.get(key);
    return accepts(value) ? value : this.#refuse(key, expected);
  }

  #refuse(key: string, expected: string): never {
    const found = this.containsKey(key) ? typeName(this.#data[key]) : `no such key (keys: ${this.#listKeys()})`;
    throw new SchedulerError('INVALID_JOB_DATA', `Expected ${expected} in job data under '${key}', found ${found}.`);
  }

  #listKeys(): string {
    const keys = this.keys();
    return keys.length === 0 ? 'none' : keys.slice(0, 10).join(', ') + (keys.length > 10 ? ', …' : '');
  }
}

function typeName(value: JsonValue | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const EXPECTED = {
  int: 'a whole number of 32 bits',
  long: 'a whole number that is safe in JavaScript',
  double: 'a number',
} as const;

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Returns NaN unless the text has that form. `Number` alone would also accept blanks and hexadecimal digits. */
function numberIn(text: string, form: RegExp): number {
  return form.test(text) ? Number(text) : Number.NaN;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isLong = (value: unknown): value is number => Number.isSafeInteger(value);
const isInt = (value: unknown): value is number => isLong(value) && value >= -(2 ** 31) && value < 2 ** 31;

function found(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
