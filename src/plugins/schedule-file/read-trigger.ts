import type { EpochMs } from '../../base/clock';
import type { Path } from '../../config/source-document';
import { checkJobData } from '../../domain/check-job-data';
import { type JobData, NO_DATA } from '../../domain/job-data';
import type { JobKey } from '../../domain/keys';
import { checkKey, checkTrigger } from '../../domain/limits';
import type { ScheduleChange } from '../../domain/schedule-change';
import { timeZoneOf } from '../../domain/time/time-zone';
import { DEFAULT_PRIORITY, type Trigger } from '../../domain/trigger';
import { validateTrigger } from '../../domain/trigger-behaviour';
import { readTime } from './read-times';
import { readRenamed, readTriggerSchedule, type TriggerContext, type Written } from './read-trigger-schedule';
import type { FileSettings, Item, ScheduleFileReading } from './schedule-file-reading';
import type { TriggerFields } from './schedule-file-schema';

/** A trigger whose name is settled. */
export type NamedTriggerFields = TriggerFields & { readonly name: string };

/** Where a trigger belongs. */
export interface TriggerOwner {
  readonly jobKey: JobKey;
  /** Group of a trigger that names none. */
  readonly group: string;
}

/** A trigger of a file as a change; null, and its problems reported, when something is wrong with it. */
export function readTrigger(
  reading: ScheduleFileReading,
  { path, fields }: Item<NamedTriggerFields>,
  owner: TriggerOwner,
  settings: FileSettings,
): ScheduleChange | null {
  const { name, group = owner.group } = fields;
  const key = reading.attempt(path, () => checkKey({ name, group }, 'trigger'));
  const data = readData(reading, fields.data, { path, owner: `trigger '${name}'` });
  const zone = reading.attempt([...path, 'timeZone'], () => timeZoneOf(fields.timeZone ?? settings.timeZone));
  const context = zone && { reading, fields, path, zone };
  const schedule = context && readTriggerSchedule(context);
  const times = context && readTimes(context);
  if (key === null || data === null || schedule === null || times === null) return null;
  reading.claim('trigger', key, path);
  const trigger = reading.attempt(path, () =>
    checkWhole({
      key,
      jobKey: owner.jobKey,
      description: fields.description ?? null,
      data,
      priority: fields.priority ?? DEFAULT_PRIORITY,
      ...times,
      calendarName: fields.calendar ?? null,
      nextFireTime: null,
      previousFireTime: null,
      ...schedule,
    }),
  );
  return (
    trigger && {
      type: 'storeTrigger',
      trigger,
      ifExists: settings.ifExists,
      startTimeDefaulted: fields.startAt === undefined && fields.startTime === undefined,
      timeZoneDefaulted: fields.timeZone === undefined && settings.timeZoneDefaulted,
      declared: { set: null },
    }
  );
}

/** Job data; null, and the problem reported, when it is not plain JSON or too large. */
export function readData(
  reading: ScheduleFileReading,
  data: Readonly<Record<string, unknown>> | undefined,
  { path, owner }: { readonly path: Path; readonly owner: string },
): JobData | null {
  return data === undefined ? NO_DATA : reading.attempt([...path, 'data'], () => checkJobData(data, owner));
}

function readTimes(context: TriggerContext): { startTime: EpochMs; endTime: EpochMs | null } | null {
  const { reading, path, zone } = context;
  const timeOf = ({ key, value }: Written) => readTime(reading, value, { path: [...path, key], zone });
  const [start, end] = [readRenamed(context, 'startAt'), readRenamed(context, 'endAt')];
  const startTime = start === null ? reading.defaults.now : timeOf(start);
  const endTime = end === null ? null : timeOf(end);
  const isWrong = startTime === null || (end !== null && endTime === null);
  return isWrong ? null : { startTime, endTime };
}

function checkWhole(trigger: Trigger): Trigger {
  const copy = checkTrigger(trigger);
  validateTrigger(copy);
  return copy;
}
