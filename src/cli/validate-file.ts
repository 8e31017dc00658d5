import { existsSync } from 'node:fs';
import { SystemClock } from '../base/clock';
import { nearestName } from '../config/nearest-name';
import { ConfigurationError, type Problem, problemAt } from '../config/problem';
import { readDocument } from '../config/read-document';
import { quoted, type SourceDocument } from '../config/source-document';
import { systemTimeZone } from '../domain/time/system-time-zone';
import type { StoredSchedule } from '../scheduler/stored-schedule';
import type { CommandContext } from './command-context';

/** What was found in one file. Without problems it is valid. */
export interface FileVerdict {
  readonly file: string;
  readonly kind: 'configuration' | 'schedule' | 'unknown';
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Schedule files that a configuration names. */
  readonly scheduleFiles: readonly string[];
  /** The job store in a database that a configuration names. */
  readonly stored?: StoredSchedule;
}

/** Checks a configuration or schedule file; which of both it is, its keys tell, unless `as` does. */
export async function validateFile(
  file: string,
  { env, as }: { readonly env: CommandContext['env']; readonly as: 'schedule' | null },
): Promise<FileVerdict> {
  const verdict = {
    file,
    kind: as ?? ('unknown' as FileVerdict['kind']),
    problems: [],
    warnings: [],
    scheduleFiles: [] as readonly string[],
  };
  try {
    const document = await readDocument(file);
    const keys = await knownKeys();
    verdict.kind = as ?? kindOf(document, keys);
    switch (verdict.kind) {
      case 'configuration':
        verdict.scheduleFiles = await filesNamedIn(document);
        return { ...verdict, ...(await readConfiguration(document, env)) };
      case 'schedule':
        await readScheduleOf(document);
        return verdict;
      case 'unknown':
        return { ...verdict, problems: [unknownKind(document, keys)] };
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...verdict, problems: error.problems };
  }
}

async function readConfiguration(document: SourceDocument, env: CommandContext['env']) {
  const { resolveDocument } = await import('../config/resolve-config');
  const { config, warnings } = resolveDocument(document, env);
  const named = config.plugins.flatMap(({ kind, settings }) =>
    kind === 'scheduleFile'
      ? (settings.fileNames as readonly string[]).map((file) => ({
          file,
          isNeeded: settings.failOnFileNotFound !== false,
        }))
      : [],
  );
  const absent = named.filter(({ file, isNeeded }) => !isNeeded && !existsSync(file)).map(({ file }) => file);
  return {
    warnings: [...warnings, ...absent.map((file) => `the schedule file ${file} is not there`)],
    scheduleFiles: named.map(({ file }) => file).filter((file) => !absent.includes(file)),
    ...(config.jobStore.sql === undefined ? {} : { stored: { ...config, sql: config.jobStore.sql } }),
  };
}

/** For a configuration with problems: those of its schedule files are told beside them. */
async function filesNamedIn(document: SourceDocument): Promise<readonly string[]> {
  const { namedScheduleFiles } = await import('../config/resolve-plugins');
  return namedScheduleFiles(document).filter((file) => existsSync(file));
}

async function readScheduleOf(document: SourceDocument): Promise<void> {
  const { readSchedule } = await import('../plugins/schedule-file/parse-schedule-file');
  readSchedule(document, { timeZone: systemTimeZone(), now: new SystemClock().now() });
}

interface KnownKeys {
  readonly configuration: readonly string[];
  readonly schedule: readonly string[];
}

async function knownKeys(): Promise<KnownKeys> {
  const { configSchema } = await import('../config/config-schema');
  const { scheduleFileSchema } = await import('../plugins/schedule-file/schedule-file-schema');
  return { configuration: Object.keys(configSchema.shape), schedule: Object.keys(scheduleFileSchema.shape) };
}

/** The one of which the file has more keys. */
function kindOf(document: SourceDocument, known: KnownKeys): FileVerdict['kind'] {
  const sections = keysOf(document).map((key) => key.split('.')[0] ?? '');
  const configuration = sections.filter((key) => key === 'org' || known.configuration.includes(key)).length;
  const schedule = sections.filter((key) => known.schedule.includes(key)).length;
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
