import { SchedulerError } from '../base/errors';
import { type JobData, NO_DATA } from './job-data';

/** Where data says of which version of its job type it is, as a text; without it, it is of the first. */
export const DATA_VERSION_KEY = 'QRTZ_X_DATA_VERSION';

/** What is added to data by the scheduler, and not by who scheduled it. */
const OWN_KEY = /^QRTZ_/;

/** The version that data says it is of; 1 where it says none. Throws INVALID_JOB_DATA for one that is no version. */
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

/** Data that says that it is of the version; what says so already, and data of the first version, is left as it is. */
export function withVersion(data: JobData, version: number): JobData {
  if (version === 1 || DATA_VERSION_KEY in data) return data;
  return Object.freeze({ ...data, [DATA_VERSION_KEY]: String(version) });
}

/** Data that says of which version it is, also of the first: for where it is stored again by code that knows a later one. */
export function sayingVersion(data: JobData): JobData {
  return DATA_VERSION_KEY in data ? data : { ...data, [DATA_VERSION_KEY]: '1' };
}

/** Data as jobs see it. */
export function withoutVersion(data: JobData): JobData {
  if (!(DATA_VERSION_KEY in data)) return data;
  const { [DATA_VERSION_KEY]: _, ...others } = data;
  return Object.keys(others).length === 0 ? NO_DATA : others;
}

/** Whether there is anything in it that somebody has given. */
export function hasOwnData(data: JobData): boolean {
  return Object.keys(data).some((key) => !OWN_KEY.test(key));
}

/** The version of what a job finds: of the older one, where both its own data and that of its trigger hold something. */
export function versionOfBoth(ofJob: JobData, ofTrigger: JobData): number {
  if (!hasOwnData(ofTrigger)) return versionOf(ofJob);
  return hasOwnData(ofJob) ? Math.min(versionOf(ofJob), versionOf(ofTrigger)) : versionOf(ofTrigger);
}

/** The part of data that somebody has given, and the rest of it. */
export function splitOwn(data: JobData): { readonly given: JobData; readonly added: JobData } {
  const entries = Object.entries(data);
  return {
    given: Object.fromEntries(entries.filter(([key]) => !OWN_KEY.test(key))),
    added: Object.fromEntries(entries.filter(([key]) => OWN_KEY.test(key))),
  };
}
