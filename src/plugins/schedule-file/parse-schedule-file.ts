import type { SchedulerError } from '../../base/errors';
import { parseDocument } from '../../config/read-document';
import type { SourceDocument } from '../../config/source-document';
import type { ScheduleChange } from '../../domain/schedule-change';
import { timeZoneOf } from '../../domain/time/time-zone';
import { readCalendars } from './read-calendars';
import { readCommands } from './read-commands';
import { readJobs } from './read-jobs';
import { type FileSettings, type ScheduleDefaults, ScheduleFileReading } from './schedule-file-reading';
import type { DirectiveFields } from './schedule-file-schema';
import { readSections, type ScheduleFileSections } from './schedule-file-sections';

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
  const changes = document.data === null ? [] : changesOf(reading, readSections(reading));
  reading.finish();
  return { changes, placed: (refusal) => reading.placed(refusal) };
}

function changesOf(reading: ScheduleFileReading, sections: ScheduleFileSections): readonly ScheduleChange[] {
  const { directives, commands, calendars } = sections;
  const settings: FileSettings = {
    timeZone: readTimeZone(reading, sections),
    timeZoneDefaulted: sections.timeZone === null && (reading.defaults.timeZoneDefaulted ?? false),
    ifExists: ifExistsOf(directives),
  };
  return [
    ...readCommands(reading, commands, directives),
    ...readCalendars(reading, calendars, settings),
    ...readJobs(reading, sections, settings),
  ];
}

/** The zone of the file; a wrong one is reported once, and not again for each of its triggers. */
function readTimeZone(reading: ScheduleFileReading, { timeZone }: ScheduleFileSections): string {
  const { timeZone: ofScheduler } = reading.defaults;
  if (timeZone === null) return ofScheduler;
  return reading.attempt(['timeZone'], () => timeZoneOf(timeZone).name) ?? ofScheduler;
}

function ifExistsOf({ overwriteExistingData = true, ignoreDuplicates = false }: DirectiveFields) {
  if (overwriteExistingData) return 'replace';
  return ignoreDuplicates ? 'keep' : 'fail';
}
