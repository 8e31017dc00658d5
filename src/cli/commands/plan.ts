import { Command } from 'commander';
import { SystemClock } from '../../base/clock';
import { printable } from '../../base/printable';
import type { LoadedConfig } from '../../config/scheduler-config';
import type { JsonValue } from '../../domain/job-data';
import { formatKey } from '../../domain/keys';
import type { ChangedField, PlannedChange } from '../../domain/plan-changes';
import type { FilesPlan } from '../../scheduler/database-tools';
import { type CommandContext, example } from '../command';
import { type DatabaseOptions, databaseOrOwnConfig, OWN_CONFIG, warn, withDatabaseOptions } from '../database-options';
import { CommandFailure, EXIT_CODES } from '../exit-codes';
import type { Output } from '../output';

/** `plan`: what applying schedule files would change in a database. */
export function planCommand(context: CommandContext, setExitCode: (code: number) => void): Command {
  return withDatabaseOptions(new Command('plan'))
    .description('Shows what applying schedule files would change in a database. Fires and writes nothing.')
    .argument('[files...]', 'schedule files; default: those that the configuration names')
    .option('--json', 'print JSON')
    .addHelpText('after', example('plan schedule.yaml --config quartz.yaml'))
    .action(async (files: readonly string[], options: DatabaseOptions) => {
      const { output } = context;
      const plan = await planOf(files, options, context);
      if (options.json) output.json(toJson(plan));
      else print(plan, output);
      if (!isEmpty(plan)) setExitCode(EXIT_CODES.CHANGES.code);
    });
}

async function planOf(given: readonly string[], options: DatabaseOptions, context: CommandContext): Promise<FilesPlan> {
  const loaded = await databaseOrOwnConfig(options, context);
  const { config } = loaded;
  const { sql, misfireThreshold } = config.jobStore;
  if (sql === undefined) {
    throw new CommandFailure(
      'CONFIGURATION',
      `expected a job store in a database (sqlite, mysql) in ${options.config ?? OWN_CONFIG}, found memory: at each start it holds nothing, and all of a file is new.`,
    );
  }
  const files = given.length > 0 ? given : filesOf(loaded);
  if (files.length === 0)
    throw new CommandFailure('USAGE', 'expected a schedule file, or a configuration that names one.');
  const schedules = await readSchedules(files, loaded);
  const { planFiles } = await import('../../scheduler/database-tools');
  const onWarning = (warning: string) => warn(context.output, printable(warning), options.json);
  return planFiles({ ...config, sql }, schedules, { misfireThreshold, onWarning });
}

function filesOf({ config }: LoadedConfig): readonly string[] {
  const plugins = config.plugins.filter(({ kind }) => kind === 'scheduleFile');
  return plugins.flatMap(({ settings }) => settings.fileNames as readonly string[]);
}

async function readSchedules(files: readonly string[], { config }: LoadedConfig) {
  const { readDocument } = await import('../../config/read-document');
  const { readSchedule } = await import('../../plugins/schedule-file/parse-schedule-file');
  const { timeZone, timeZoneDefaulted } = config;
  const now = new SystemClock().now();
  const documents = await Promise.all(files.map((file) => readDocument(file)));
  return documents.map((document) => readSchedule(document, { timeZone, timeZoneDefaulted, now }));
}

const isUnchanged = ({ action }: PlannedChange) => action === 'unchanged';

const isEmpty = ({ changes }: FilesPlan) => changes.every(isUnchanged);

const nameOf = ({ group, name }: PlannedChange) => (group === null ? name : formatKey({ group, name }));

function print(plan: FilesPlan, output: Output): void {
  const rows = plan.changes
    .filter((change) => !isUnchanged(change))
    .map((change) => [change.action, change.what, nameOf(change), fieldsText(change)].map(printable));
  if (rows.length > 0) output.table(['action', 'what', 'name', 'fields'], rows);
  const counts = (['create', 'replace', 'unchanged', 'delete'] as const).map(
    (action) => `${plan.changes.filter((change) => change.action === action).length} ${WORDS[action]}`,
  );
  output.line(isEmpty(plan) ? 'Nothing would change.' : `${counts.join(', ')}.`);
  const left = plan.undeclared.map((key) => `'${printable(formatKey(key))}'`).join(', ');
  if (left !== '')
    output.note(
      `${output.noteStyle('yellow', 'note:')} no longer named, and kept: ${left}. Add prune: group or all to delete them.`,
    );
}

const WORDS = { create: 'to create', replace: 'to replace', unchanged: 'unchanged', delete: 'to delete' } as const;

function fieldsText({ action, fields, group, startsPaused }: PlannedChange): string {
  if (startsPaused) return `(starts paused: the group ${group} is paused)`;
  if (action !== 'replace') return '';
  if (fields.length === 0) return '(made again)';
  return fields
    .flatMap((field) => shown(field).map(({ name, text }) => (text === '' ? name : `${name}: ${text}`)))
    .join('; ');
}

/** A field for people; of job data only the keys: the values may be secrets. */
function shown(field: ChangedField): readonly { readonly name: string; readonly text: string }[] {
  const keys = changedKeys(field);
  if (keys !== null) return keys.map((key) => ({ name: `data.${key}`, text: '' }));
  return [{ name: field.field, text: `${textOf(field, field.before)} → ${textOf(field, field.after)}` }];
}

function changedKeys({ field, before, after }: ChangedField): readonly string[] | null {
  if (field !== 'data') return null;
  const [old, now] = [before, after].map((data) => (data ?? {}) as Readonly<Record<string, JsonValue>>);
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  return keys.filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key])).sort();
}

/** Longer values are cut in the table; `--json` has all of them. */
const LONGEST_VALUE = 60;

function textOf({ field }: ChangedField, value: JsonValue | undefined): string {
  const plain = withTimes(field, value);
  const text = typeof plain === 'string' ? plain : (JSON.stringify(plain) ?? 'none');
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

const TIMES: readonly string[] = ['startTime', 'endTime', 'nextFireTime', 'previousFireTime'];

function withTimes(field: string, value: JsonValue | undefined): JsonValue | undefined {
  return TIMES.includes(field) && typeof value === 'number' ? new Date(value).toISOString() : value;
}

function toJson(plan: FilesPlan) {
  const changes = plan.changes.map((change) => ({ ...change, fields: change.fields.map(fieldJson) }));
  return { changed: !isEmpty(plan), changes, undeclared: plan.undeclared };
}

function fieldJson(field: ChangedField) {
  const keys = changedKeys(field);
  if (keys !== null) return { field: 'data', keys };
  const { field: name, before, after } = field;
  return { field: name, before: withTimes(name, before) ?? null, after: withTimes(name, after) ?? null };
}
