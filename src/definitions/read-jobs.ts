import type { EpochMs } from '../base/clock';
import type { Path } from '../config/source-document';
import { checkJobData } from '../domain/check-job-data';
import { checkPolicy, type ExecutionPolicy } from '../domain/execution-policy';
import { type JobData, NO_DATA } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, type JobKey, keyText, parseKey } from '../domain/keys';
import { checkJobDetail, checkKey, checkTrigger } from '../domain/limits';
import type { ChangeSet, ScheduleChange } from '../domain/schedule-change';
import { timeZoneOf } from '../domain/time/time-zone';
import { DEFAULT_PRIORITY } from '../domain/trigger';
import { validateTrigger } from '../domain/trigger-behaviour';
import { readTime } from './read-times';
import { keyOf, readTriggerSchedule, type TriggerContext } from './read-trigger-schedule';
import type { FileSettings, Item, ScheduleFileReading } from './schedule-file-reading';
import {
  inlineTriggerSchema,
  type JobFields,
  type KeyFields,
  type TopTriggerFields,
  type TriggerFields,
} from './schedule-file-schema';

/** Reads the jobs of a file, each followed by its nested triggers, and then the top-level triggers. */
export function readJobs(
  reading: ScheduleFileReading,
  {
    jobs,
    triggers,
  }: { readonly jobs: readonly Item<JobFields>[]; readonly triggers: readonly Item<TopTriggerFields>[] },
  settings: FileSettings,
): ChangeSet {
  const triggered = new Set(triggers.map(({ fields }) => keyText(keyOf(fields.job))));
  const written = reading.valueAt(['triggers']);
  // A skipped trigger may belong to a job that otherwise has none. Such jobs are therefore checked only if no trigger was skipped.
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

export function readJobWithTriggers(
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
      ...(settings.declarer && { declared: settings.declarer }),
    },
    ...(fields.triggers ?? []).map((_, index) => {
      const trigger = readInlineTrigger(reading, item, [...path, 'triggers', index]);
      return trigger && readTrigger(reading, trigger, jobKey, settings);
    }),
  ];
}

/** The name of a job's only trigger defaults to the job's. With several triggers, default names would depend on their order. */
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

export function readTriggerOfJob(
  reading: ScheduleFileReading,
  { path, fields }: Item<TopTriggerFields>,
  settings: FileSettings,
): ScheduleChange | null {
  const jobKey = readKey(reading, fields.job, { path: [...path, 'job'], what: 'job' });
  return jobKey && readTrigger(reading, { path, fields }, jobKey, settings);
}

/** The store would reject a non-durable job without a trigger too, but its error would not contain the position in the file. */
export function requireTriggerOrDurable(reading: ScheduleFileReading, { path, fields }: Item<JobFields>): void {
  if (fields.durable || (fields.triggers ?? []).length > 0) return;
  const message =
    'expected a trigger or durable: true (a job without triggers is only kept if it is durable), found neither';
  reading.report({ path, message });
}

function readJob(reading: ScheduleFileReading, { path, fields }: Item<JobFields>): JobDetail | null {
  const key = readKey(reading, fields, { path, what: 'job' });
  const data = readData(reading, fields.data, { path, owner: `job '${formatKey(keyOf(fields))}'` });
  if (key === null || data === null) return null;
  reading.claim('job', key, path);
  return reading.attempt(path, () =>
    checkJobDetail({
      key,
      jobType: fields.type ?? fields.name,
      description: fields.description ?? null,
      data,
      durable: fields.durable ?? false,
      disallowConcurrentExecution: fields.disallowConcurrentExecution ?? false,
      persistJobDataAfterExecution: fields.persistJobDataAfterExecution ?? false,
      requestsRecovery: fields.requestsRecovery ?? false,
      ...policyIn(fields),
    }),
  );
}

function policyIn(fields: Partial<Pick<TriggerFields, keyof TriggerFields & keyof ExecutionPolicy>>): {
  readonly policy?: ExecutionPolicy;
} {
  const policy = checkPolicy(fields, 'a job or trigger in a schedule file');
  return policy === undefined ? {} : { policy };
}

type NamedTriggerFields = TriggerFields & { readonly name: string };

/** The group of a trigger defaults to the group of its job. */
function readTrigger(
  reading: ScheduleFileReading,
  { path, fields }: Item<NamedTriggerFields>,
  jobKey: JobKey,
  settings: FileSettings,
): ScheduleChange | null {
  const { name } = fields;
  const written = fields.group === undefined ? parseKey(name, jobKey.group) : { name, group: fields.group };
  const key = reading.attempt(path, () => checkKey(written, 'trigger'));
  const data = readData(reading, fields.data, { path, owner: `trigger '${name}'` });
  const zone = reading.attempt([...path, 'timeZone'], () => timeZoneOf(fields.timeZone ?? settings.timeZone));
  const context = zone && { reading, fields, path, zone, key: written };
  const schedule = context && readTriggerSchedule(context);
  const times = context && readTimes(context);
  if (key === null || data === null || schedule === null || times === null) return null;
  reading.claim('trigger', key, path);
  const trigger = reading.attempt(path, () =>
    validateTrigger(
      checkTrigger({
        key,
        jobKey,
        description: fields.description ?? null,
        data,
        priority: fields.priority ?? DEFAULT_PRIORITY,
        ...times,
        calendarName: fields.calendar ?? null,
        nextFireTime: null,
        previousFireTime: null,
        ...policyIn(fields),
        ...schedule,
      }),
    ),
  );
  return (
    trigger && {
      type: 'storeTrigger',
      trigger,
      ifExists: settings.ifExists,
      startTimeDefaulted: fields.at === undefined && fields.startAt === undefined,
      timeZoneDefaulted: fields.timeZone === undefined && settings.timeZoneDefaulted,
      ...(settings.declarer && { declared: settings.declarer }),
    }
  );
}

function readData(
  reading: ScheduleFileReading,
  data: Readonly<Record<string, unknown>> | undefined,
  { path, owner }: { readonly path: Path; readonly owner: string },
): JobData | null {
  return data === undefined ? NO_DATA : reading.attempt([...path, 'data'], () => checkJobData(data, owner));
}

function readTimes(context: TriggerContext): { startTime: EpochMs; endTime: EpochMs | null } | null {
  const { reading, path, zone } = context;
  const { at, startAt, endAt } = context.fields;
  const timeOf = (key: 'at' | 'startAt' | 'endAt', value: string) =>
    readTime(reading, value, { path: [...path, key], zone });
  const start = at === undefined ? startAt : at;
  const startTime = start === undefined ? reading.defaults.now : timeOf(at === undefined ? 'startAt' : 'at', start);
  const endTime = endAt === undefined ? null : timeOf('endAt', endAt);
  const isWrong = startTime === null || (endAt !== undefined && endTime === null);
  return isWrong ? null : { startTime, endTime };
}

/** Reads the key of a job or trigger. Reports a problem and returns null if the key is invalid. */
export function readKey(
  reading: ScheduleFileReading,
  fields: KeyFields,
  { path, what }: { readonly path: Path; readonly what: 'job' | 'trigger' },
): JobKey | null {
  return reading.attempt(path, () => checkKey(keyOf(fields), what));
}
