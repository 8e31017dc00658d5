import { SqlError, type SqlErrorKind, shortMessage, UNSENDABLE } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';

/** Error numbers of MySQL and MariaDB by kind. Sources: manuals of MySQL 8.4 and MariaDB 10.11. */
const MYSQL_KINDS: Readonly<Record<Exclude<SqlErrorKind, 'other' | 'busy'>, readonly number[]>> = {
  // 1020: with innodb_snapshot_isolation, a row has changed since the snapshot. 3101: group replication rejected the commit.
  deadlock: [1213, 1020, 3101],
  lockTimeout: [1205, 3572],
  duplicateKey: [1062, 1586],
  foreignKey: [1451, 1452],
  // 1927, 3169: connection killed. 4031: closed for inactivity. 1053: server shutdown. 3032: server in offline mode. 3168: server not
  // available. SQLSTATE class 08 covers the rest (network errors, refused handshakes).
  connectionLost: [1927, 3169, 4031, 1053, 3032, 3168, 2006, 2013],
  // 1047: Galera node not ready. 3100: a hook of group replication rejected the statement.
  readOnly: [1290, 1836, 1792, 3100, 1047],
  full: [1114, 1021, 1026, 28],
  // 1135: the server cannot create a thread. 1461: too many prepared statements.
  connectionLimit: [1040, 1203, 1226, 1135, 1461],
  interrupted: [1317, 1969, 3024, 1028],
  schema: [1146, 1054, 1142, 1143, 1044, 1045, 1049, 1176, 1227, 1698, 1305, 1364],
  // Errors without their own SQLSTATE class: invalid values, check constraints (both servers), SIGNAL, generated columns, oversized rows and packets.
  refused: [1048, 1118, 1153, 1264, 1265, 1292, 1366, 1367, 1406, 1411, 1441, 1644, 1690, 3140, 3819, 4025],
};

const MYSQL_KIND_OF = new Map(
  Object.entries(MYSQL_KINDS).flatMap(([kind, numbers]) =>
    numbers.map((number) => [number, kind as SqlErrorKind] as const),
  ),
);

/** Error number of a COMMIT that failed. Its message contains the cause as the number of the storage engine. */
const FAILED_COMMIT = 1180;

/** Cause with which Galera rolls back a transaction that conflicts with one of another server. */
const LOCK_DEADLOCK = /\b149\b/;

const MISSING_SAVEPOINT = /\b1305$/;

/** Driver and network codes for a connection that was lost or could not be established. */
const LOST =
  /^(PROTOCOL_.*|ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|ER_CLIENT_INTERACTION_TIMEOUT)$/;

/** Matches the code for a session that the server closed before it read the COMMIT. */
const CLOSED_FOR_INACTIVITY = /^ER_CLIENT_INTERACTION_TIMEOUT\b/;

/** Matches codes of configuration errors, which a retry cannot fix. */
const MISCONFIGURED =
  /^(HANDSHAKE_.*|AUTH_.*|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|ERR_(TLS|SSL)_.*)$/;

const OF_CONNECTION = /^08/;

/** SQLSTATE classes of data exceptions, constraint violations, and errors signalled by database triggers. */
const REFUSED = /^(22|23|45)/;

interface MysqlFailure {
  readonly errno?: unknown;
  readonly code?: unknown;
  readonly sqlState?: unknown;
  readonly fatal?: unknown;
  readonly message?: unknown;
}

