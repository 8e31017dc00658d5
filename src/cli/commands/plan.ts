import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { SystemClock } from '../../base/clock';
import { printable } from '../../base/printable';
import { maskValue } from '../../base/secrets';
import { ConfigurationError } from '../../config/problem';
import type { LoadedConfig } from '../../config/scheduler-config';
import { formatKey } from '../../domain/keys';
import { Problem } from '../../operations/problem';
import { fieldsOfProblems } from '../../operations/read-definition';
import { type PlanView, planViewOf, schedulePlan } from '../../operations/table/schedule';
import { type CommandContext, example } from '../command';
import { type DatabaseOptions, databaseOf, databaseOrOwnConfig, warn } from '../database-options';
import { EXIT_CODES, usageError } from '../exit-codes';
import { isOnServer, openTarget } from '../operations/open-target';
import { textOf } from '../operations/read-file';
import { type TargetOptions, withTargetOptions } from '../operations/target';
import type { Output } from '../output';

export function planCommand(context: CommandContext, setExitCode: (code: number) => void): Command {
  return withTargetOptions(new Command('plan'))
    .description('Shows what applying schedule files would change. Fires and writes nothing.')
    .argument('[files...]', 'schedule files (default: the schedule files of the configuration)')
    .option('--json', 'print JSON')
    .addHelpText('after', example('schedule plan schedule.yaml --config quartz.yaml'))
    .action(async (files: readonly string[], options: TargetOptions) => {
      const { output } = context;
      const isRemote = isOnServer(options, context);
      const found = isRemote ? await planOnServer(files, options, context) : await planOf(files, options, context);
      const plan = maskValue(found) as PlanView;
      if (options.json) output.json(plan);
      else print(plan, output);
      if (plan.changed) setExitCode(EXIT_CODES.CHANGES.code);
    });
}

/** Sends each file to a server and returns the merged plans. Rejects with CommandFailure if there are no files. */
async function planOnServer(
  files: readonly string[],
  options: TargetOptions,
  context: CommandContext,
): Promise<PlanView> {
  if (files.length === 0) throw usageError('expected a schedule file as argument with --server.');
  const target = await openTarget(options, context);
  try {
    const plans: PlanView[] = [];
    for (const file of files) {
      const input = { text: await textOf(file, context), ...(file === '-' ? {} : { file: basename(file) }) };
      plans.push((await target.perform({ name: 'schedule.plan', operation: schedulePlan, input })) as PlanView);
    }
    return {
      changed: plans.some(({ changed }) => changed),
      changes: plans.flatMap(({ changes }) => changes),
      undeclared: plans.flatMap(({ undeclared }) => undeclared),
      orphaned: plans.flatMap(({ orphaned }) => orphaned),
    };
  } finally {
    await target.close();
  }
}

async function planOf(given: readonly string[], options: DatabaseOptions, context: CommandContext): Promise<PlanView> {
  const loaded = await databaseOrOwnConfig(options, context);
  const { config } = loaded;
  const sql = databaseOf(loaded, options, 'which is empty at each start');
  const files = given.length > 0 ? given.map((file) => resolve(context.folder, file)) : filesOf(loaded);
  if (files.length === 0) throw usageError('expected a schedule file, or a configuration that names one.');
  const schedules = await readSchedules(files, loaded);
  const { planFiles } = await import('../../scheduler/database-tools');
  const onWarning = (warning: string) => warn(context.output, printable(warning), options.json);
  const { misfireThreshold } = config.jobStore;
  return planViewOf(await planFiles({ ...config, sql }, schedules, { misfireThreshold, onWarning }));
}

function filesOf({ config }: LoadedConfig): readonly string[] {
  const plugins = config.plugins.filter(({ kind }) => kind === 'scheduleFile');
  return plugins.flatMap(({ settings }) => settings.fileNames as readonly string[]);
}

type Change = PlanView['changes'][number];

