import { SqlError, type SqlErrorKind, shortMessage } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';

/** Primary result codes, the low byte of the extended ones (sqlite.org/rescode.html). */
const KINDS: Readonly<Record<number, SqlErrorKind>> = {
  1: 'schema', // no such table or column; a statement that does not parse
  3: 'schema', // permission denied
  5: 'busy',
  6: 'busy',
  8: 'readOnly',
  9: 'interrupted',
  10: 'connectionLost', // I/O error: nothing on this connection can be trusted
  11: 'connectionLost', // the file is damaged
  13: 'full',
  18: 'refused', // too big
  19: 'refused', // a constraint, or RAISE in a trigger
  20: 'refused', // a value of the wrong type
  14: 'connectionLost', // cannot open the file
  26: 'connectionLost', // not a database
};

/** Extended codes for a row that is there already: unique, primary key, rowid. */
const DUPLICATE = new Set([2067, 1555, 2579]);

const FOREIGN_KEY = 787;

/** A value that cannot be handed to SQLite. */
const UNBINDABLE = /^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/;

/** The kind of an error of SQLite, by its extended result code. */
export function classifySqliteError(error: unknown): SqlErrorKind {
  const { errcode: code, code: name } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof code !== 'number') return typeof name === 'string' && UNBINDABLE.test(name) ? 'refused' : 'other';
  if (code === FOREIGN_KEY) return 'foreignKey';
  return DUPLICATE.has(code) ? 'duplicateKey' : (KINDS[code & 0xff] ?? 'other');
}

/** The error as the store knows it. */
export function toSqliteSqlError(error: unknown, statement: StatementName | null): SqlError {
  if (error instanceof SqlError) return error;
  const { errcode, message } = (error ?? {}) as { readonly errcode?: unknown; readonly message?: unknown };
  return new SqlError({
    kind: classifySqliteError(error),
    databaseCode: errcode === undefined ? 'no code' : `SQLite ${errcode}`,
    statement,
    message: shortMessage(message),
  });
}
