import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { problemOfUrl, readDatabaseUrl } from '../../../base/database-url';
import { SchedulerError } from '../../../base/errors';
import type { UrlProblem } from '../../../base/url-error';
import { invalidArgument } from '../../../domain/check-text';
import type { DatabaseFact, DatabaseFault } from '../../database-examiner';
import type {
  Caller,
  DatabaseOptions,
  DatabaseTarget,
  DataSourceSettings,
  Settings,
  SqlEngine,
} from '../engine/engine';
import type { ConnectionReading } from '../runtime/sql-driver';
import type { Statements } from '../runtime/statements';
import type { SchemaConnection } from '../schema/schema-connection';
import { SqliteDriver, SqliteSchemaConnection, sqliteDialect } from './sqlite-driver';
import type { SqliteDatabase } from './sqlite-module';
import { type SqliteOptions, SqliteSession } from './sqlite-session';

export const SQLITE: SqlEngine = {
  async openSchema(options, purpose) {
    const file = pathOf(options.dataSource);
    const path = purpose === 'readOnly' && !existsSync(file) ? ':memory:' : file;
    return SqliteSchemaConnection.open({ ...options, path }, options.tablePrefix);
  },
  targetOf,
  examination: {
    types: { families: [['INTEGER', 'BIGINT']], synonyms: { INT: 'INTEGER' } },
    serverFaults: () => [],
    serverFacts: () => [],
    connectionFaults: fileFaults,
    connectionFacts: fileFacts,
    isolationOf: () => null,
  },
};

function targetOf(_connection: SchemaConnection, options: DatabaseOptions, statements: Statements): DatabaseTarget {
  const { clock, random, dataSource } = options;
  const file: SqliteOptions = { path: pathOf(dataSource), clock, random };
  return {
    statements,
    openDriver: () => new SqliteDriver(file, statements),
    callerOf: (given) => callerOf(given, file),
    openForJobs: () => SqliteSession.openExisting(file, 'write'),
    maxJobConnections: 1,
    hasOneWriter: true,
    losesCommits: sqliteDialect.losesCommits,
  };
}

function callerOf(given: unknown, file: SqliteOptions): Caller {
  const { prepare, exec } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof prepare !== 'function' || typeof exec !== 'function') {
    throw invalidArgument('a DatabaseSync of node:sqlite with an open transaction', given);
  }
  return { connection: given as object, open: async () => SqliteSession.ofCaller(given as SqliteDatabase, file) };
}

/** Returns the file of a `sqlite:` URL. Throws `CONFIGURATION` for an invalid URL, or if the file's folder does not exist. */
function pathOf({ name, url }: DataSourceSettings): string {
  const found = problemOfUrl(url) ?? missingFolderOf(url);
  if (found === null) return fileOfUrl(url);
  throw new SchedulerError(
    'CONFIGURATION',
    `dataSource.${name}.URL: expected ${found.expected}, found ${found.found}.`,
  );
}

function fileOfUrl(url: string): string {
  const read = readDatabaseUrl(url);
  return read.kind === 'sqlite' ? read.file : '';
}

/** Returns the problem of a `sqlite:` URL whose folder does not exist, which SQLite would not create; otherwise null. */
function missingFolderOf(url: string): UrlProblem | null {
  const folder = dirname(fileOfUrl(url));
  return existsSync(folder)
    ? null
    : { expected: 'a file in an existing folder', found: `the missing folder ${folder}` };
}

/** Size above which the write-ahead log, normally about 4 MB, is reported: a program reads without a break, or a transaction wrote very much. */
const LARGE_LOG_BYTES = 64 * 1024 * 1024;

/** Value of `PRAGMA synchronous` for FULL; EXTRA is 3. */
const FULL = 2;

function fileFaults(readings: readonly ConnectionReading[]): readonly DatabaseFault[] {
  const settings = writerOf(readings);
  if (settings === null) return [];
  const unsafe = [
    settings.get('journal_mode') !== 'wal' && `journal_mode = ${settings.get('journal_mode')}`,
    Number(settings.get('synchronous')) < FULL && `synchronous = ${settings.get('synchronous')}`,
  ].filter((each) => each !== false);
  const logBytes = Number(settings.get('log_bytes') ?? 0);
  return [
    ...faultIf(unsafe.length > 0, {
      id: 'durability',
      severity: 'warning',
      expected: 'journal_mode = wal, synchronous = 2 (FULL)',
      found: `${unsafe.join(', ')}: readers and the writer may block each other, or a power failure may lose the last commits.`,
      advice:
        'Put the file on a local disk (a network file system has no shared memory), and check that no other program changes these settings.',
    }),
    ...faultIf(settings.get('foreign_keys') !== '1', {
      id: 'sessionSettings',
      severity: 'warning',
      expected: 'foreign_keys = 1',
      found: `foreign_keys = ${settings.get('foreign_keys')}: orphaned rows may remain.`,
      advice: 'Use a build of SQLite that supports foreign keys.',
    }),
    ...faultIf(logBytes > LARGE_LOG_BYTES, {
      id: 'largeLog',
      severity: 'note',
      expected: `a write-ahead log (-wal) of at most ${megabytes(LARGE_LOG_BYTES)}`,
      found: `The log takes ${megabytes(logBytes)}: a program keeps a read transaction open, or a transaction wrote a lot of data.`,
      advice:
        'A repair writes the log to the database file. If it grows again, end the program that keeps a transaction open.',
    }),
  ];
}

function writerOf(readings: readonly ConnectionReading[]): Settings | null {
  return readings.find(({ role }) => role === 'scheduler')?.settings ?? null;
}

function faultIf(isSo: boolean, fault: DatabaseFault): readonly DatabaseFault[] {
  return isSo ? [fault] : [];
}

function fileFacts(readings: readonly ConnectionReading[]): readonly DatabaseFact[] {
  const settings = writerOf(readings);
  if (settings === null) return [];
  const value = (name: string) => settings.get(name) ?? 'unknown';
  const bytes = (name: string) => Number(value('page_size')) * Number(value(name));
  return [
    ...['version', 'journal_mode', 'synchronous', 'page_size'].map((name) => ({ name, value: value(name) })),
    { name: 'size', value: `${megabytes(bytes('page_count'))}, ${megabytes(bytes('freelist_count'))} free` },
    { name: 'log', value: megabytes(Number(value('log_bytes'))) },
  ].map((fact) => ({ section: 'server', ...fact }));
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
