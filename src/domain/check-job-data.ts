import { SchedulerError } from '../base/errors';
import { isPlainObject } from '../base/is-record';
import { isWellFormed } from './check-text';
import { type JobData, type JsonValue, NO_DATA } from './job-data';

/** `bytes`: fits into a BLOB column together with data that the scheduler adds. `depth`: supported by every JSON parser. */
export const DATA_LIMITS = { bytes: 60 * 1024, depth: 32 } as const;

interface Walk {
  /** Name of the value in messages. */
  readonly what: string;
  /** Objects and arrays that contain the current value, used to detect cycles. */
  readonly ancestors: unknown[];
  /** Maximum size of the data in bytes. */
  readonly limit: number;
  /** Lower bound of the size so far, in bytes. Checked against `limit`, so that shared objects cannot expand into a huge tree. */
  bytes: number;
}

/** Returns a frozen copy. Throws INVALID_JOB_DATA, with the path of an invalid value, for data that is not JSON or exceeds `limit` bytes of UTF-8. */
export function checkJobData(
  data: unknown,
  owner: string,
  limit: number = DATA_LIMITS.bytes,
  what = `job data of ${owner}`,
): JobData {
  if (data === NO_DATA) return NO_DATA;
  if (!isPlainObject(data)) throw invalid(what, `expected a plain object, found ${nameOf(data)}`);
  const copy = checkJson(data, { what, root: 'data', limit }) as JobData;
  return Object.keys(copy).length === 0 ? NO_DATA : copy;
}

/**
 * Returns a frozen copy of a JSON value. Throws INVALID_JOB_DATA, with the path of an invalid value, if the value is not JSON or exceeds `limit` bytes
 * of UTF-8. `what` names the value in messages, `root` is the first step of the path.
 */
export function checkJson(
  value: unknown,
  { what, root, limit }: { readonly what: string; readonly root: string; readonly limit: number },
): JsonValue {
  const copy = copyValue(value, root, { what, ancestors: [], limit, bytes: 0 });
  const bytes = Buffer.byteLength(JSON.stringify(copy));
  if (bytes > limit) throw tooLarge({ what, limit }, `found ${bytes}`);
  return copy;
}

function copyValue(value: unknown, path: string, walk: Walk): JsonValue {
  walk.bytes += 1;
  if (walk.bytes > walk.limit) throw tooLarge(walk, 'found more');
  switch (typeof value) {
    case 'string':
      return checkString(value, `at ${path}`, walk);
    case 'number':
      if (!Number.isFinite(value)) throw invalid(walk.what, `expected a finite number at ${path}, found ${value}`);
      return value;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      return copyContainer(value, path, walk);
    default:
      throw invalid(walk.what, `expected a JSON value at ${path}, found ${nameOf(value)}`);
  }
}

function checkString(text: string, place: string, walk: Walk): string {
  walk.bytes += text.length + 2; // quotes
  if (!isWellFormed(text)) throw invalid(walk.what, `expected well-formed Unicode ${place}, found a lone surrogate`);
  return text;
}

function copyContainer(value: object, path: string, walk: Walk): JsonValue {
  if (walk.ancestors.includes(value)) throw invalid(walk.what, `${path} refers back to itself; JSON has no cycles`);
  if (walk.ancestors.length >= DATA_LIMITS.depth) {
    throw invalid(walk.what, `${path} is nested deeper than ${DATA_LIMITS.depth} levels`);
  }
  if (Array.isArray(value)) return copyArray(value, path, walk);
  if (isPlainObject(value)) return copyObject(value, path, walk);
  throw invalid(walk.what, `expected a JSON value at ${path}, found ${nameOf(value)}`);
}

function copyArray(array: readonly unknown[], path: string, walk: Walk): JsonValue {
  walk.ancestors.push(array);
  const copy: JsonValue[] = [];
  // Reads by index to detect holes, and because the caller may have replaced array methods.
  for (let i = 0; i < array.length; i++) copy.push(copyValue(array[i], `${path}[${i}]`, walk));
  walk.ancestors.pop();
  return Object.freeze(copy);
}

function copyObject(object: Readonly<Record<string, unknown>>, path: string, walk: Walk): JsonValue {
  walk.ancestors.push(object);
  const copy: Record<string, JsonValue> = {};
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === 'symbol') throw invalid(walk.what, `expected string keys at ${path}, found ${String(key)}`);
    if (key === '__proto__') throw invalid(walk.what, `the key '__proto__' is not allowed at ${path}`);
    checkString(key, `in a key of ${path}`, walk);
    walk.bytes += 1; // colon
    copy[key] = copyValue(object[key], `${path}.${key}`, walk);
  }
  walk.ancestors.pop();
  return Object.freeze(copy);
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Date) return 'a Date (give its ISO text or its milliseconds)';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `an instance of ${name}` : 'an object';
}

function invalid(what: string, problem: string): SchedulerError {
  return new SchedulerError(
    'INVALID_JOB_DATA',
    `${what.charAt(0).toUpperCase()}${what.slice(1)} must be plain JSON: ${problem}.`,
  );
}

function tooLarge({ what, limit }: Pick<Walk, 'what' | 'limit'>, found: string): SchedulerError {
  return new SchedulerError(
    'INVALID_JOB_DATA',
    `Expected at most ${limit} bytes of UTF-8 JSON as ${what}, ${found}. ` +
      'Store large values elsewhere, and keep only a reference to them.',
  );
}
