/** What JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The data a job is given: a plain JSON object. */
export type JobData = Readonly<Record<string, JsonValue>>;

/** Shared by everything without data, so that no copy is made for it. */
export const NO_DATA: JobData = Object.freeze({});

/** What the job sees: its own data, overridden by the trigger's. */
export function mergeJobData(ofJob: JobData, ofTrigger: JobData): JobData {
  if (ofTrigger === NO_DATA) return ofJob;
  if (ofJob === NO_DATA) return ofTrigger;
  return { ...ofJob, ...ofTrigger };
}

/** A copy of which nothing is shared or frozen. */
export function copyJobData(data: JobData): JobData {
  return copyOf(data) as JobData;
}

function copyOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copyOf(each)]));
}
