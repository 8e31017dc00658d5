import type { z } from 'zod';
import type { Path } from '../../config/source-document';
import type { JsonValue } from '../../domain/job-data';
import type { ScheduleFileReading } from './schedule-file-reading';
import {
  type CalendarFields,
  type CommandFields,
  calendarSchema,
  commandsSchema,
  type DirectiveFields,
  directivesSchema,
  type JobFields,
  jobSchema,
  scheduleFileSchema,
  type TopTriggerFields,
  topTriggerSchema,
  zoneSchema,
} from './schedule-file-schema';

/** One entry of a file and where it stands. */
export interface Item<Fields> {
  readonly path: Path;
  readonly fields: Fields;
}

/**
 * The parts of a file that have the right shape. The others have been reported and are left out, so that what is wrong
 * with the meaning of the rest can be reported beside them.
 */
export interface ScheduleFileSections {
  readonly timeZone: string | null;
  readonly directives: DirectiveFields;
  readonly commands: CommandFields;
  /** Null for a calendar whose shape is wrong. */
  readonly calendars: ReadonlyMap<string, CalendarFields | null>;
  readonly jobs: readonly Item<JobFields>[];
  readonly triggers: readonly Item<TopTriggerFields>[];
}

/** Checks the shape of a whole file. */
export function readSections(reading: ScheduleFileReading): ScheduleFileSections {
  reading.check([], scheduleFileSchema);
  const section = <Fields>(name: string, schema: z.ZodType<Fields>) =>
    reading.valueAt([name]) === undefined ? null : reading.check([name], schema);
  const items = <Fields>(name: string, schema: z.ZodType<Fields>) =>
    entriesOf(reading.valueAt([name])).flatMap((_, index) => itemAt(reading, [name, index], schema));
  return {
    timeZone: section('timeZone', zoneSchema),
    directives: section('directives', directivesSchema) ?? {},
    commands: section('commands', commandsSchema) ?? {},
    calendars: new Map(
      keysOf(reading.valueAt(['calendars'])).map((name) => [name, reading.check(['calendars', name], calendarSchema)]),
    ),
    jobs: items('jobs', jobSchema),
    triggers: items('triggers', topTriggerSchema),
  };
}

/** What an entry is about: without it, nothing can be said of the rest. */
export const ESSENTIAL = ['cron', 'simple', 'calendarInterval', 'dailyTimeInterval', 'name', 'job', 'group'];

function itemAt<Fields>(reading: ScheduleFileReading, path: Path, schema: z.ZodType<Fields>): readonly Item<Fields>[] {
  const fields = reading.checkEntry(path, schema, ESSENTIAL);
  return fields === null ? [] : [{ path, fields }];
}

function entriesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function keysOf(value: JsonValue | undefined): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
