import type { z } from 'zod';
import type { SchedulerError } from '../../base/errors';
import { parseDocument } from '../../config/read-document';
import type { SourceDocument } from '../../config/source-document';
import { GroupMatcher } from '../../domain/keys';
import type { ScheduleChange } from '../../domain/schedule-change';
import { timeZoneOf } from '../../domain/time/time-zone';
import { readCalendars } from './read-calendars';
import { readJobs, readKey } from './read-jobs';
import { type FileSettings, type Item, type ScheduleDefaults, ScheduleFileReading } from './schedule-file-reading';
import {
  type CommandFields,
  calendarSchema,
  commandsSchema,
  type DirectiveFields,
  directivesSchema,
  jobSchema,
  scheduleFileSchema,
  topTriggerSchema,
  zoneSchema,
} from './schedule-file-schema';

/** What a schedule file asks for: the steps of one unit, in the order in which they are applied. */
export interface Schedule {
  readonly changes: readonly ScheduleChange[];
  /** The same error with the place of the job or trigger it names, when a store has refused the changes. */
  readonly placed: (refusal: SchedulerError) => SchedulerError;
}

/** Reads the text of a schedule file. Rejects with ConfigurationError: every problem, each with its place. */
export async function parseScheduleFile(text: string, file: string, defaults: ScheduleDefaults): Promise<Schedule> {
  return readSchedule(await parseDocument(text, file), defaults);
}

/** The same for a file that has been read. Throws ConfigurationError. */
export function readSchedule(document: SourceDocument, defaults: ScheduleDefaults): Schedule {
  const reading = new ScheduleFileReading(document, defaults);
  // An empty file is an empty schedule.
  const changes = document.data === null ? [] : readSections(reading);
  reading.finish();
  return { changes, placed: (refusal) => reading.placed(refusal) };
}

/**
 * The changes of the parts that have the right shape. The others are reported and left out, so that what is wrong with the
 * meaning of the rest can be reported beside them.
 */
function readSections(reading: ScheduleFileReading): readonly ScheduleChange[] {
  reading.check([], scheduleFileSchema);
  const section = <Fields>(name: string, schema: z.ZodType<Fields>) =>
    reading.valueAt([name]) === undefined ? null : reading.check([name], schema);
  const timeZone = section('timeZone', zoneSchema);
  const directives = section('directives', directivesSchema) ?? {};
  const commands = section('commands', commandsSchema) ?? {};
  const calendarNames = keysOf(reading.valueAt(['calendars']));
  const calendars = new Map(calendarNames.map((name) => [name, reading.check(['calendars', name], calendarSchema)]));
  const jobs = itemsOf(reading, 'jobs', jobSchema);
  const triggers = itemsOf(reading, 'triggers', topTriggerSchema);
  const settings: FileSettings = {
    timeZone: readTimeZone(reading, timeZone),
    timeZoneDefaulted: timeZone === null && (reading.defaults.timeZoneDefaulted ?? false),
    ifExists: ifExistsOf(directives),
  };
  return [
    ...readCommands(reading, commands, directives),
    ...readCalendars(reading, calendars, settings),
    ...readJobs(reading, { jobs, triggers }, settings),
  ];
}

function itemsOf<Fields>(
  reading: ScheduleFileReading,
  section: string,
  schema: z.ZodType<Fields>,
): readonly Item<Fields>[] {
  const list = reading.valueAt([section]);
  if (!Array.isArray(list)) return [];
  return list.flatMap((_, index) => {
    const path = [section, index];
    const fields = reading.checkEntry(path, schema);
    return fields === null ? [] : [{ path, fields }];
  });
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

/** The zone of the file; a wrong one is reported once, and not again for each of its triggers. */
function readTimeZone(reading: ScheduleFileReading, timeZone: string | null): string {
  const { timeZone: ofScheduler } = reading.defaults;
  if (timeZone === null) return ofScheduler;
  return reading.attempt(['timeZone'], () => timeZoneOf(timeZone).name) ?? ofScheduler;
}

function ifExistsOf({ overwriteExistingData = true, ignoreDuplicates = false }: DirectiveFields) {
  if (overwriteExistingData) return 'replace';
  return ignoreDuplicates ? 'keep' : 'fail';
}

/** What a file deletes before it stores anything; groups that are never deleted stay untouched. */
function readCommands(
  reading: ScheduleFileReading,
  commands: CommandFields,
  { neverDelete = {} }: DirectiveFields,
): readonly ScheduleChange[] {
  const { jobGroups = [], triggerGroups = [] } = neverDelete;
  const keysIn = (field: 'deleteJobs' | 'deleteTriggers', what: 'job' | 'trigger', kept: readonly string[]) =>
    (commands[field] ?? []).flatMap((fields, index) => {
      const key = readKey(reading, fields, { path: ['commands', field, index], what });
      return key === null || kept.includes(key.group) ? [] : [key];
    });
  return [
    ...(commands.deleteJobsInGroup ?? []).map((group) => deleteGroup('deleteJobsInGroup', group, jobGroups)),
    ...(commands.deleteTriggersInGroup ?? []).map((group) =>
      deleteGroup('deleteTriggersInGroup', group, triggerGroups),
    ),
    ...keysIn('deleteJobs', 'job', jobGroups).map((key) => ({ type: 'deleteJob', key }) as const),
    ...keysIn('deleteTriggers', 'trigger', triggerGroups).map((key) => ({ type: 'deleteTrigger', key }) as const),
  ];
}

const ANY_GROUP = '*';

function deleteGroup(
  type: 'deleteJobsInGroup' | 'deleteTriggersInGroup',
  group: string,
  exceptGroups: readonly string[],
): ScheduleChange {
  const matcher = group === ANY_GROUP ? GroupMatcher.anyGroup() : GroupMatcher.groupEquals(group);
  return { type, group: matcher, exceptGroups };
}
