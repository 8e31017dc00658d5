import { SchedulerError } from '../../../base/errors';
import type { JobData, JsonValue } from '../../../domain/job-data';
import type { JavaValue } from './java-stream-format';
import { readJavaObject } from './java-stream-reader';
import { writeJobDataMap } from './java-stream-writer';

/** Values and characters that are made of one row: four times what a BLOB holds. */
const LARGEST = 4 * 65_535;

/** The data of a Java-serialised JobDataMap. Throws for anything that is not plain data, or that grows when it is read. */
export function decodeJavaSerialized(bytes: Uint8Array): JobData {
  return toObject(readMap(bytes), { left: LARGEST });
}

/** A Java-serialised JobDataMap of the data; its values keep the Java classes they have in `stored` where they can. */
export function encodeJavaSerialized(data: JobData, stored: Uint8Array | null = null): Uint8Array {
  return writeJobDataMap(data, stored === null ? new Map() : readMap(stored));
}

function readMap(bytes: Uint8Array): ReadonlyMap<string, JavaValue> {
  const { value } = readJavaObject(bytes);
  if (value instanceof Map) return value as ReadonlyMap<string, JavaValue>;
  throw new TypeError('Expected a serialised map of job data, found another object.');
}

/** What may still be made. A stream refers to what it held before, so that a few bytes can stand for an endless tree. */
interface Room {
  left: number;
}

function toObject(entries: ReadonlyMap<string, JavaValue>, room: Room): JobData {
  return Object.fromEntries([...entries].map(([key, value]) => [take(key, room), toJson(value, room)]));
}

function toJson({ value, javaClass }: JavaValue, room: Room): JsonValue {
  take(value, room);
  if (value instanceof Map) return toObject(value as ReadonlyMap<string, JavaValue>, room);
  if (Array.isArray(value)) return (value as readonly JavaValue[]).map((element) => toJson(element, room));
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new SchedulerError(
      'INVALID_JOB_DATA',
      `Expected finite numbers in job data, found a ${javaClass} of ${value}.`,
    );
  }
  return value as string | number | boolean | null;
}

function take<T>(value: T, room: Room): T {
  room.left -= typeof value === 'string' ? 1 + value.length : 1;
  if (room.left < 0) throw new TypeError(`Java-serialised data grows to more than ${LARGEST} characters and values.`);
  return value;
}
