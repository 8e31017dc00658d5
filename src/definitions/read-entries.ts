import type { z } from 'zod';
import { ConfigurationError, type Problem } from '../config/problem';
import { dataDocument, pathText } from '../config/source-document';
import type { JsonValue } from '../domain/job-data';
import type { ChangeOf, ChangeSet, IfExists } from '../domain/schedule-change';
import { readSchedule } from './parse-schedule-file';
import { readJobWithTriggers, readTriggerOfJob, requireTriggerOrDurable } from './read-jobs';
import { type FileSettings, type ScheduleDefaults, ScheduleFileReading } from './schedule-file-reading';
import { jobSchema, topTriggerSchema } from './schedule-file-schema';

/* Reads single entries that are given as data, with the fields and checks of schedule files. All functions throw a ConfigurationError with every
   problem; paths are relative to the entry. */

/** Reads a new job with its triggers. The returned changes cannot be applied if the job or one of the triggers is already stored. */
export function readNewJob(entry: JsonValue, defaults: ScheduleDefaults): ChangeSet {
  const changes = readEntry(entry, jobSchema, defaults, (reading, fields) => {
    requireTriggerOrDurable(reading, { path: [], fields });
    return readJobWithTriggers(reading, { path: [], fields }, settingsOf(defaults, 'fail'));
  });
  return changes.filter((change) => change !== null);
}

/** Reads a job that replaces the stored job with the same key. */
export function readJob(entry: JsonValue, defaults: ScheduleDefaults): ChangeOf<'storeJob'> {
  return readEntry(entry, jobSchema, defaults, (reading, fields) => {
    const [change] = readJobWithTriggers(reading, { path: [], fields }, settingsOf(defaults, 'replace'));
    return change as ChangeOf<'storeJob'>;
  });
}

export function readTrigger(
  entry: JsonValue,
  defaults: ScheduleDefaults,
  ifExists: IfExists,
): ChangeOf<'storeTrigger'> {
  return readEntry(entry, topTriggerSchema, defaults, (reading, fields) => {
    return readTriggerOfJob(reading, { path: [], fields }, settingsOf(defaults, ifExists));
  }) as ChangeOf<'storeTrigger'>;
}

/** Reads a calendar. Its base is nested in it. */
export function readCalendar(name: string, entry: JsonValue, defaults: ScheduleDefaults): ChangeOf<'storeCalendar'> {
  const document = dataDocument('', { calendars: { [name]: entry } });
  try {
    const [change] = readSchedule(document, defaults).changes;
    const { declared: _, ...alone } = change as ChangeOf<'storeCalendar'>;
    return alone;
  } catch (error) {
    throw error instanceof ConfigurationError ? within(error, pathText(['calendars', name])) : error;
  }
}

function readEntry<Fields, Read>(
  entry: JsonValue,
  schema: z.ZodType<Fields>,
  defaults: ScheduleDefaults,
  read: (reading: ScheduleFileReading, fields: Fields) => Read,
): Read {
  const reading = new ScheduleFileReading(dataDocument('', entry), defaults);
  const fields = reading.checkEntry([], schema);
  const result = fields === null ? null : read(reading, fields);
  reading.finish();
  return result as Read; // null only after a problem, in which case `finish` has thrown
}

function settingsOf({ timeZone, timeZoneDefaulted = false }: ScheduleDefaults, ifExists: IfExists): FileSettings {
  return { timeZone, timeZoneDefaulted, ifExists, declarer: null };
}

function within({ problems }: ConfigurationError, place: string): ConfigurationError {
  const own = ({ path, ...problem }: Problem): Problem => ({
    ...problem,
    path: path.startsWith(place) ? path.slice(place.length).replace(/^\./, '') : path,
  });
  return new ConfigurationError(problems.map(own));
}
