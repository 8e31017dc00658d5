import { SchedulerError } from '../../../base/errors';
import type { JobData, JsonValue } from '../../../domain/job-data';
import { type JavaValue, readJavaObject } from './java-stream-reader';
import { writeJobDataMap } from './java-stream-writer';

/** The data of a Java-serialised JobDataMap. Throws for anything that is not plain data. */
export function decodeJavaSerialized(bytes: Uint8Array): JobData {
  return toObject(readMap(bytes));
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

function toObject(entries: ReadonlyMap<string, JavaValue>): JobData {
  return Object.fromEntries([...entries].map(([key, value]) => [key, toJson(value)]));
}

function toJson({ value, javaClass }: JavaValue): JsonValue {
  if (value instanceof Map) return toObject(value as ReadonlyMap<string, JavaValue>);
  if (Array.isArray(value)) return (value as readonly JavaValue[]).map(toJson);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new SchedulerError(
      'INVALID_JOB_DATA',
      `Expected finite numbers in job data, found a ${javaClass} of ${value}.`,
    );
  }
  return value as string | number | boolean | null;
}
