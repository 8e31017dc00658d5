import type { StoreActivity } from '../../store-activity';
import type { StatementName } from './statement-names';

/*
 * The ports between the operations of the store and a database. Operations know statements by name and rows as objects;
 * connections, locks, isolation and error numbers stay below.
 */

/** What a column or a parameter may hold. Row sets travel as one JSON text. */
export type SqlValue = string | number | null | Uint8Array;

/** The parameters of one statement by name, exactly those its text has: one too few or too many is refused. */
export type SqlParams = Readonly<Record<string, SqlValue>>;

/**
 * An open transaction. Its statements run one after the other, in the order they were given; the next may be given before the
 * last has answered, and runs even if that one failed. A statement that failed dooms the transaction: whoever catches the error
 * cannot commit what came before. After its end it refuses everything.
 */
export interface SqlTransaction {
  /** The longest set of rows that one statement takes, in bytes. */
  readonly longestSet: number;
  /** Whether a statement has changed any rows so far. */
  readonly hasWritten: boolean;
  /** The rows as objects keyed by column; BIGINT as number, BLOB as Uint8Array, NULL as null. */
  all<Row>(statement: StatementName, params: SqlParams): Promise<Row[]>;
  /** `changes`: rows inserted or deleted; for an update the rows its WHERE clause matched, changed or not. */
  run(statement: StatementName, params: SqlParams): Promise<{ readonly changes: number }>;
}

/**
 * Which connection: each has its own and works through its transactions in order, so that a completion never waits for
 * an acquisition, and a check-in for neither. `read` is for reading only: several connections, one snapshot per transaction.
 */
export type ConnectionRole = 'scheduler' | 'completions' | 'checkIn' | 'read';

/** How a transaction is run. */
export interface TransactionOptions {
  /**
   * The work computes for longer between two statements than a node that holds locks may be silent for otherwise: such a node, if it
   * stops, is cut off after a minute. Default false.
   */
  readonly pausesLong?: boolean;
}

/** A connection of a driver, as it is at this moment. */
export interface ConnectionReading {
  readonly role: ConnectionRole;
  /** How many use it or wait for it. */
  readonly load: number;
  /** What holds on it, by lower-case name; null: it is not connected, or too busy to be asked. */
  readonly settings: ReadonlyMap<string, string> | null;
}

/** A database that runs named statements. */
export interface SqlDriver {
  readonly dialect: SqlDialect;
  /**
   * Commits when `work` resolves; rolls back and rejects with its error when it rejects. Rejects with `SqlError` when the
   * database failed before the commit was sent (nothing was stored), with `UnknownCommitError` when it failed after.
   * Does not repeat anything: that is `Transactions`.
   */
  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /** One statement that only reads, in no transaction: the newest committed rows. */
  select<Row>(statement: StatementName, params: SqlParams): Promise<Row[]>;
  /**
   * Drops connections that have not been heard of for long: to be called by who knows that the database was away. What they were
   * asked for rejects, and is tried again on new ones. Absent where there is no way on which they could be lost.
   */
  dropSilent?(): void;
  /** `lockWaits`: absent where the lock is a statement, and whoever runs that knows. */
  readActivity(): Pick<StoreActivity, 'connections'> & Partial<StoreActivity>;
  /** Its connections, each asked for its settings behind what it is doing, for `timeoutMs` at most. */
  readConnections?(timeoutMs: number): Promise<readonly ConnectionReading[]>;
  /** Writes the log of an embedded database into its file, and empties it; absent: there is none. False: somebody reads it. */
  truncateLog?(): Promise<boolean>;
  /** Waits for what is running, then closes every connection. */
  close(): Promise<void>;
  /** Drops every connection at once, with whatever goes on there. */
  cut?(): void;
}

/** What kind of database it is, as far as anyone above the driver may know. */
export interface SqlDialect {
  /** As shown to operators. */
  readonly name: string;
  /** A commit may be stored although it failed, because its answer was lost; otherwise one that failed was not. */
  readonly losesCommits: boolean;
}

/**
 * What a failure means for the transaction it happened in.
 * - `deadlock`: it is rolled back already, whole
 * - `lockTimeout`: a lock was not granted in time; it is still open
 * - `busy`: it could not begin, because another process holds the embedded database
 * - `duplicateKey`: a row with that key exists
 * - `foreignKey`: a row that another needs went away, or is needed by one that came: since it was read, or it would not be asked
 * - `connectionLost`: gone, with everything that was not committed
 * - `readOnly`: the server takes no writes now (failing over, or not ready)
 * - `full`: no room left on disk or in the table
 * - `connectionLimit`: no more connections, threads or prepared statements are granted
 * - `interrupted`: killed, or over the time limit
 * - `schema`: a table, column, index or privilege is missing, or the password is wrong
 * - `refused`: a value or a row that the database will not have: too long, out of range, against a constraint or somebody's trigger
 * - `other`: anything else; nothing is known of it, so no row is to blame
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

/** The isolation level of connections that write. */
export type IsolationLevel = 'READ COMMITTED' | 'REPEATABLE READ';

/** The `databaseCode` of what is refused because this process has closed its connections. */
export const CLOSED = 'CLOSED';

/** What went wrong in the database, translated once: the statement by name, never its text or values. */
export class SqlError extends Error {
  readonly kind: SqlErrorKind;
  /** The database's own number or code, for the operator. */
  readonly databaseCode: string;
  /** Null: no statement, but connecting, committing or rolling back. */
  readonly statement: StatementName | null;
  /** Advice for the operator, where there is some. */
  readonly advice: string | null;
  /** A COMMIT that failed this way has certainly stored nothing. */
  readonly isRolledBack: boolean;

  constructor(facts: {
    readonly kind: SqlErrorKind;
    readonly databaseCode: string;
    readonly statement: StatementName | null;
    readonly message: string;
    readonly advice?: string | null;
    /** Default: true for a deadlock, which loses its conflict whole. */
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

/** The connection failed after COMMIT was handed to it: the transaction may be stored or not. */
export class UnknownCommitError extends Error {
  constructor(cause: unknown) {
    super('The connection failed while committing; whether the transaction was stored is unknown.', { cause });
    this.name = 'UnknownCommitError';
  }
}

/** A value that the driver itself cannot send: mysql2's code, and that of SQLite. */
export const UNSENDABLE = /^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/;

const MAX_MESSAGE_LENGTH = 300;

/** The message of an error that a driver threw, shortened: it may carry the whole statement with its values, never to be logged. */
export function shortMessage(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : 'failed without a message';
}
