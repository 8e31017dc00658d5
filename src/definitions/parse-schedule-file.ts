import { basename } from 'node:path';
import type { z } from 'zod';
import type { SchedulerError } from '../base/errors';
import { nearestName } from '../base/nearest-name';
import { ConfigurationError, type ProblemInput, problemAt } from '../config/problem';
import { parseDocument } from '../config/read-document';
import { type Path, quoted, type SourceDocument, valueAt } from '../config/source-document';
import type { Calendar } from '../domain/calendars/calendar';
import { newCalendar } from '../domain/calendars/calendar-from-data';
import { checkText } from '../domain/check-text';
import type { DeclaredSet } from '../domain/declaration';
import type { JsonValue } from '../domain/job-data';
import { GroupMatcher } from '../domain/keys';
import { checkCalendarName, LIMITS } from '../domain/limits';
import type { Declarer } from '../domain/override';
import type { ChangeSet, ScheduleChange } from '../domain/schedule-change';
import { timeZoneOf } from '../domain/time/time-zone';
import { readJobs, readKey } from './read-jobs';
import { type FileSettings, type Item, type ScheduleDefaults, ScheduleFileReading } from './schedule-file-reading';
import {
  type CalendarFields,
  type CommandFields,
  calendarSchema,
  commandsSchema,
  type DirectiveFields,
  directivesSchema,
  editPolicySchema,
  jobSchema,
  pruneSchema,
  scheduleFileSchema,
  setSchema,
  topTriggerSchema,
  zoneSchema,
} from './schedule-file-schema';

/** Content of a schedule file, as changes in the order in which they are applied. */
export interface Schedule {
  readonly changes: ChangeSet;
  /** Set that the file declares, and what to do with stored triggers that the file no longer contains. */
  readonly declared: DeclaredSet;
  /** Adds the position of a job or trigger in the file to a store error that names the job or trigger. */
  readonly placed: (refusal: SchedulerError) => SchedulerError;
}

/** Parses a schedule file. Rejects with a ConfigurationError that lists every problem, or at once if it has more than `maxEntries` entries. */
export async function parseScheduleFile(
  text: string,
  file: string,
  defaults: ScheduleDefaults,
  maxEntries = Number.POSITIVE_INFINITY,
): Promise<Schedule> {
  const document = await parseDocument(text, file);
  const found = countEntries(document.data);
  if (found > maxEntries) throw new ConfigurationError([problemAt(document, tooMany(found, maxEntries))]);
  return readSchedule(document, defaults);
}

/** Counts the jobs, triggers, calendars and commands of a file, even if its structure is invalid. */
function countEntries(data: JsonValue): number {
  const at = (...path: Path) => valueAt(data, path);
  const sizeOf = (value: unknown) => (Array.isArray(value) ? value.length : keysOf(value).length);
  const jobs = at('jobs');
  const ofJobs = Array.isArray(jobs)
    ? jobs.reduce((sum: number, _, index) => sum + sizeOf(at('jobs', index, 'triggers')), 0)
    : 0;
  const commands = keysOf(at('commands')).reduce((sum, name) => sum + sizeOf(at('commands', name)), 0);
  return sizeOf(jobs) + ofJobs + sizeOf(at('triggers')) + sizeOf(at('calendars')) + commands;
}

const tooMany = (found: number, max: number): ProblemInput => ({
  path: [],
  message:
    `expected at most ${max} jobs, triggers, calendars and commands, found ${found}. Split the file into several sets, or apply it with ` +
    '`quartz schedule apply` directly to the database',
});

/** Reads a schedule from a parsed document. Throws ConfigurationError with every problem. */
export function readSchedule(document: SourceDocument, defaults: ScheduleDefaults): Schedule {
  const reading = new ScheduleFileReading(document, defaults);
  // an empty file is valid and declares nothing
  const declared = readDeclared(reading, document.file);
  const onEdit = reading.checkGiven(['onDeclaredEdit'], editPolicySchema);
  const declarer: Declarer = {
    set: declared.set,
    kind: 'file',
    file: basename(document.file),
    ...(onEdit !== null && { onEdit }),
  };
  const changes = document.data === null ? [] : readSections(reading, declarer);
  reading.finish();
  return { changes, declared, placed: (refusal) => reading.placed(refusal) };
}

/** Reads the set that the file declares. Default: the file name without its folder, because folders may differ between machines. */
function readDeclared(reading: ScheduleFileReading, file: string): DeclaredSet {
  const written = reading.checkGiven(['set'], setSchema);
  const set =
    written === null ? null : reading.attempt(['set'], () => checkText(written, 'the name of a set', LIMITS.name));
  const prune = reading.checkGiven(['prune'], pruneSchema);
  const renamedFrom = reading.checkGiven(['renamedFrom'], setSchema);
  const atomic = reading.valueAt(['directives', 'atomic']) === true;
  return {
    set: set ?? basename(file).slice(-LIMITS.name),
    prune: prune ?? false,
    ...(renamedFrom !== null && { renamedFrom }),
    ...(atomic && { atomic }),
  };
}

