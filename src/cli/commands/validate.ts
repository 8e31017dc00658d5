import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { SystemClock } from '../../base/clock';
import { nearestName } from '../../base/nearest-name';
import { printable } from '../../base/printable';
import { ConfigurationError, formatProblem, type Problem, problemAt } from '../../config/problem';
import { readDocument } from '../../config/read-document';
import type { PluginConfig } from '../../config/scheduler-config';
import { quoted, type SourceDocument } from '../../config/source-document';
import { formatKey } from '../../domain/keys';
import type { UnreadableRow } from '../../domain/scheduler-event';
import { systemTimeZone } from '../../domain/time/system-time-zone';
import type { StoredSchedule } from '../../scheduler/database-tools';
import { type CommandContext, example } from '../command';
import { EXIT_CODES } from '../exit-codes';
import type { Output } from '../output';

export function validateCommand({ output, env }: CommandContext, setExitCode: (code: number) => void): Command {
  return new Command('validate')
    .description('Checks configuration and schedule files, and the schedule files of each configuration.')
    .argument('<files...>', 'YAML or .properties files')
    .option(
      '--stored',
      'also read everything stored in the databases of the configurations (needs no running scheduler)',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', example('validate quartz.yaml'))
    .action(async (files: readonly string[], options: { readonly stored?: boolean; readonly json?: boolean }) => {
      const found = await validateAll(files, env);
      const verdicts = options.stored ? await withStored(found, output) : found;
      if (options.json) output.json({ valid: verdicts.every(isValid), files: verdicts.map(toJson) });
      else for (const verdict of verdicts) print(verdict, output);
      if (!verdicts.every(isValid)) setExitCode(EXIT_CODES.CONFIGURATION.code);
    });
}

/** Result for one file. The file is valid if there are no problems and no unreadable rows. */
interface Verdict {
  readonly file: string;
  readonly kind: 'configuration' | 'schedule' | 'unknown';
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly scheduleFiles: readonly string[];
  /** Database of the configuration's job store. Absent: the job store is not in a database. */
  readonly stored?: StoredSchedule;
  /** Rows of the stored schedule that this version cannot read. Absent: the database was not checked. */
  readonly unreadable?: readonly UnreadableRow[];
}

/** Validates the given files, and then the schedule files named in them. Validates each file once. */
async function validateAll(files: readonly string[], env: CommandContext['env']): Promise<readonly Verdict[]> {
  const verdicts = new Map<string, Verdict>();
  for (const file of new Set(files)) verdicts.set(file, await validateFile(file, { env, as: null }));
  for (const file of new Set([...verdicts.values()].flatMap(({ scheduleFiles }) => scheduleFiles)))
    verdicts.set(file, await validateFile(file, { env, as: 'schedule' }));
  return [...verdicts.values()];
}

async function withStored(verdicts: readonly Verdict[], output: Output): Promise<readonly Verdict[]> {
  const { examineStored } = await import('../../scheduler/database-tools');
  const withRows: Verdict[] = [];
  for (const verdict of verdicts) {
    const { stored, problems } = verdict;
    const isReached = stored !== undefined && problems.length === 0;
    const unreadable = isReached
      ? await examineStored(stored, (warning) => output.note(printable(warning)))
      : undefined;
    withRows.push(unreadable === undefined ? verdict : { ...verdict, unreadable });
  }
  return withRows;
}

function isValid({ problems, unreadable = [] }: Verdict): boolean {
  return problems.length + unreadable.length === 0;
}

function print(verdict: Verdict, output: Output): void {
  const { file, kind, problems, warnings, unreadable = [] } = verdict;
  for (const warning of warnings) output.note(`${output.noteStyle('yellow', 'warning:')} ${file}: ${warning}`);
  if (isValid(verdict)) {
    output.line(`${output.style('green', 'valid:')} ${file} (${kind})`);
  } else {
    const total = problems.length + unreadable.length;
    output.line(`${output.style('red', 'invalid:')} ${file} (${total === 1 ? '1 problem' : `${total} problems`})`);
    for (const problem of problems) output.line(`  ${printable(formatProblem(problem))}`);
    for (const { what, group, name, cause } of unreadable) {
      const key = group === null ? name : formatKey({ group, name });
      output.line(`  ${printable(`this node cannot read the stored ${what} ${key}: ${cause}`)}`);
    }
  }
}

function toJson(verdict: Verdict) {
  const { file, kind, problems, warnings, unreadable } = verdict;
  return { file, kind, valid: isValid(verdict), problems, warnings, ...(unreadable && { unreadable }) };
}

/** Validates a configuration file or a schedule file. If `as` is null, the keys of the file determine its kind. */
async function validateFile(
  file: string,
  { env, as }: { readonly env: CommandContext['env']; readonly as: 'schedule' | null },
): Promise<Verdict> {
  const verdict = {
    file,
    kind: as ?? ('unknown' as Verdict['kind']),
    problems: [],
    warnings: [],
    scheduleFiles: [] as readonly string[],
  };
  try {
    const document = await readDocument(file);
    const keys = await knownKeys();
    verdict.kind = as ?? kindOf(document, keys);
    switch (verdict.kind) {
      case 'configuration': {
        const { namedScheduleFiles } = await import('../../config/plugin-section');
        // Also those of an invalid configuration, so that their problems are reported, too.
        verdict.scheduleFiles = namedScheduleFiles(document).filter((named) => existsSync(named));
        return { ...verdict, ...(await readConfiguration(document, env)) };
      }
      case 'schedule': {
        const { readSchedule } = await import('../../definitions/parse-schedule-file');
        readSchedule(document, { timeZone: systemTimeZone(), now: new SystemClock().now() });
        return verdict;
      }
      case 'unknown':
        return { ...verdict, problems: [(await foreignProblem(document, keys)) ?? unknownKind(document, keys)] };
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...verdict, problems: error.problems };
  }
}

async function readConfiguration(document: SourceDocument, env: CommandContext['env']) {
  const { resolveDocument } = await import('../../config/resolve-config');
  const { config, warnings } = resolveDocument(document, env);
  const plugins = config.plugins.filter(({ kind }) => kind === 'scheduleFile');
  const filesOf = ({ settings }: PluginConfig) => settings.fileNames as readonly string[];
  const absent = plugins
    .filter(({ settings }) => settings.failOnFileNotFound === false)
    .flatMap((plugin) => filesOf(plugin).filter((file) => !existsSync(file)));
  const webhooks = config.plugins.filter(({ kind }) => kind === 'webhookAlerts');
  const problems = await Promise.all(webhooks.map((plugin) => webhookProblem(document, plugin)));
  return {
    problems: problems.filter((problem) => problem !== null),
    warnings: [...warnings, ...absent.map((file) => `the schedule file ${file} does not exist`)],
    scheduleFiles: plugins.flatMap(filesOf).filter((file) => !absent.includes(file)),
    ...(config.jobStore.sql === undefined ? {} : { stored: { ...config, sql: config.jobStore.sql } }),
  };
}

/** Returns a problem if the settings of a webhook prevent it from sending alerts, otherwise null. */
async function webhookProblem(document: SourceDocument, { name, settings }: PluginConfig): Promise<Problem | null> {
  const { problemOfWebhook } = await import('../../plugins/webhook-alerts');
  const message = await problemOfWebhook({ ...settings, name } as Parameters<typeof problemOfWebhook>[0]);
  return message === null ? null : problemAt(document, { path: ['plugin', name, 'url'], message });
}

async function foreignProblem(document: SourceDocument, { configuration }: KnownKeys): Promise<Problem | null> {
  const { foreignFileProblem } = await import('../../config/properties-of-java');
  return foreignFileProblem(document, configuration);
}

type KnownKeys = Readonly<Record<'configuration' | 'schedule', readonly string[]>>;

async function knownKeys(): Promise<KnownKeys> {
  const { configSchema } = await import('../../config/config-schema');
  const { scheduleFileSchema } = await import('../../definitions/schedule-file-schema');
  return { configuration: Object.keys(configSchema.shape), schedule: Object.keys(scheduleFileSchema.shape) };
}

/** Returns the kind of file to which most keys belong. A tie counts as a configuration; without any known key, the kind is unknown. */
function kindOf(document: SourceDocument, known: KnownKeys): Verdict['kind'] {
  const sections = keysOf(document).map((key) => key.split('.')[0] ?? '');
  const configuration = sections.filter((key) => key === 'org' || known.configuration.includes(key)).length;
  const schedule = sections.filter((key) => known.schedule.includes(key)).length;
  if (keysOf(document).some((key) => key.startsWith('org.quartz.'))) return 'configuration';
  if (configuration + schedule === 0) return 'unknown';
  return schedule > configuration ? 'schedule' : 'configuration';
}

function keysOf({ data }: SourceDocument): readonly string[] {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : [];
}

function unknownKind(document: SourceDocument, { configuration, schedule }: KnownKeys): Problem {
  const keys = keysOf(document).slice(0, 5);
  const expected = `a configuration (${configuration.join(', ')}) or a schedule (${schedule.join(', ')})`;
  const suggestion = nearestName(keys[0] ?? '', [...configuration, ...schedule]);
  return problemAt(document, { path: [], expected, found: wordsFor(keys, document), suggestion });
}

function wordsFor(keys: readonly string[], { data }: SourceDocument): string {
  if (keys.length > 0) return `the ${keys.length === 1 ? 'key' : 'keys'} ${keys.map(quoted).join(', ')}`;
  return data === null ? 'an empty file' : 'no keys';
}
