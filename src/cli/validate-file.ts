import { SystemClock } from '../base/clock';
import { ConfigurationError, type Problem, problemAt } from '../config/problem';
import { readDocument } from '../config/read-document';
import { quoted, type SourceDocument } from '../config/source-document';
import { systemTimeZone } from '../domain/time/time-zone';
import type { CommandContext } from './command-context';

/** What was found in one file. Without problems it is valid. */
export interface FileVerdict {
  readonly file: string;
  readonly kind: 'configuration' | 'schedule' | 'unknown';
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Schedule files that a configuration names. */
  readonly scheduleFiles: readonly string[];
}

/** Checks a configuration or schedule file; which of both it is, its keys tell. */
export async function validateFile(file: string, env: CommandContext['env']): Promise<FileVerdict> {
  const verdict = { file, kind: 'unknown' as FileVerdict['kind'], problems: [], warnings: [], scheduleFiles: [] };
  try {
    const document = await readDocument(file);
    const keys = await knownKeys();
    verdict.kind = kindOf(document, keys);
    switch (verdict.kind) {
      case 'configuration':
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
  const scheduleFiles = config.plugins.flatMap(({ kind, settings }) =>
    kind === 'scheduleFile' ? (settings.fileNames as readonly string[]) : [],
  );
  return { warnings, scheduleFiles };
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
  const keys = keysOf(document).slice(0, 5).map(quoted);
  const expected = `a configuration (${configuration.join(', ')}) or a schedule (${schedule.join(', ')})`;
  const found = keys.length > 0 ? `the keys ${keys.join(', ')}` : document.data === null ? 'an empty file' : 'no keys';
  return problemAt(document, { path: [], expected, found });
}
