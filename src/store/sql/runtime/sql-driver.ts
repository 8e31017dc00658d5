import type { StoreActivity } from '../../store-activity';
import type { StatementName } from './statement-names';

/*
 * Ports between the operations of the store and a database. Operations use statements by name and rows as objects. Connections, locks,
 * isolation and error numbers stay below.
 */

/** Value of a column or parameter. Sets of rows are sent as one JSON text. */
export type SqlValue = string | number | null | Uint8Array;

/** Parameters of one statement by name. They must be exactly the parameters of its text. */
export type SqlParams = Readonly<Record<string, SqlValue>>;

/**
 * An open transaction. Its statements run one after the other, in the order in which they were given. A statement may be given before the
 * previous one has an answer, and runs even if that one fails. After a failed statement, the transaction cannot be committed, even if the
 * caller catches the error. After its end it rejects all statements.
 */
export interface SqlTransaction {
  /** Longest set of rows that one statement accepts, in bytes. */
  readonly longestSet: number;
  /** True if a statement has changed any rows so far. */
  readonly hasWritten: boolean;
  /** Returns the rows as objects keyed by column: BIGINT as number, BLOB as Uint8Array, NULL as null. */
  all<Row>(statement: StatementName, params: SqlParams): Promise<Row[]>;
  /** Runs a statement. `changes`: rows inserted or deleted; for an update, the rows that its WHERE clause matched, changed or not. */
  run(statement: StatementName, params: SqlParams): Promise<{ readonly changes: number }>;
}

/**
 * Purpose of a connection. Each role has its own connection, which runs its transactions in order. A completion therefore never waits for
 * an acquisition, and a check-in for neither. `read` is for reading only: several connections, one snapshot per transaction.
 */
export type ConnectionRole = 'scheduler' | 'completions' | 'checkIn' | 'read';

/** Options of a transaction. */
export interface TransactionOptions {
  /**
   * True if the work may compute between two statements for longer than a node with locks may otherwise be silent. A node that stops then
   * is disconnected after a minute. Default false.
   */
  readonly pausesLong?: boolean;
}

/** Current state of a driver's connection. */
export interface ConnectionReading {
  readonly role: ConnectionRole;
  /** Number of callers that use it or wait for it. */
  readonly load: number;
  /** Its settings by lower-case name; null if it is not connected, or too busy to be queried. */
  readonly settings: ReadonlyMap<string, string> | null;
}

/** A database that runs named statements. */
export interface SqlDriver {
  readonly dialect: SqlDialect;
  /**
   * Commits when `work` resolves. Rolls back when it rejects, and rejects with its error. Rejects with `SqlError` if the database failed
   * before the commit was sent (nothing was stored), and with `UnknownCommitError` if it failed afterwards. Retries nothing; `Transactions`
   * does.
   */
  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /** Runs one statement that only reads, in no transaction: it sees the newest committed rows. */
  select<Row>(statement: StatementName, params: SqlParams): Promise<Row[]>;
  /**
   * Drops connections that have been silent for long. Call it when the database is known to have been unavailable. Their pending calls
   * reject, and are retried on new connections. Absent if connections cannot be lost.
   */
  dropSilent?(): void;
  /** Returns the activity of the connections. `lockWaits` is absent if the lock is a statement, whose caller measures the wait. */
  readActivity(): Pick<StoreActivity, 'connections'> & Partial<StoreActivity>;
  /** Reads the settings of each connection after its current work, waiting at most `timeoutMs`. */
  readConnections?(timeoutMs: number): Promise<readonly ConnectionReading[]>;
  /** Writes the log of an embedded database into its file, and empties the log. Absent if there is no log. False: another connection reads it. */
  truncateLog?(): Promise<boolean>;
  /** Waits for running work, then closes every connection. */
  close(): Promise<void>;
  /** Drops every connection at once, with its running work. */
  cut?(): void;
}

/** Properties of the database that code above the driver may use. */
export interface SqlDialect {
  /** Name shown to operators. */
  readonly name: string;
  /** True if a failed commit may be stored anyway, because only its answer was lost. Otherwise a failed commit stored nothing. */
  readonly losesCommits: boolean;
}

/**
 * Consequence of a failure for its transaction.
 * - `deadlock`: the whole transaction has been rolled back
 * - `lockTimeout`: a lock was not granted in time; the transaction is still open
 * - `busy`: the transaction could not begin, because another process holds the embedded database
 * - `duplicateKey`: a row with that key exists
 * - `foreignKey`: since the rows were read, another transaction deleted a row that is needed, or added one that needs a row to be deleted
 * - `connectionLost`: the connection is lost, with everything that was not committed
 * - `readOnly`: the server accepts no writes now (failing over, or not ready)
 * - `full`: no space left on disk or in the table
 * - `connectionLimit`: no more connections, threads or prepared statements are granted
 * - `interrupted`: killed, or over the time limit
 * - `schema`: a table, column, index or privilege is missing, or the password is wrong
 * - `refused`: the database rejects a value or row: too long, out of range, or against a constraint or a database trigger
 * - `other`: anything else; its cause is unknown, so no row is to blame
 */
export type SqlErrorKind =
  | 'deadlock'
  | 'lockTimeout'
  | 'busy'
  | 'duplicateKey'
  | 'foreignKey'
  | 'connectionLost'
  | 'readOnly'
  | 'full'
  | 'connectionLimit'
  | 'interrupted'
  | 'schema'
  | 'refused'
  | 'other';

/** Isolation level of connections that write. */
export type IsolationLevel = 'READ COMMITTED' | 'REPEATABLE READ';

/** The `databaseCode` of calls that are rejected because this process has closed its connections. */
export const CLOSED = 'CLOSED';

/** An error of the database in a common form. It names the statement, and never contains its text or values. */
export class SqlError extends Error {
  readonly kind: SqlErrorKind;
  /** The database's own number or code, for operators. */
  readonly databaseCode: string;
  /** Null if no statement failed, but connecting, committing or rolling back. */
  readonly statement: StatementName | null;
  /** Advice for operators; null if there is none. */
  readonly advice: string | null;
  /** True if a COMMIT that failed with this error certainly stored nothing. */
  readonly isRolledBack: boolean;

  constructor(facts: {
    readonly kind: SqlErrorKind;
    readonly databaseCode: string;
    readonly statement: StatementName | null;
    readonly message: string;
    readonly advice?: string | null;
    /** Default: true for a deadlock, which rolls back the whole transaction. */
    readonly isRolledBack?: boolean;
  }) {
    super(`${facts.statement ?? 'The database'}: ${facts.message} (${facts.databaseCode})`);
    this.name = 'SqlError';
    this.kind = facts.kind;
    this.databaseCode = facts.databaseCode;
    this.statement = facts.statement;
    this.advice = facts.advice ?? null;
    this.isRolledBack = facts.isRolledBack ?? facts.kind === 'deadlock';
  }
}

/** The connection failed after COMMIT was sent, so the transaction may be stored or not. */
export class UnknownCommitError extends Error {
  constructor(cause: unknown) {
    super('The connection failed during the commit. It is unknown whether the transaction was stored.', { cause });
    this.name = 'UnknownCommitError';
  }
}

/** Codes for a value that the driver cannot send, of mysql2 and of SQLite. */
export const UNSENDABLE = /^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/;

const MAX_MESSAGE_LENGTH = 300;

/** Returns the message of a driver's error, shortened. It may contain the whole statement with its values, which must never be logged. */
export function shortMessage(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : 'failed without a message';
}
