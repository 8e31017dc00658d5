/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Job data: a plain JSON object. */
export type JobData = Readonly<Record<string, JsonValue>>;

/** Empty job data, shared by all objects without data. */
export const NO_DATA: JobData = Object.freeze({});

/** Returns the data that a job receives: the job's data, overridden by the trigger's data. */
export function mergeJobData(ofJob: JobData, ofTrigger: JobData): JobData {
  if (ofTrigger === NO_DATA) return ofJob;
  if (ofJob === NO_DATA) return ofTrigger;
  return { ...ofJob, ...ofTrigger };
}

/** Returns a deep copy that the caller may change. */
export function copyJobData(data: JobData): JobData {
  return copyOf(data) as JobData;
}

function copyOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copyOf(each)]));
}

/** Prefixes of data keys that the scheduler itself adds to triggers, such as the keys for occurrences, recoveries and policies. */
const SCHEDULER_KEYS = ['QRTZ_X_', 'QRTZ_FAILED_JOB_ORIG_'] as const;

/** Used when a job returns all its data: keys that the scheduler added must not become part of the job's data. */
export function withoutSchedulerKeys(data: JobData): JobData {
  return withoutKeys(data, SCHEDULER_KEYS);
}

/** Returns the data without the keys that start with one of the prefixes. Returns the same object if it contains no such key. */
export function withoutKeys(data: JobData, prefixes: readonly string[]): JobData {
  const entries = Object.entries(data);
  const kept = entries.filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix)));
  if (kept.length === entries.length) return data;
  return kept.length === 0 ? NO_DATA : Object.freeze(Object.fromEntries(kept));
}
