import { SchedulerError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import type { JobData } from '../domain/job-data';

/** Converts data of an older version to the current version of a job type. */
export type JobUpgrade = (data: JobData, fromVersion: number) => JobData | Promise<JobData>;

/**
 * Schema of a job's data, from zod, valibot, arktype or any other library that implements Standard Schema (standardschema.dev). Used only to
 * validate: the job receives the original data, without the schema's transformations.
 */
export interface JobSchema<Data = unknown> {
  /** Properties that the standard requires of every schema. */
  readonly '~standard': {
    /** Version of the standard: 1. */
    readonly version: 1;
    /** Name of the library that created the schema. */
    readonly vendor: string;
    /** Validates a value. A result without `issues` means that the value is valid. */
    readonly validate: (value: unknown) => JobSchemaResult | Promise<JobSchemaResult>;
    /** Types for the compiler. Absent at run time. */
    readonly types?: { readonly input: Data; readonly output: unknown } | undefined;
  };
}

/** Result of a validation. */
export interface JobSchemaResult {
  /** Errors in the value. Absent or empty if the value is valid. */
  readonly issues?: readonly JobSchemaIssue[] | undefined;
}

/** One error in a value. */
export interface JobSchemaIssue {
  /** Description of the error. */
  readonly message: string;
  /** Path to the invalid part, from the outermost key to the innermost. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Returns true if a value has the properties that the standard requires of a schema. */
export function isJobSchema(value: unknown): value is JobSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<JobSchema>)['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}

/** Prefix of the keys that recoveries and retries add to trigger data. These keys are not validated, because a job's schema does not contain them. */
const OWN_KEY = /^QRTZ_/;

/**
 * Checks job data against a schema. Throws INVALID_JOB_DATA with the path of each error. If the schema is asynchronous, returns a promise that
 * rejects with that error. `owner` names the job or trigger in the message.
 */
export function checkAgainstSchema(schema: JobSchema, data: JobData, owner: string): void | Promise<void> {
  const given = Object.entries(data).filter(([key]) => !OWN_KEY.test(key));
  try {
    const result = schema['~standard'].validate(Object.fromEntries(given));
    if (!isThenable(result)) return assertFits(result, owner);
    return Promise.resolve(result).then(
      (later) => assertFits(later, owner),
      (thrown: unknown) => Promise.reject(unchecked(thrown, owner)),
    );
  } catch (thrown) {
    throw unchecked(thrown, owner);
  }
}

const MAX_ISSUES = 10;
const MAX_MESSAGE = 200;

function assertFits({ issues }: JobSchemaResult, owner: string): void {
  if (issues === undefined || issues.length === 0) return;
  const shown = issues.slice(0, MAX_ISSUES).map(({ message, path = [] }) => `${pathText(path)}: ${short(message)}`);
  const rest = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
  throw invalid(`The data of ${owner} does not fit the schema of its job type: ${shown.join('; ')}${rest}.`);
}

function short(message: string): string {
  return String(message).replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
}

function pathText(path: NonNullable<JobSchemaIssue['path']>): string {
  const parts = path.map((part) => (typeof part === 'object' ? part.key : part));
  return parts.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    'data',
  );
}

/** Returns the error for a schema that threw instead of validating. */
function unchecked(thrown: unknown, owner: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError) return cause;
  const message = `Expected the schema to validate the data of ${owner}, but it threw: ${cause.message}`;
  return invalid(message, cause);
}

function invalid(message: string, cause?: Error): SchedulerError {
  return new SchedulerError('INVALID_JOB_DATA', message, cause === undefined ? {} : { cause });
}
