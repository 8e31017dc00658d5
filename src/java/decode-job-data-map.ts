import type { JobData, JsonValue } from '../domain/job-data';
import { notRead } from './java-bytes';
import type { MapShape } from './shape';
import { shapeOf } from './shapes';
import { DEEPEST, type JavaNode } from './stream-format';
import { readJavaStream } from './stream-reader';

/** Maximum number of values and characters decoded from one row: four times the capacity of a BLOB. */
const LARGEST = 4 * 65_535;

/** Remaining values and characters. References to earlier nodes can make a few bytes expand to an endless tree. */
interface Room {
  left: number;
}

/**
 * Decodes a Java-serialised JobDataMap. Throws a TypeError for anything but plain data, and for data that expands too
 * much.
 */
export function decodeJavaSerialized(bytes: Uint8Array): JobData {
  return dataIn(readJavaStream(bytes));
}

/** Returns the data of a serialised map. */
export function dataIn(root: JavaNode): JobData {
  const value = plainValueOf(root);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JobData;
  throw new TypeError('Expected a serialised map of job data, found an object of another class.');
}

/**
 * Converts a node to JSON. Throws a TypeError for anything but plain data, and for data that is nested too deeply or
 * expands too much.
 */
export function plainValueOf(node: JavaNode): JsonValue {
  return toPlain(node, 1, { left: LARGEST });
}

/** Returns the key of an entry as text. Throws for a key that is not a scalar. */
export function keyText(key: JavaNode): string {
  const shape = shapeOf(key);
  if (shape.is !== 'scalar' || shape.value === null || typeof shape.value === 'object')
    throw notRead('a map with a key that is not a string');
  return String(shape.value);
}

function toPlain(node: JavaNode, depth: number, room: Room): JsonValue {
  if (depth > DEEPEST) throw notRead(`values nested deeper than ${DEEPEST} levels`);
  take(1, room);
  const shape = shapeOf(node);
  switch (shape.is) {
    case 'scalar':
      return checkScalar(shape.value, room);
    case 'list':
      return shape.elements.map((element) => toPlain(element, depth + 1, room));
    case 'map':
      return toObject(shape, depth, room);
    case 'wrapper':
      return toPlain(shape.inner, depth + 1, room);
  }
}

function toObject({ entries }: MapShape, depth: number, room: Room): JobData {
  const values = new Map<string, JsonValue>();
  for (const [key, value] of entries) {
    const text = keyText(key);
    take(1 + text.length, room);
    if (values.has(text)) throw notRead('a map with two keys of the same text');
    values.set(text, toPlain(value, depth + 1, room));
  }
  return Object.fromEntries(values);
}

/** Checks a primitive, or the primitives of an array. */
function checkScalar(value: JsonValue, room: Room): JsonValue {
  if (typeof value === 'string') take(value.length, room);
  if (typeof value === 'number' && !Number.isFinite(value)) throw notRead('a non-finite number');
  if (Array.isArray(value)) {
    take(value.length, room);
    for (const element of value) checkScalar(element, room);
  }
  return value;
}

function take(size: number, room: Room): void {
  room.left -= size;
  if (room.left < 0) throw new TypeError(`Java-serialised data expands to more than ${LARGEST} characters and values.`);
}
