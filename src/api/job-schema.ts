import { SchedulerError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import type { JobData } from '../domain/job-data';

/**
 * What the data of a job must be like: a schema of zod, valibot, arktype or any other library that follows the Standard Schema
 * (standardschema.dev). It only checks: a job is given its data as it is, without what the schema would make of it.
 */
export interface JobSchema<Data = unknown> {
  /** What the standard asks of every schema. */
  readonly '~standard': {
    /** Of the standard: 1. */
    readonly version: 1;
    /** Whose schema it is. */
    readonly vendor: string;
    /** Whether a value fits: with `issues` it does not. */
    readonly validate: (value: unknown) => JobSchemaResult | Promise<JobSchemaResult>;
    /** For the compiler alone. */
    readonly types?: { readonly input: Data; readonly output: unknown } | undefined;
  };
}

/** What a schema says of a value. */
export interface JobSchemaResult {
  /** What is wrong with it; absent: nothing. */
  readonly issues?: readonly JobSchemaIssue[] | undefined;
}

/** One thing that is wrong with a value. */
export interface JobSchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where, from the outside in. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value is a schema, by what the standard asks of one. */
export function isJobSchema(value: unknown): value is JobSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<JobSchema>)['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}

/** The keys that recoveries and retries add to the data of their triggers: no schema of a job knows them. */
const OWN_KEY = /^QRTZ_/;

/**
 * Throws INVALID_JOB_DATA for data that does not fit the schema, with the path of each fault; rejects with it, where the schema answers
 * later. `owner`: whose data it is, for messages.
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

/** The schema itself failed; what it was to say is not known. */
function unchecked(thrown: unknown, owner: string): SchedulerError {
  const cause = toError(thrown);
  if (cause instanceof SchedulerError) return cause;
  const message = `Expected the schema to validate the data of ${owner}, but it threw: ${cause.message}`;
  return invalid(message, cause);
}

function invalid(message: string, cause?: Error): SchedulerError {
  return new SchedulerError('INVALID_JOB_DATA', message, cause === undefined ? {} : { cause });
}
