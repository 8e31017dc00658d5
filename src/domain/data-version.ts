import { SchedulerError } from '../base/errors';
import { type JobData, withoutKeys } from './job-data';

/** Data key of the job type's data version, stored as a string. Data without this key has version 1. */
export const DATA_VERSION_KEY = 'QRTZ_X_DATA_VERSION';

/** Matches keys that the scheduler itself adds to data. */
const OWN_KEY = /^QRTZ_/;

/** Returns the version of the data; 1 if it contains none. Throws INVALID_JOB_DATA if the stored value is not a version. */
function versionOf(data: JobData): number {
  const { [DATA_VERSION_KEY]: text } = data;
  if (text === undefined) return 1;
  const version = Number(text);
  if (Number.isSafeInteger(version) && version >= 1) return version;
  throw new SchedulerError(
    'INVALID_JOB_DATA',
    `Expected a whole number of at least 1 as ${DATA_VERSION_KEY} in job data, found '${text}'.`,
  );
}

/** Returns the data with the version added. Returns the data unchanged if it already contains a version, or if the version is 1. */
export function withVersion(data: JobData, version: number): JobData {
  if (version === 1 || DATA_VERSION_KEY in data) return data;
  return Object.freeze({ ...data, [DATA_VERSION_KEY]: String(version) });
}

/** Adds version 1 if the data has none. For a program whose current version is newer and that stores the data again unchanged. */
export function withExplicitVersion(data: JobData): JobData {
  return DATA_VERSION_KEY in data ? data : { ...data, [DATA_VERSION_KEY]: '1' };
}

/** Returns the data without its version key. Jobs receive the data in this form. */
export function withoutVersion(data: JobData): JobData {
  return DATA_VERSION_KEY in data ? withoutKeys(data, [DATA_VERSION_KEY]) : data;
}

/** True if the data contains at least one key that the scheduler did not add. */
export function hasOwnData(data: JobData): boolean {
  return Object.keys(data).some((key) => !OWN_KEY.test(key));
}

/** Returns the data version of merged data: the lower one if both the job's and the trigger's data contain keys set by users. */
export function versionOfBoth(ofJob: JobData, ofTrigger: JobData): number {
  if (!hasOwnData(ofTrigger)) return versionOf(ofJob);
  return hasOwnData(ofJob) ? Math.min(versionOf(ofJob), versionOf(ofTrigger)) : versionOf(ofTrigger);
}

/** Splits data into the keys set by users (`given`) and the keys added by the scheduler (`added`). */
export function splitOwn(data: JobData): { readonly given: JobData; readonly added: JobData } {
  const entries = Object.entries(data);
  return {
    given: Object.fromEntries(entries.filter(([key]) => !OWN_KEY.test(key))),
    added: Object.fromEntries(entries.filter(([key]) => OWN_KEY.test(key))),
  };
}
