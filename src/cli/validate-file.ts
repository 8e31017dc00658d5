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

const CONFIGURATION_KEYS = ['org', 'scheduler', 'threadPool', 'jobStore', 'dataSource', 'context', 'plugin'];
const SCHEDULE_KEYS = ['jobs', 'triggers', 'calendars', 'commands', 'directives'];

/** Checks a configuration or schedule file; which of both it is, its keys tell. */
export async function validateFile(file: string, env: CommandContext['env']): Promise<FileVerdict> {
  const verdict = { file, kind: 'unknown' as FileVerdict['kind'], problems: [], warnings: [], scheduleFiles: [] };
  try {
    const document = await readDocument(file);
    verdict.kind = kindOf(document);
    switch (verdict.kind) {
      case 'configuration':
        return { ...verdict, ...(await readConfiguration(document, env)) };
      case 'schedule':
        await readScheduleOf(document);
        return verdict;
      case 'unknown':
        return { ...verdict, problems: [unknownKind(document)] };
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

function kindOf({ data }: SourceDocument): FileVerdict['kind'] {
  const keys = typeof data === 'object' && data !== null ? Object.keys(data).map((key) => key.split('.')[0] ?? '') : [];
  if (keys.some((key) => SCHEDULE_KEYS.includes(key))) return 'schedule';
  return keys.some((key) => CONFIGURATION_KEYS.includes(key)) ? 'configuration' : 'unknown';
}

function unknownKind(document: SourceDocument): Problem {
  const { data } = document;
  const keys =
    typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data).slice(0, 5).map(quoted) : [];
  const expected = `a configuration (${CONFIGURATION_KEYS.slice(1).join(', ')}) or a schedule (${SCHEDULE_KEYS.join(', ')})`;
  const found = keys.length > 0 ? `the keys ${keys.join(', ')}` : data === null ? 'an empty file' : 'no keys';
  return problemAt(document, { path: [], expected, found });
}