/** Reads schedule files. For an invalid file, rejects with the same `Problem` as the operation `schedule.plan`. */
async function readSchedules(files: readonly string[], { config }: LoadedConfig) {
  const { readDocument } = await import('../../config/read-document');
  const { readSchedule } = await import('../../definitions/parse-schedule-file');
  const { timeZone, timeZoneDefaulted } = config;
  const now = new SystemClock().now();
  try {
    const documents = await Promise.all(files.map((file) => readDocument(file)));
    return documents.map((document) => readSchedule(document, { timeZone, timeZoneDefaulted, now }));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Problem('CONFIGURATION', error.message, { fields: fieldsOfProblems(error.problems), cause: error });
  }
}

const nameOf = ({ group, name }: Change) => (group === null ? name : formatKey({ group, name }));

function print(plan: PlanView, output: Output): void {
  const rows = plan.changes
    .filter(({ action }) => action !== 'unchanged')
    .map((change) => [change.action, change.what, nameOf(change), fieldsText(change)].map(printable));
  if (rows.length > 0) output.table(['action', 'what', 'name', 'fields'], rows);
  const counts = (['create', 'replace', 'unchanged', 'delete'] as const).map(
    (action) => `${plan.changes.filter((change) => change.action === action).length} ${WORDS[action]}`,
  );
  output.line(!plan.changed ? 'Nothing would change.' : `${counts.join(', ')}.`);
  printEnding(plan, output);
  printOverridden(plan, output);
  const left = plan.undeclared.map((key) => `'${printable(formatKey(key))}'`).join(', ');
  if (left !== '')
    output.note(
      `${output.noteStyle('yellow', 'note:')} no longer in the file, but kept: ${left}. Add prune: group or prune: all to delete them.`,
    );
}

/** Prints the triggers that would never fire again because of a changed calendar. */
function printEnding({ changes }: PlanView, output: Output): void {
  const note = output.noteStyle('yellow', 'warning:');
  for (const change of changes.filter(({ endedByCalendar }) => endedByCalendar !== undefined)) {
    const calendar = printable(change.endedByCalendar ?? '');
    output.note(
      `${note} trigger '${printable(nameOf(change))}' would never fire again: the calendar '${calendar}' excludes all its fire times. ` +
        'Applying is refused unless the calendar sets allowEnding: true.',
    );
  }
}

/** Prints notes about manual edits that override a declaration, and about objects that no set declares any more. */
function printOverridden({ changes, orphaned }: PlanView, output: Output): void {
  const note = output.noteStyle('yellow', 'note:');
  for (const change of changes.filter(({ overridden }) => overridden !== undefined)) {
    const { what, overridden = [], conflicts = [] } = change;
    const kept =
      overridden.length === 0
        ? 'was deleted manually and stays deleted'
        : `is overridden manually: ${overridden.join(', ')}`;
    const conflict = conflicts.length === 0 ? '' : ` (now declared differently: ${conflicts.join(', ')})`;
    output.note(
      `${note} ${what} '${printable(nameOf(change))}' ${kept}${conflict}. Use overrides drop to apply the declaration.`,
    );
  }
  if (orphaned.length === 0) return;
  const names = orphaned.map(
    ({ what, group, name }) => `${what} '${printable(group === '' ? name : formatKey({ group, name }))}'`,
  );
  output.note(`${note} no longer declared by any set: ${names.join(', ')}. If its set was renamed, add renamedFrom.`);
}

const WORDS = { create: 'to create', replace: 'to replace', unchanged: 'unchanged', delete: 'to delete' } as const;

function fieldsText({ action, fields, group, startsPaused }: Change): string {
  if (startsPaused) return `(starts paused: the group ${group} is paused)`;
  if (action !== 'replace') return '';
  if (fields.length === 0) return '(stored again)';
  return fields.map((each) => (isData(each) ? each.field : `${each.field}: ${change(each)}`)).join('; ');
}

type Field = Change['fields'][number];

/** True if the field is a key of job data. The values of such fields are not printed, because they may be secrets. */
const isData = ({ field }: Field) => field.startsWith('data.');

const change = ({ before, after }: Field) => `${valueText(before)} → ${valueText(after)}`;

/** Maximum length of a value in the table, in characters. `--json` prints the whole value. */
const MAX_VALUE = 60;

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
