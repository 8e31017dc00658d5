import { SchedulerError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import type { JobData } from '../domain/job-data';

/**
 * Schema of a job's data, from zod, valibot, arktype or any other library that follows the Standard Schema (standardschema.dev). It only
 * validates: the job gets its data unchanged, without the schema's transformations.
 */
export interface JobSchema<Data = unknown> {
  /** Properties that the standard requires of every schema. */
  readonly '~standard': {
    /** Version of the standard: 1. */
    readonly version: 1;
    /** Name of the schema's library. */
    readonly vendor: string;
    /** Validates a value. A result with `issues` means that the value does not fit. */
    readonly validate: (value: unknown) => JobSchemaResult | Promise<JobSchemaResult>;
    /** Types for the compiler; absent at run time. */
    readonly types?: { readonly input: Data; readonly output: unknown } | undefined;
  };
}

/** Result of validating a value. */
export interface JobSchemaResult {
  /** Faults of the value; absent if it is valid. */
  readonly issues?: readonly JobSchemaIssue[] | undefined;
}

/** One fault of a value. */
export interface JobSchemaIssue {
  /** Description of the fault. */
  readonly message: string;
  /** Path to the fault, from the outside in. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** True if a value has the properties that the standard requires of a schema. */
export function isJobSchema(value: unknown): value is JobSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<JobSchema>)['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}

/** Prefix of the keys that recoveries and retries add to trigger data. A job's schema does not know them. */
const OWN_KEY = /^QRTZ_/;

/**
 * Throws INVALID_JOB_DATA for data that does not fit the schema, with the path of each fault. Rejects with it if the schema is
 * asynchronous. `owner` names the owner of the data in messages.
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
  throw invalid(`Expected the data of ${owner} to fit the schema of its job type, found ${shown.join('; ')}${rest}.`);
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

/** Error for a schema that itself failed, so the data is unchecked. */
function unchecked(thrown: unknown, owner: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError) return cause;
  const message = `Expected the schema to validate the data of ${owner}, but it threw: ${cause.message}`;
  return invalid(message, cause);
}

function invalid(message: string, cause?: Error): SchedulerError {
  return new SchedulerError('INVALID_JOB_DATA', message, cause === undefined ? {} : { cause });
}
