import { SchedulerError, toError } from '../../../base/errors';
import { checkJobData } from '../../../domain/check-job-data';
import { describeValue } from '../../../domain/check-text';
import { type ExecutionPolicy, POLICY_KEY, takePolicy } from '../../../domain/execution-policy';
import { type JobData, NO_DATA } from '../../../domain/job-data';
import { decodeJavaSerialized } from '../../../java/decode-job-data-map';
import { encodeJavaSerialized } from '../../../java/encode-job-data-map';
import { formatJavaProperties, parseJavaProperties } from '../../../java/java-properties';

/** Format of a row's job data, recognised by the first bytes. */
export type JobDataForm = 'json' | 'properties' | 'javaSerialized';

/** Returns the format of stored bytes; null if nothing is stored. */
export function jobDataFormOf(bytes: Uint8Array | null): JobDataForm | null {
  if (bytes === null || bytes.length === 0) return null;
  if (bytes[0] === 0xac && bytes[1] === 0xed) return 'javaSerialized';
  return bytes[0] === 0x7b ? 'json' : 'properties';
}

/**
 * Decodes the job data in a JOB_DATA column. Returns empty data if nothing is stored. Throws INVALID_JOB_DATA if the bytes are not plain data in one
 * of the formats of `JobDataForm`, or if there are more than `MAX_READ` bytes.
 */
export function decodeJobData(bytes: Uint8Array | null, owner: string): JobData {
  const form = jobDataFormOf(bytes);
  if (bytes === null || form === null) return NO_DATA;
  try {
    if (bytes.length > MAX_READ) throw new TypeError(`expected at most ${MAX_READ} bytes, found ${bytes.length}`);
    const data = decode(bytes, form, owner);
    return Object.keys(data).length === 0 ? NO_DATA : Object.freeze(data);
  } catch (error) {
    throw new SchedulerError(
      'INVALID_JOB_DATA',
      `Expected the stored data of ${owner} to be plain data (${form}): ${toError(error).message}`,
      { cause: error },
    );
  }
}

function decode(bytes: Uint8Array, form: JobDataForm, owner: string): JobData {
  switch (form) {
    case 'json':
      return checkJobData(parseJson(bytes), owner, MAX_BYTES);
    case 'properties':
      return withoutPrototype(parseJavaProperties(bytes));
    case 'javaSerialized':
      return withoutPrototype(decodeJavaSerialized(bytes));
  }
}

/** Throws a TypeError if the data, which other programs may have stored, contains the key `__proto__`. It would replace an object's prototype. */
function withoutPrototype<T>(data: T): T {
  if (typeof data !== 'object' || data === null) return data;
  if (Object.hasOwn(data, '__proto__')) throw new TypeError("the key '__proto__' is not allowed");
  for (const value of Object.values(data)) withoutPrototype(value);
  return data;
}

interface JobDataColumn {
  /** Data that is replaced; null if nothing is stored. */
  readonly stored: Uint8Array | null;
  readonly newForm: JobDataForm;
  /** True to replace stored JSON by `newForm`, if that can hold the data. */
  readonly replacesJson?: boolean;
  readonly owner: string;
}

/**
 * Encodes job data for a JOB_DATA column. Uses the format of the stored data, or `newForm` if nothing is stored. Returns null for empty data, except
 * where data in the Java format is stored. Throws INVALID_JOB_DATA if the format cannot hold the data, or if the encoded data takes more than `MAX_BYTES` bytes.
 */
export function encodeJobData(data: JobData, column: JobDataColumn): Uint8Array | null {
  const storedForm = jobDataFormOf(column.stored);
  if (storedForm !== 'javaSerialized' && Object.keys(data).length === 0) return null;
  const form = storedForm === null || replacesStored(data, storedForm, column) ? column.newForm : storedForm;
  const bytes = encode(data, form, column);
  if (bytes.length > MAX_BYTES) {
    throw new SchedulerError(
      'INVALID_JOB_DATA',
      `Expected the data of ${column.owner} to take at most ${MAX_BYTES} bytes as ${form}, found ${bytes.length}. ` +
        'Keep large values elsewhere and store a reference to them.',
    );
  }
  return bytes;
}

/** JSON with values other than text stays, because Properties cannot hold it. */
function replacesStored(
  data: JobData,
  storedForm: JobDataForm,
  { newForm, replacesJson = false }: JobDataColumn,
): boolean {
  if (storedForm !== 'json' || !replacesJson) return false;
  return newForm !== 'properties' || Object.values(data).every((value) => typeof value === 'string');
}

/** Returns the new data with the stored policy, if any. Copies it unparsed, because a later version may have written it. */
export function keepPolicy(data: JobData, stored: Uint8Array | null, owner: string): JobData {
  if (!mayHoldPolicy(stored)) return data;
  const { [POLICY_KEY]: policy } = decodeJobData(stored, owner);
  return policy === undefined ? data : { ...data, [POLICY_KEY]: policy };
}

/** Returns the policy in a JOB_DATA column; undefined if there is none or it is unreadable. */
export function readPolicy(bytes: Uint8Array | null): ExecutionPolicy | undefined {
  if (!mayHoldPolicy(bytes)) return undefined;
  try {
    return takePolicy(decodeJobData(bytes, 'a row')).policy;
  } catch {
    return undefined; // unreadable data is reported by the code that needs it
  }
}

/** True if a JOB_DATA column may contain a policy. The key of the policy has the same bytes in every format. */
function mayHoldPolicy(bytes: Uint8Array | null): bytes is Uint8Array {
  return bytes !== null && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(POLICY_KEY);
}

/** Size of a BLOB column: the maximum size of stored data, in bytes. JSON has a lower limit. The other formats need more bytes for the same data. */
const MAX_BYTES = 65_535;

/** Maximum size of data to read, in bytes. A table with larger columns may contain more, but every firing would read it into memory. */
const MAX_READ = 1_048_576;

function encode(data: JobData, form: JobDataForm, { stored, owner }: JobDataColumn): Uint8Array {
  switch (form) {
    case 'json':
      return Buffer.from(JSON.stringify(data));
    case 'properties':
      return Buffer.from(formatJavaProperties(onlyText(data, owner)), 'latin1');
    case 'javaSerialized':
      return encodeJavaSerialized(data, stored);
  }
}

function onlyText(data: JobData, owner: string): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === 'string') continue;
    throw new SchedulerError(
      'INVALID_JOB_DATA',
      `Expected text as data.${key} of ${owner}, found ${typeof value === 'object' ? describeValue(value) : `a ${typeof value}`}: ` +
        'this row is stored as Properties (useProperties), which hold text only.',
    );
  }
  return data as Readonly<Record<string, string>>;
}

/** Parses the bytes of a column as JSON. Throws a TypeError that, unlike that of `JSON.parse`, does not quote them, because errors are logged. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new TypeError(`the ${bytes.byteLength} stored bytes are not valid JSON`);
  }
}
