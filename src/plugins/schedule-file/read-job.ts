import type { Path } from '../../config/source-document';
import { checkJobData } from '../../domain/check-job-data';
import { type JobData, NO_DATA } from '../../domain/job-data';
import type { JobDetail } from '../../domain/job-detail';
import { DEFAULT_GROUP, formatKey, type JobKey } from '../../domain/keys';
import { checkJobDetail, checkKey } from '../../domain/limits';
import type { ScheduleFileReading } from './schedule-file-reading';
import type { JobFields, KeyFields } from './schedule-file-schema';
import type { Item } from './schedule-file-sections';

/** A job of a file; null, and its problems reported, when something is wrong with it. */
export function readJob(reading: ScheduleFileReading, { path, fields }: Item<JobFields>): JobDetail | null {
  const key = readKey(reading, fields, { path, what: 'job' });
  const data = readData(reading, fields.data, { path, owner: `job '${formatKey(keyOf(fields))}'` });
  if (key === null || data === null) return null;
  reading.claim('job', key, path);
  return reading.attempt(path, () =>
    checkJobDetail({
      key,
      jobType: fields.type ?? key.name,
      description: fields.description ?? null,
      data,
      durable: fields.durable ?? false,
      disallowConcurrentExecution: fields.disallowConcurrentExecution ?? false,
      persistJobDataAfterExecution: fields.persistJobDataAfterExecution ?? false,
      requestsRecovery: fields.requestsRecovery ?? false,
    }),
  );
}

/** The key of a job or trigger; null, and the problem reported, when it is none that can be stored. */
export function readKey(
  reading: ScheduleFileReading,
  fields: KeyFields,
  { path, what }: { readonly path: Path; readonly what: 'job' | 'trigger' },
): JobKey | null {
  return reading.attempt(path, () => checkKey(keyOf(fields), what));
}

/** Job data; null, and the problem reported, when it is not plain JSON or too large. */
export function readData(
  reading: ScheduleFileReading,
  data: Readonly<Record<string, unknown>> | undefined,
  { path, owner }: { readonly path: Path; readonly owner: string },
): JobData | null {
  return data === undefined ? NO_DATA : reading.attempt([...path, 'data'], () => checkJobData(data, owner));
}

/** The key that is written; not checked yet. */
export function keyOf(fields: KeyFields): JobKey {
  if (typeof fields === 'string') return { group: DEFAULT_GROUP, name: fields };
  return { group: fields.group ?? DEFAULT_GROUP, name: fields.name };
}