/** Reports and skips entries with an invalid structure, so that one attempt finds the problems of every entry. */
function readSections(reading: ScheduleFileReading, declarer: Declarer): ChangeSet {
  reading.check([], scheduleFileSchema);
  const timeZone = reading.checkGiven(['timeZone'], zoneSchema);
  const directives = reading.checkGiven(['directives'], directivesSchema) ?? {};
  const commands = reading.checkGiven(['commands'], commandsSchema) ?? {};
  const calendarNames = keysOf(reading.valueAt(['calendars']));
  const calendars = new Map(calendarNames.map((name) => [name, reading.check(['calendars', name], calendarSchema)]));
  const jobs = itemsOf(reading, 'jobs', jobSchema);
  const triggers = itemsOf(reading, 'triggers', topTriggerSchema);
  const settings: FileSettings = {
    timeZone: readTimeZone(reading, timeZone),
    timeZoneDefaulted: timeZone === null && (reading.defaults.timeZoneDefaulted ?? false),
    ifExists: ifExistsOf(directives),
    declarer,
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

/** Reports an invalid time zone once instead of once per trigger, and then uses the scheduler's. */
function readTimeZone(reading: ScheduleFileReading, timeZone: string | null): string {
  const { timeZone: ofScheduler } = reading.defaults;
  if (timeZone === null) return ofScheduler;
  return reading.attempt(['timeZone'], () => timeZoneOf(timeZone).name) ?? ofScheduler;
}

function ifExistsOf({ overwriteExistingData = true, ignoreDuplicates = false }: DirectiveFields) {
  if (overwriteExistingData) return 'replace';
  return ignoreDuplicates ? 'keep' : 'fail';
}

/** Reads the commands that delete jobs and triggers. They are applied before any definition is stored. Skips the groups in `neverDelete`. */
function readCommands(
  reading: ScheduleFileReading,
  commands: CommandFields,
  { neverDelete = {} }: DirectiveFields,
): ChangeSet {
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

/** Calendars by name. The value is null if the structure of the calendar is invalid, which was already reported. */
type Calendars = ReadonlyMap<string, CalendarFields | null>;

/** Reads the calendars of a file as changes. The base of a calendar is a nested calendar or the name of another calendar in the file. */
function readCalendars(
  reading: ScheduleFileReading,
  calendars: Calendars,
  { ifExists, timeZone, declarer }: FileSettings,
): ChangeSet {
  const build = calendarBuilder(reading, calendars, timeZone);
  return [...calendars.keys()].flatMap((name): ScheduleChange[] => {
    const isName = reading.attempt(['calendars', name], () => checkCalendarName(name)) !== null;
    const calendar = build(name);
    if (!isName || calendar === null) return [];
    return [
      {
        type: 'storeCalendar',
        name,
        calendar: calendar.toJSON(),
        ifExists,
        updateTriggers: true,
        ...(calendars.get(name)?.allowEnding === true && { allowEnding: true }),
        ...(declarer && { declared: declarer }),
      },
    ];
  });
}

/** More than the valid length of a chain (16), so that a message can show a small cycle, but not enough to exhaust the stack. */
const MAX_CHAIN = 100;

/** Returns a function that builds a calendar by name, once per name. For a calendar with a problem, it reports the problem and returns null. */
function calendarBuilder(reading: ScheduleFileReading, calendars: Calendars, fileZone: string) {
  const built = new Map<string, Calendar | null>();
  return (name: string) => named(name, []);

  /** `above`: the calendars whose chains of base calendars lead to this one, to detect cycles. */
  function named(name: string, above: readonly string[]): Calendar | null {
    const known = built.get(name);
    if (known !== undefined) return known;
    const fields = calendars.get(name) ?? null;
    const calendar = fields && fromFields(fields, ['calendars', name], [...above, name]);
    built.set(name, calendar);
    return calendar;
  }

  function fromFields(
    { type, base, allowEnding: _, ...own }: CalendarFields,
    path: Path,
    above: readonly string[],
  ): Calendar | null {
    const below = base === undefined ? null : baseOf(base, [...path, 'base'], above);
    if (base !== undefined && below === null) return null;
    const { description = null, timeZone = fileZone } = own;
    return reading.attempt(path, () => newCalendar(type, { ...own, description, timeZone, base: below }));
  }

  function baseOf(base: NonNullable<CalendarFields['base']>, path: Path, above: readonly string[]): Calendar | null {
    if (typeof base !== 'string') {
      const fields = reading.check(path, calendarSchema);
      return fields && fromFields(fields, path, above);
    }
    const problem = chainProblem(base, above);
    if (problem === null) return named(base, above);
    reading.report({ path, ...problem });
    return null;
  }

  function chainProblem(base: string, above: readonly string[]): Omit<ProblemInput, 'path'> | null {
    if (above.includes(base)) {
      const circle = [...above.slice(above.indexOf(base)), base].map(quoted).join(' on ');
      return { message: `expected calendars without a cycle, found ${circle}` };
    }
    if (above.length >= MAX_CHAIN)
      return { expected: 'a chain of at most 16 calendars', found: 'a longer chain (possibly a cycle)' };
    if (calendars.has(base)) return null;
    const suggestion = nearestName(base, except(calendars.keys(), above));
    return { expected: 'the name of a calendar in this file', found: quoted(base), suggestion };
  }
}

/** Yields names on demand, because `nearestName` stops after a limited number of names. */
function* except(names: Iterable<string>, excluded: readonly string[]): Iterable<string> {
  for (const name of names) if (!excluded.includes(name)) yield name;
}
