import { resolve } from 'node:path';
import { SqlError, type SqlErrorKind, shortMessage, UNSENDABLE } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';

/** Kinds of errors by primary result code of SQLite, which is the low byte of the extended code (sqlite.org/rescode.html). */
const SQLITE_KINDS: Readonly<Record<number, SqlErrorKind>> = {
  1: 'schema', // no such table or column, or a statement that cannot be parsed
  3: 'schema', // permission denied
  5: 'busy',
  6: 'busy',
  8: 'readOnly',
  9: 'interrupted',
  10: 'connectionLost', // I/O error: data on this connection cannot be trusted
  11: 'connectionLost', // the file is damaged
  13: 'full',
  18: 'refused', // too big
  19: 'refused', // a constraint, or RAISE in a trigger
  20: 'refused', // a value of the wrong type
  14: 'connectionLost', // the file cannot be opened
  26: 'connectionLost', // not a database
};

/** Extended codes of SQLite for a row that already exists: unique, primary key, rowid. */
const SQLITE_DUPLICATES = new Set([2067, 1555, 2579]);

const SQLITE_FOREIGN_KEY = 787;

export function classifySqliteError(error: unknown): SqlErrorKind {
  const { errcode: code, code: name } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof code !== 'number') return typeof name === 'string' && UNSENDABLE.test(name) ? 'refused' : 'other';
  if (code === SQLITE_FOREIGN_KEY) return 'foreignKey';
  return SQLITE_DUPLICATES.has(code) ? 'duplicateKey' : (SQLITE_KINDS[code & 0xff] ?? 'other');
}

/** Kinds of errors about a statement or its values. The message of all other kinds names the file. */
const OF_STATEMENTS: ReadonlySet<SqlErrorKind> = new Set(['refused', 'duplicateKey', 'foreignKey', 'interrupted']);

/** Converts an error of the driver for the file at `path`. */
export function toSqliteSqlError(error: unknown, statement: StatementName | null, path: string): SqlError {
  if (error instanceof SqlError) return error;
  const { errcode, message } = (error ?? {}) as { readonly errcode?: unknown; readonly message?: unknown };
  const kind = classifySqliteError(error);
  const databaseCode = errcode === undefined ? 'no code' : `SQLite ${errcode}`;
  return new SqlError({
    ...{ kind, databaseCode, statement },
    message: OF_STATEMENTS.has(kind) ? shortMessage(message) : `${shortMessage(message)}, file ${resolve(path)}`,
    advice: errcode === undefined ? null : (ADVICE[kind] ?? null),
  });
}

const ADVICE: Partial<Record<SqlErrorKind, string>> = {
  connectionLost: 'Check that the path names a database file of SQLite which this process can read and write.',
  schema: 'Check the tables with `quartz migrate --print` and the permissions of the database file.',
  full: 'Free space on the disk of the database file.',
  readOnly: 'Give this process write permission for the database file and its folder.',
};
