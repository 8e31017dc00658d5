import type { JobData, JsonValue } from '../domain/job-data';
import { notRead } from './java-bytes';
import type { MapShape } from './shape';
import { shapeOf } from './shapes';
import { DEEPEST, type JavaNode } from './stream-format';
import { readJavaStream } from './stream-reader';

/** Maximum number of values and characters to decode from one row: four times the capacity of a BLOB. */
const MAX_EXPANDED = 4 * 65_535;

/** Number of values and characters that may still be decoded, because a few bytes that refer to earlier nodes many times could expand endlessly. */
interface Capacity {
  left: number;
}

/** Decodes a Java-serialised JobDataMap. Throws a TypeError for objects other than plain data, and for data that is nested or expands too much. */
export function decodeJavaSerialized(bytes: Uint8Array): JobData {
  return dataIn(readJavaStream(bytes));
}

/** Returns the data of a map node. Throws a TypeError for any other node. */
export function dataIn(root: JavaNode): JobData {
  const value = plainValueOf(root);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JobData;
  throw new TypeError('Expected a serialised map of job data, found an object of another class.');
}

/** Converts a node to JSON. Throws a TypeError for objects other than plain data, and for data that is nested too deeply or expands too much. */
export function plainValueOf(node: JavaNode): JsonValue {
  return toPlain(node, 1, { left: MAX_EXPANDED });
}

/** Returns the key of a map entry as a string. Throws a TypeError if the key is not a scalar. */
export function keyText(key: JavaNode): string {
  const shape = shapeOf(key);
  if (shape.is !== 'scalar' || shape.value === null || typeof shape.value === 'object')
    throw notRead('a map with a key that is not a string');
  return String(shape.value);
}

function toPlain(node: JavaNode, depth: number, capacity: Capacity): JsonValue {
  if (depth > DEEPEST) throw notRead(`values nested deeper than ${DEEPEST} levels`);
  take(1, capacity);
  const shape = shapeOf(node);
  switch (shape.is) {
    case 'scalar':
      return checkScalar(shape.value, capacity);
    case 'list':
      return shape.elements.map((element) => toPlain(element, depth + 1, capacity));
    case 'map':
      return toObject(shape, depth, capacity);
    case 'wrapper':
      return toPlain(shape.inner, depth + 1, capacity);
  }
}

function toObject({ entries }: MapShape, depth: number, capacity: Capacity): JobData {
  const values = new Map<string, JsonValue>();
  for (const [key, value] of entries) {
    const text = keyText(key);
    take(1 + text.length, capacity);
    if (values.has(text)) throw notRead('a map with two keys of the same text');
    values.set(text, toPlain(value, depth + 1, capacity));
  }
  return Object.fromEntries(values);
}

/** Throws a TypeError for a number that is not finite. */
function checkScalar(value: JsonValue, capacity: Capacity): JsonValue {
  if (typeof value === 'string') take(value.length, capacity);
  if (typeof value === 'number' && !Number.isFinite(value)) throw notRead('a non-finite number');
  if (Array.isArray(value)) {
    take(value.length, capacity);
    for (const element of value) checkScalar(element, capacity);
  }
  return value;
}

function take(size: number, capacity: Capacity): void {
  capacity.left -= size;
  if (capacity.left < 0)
    throw new TypeError(`Java-serialised data expands to more than ${MAX_EXPANDED} characters and values.`);
}
