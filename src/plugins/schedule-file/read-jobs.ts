import type { Path } from '../../config/source-document';
import type { JobDetail } from '../../domain/job-detail';
import { DEFAULT_GROUP, formatKey, type JobKey, keyText } from '../../domain/keys';
import { checkJobDetail, checkKey } from '../../domain/limits';
import type { ScheduleChange } from '../../domain/schedule-change';
import { type NamedTriggerFields, readData, readTrigger } from './read-trigger';
import type { FileSettings, Item, ScheduleFileReading } from './schedule-file-reading';
import { inlineTriggerSchema, type JobFields, type KeyFields, type TopTriggerFields } from './schedule-file-schema';

/** The jobs of a file, each with its triggers, and then the triggers that stand by themselves. */
export function readJobs(
  reading: ScheduleFileReading,
  {
    jobs,
    triggers,
  }: { readonly jobs: readonly Item<JobFields>[]; readonly triggers: readonly Item<TopTriggerFields>[] },
  settings: FileSettings,
): readonly ScheduleChange[] {
  const triggered = new Set(triggers.map(({ fields }) => keyText(keyOf(fields.job))));
  const written = reading.valueAt(['triggers']);
  // A trigger left out for its shape may have been the job's.
  const areAllRead = !Array.isArray(written) || written.length === triggers.length;
  const changes = [
    ...jobs.flatMap((item) => {
      if (areAllRead && !triggered.has(keyText(keyOf(item.fields)))) requireTriggerOrDurable(reading, item);
      return readJobWithTriggers(reading, item, settings);
    }),
    ...triggers.map((item) => readTriggerOfJob(reading, item, settings)),
  ];
  return changes.filter((change) => change !== null);
}

function readJobWithTriggers(
  reading: ScheduleFileReading,
  item: Item<JobFields>,
  settings: FileSettings,
): readonly (ScheduleChange | null)[] {
  const { path, fields } = item;
  const job = readJob(reading, item);
  const jobKey = job?.key ?? keyOf(fields);
  const { ifExists } = settings;
  return [
    job && {
      type: 'storeJob',
      job,
      ifExists,
      requireTrigger: !job.durable,
      ...(fields.registeredLater && { registeredLater: true }),
    },
    ...(fields.triggers ?? []).map((_, index) => {
      const trigger = readInlineTrigger(reading, item, [...path, 'triggers', index]);
      return trigger && readTrigger(reading, trigger, { jobKey, group: jobKey.group }, settings);
    }),
  ];
}

/** An only trigger may be named as its job; the names of several must not depend on their order. */
function readInlineTrigger(
  reading: ScheduleFileReading,
  job: Item<JobFields>,
  path: Path,
): Item<NamedTriggerFields> | null {
  const fields = reading.checkEntry(path, inlineTriggerSchema);
  if (fields === null) return null;
  const isOnly = job.fields.triggers?.length === 1;
  const { name = isOnly ? job.fields.name : null } = fields;
  if (name !== null) return { path, fields: { ...fields, name } };
  reading.report({ path, expected: 'a name, because the job has several triggers', found: 'none' });
  return null;
}

function readTriggerOfJob(
  reading: ScheduleFileReading,
  { path, fields }: Item<TopTriggerFields>,
  settings: FileSettings,
): ScheduleChange | null {
  const jobKey = readKey(reading, fields.job, { path: [...path, 'job'], what: 'job' });
  return jobKey && readTrigger(reading, { path, fields }, { jobKey, group: jobKey.group }, settings);
}

/** The store would refuse such a job as well, but could not say where it stands. */
function requireTriggerOrDurable(reading: ScheduleFileReading, { path, fields }: Item<JobFields>): void {
  if (fields.durable || (fields.triggers ?? []).length > 0) return;
  const message = 'expected a trigger, or durable: true (a job without triggers is not kept otherwise), found neither';
  reading.report({ path, message });
}

/** A job of a file; null, and its problems reported, when something is wrong with it. */
function readJob(reading: ScheduleFileReading, { path, fields }: Item<JobFields>): JobDetail | null {
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

/** The key that is written; not checked yet. */
function keyOf(fields: KeyFields): JobKey {
  if (typeof fields === 'string') return { group: DEFAULT_GROUP, name: fields };
  return { group: fields.group ?? DEFAULT_GROUP, name: fields.name };
}