/** Returns the kind of a mysql2 error. The server's error number takes precedence, because the driver's own codes are ambiguous. */
export function classifyMysqlError(error: unknown): SqlErrorKind {
  const { errno, code, sqlState, fatal, message } = (error ?? {}) as MysqlFailure;
  if (errno === FAILED_COMMIT) return LOCK_DEADLOCK.test(String(message)) ? 'deadlock' : 'other';
  const known = typeof errno === 'number' ? MYSQL_KIND_OF.get(errno) : undefined;
  if (known !== undefined) return known;
  if (typeof sqlState === 'string' && REFUSED.test(sqlState)) return 'refused';
  if (typeof sqlState === 'string' && OF_CONNECTION.test(sqlState)) return 'connectionLost';
  if (typeof code === 'string' && UNSENDABLE.test(code)) return 'refused';
  if (typeof code === 'string' && MISCONFIGURED.test(code)) return 'schema';
  if (typeof code === 'string' && LOST.test(code)) return 'connectionLost';
  // After an idle kill, mysql2 rejects with an error without a code.
  return fatal === true || (typeof message === 'string' && message.includes('closed state'))
    ? 'connectionLost'
    : 'other';
}

export function toMysqlSqlError(error: unknown, statement: StatementName | null): SqlError {
  if (error instanceof SqlError) return error;
  const { errno, code, message } = (error ?? {}) as MysqlFailure;
  const kind = classifyMysqlError(error);
  const databaseCode = [code, errno].filter((part) => part !== undefined).join(' ') || 'no code';
  return new SqlError({
    ...{ kind, databaseCode, statement, message: shortMessage(message) },
    advice: ADVICE.find(([of, codes]) => of === kind && codes.test(databaseCode))?.[2] ?? null,
    isRolledBack: kind === 'deadlock' || CLOSED_FOR_INACTIVITY.test(databaseCode),
  });
}

/** True if a savepoint is missing, because its transaction has ended. */
export function isMissingSavepoint(error: unknown): boolean {
  return error instanceof SqlError && MISSING_SAVEPOINT.test(error.databaseCode);
}

/** Codes of the errors with which `requireRows` and `requireRowsOfStep` end a script. */
const UNEXPECTED_ROWS: ReadonlySet<string> = new Set(['ER_SIGNAL_EXCEPTION 1644', 'ER_SUBQUERY_NO_1_ROW 1242']);

/** True if a script ended because a step found or changed another number of rows, or because the server had undone the transaction. */
export function isRefusedScript(error: unknown): boolean {
  return error instanceof SqlError && (UNEXPECTED_ROWS.has(error.databaseCode) || isMissingSavepoint(error));
}

/** Throws a deadlock instead of the error that a savepoint is missing: the server has undone the transaction without an error. */
export function throwUndone(error: unknown): never {
  if (!isMissingSavepoint(error)) throw error;
  const message = 'the server has undone the transaction without an error';
  throw new SqlError({ kind: 'deadlock', databaseCode: 'UNDONE', statement: null, message });
}

/** Advice for operators, by kind and code of an error. The first match applies. */
const ADVICE: readonly (readonly [kind: SqlErrorKind, code: RegExp, advice: string])[] = [
  ['schema', /HANDSHAKE_NO_SSL/, 'Enable TLS on the server, or set sslMode=DISABLED in the URL.'],
  [
    'schema',
    /HANDSHAKE_SSL|CERT|SELF_SIGNED|UNABLE_TO|ERR_(TLS|SSL)/,
    'Set sslCa in the URL to the CA certificate of the server, or choose another sslMode.',
  ],
  ['schema', /\b(1045|1698)$|^AUTH_/, 'Check the user and the password.'],
  ['schema', /\b1049$/, 'Create the database, or correct its name in the URL.'],
  ['schema', /./, 'Check the tables with `quartz migrate --print` and the privileges of the database user.'],
  ['full', /./, 'Free disk space on the database server.'],
  ['connectionLimit', /\b1461$/, "Raise the server's max_prepared_stmt_count."],
  ['connectionLimit', /./, "Raise the server's max_connections, or reduce the connections of its clients."],
  [
    'readOnly',
    /\b1290$/,
    'Connect to a server that accepts writes. If the message names an option other than read-only, such as --skip-grant-tables or --secure-file-priv, that option of the server refuses the statement.',
  ],
  ['readOnly', /./, 'Connect to a server that accepts writes.'],
];
