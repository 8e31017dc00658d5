import { SchedulerError } from '../base/errors';
import type { JobData, JsonValue } from './job-data';

/**
 * Typed access to job data. A getter throws INVALID_JOB_DATA if its key is missing or has a value of another type. The error contains the key, the
 * expected type and the found type, but never the value, because errors are logged. The `…FromString` getters parse values stored as strings. With
 * `useProperties`, Quartz stores all values as strings.
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

  /** Returns the keys in the order of the data. */
  keys(): readonly string[] {
    return Object.keys(this.#data);
  }

  /** True if the data contains the key, regardless of its value. */
  containsKey(key: string): boolean {
    return Object.hasOwn(this.#data, key);
  }

  /** Returns the value, whatever its type, or undefined if the key is missing. */
  get(key: string): JsonValue | undefined {
    return this.containsKey(key) ? this.#data[key] : undefined;
  }

  /** Returns a string. Throws INVALID_JOB_DATA if the key is missing or the value is not a string. */
  getString(key: string): string {
    return this.#read(key, isString, 'a string');
  }

  /** Returns a boolean. Throws INVALID_JOB_DATA if the key is missing or the value is not a boolean. */
  getBoolean(key: string): boolean {
    return this.#read(key, isBoolean, 'true or false');
  }

  /** Returns a 32-bit integer. Throws INVALID_JOB_DATA if the key is missing or the value is not a 32-bit integer. */
  getInt(key: string): number {
    return this.#read(key, isInt, EXPECTED.int);
  }

  /** Returns a safe integer (`Number.isSafeInteger`). Throws INVALID_JOB_DATA if the key is missing or the value is not a safe integer. */
  getLong(key: string): number {
    return this.#read(key, isLong, EXPECTED.long);
  }

  /** Returns a number. Throws INVALID_JOB_DATA if the key is missing or the value is not a number. */
  getDouble(key: string): number {
    return this.#read(key, isNumber, EXPECTED.double);
  }

  /** Returns a date stored as an ISO-8601 string or epoch milliseconds. Throws INVALID_JOB_DATA if the key is missing or the value is no date. */
  getDate(key: string): Date {
    const value = this.get(key);
    const date = new Date(typeof value === 'string' || typeof value === 'number' ? value : Number.NaN);
    return Number.isNaN(date.getTime()) ? this.#refuse(key, 'a date (ISO-8601 text or epoch milliseconds)') : date;
  }

  /** True for the string 'true' in any case, as in Java. Throws INVALID_JOB_DATA if the key is missing or the value is not a string. */
  getBooleanFromString(key: string): boolean {
    return this.getString(key).toLowerCase() === 'true';
  }

  /** Parses a 32-bit integer that is stored as a string. Throws INVALID_JOB_DATA if the key is missing or the value is not such a string. */
  getIntFromString(key: string): number {
    const value = numberIn(this.getString(key), WHOLE);
    return isInt(value) ? value : this.#refuse(key, `${EXPECTED.int} as text`);
  }

  /** Parses a safe integer that is stored as a string. Throws INVALID_JOB_DATA if the key is missing or the value is not such a string. */
  getLongFromString(key: string): number {
    const value = numberIn(this.getString(key), WHOLE);
    return isLong(value) ? value : this.#refuse(key, `${EXPECTED.long} as text`);
  }

  /** Parses a decimal number that is stored as a string. Throws INVALID_JOB_DATA if the key is missing or the value is not such a string. */
  getDoubleFromString(key: string): number {
    const value = numberIn(this.getString(key), DECIMAL);
    return Number.isNaN(value) ? this.#refuse(key, `${EXPECTED.double} as text`) : value;
  }

  /** Returns a 32-bit integer that is stored as a number or as a string. Throws INVALID_JOB_DATA if the key is missing or the value is neither. */
  getIntValue(key: string): number {
    return typeof this.get(key) === 'string' ? this.getIntFromString(key) : this.getInt(key);
  }

  /** Returns a safe integer that is stored as a number or as a string. Throws INVALID_JOB_DATA if the key is missing or the value is neither. */
  getLongValue(key: string): number {
    return typeof this.get(key) === 'string' ? this.getLongFromString(key) : this.getLong(key);
  }

  /** Returns a number that is stored as a number or as a string. Throws INVALID_JOB_DATA if the key is missing or the value is neither. */
  getDoubleValue(key: string): number {
    return typeof this.get(key) === 'string' ? this.getDoubleFromString(key) : this.getDouble(key);
  }

  /** Returns a boolean that is stored as a boolean or as a string. Throws INVALID_JOB_DATA if the key is missing or the value is neither. */
  getBooleanValue(key: string): boolean {
    return typeof this.get(key) === 'string' ? this.getBooleanFromString(key) : this.getBoolean(key);
  }

  #read<T extends JsonValue>(key: string, accepts: (value: unknown) => value is T, expected: string): T {
    const value = this.get(key);
    return accepts(value) ? value : this.#refuse(key, expected);
  }

  #refuse(key: string, expected: string): never {
    // Values of the expected type are called `another …`: the message must not show the value, which may be secret.
    const type = typeName(this.#data[key]);
    const other = MENTIONED.find(([word, text]) => expected.includes(word) && type === text)?.[2];
    const found = this.containsKey(key) ? (other ?? type) : `no such key (keys: ${this.#listKeys()})`;
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

/** Words in an expectation, each with the type that it stands for. */
const MENTIONED = [
  ['text', 'a string', 'other text'],
  ['number', 'a number', 'another number'],
  ['integer', 'a number', 'another number'],
  ['date', 'a number', 'another number'],
] as const;

const EXPECTED = {
  int: 'a whole number of 32 bits',
  long: 'a safe integer (at most 2^53 - 1 in size)',
  double: 'a number',
} as const;

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Parses a number in the given format, or returns NaN. `Number` alone would also accept spaces and hexadecimal digits. */
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
  if (value === undefined) return 'undefined';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
