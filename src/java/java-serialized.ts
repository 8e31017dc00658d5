import type { JobData, JsonValue } from '../domain/job-data';
import { ChangedNodes } from './changed-nodes';
import { NewNodes } from './new-nodes';
import { plainValueOf } from './plain-values';
import { classNameOf } from './shape';
import type { JavaNode } from './stream-format';
import { readJavaStream } from './stream-reader';
import { writeJavaStream } from './stream-writer';

/** The data of a Java-serialised JobDataMap. Throws for anything that is not plain data, or that grows when it is read. */
export function decodeJavaSerialized(bytes: Uint8Array): JobData {
  return dataIn(readJavaStream(bytes));
}

/**
 * A Java-serialised JobDataMap of the data. What is as it was in `stored` is written back as it was, byte by byte; a value that changed keeps its
 * Java class where that can hold it.
 */
export function encodeJavaSerialized(data: JobData, stored: Uint8Array | null = null): Uint8Array {
  const made = new NewNodes();
  const before = stored === null ? null : readable(stored);
  if (before === null || stored === null) return writeJavaStream(made.jobDataMap(data));
  const root = new ChangedNodes(made).nodeFor(data, before);
  if (root === before) return stored;
  return writeJavaStream(classNameOf(root) === classNameOf(before) ? root : made.jobDataMap(data));
}

/** Null for what cannot be read: whoever stores other data in its place need not know what was there. */
function readable(stored: Uint8Array): JavaNode | null {
  try {
    const root = readJavaStream(stored);
    dataIn(root);
    return root;
  } catch {
    return null;
  }
}

function dataIn(root: JavaNode): JobData {
  const value: JsonValue = plainValueOf(root);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JobData;
  throw new TypeError('Expected a serialised map of job data, found another object.');
}
