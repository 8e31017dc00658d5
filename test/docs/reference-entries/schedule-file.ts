import { z } from 'zod';
import * as schemas from '../../../src/definitions/schedule-file-schema';
import { codeIn, pageOf, subjectsOf, type Table, tablesOf } from './read-reference';

/** Every key that the program reads, named like the entries of the reference. */
export function keysOfSchedules(): readonly string[] {
  const parts: readonly (readonly [string, z.ZodType])[] = [
    ['file', schemas.scheduleFileSchema],
    ['directive', schemas.directivesSchema],
    ['command', schemas.commandsSchema],
    ['job', schemas.jobSchema],
    ['trigger', schemas.topTriggerSchema],
    ...schemas.calendarSchema.options.map((option) => ['calendar', option] as const),
  ];
  return parts.flatMap(([part, schema]) => shapeOf(schema).flatMap(([key, value]) => namesOf(part, key, value)));
}

const shapeOf = (schema: unknown): readonly (readonly [string, unknown])[] =>
  schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];

/** Object schemas that a key allows: schedules, or protected objects. */
function inner(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional) return inner(schema.unwrap());
  return schema instanceof z.ZodUnion ? schema.options.map(inner).find((each) => each instanceof z.ZodObject) : schema;
}

function namesOf(part: string, key: string, value: unknown): readonly string[] {
  const below = shapeOf(inner(value)).map(([name]) => name);
  if (part === 'trigger' && !KEYS_OF_JOBS.has(key) && below.length > 0)
    return [`schedule ${key}`, ...below.map((name) => `${key} ${name}`)];
  if (part === 'trigger' && key === 'cron') return ['schedule cron'];
  if (part === 'directive') return [`directive ${key}`, ...below.map((name) => `directive ${key}.${name}`)];
  return part === 'calendar' && !COMMON.has(key) ? [] : [`${part} ${key}`];
}

/** Keys of triggers that name jobs; every other object is a schedule. */
const KEYS_OF_JOBS = new Set(['job', 'after']);

/** Keys of calendars that every type has; the other keys are listed under their type. */
const COMMON = new Set(['type', 'description', 'timeZone', 'base']);

const WORD = /^[A-Za-z]\w*$/;

/** Keys that a text names: words in backticks, also with an example value after a colon, but no values. */
const keysIn = (text: string) =>
  codeIn(text)
    .map((code) => code.split(':')[0] ?? '')
    .filter((word) => /^[a-z]/.test(word) && WORD.test(word));

/** Entries of docs/reference/schedule-file.md: keys, and their enumerated values. */
export function scheduleFileEntries(): readonly string[] {
  const page = pageOf('schedule-file');
  const [, afterCommands = ''] = page.split('### commands');
  const [, commands = ''] = /```yaml\ncommands:\n([^`]*)```/.exec(afterCommands) ?? [];
  const [, ofEvery = ''] = /^(Every calendar [\s\S]*?)\n\n/m.exec(page) ?? [];
  const [, former = ''] = /^(.*) are the former names/m.exec(page) ?? [];
  return [
    ...tablesOf(page).flatMap(entriesOf),
    ...[...commands.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => `command ${key}`),
    ...keysIn(ofEvery).map((key) => `calendar ${key}`),
    ...keysIn(former)
      .slice(0, 3)
      .map((key) => `trigger ${key}`),
  ];
}

/** Prefix of the entries of a table, by its heading. */
const PREFIXES: Readonly<Record<string, string>> = {
  'The plugin': 'plugin',
  'The file': 'file',
  directives: 'directive',
  jobs: 'job',
  triggers: 'trigger',
};

function entriesOf(table: Table): readonly string[] {
  if (table.heading === 'calendars') return table.rows.flatMap(calendarEntries);
  if (table.header[0] === 'schedule') return table.rows.flatMap((row) => scheduleEntries(row, table.header));
  const prefix = PREFIXES[table.heading];
  return [
    ...subjectsOf(table).map((key) => `${prefix} ${key}`),
    ...table.rows.flatMap(([key = '', ...cells]) => {
      const text = cells.at(-1) ?? '';
      if (key === '`neverDelete`') return keysIn(text).map((part) => `directive neverDelete.${part}`);
      return key === '`misfire`' ? keysIn(text).map((word) => `trigger misfire: ${word}`) : [];
    }),
  ];
}

function calendarEntries([type = '', , keys = '']: readonly string[]): readonly string[] {
  const [name] = codeIn(type);
  return [`calendar type: ${name}`, ...keysIn(keys).map((key) => `calendar ${name} ${key}`)];
}

function scheduleEntries([kind = '', keys = '', own = '']: readonly string[], header: readonly string[]) {
  const [name] = codeIn(kind);
  const words = codeIn(keys).filter((word) => WORD.test(word));
  const instructions = [...codeIn(header[2] ?? ''), ...codeIn(own)];
  return [
    `schedule ${name}`,
    ...words.map((word) => `${name} ${word}`),
    ...instructions.map((word) => `${name} misfire: ${word}`),
  ];
}
