import { SqlError, type SqlErrorKind } from './sql-driver';
import type { StatementName } from './statement-names';

/* The errors of the drivers, as the store knows them. */

/** Error numbers of MySQL and MariaDB by what they mean. Sources: the manuals of MySQL 8.4 and MariaDB 10.11. */
const MYSQL_KINDS: Readonly<Record<Exclude<SqlErrorKind, 'other' | 'busy'>, readonly number[]>> = {
  // 1020: innodb_snapshot_isolation found a row changed since the snapshot. 3101: group replication refused the commit.
  deadlock: [1213, 1020, 3101],
  lockTimeout: [1205, 3572],
  duplicateKey: [1062, 1586],
  foreignKey: [1451, 1452],
  // 1927, 3169: killed. 4031: closed for inactivity. 1053: the server is shutting down. 3032: it is in offline mode. 3168: it is not
  // available. SQLSTATE class 08 covers the rest (network errors, refused handshakes).
  connectionLost: [1927, 3169, 4031, 1053, 3032, 3168, 2006, 2013],
  // 1047: Galera is not ready. 3100: a hook of group replication refused.
  readOnly: [1290, 1836, 1792, 3100, 1047],
  full: [1114, 1021, 1026, 28],
  // 1135: no thread. 1461: no more prepared statements.
  connectionLimit: [1040, 1203, 1226, 1135, 1461],
  interrupted: [1317, 1969, 3024, 1028],
  schema: [1146, 1054, 1142, 1143, 1044, 1045, 1049, 1176, 1227, 1698, 1305, 1364],
  // What has no class of its own in SQLSTATE: values, checks (MySQL, MariaDB), SIGNAL, generated columns, rows and packets too large.
  refused: [1048, 1118, 1153, 1264, 1265, 1292, 1366, 1367, 1406, 1411, 1441, 1644, 1690, 3140, 3819, 4025],
};

const MYSQL_KIND_OF = new Map(
  Object.entries(MYSQL_KINDS).flatMap(([kind, numbers]) =>
    numbers.map((number) => [number, kind as SqlErrorKind] as const),
  ),
);

/** Codes of the driver and of the network: the connection is gone, or was never made. */
const LOST =
  /^(PROTOCOL_.*|ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|ER_CLIENT_INTERACTION_TIMEOUT)$/;

const CLOSED_FOR_INACTIVITY = /^ER_CLIENT_INTERACTION_TIMEOUT\b/;

/** Settings that no other attempt mends. */
const MISCONFIGURED =
  /^(HANDSHAKE_.*|AUTH_.*|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|ERR_(TLS|SSL)_.*)$/;

/** SQLSTATE class of errors that concern the connection. */
const OF_CONNECTION = /^08/;

/** SQLSTATE classes: data exceptions, violated constraints, and what a database trigger signals by itself. */
const REFUSED = /^(22|23|45)/;

/** A value that the driver itself cannot send: mysql2's code, and that of SQLite. */
const UNSENDABLE = /^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/;

/** What a thrown value of mysql2 may carry. */
interface MysqlFailure {
  readonly errno?: unknown;
  readonly code?: unknown;
  readonly sqlState?: unknown;
  readonly fatal?: unknown;
  readonly message?: unknown;
}

/** The kind of an error of mysql2, by the server's number first, because the driver's own codes overlap. */
export function classifyMysqlError(error: unknown): SqlErrorKind {
  const { errno, code, sqlState, fatal, message } = (error ?? {}) as MysqlFailure;
  const known = typeof errno === 'number' ? MYSQL_KIND_OF.get(errno) : undefined;
  if (known !== undefined) return known;
  if (typeof sqlState === 'string' && REFUSED.test(sqlState)) return 'refused';
  if (typeof sqlState === 'string' && OF_CONNECTION.test(sqlState)) return 'connectionLost';
  if (typeof code === 'string' && UNSENDABLE.test(code)) return 'refused';
  if (typeof code === 'string' && MISCONFIGURED.test(code)) return 'schema';
  if (typeof code === 'string' && LOST.test(code)) return 'connectionLost';
  // After an idle kill mysql2 rejects with an error that has no code at all.
  return fatal === true || (typeof message === 'string' && message.includes('closed state'))
    ? 'connectionLost'
    : 'other';
}

/**
 * True if a COMMIT that failed this way has certainly stored nothing: it lost a conflict (Galera's certification), or the server had
 * closed the session for inactivity before it read the COMMIT.
 */
export function isRolledBack(error: unknown): boolean {
  return error instanceof SqlError && (error.kind === 'deadlock' || CLOSED_FOR_INACTIVITY.test(error.databaseCode));
}

export function toMysqlSqlError(error: unknown, statement: StatementName | null): SqlError {
  if (error instanceof SqlError) return error;
  const { errno, code, message } = (error ?? {}) as MysqlFailure;
  return new SqlError({
    kind: classifyMysqlError(error),
    databaseCode: [code, errno].filter((part) => part !== undefined).join(' ') || 'no code',
    statement,
    message: shortMessage(message),
  });
}

/** Primary result codes of SQLite, the low byte of the extended ones (sqlite.org/rescode.html). */
const SQLITE_KINDS: Readonly<Record<number, SqlErrorKind>> = {
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

/** Extended codes of SQLite for a row that is there already: unique, primary key, rowid. */
const SQLITE_DUPLICATES = new Set([2067, 1555, 2579]);

const SQLITE_FOREIGN_KEY = 787;

/** The kind of an error of SQLite, by its extended result code. */
export function classifySqliteError(error: unknown): SqlErrorKind {
  const { errcode: code, code: name } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof code !== 'number') return typeof name === 'string' && UNSENDABLE.test(name) ? 'refused' : 'other';
  if (code === SQLITE_FOREIGN_KEY) return 'foreignKey';
  return SQLITE_DUPLICATES.has(code) ? 'duplicateKey' : (SQLITE_KINDS[code & 0xff] ?? 'other');
}

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

const MAX_MESSAGE_LENGTH = 300;

/** The message of an error that a driver threw, shortened: it may carry the whole statement with its values, never to be logged. */
function shortMessage(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : 'failed without a message';
}
