import { SchedulerError } from '../base/errors';
import { type JobData, NO_DATA } from './job-data';

/** Data key of the data's job type version, stored as text. Data without it has the first version. */
export const DATA_VERSION_KEY = 'QRTZ_X_DATA_VERSION';

/** Prefix of keys that the scheduler itself adds to data. */
const OWN_KEY = /^QRTZ_/;

/** Returns the version that the data names; 1 by default. Throws INVALID_JOB_DATA if the value is not a version. */
export function versionOf(data: JobData): number {
  const { [DATA_VERSION_KEY]: text } = data;
  if (text === undefined) return 1;
  const version = Number(text);
  if (Number.isSafeInteger(version) && version >= 1) return version;
  throw new SchedulerError(
    'INVALID_JOB_DATA',
    `Expected a whole number from 1 as ${DATA_VERSION_KEY} in job data, found '${text}'.`,
  );
}

/** Adds the version to data. Data that already names it, and data of the first version, is returned unchanged. */
export function withVersion(data: JobData, version: number): JobData {
  if (version === 1 || DATA_VERSION_KEY in data) return data;
  return Object.freeze({ ...data, [DATA_VERSION_KEY]: String(version) });
}

/** Adds the version to data, even the first one, for code with a newer version that stores the data again. */
export function sayingVersion(data: JobData): JobData {
  return DATA_VERSION_KEY in data ? data : { ...data, [DATA_VERSION_KEY]: '1' };
}

/** Returns the data without its version, as jobs see it. */
export function withoutVersion(data: JobData): JobData {
  if (!(DATA_VERSION_KEY in data)) return data;
  const { [DATA_VERSION_KEY]: _, ...others } = data;
  return Object.keys(others).length === 0 ? NO_DATA : others;
}

/** True if the data has keys that were not added by the scheduler. */
export function hasOwnData(data: JobData): boolean {
  return Object.keys(data).some((key) => !OWN_KEY.test(key));
}

/** Returns the version of the data that a job receives. If both the job's and the trigger's data have user keys, the older version counts. */
export function versionOfBoth(ofJob: JobData, ofTrigger: JobData): number {
  if (!hasOwnData(ofTrigger)) return versionOf(ofJob);
  return hasOwnData(ofJob) ? Math.min(versionOf(ofJob), versionOf(ofTrigger)) : versionOf(ofTrigger);
}

/** Splits data into the user's keys and the scheduler's keys. */
export function splitOwn(data: JobData): { readonly given: JobData; readonly added: JobData } {
  const entries = Object.entries(data);
  return {
    given: Object.fromEntries(entries.filter(([key]) => !OWN_KEY.test(key))),
    added: Object.fromEntries(entries.filter(([key]) => OWN_KEY.test(key))),
  };
}
