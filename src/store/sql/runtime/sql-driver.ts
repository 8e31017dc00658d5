import type { StoreActivity } from '../../store-activity';
import type { StatementName } from './statement-names';

/* Ports between operations and a database: named statements, rows as objects. Drivers hide connections, locks, isolation levels and error numbers. */

/** Value of a column or parameter. A set of rows is sent as one JSON string. */
export type SqlValue = string | number | null | Uint8Array;

/** Parameters of one statement by name. They must match the parameters of its text exactly, except that `schedName` may be omitted. */
export type SqlParams = Readonly<Record<string, SqlValue>>;

/** Parameters of one statement, by name or as a list in the order of its text, without `schedName`. A list spares the many names of a wide row. */
export type SqlValues = SqlParams | readonly SqlValue[];

/**
 * An open transaction. Its statements run one at a time, in the order in which they were sent. A statement may be sent before the previous
 * one is answered, and runs even if the previous one fails. After a failed statement, the transaction cannot be committed, even if the
 * caller catches the error. After its end, a transaction rejects all statements.
 */
export interface SqlTransaction {
  /** Maximum size of a set of rows in one statement, in bytes. */
  readonly maxSetBytes: number;
  readonly hasWritten: boolean;
  /** Returns the rows as objects keyed by column. BIGINT is a number, BLOB a Uint8Array, and NULL is null. */
  all<Row>(statement: StatementName, params?: SqlValues): Promise<Row[]>;
  /**
   * Runs a statement. `changes`: rows inserted or deleted; for an update, rows that its WHERE clause matched, changed or not. `rows`: number of changes
   * that the caller requires, for a script, which has no answers.
   */
  run(statement: StatementName, params?: SqlValues, rows?: number | undefined): Promise<{ readonly changes: number }>;
}

/** One statement of a script. */
export interface ScriptStep {
  readonly statement: StatementName;
  readonly params?: SqlValues | undefined;
  /** True for a query. If its number of rows is required, it must have one column, and at most one row. */
  readonly isQuery: boolean;
  /** Number of rows that the statement must find, insert or change; null if any number is correct. A query with null returns the script's result. */
  readonly rows: number | null;
}

/**
 * Purpose of a connection. Each role has its own connection, which runs its transactions in order. A completion therefore never waits for
 * an acquisition, and a check-in waits for neither. The role `read` has several connections, which only read; each transaction sees one
 * snapshot.
 */
export type ConnectionRole = 'scheduler' | 'completions' | 'checkIn' | 'read';

export interface TransactionOptions {
  /** Value of the parameter `schedName`. Default: each statement must give it. */
  readonly schedName?: string;
  /** True if the transaction may pause between statements for longer than usual: the server then allows a minute of silence. Default: false. */
  readonly pausesLong?: boolean;
  /**
   * True for a change of the schedule that a program requests. Where all roles share one connection, it waits for firings, completions and check-ins,
   * however many changes are requested at once. Default: false.
   */
  readonly yields?: boolean;
}

export interface ScriptOptions extends Pick<TransactionOptions, 'schedName'> {
  /** Epochs of the nodes to ring before the script runs. */
  readonly rings?: readonly string[];
}

export interface ConnectionReading {
  readonly role: ConnectionRole;
  /** Number of callers that use the connection or wait for it. */
  readonly load: number;
  /** Settings by lower-case name. Null if the connection is closed, or too busy to be queried. */
  readonly settings: ReadonlyMap<string, string> | null;
}

/** Parameters of `selectChanges`, and the columns of the row that it returned, except for the time. */
export interface SeenChanges {
  readonly params: SqlParams;
  readonly columns: SqlParams;
}

/** Wakes the nodes of a cluster through the database. Best effort: a ring may be lost, so nodes also poll. */
export interface Bell {
  /** True if the server itself polls for changes while a node waits. */
  readonly canPoll?: boolean;
  /**
   * Waits for a ring to the node with this epoch, for at most 10 s. If `canPoll` and `seen` is given, the server also polls once a second, and a row
   * that differs from `seen` counts as a ring. Resolves with true if the node was rung, perhaps for nothing. Rejects with `SqlError` if the connection fails or the
   * server does not pass rings on.
   */
  awaitRing(epoch: string, signal: AbortSignal, seen?: SeenChanges | null): Promise<boolean>;
  /** Rings to nodes that wait for a ring. Has no effect on others. */
  ring(epochs: readonly string[]): Promise<void>;
}

export interface SqlDriver {
  readonly dialect: SqlDialect;
  /** Absent if the database cannot wake other nodes. */
  readonly bell?: Bell;
  /**
   * Runs a transaction. Commits when `work` resolves. Rolls back when `work` rejects, and rejects with the same error. Rejects with
   * `SqlError` if the database failed before the commit was sent (nothing was stored), and with `UnknownCommitError` if it failed later.
   * Never retries; `Transactions` does.
   */
  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /**
   * Runs a script and commits, in one round trip. First rings to the nodes with the epochs `options.rings`. Resolves with the rows of its result. Rejects with
   * `ScriptRefused` if the script stored nothing, and with `UnknownCommitError` if the connection failed. Absent if the database cannot compare numbers
   * of rows before it commits.
   */
  readonly script?:
    | ((role: ConnectionRole, steps: readonly ScriptStep[], options?: ScriptOptions) => Promise<readonly unknown[]>)
    | undefined;
  /** Runs one statement that only reads, outside of a transaction. The statement sees the latest committed rows. `schedName`: see `TransactionOptions`. */
  select<Row>(statement: StatementName, params?: SqlParams, schedName?: string): Promise<Row[]>;
  /** Drops long-silent connections after the database was unavailable. Their calls are retried on new ones. Absent if connections cannot be lost. */
  dropSilent?(): void;
  /** Returns the activity of the connections. `lockWaits` is absent if a statement takes the lock; `Transactions` then measures the waits. */
  readActivity(): Pick<StoreActivity, 'connections'> & Partial<StoreActivity>;
  /** Reads the settings of each connection after the transactions that are queued on it. Waits at most `timeoutMs` per connection. */
  readConnections?(timeoutMs: number): Promise<readonly ConnectionReading[]>;
  /** Writes an embedded database's write-ahead log into its file and empties it. Returns false if another connection reads it. Absent without log. */
  truncateLog?(): Promise<boolean>;
  /** Waits for running transactions, then closes every connection. */
  close(): Promise<void>;
  /** Drops every connection immediately. Running transactions fail. */
  abort?(): void;
}

/** Servers of a database cluster to which nodes write. */
export type Writers = 'one' | 'several';

/** Properties of the database that code above the driver may use. */
export interface SqlDialect {
  /** Name shown to operators. */
  readonly name: string;
  /** True if a commit that failed may still have been stored, because only its answer was lost. False if a failed commit never stores anything. */
  readonly losesCommits: boolean;
  /** True if several servers accept writes, so that each lock must also change a row. */
  readonly hasSeveralWriters?: boolean;
}

/**
 * Kinds of errors, by their consequence for the transaction, with the maximum number of attempts for it. Errors that follow a wait on the server get
 * fewer attempts.
 */
export const MAX_ATTEMPTS = {
  /** The whole transaction has been rolled back. */
  deadlock: 5,
  /** A lock was not granted within the timeout. The transaction is still open. */
  lockTimeout: 3,
  /** The transaction could not begin, because another process has locked the embedded database. */
  busy: 3,
  /** A row with the key already exists. */
  duplicateKey: 1,
  /**
   * Since the rows were read, another transaction deleted a referenced row, or added a reference to a row to be deleted. Occurs without a shared lock:
   * a completion deletes the last trigger's job while another transaction stores a trigger for the job.
   */
  foreignKey: 5,
  /** The connection is lost, together with everything that was not committed. */
  connectionLost: 5,
  /** The server accepts no writes at present (failover, or not ready). */
  readOnly: 5,
  /** No space is left on the disk or in the table. */
  full: 1,
  /** The server grants no more connections, threads or prepared statements. */
  connectionLimit: 5,
  /** The statement was killed, or exceeded its time limit. */
  interrupted: 2,
  /** A table, column, index or privilege is missing, or the password is wrong. */
  schema: 1,
  /** The database rejects a value or row: too long, out of range, or against a constraint or a database trigger. */
  refused: 2,
  /** Any other error. Its cause is unknown, so no row is blamed, and the transaction is retried once before the error is reported. */
  other: 2,
} as const;

export type SqlErrorKind = keyof typeof MAX_ATTEMPTS;

export type IsolationLevel = 'READ COMMITTED' | 'REPEATABLE READ';

/** `databaseCode` of calls that are rejected because this process has closed its connections. */
export const CLOSED = 'CLOSED';

/** An error of the database, in the same form for all databases. It names the statement, and never contains the statement's text or values. */
export class SqlError extends Error {
  readonly kind: SqlErrorKind;
  /** Number or code that the database uses, for operators. */
  readonly databaseCode: string;
  /** Null if the error occurred while connecting, committing or rolling back. */
  readonly statement: StatementName | null;
  /** Advice for operators; null if there is none. */
  readonly advice: string | null;
  /** True if a COMMIT that fails with this error certainly stored nothing. */
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

/** Thrown if the connection failed after COMMIT was sent. The transaction may or may not be stored. */
export class UnknownCommitError extends Error {
  constructor(cause: unknown) {
    super('The connection failed during the commit. It is unknown whether the transaction was stored.', { cause });
    this.name = 'UnknownCommitError';
  }
}

/** Error codes of mysql2 and SQLite for a value that the driver cannot send. */
export const UNSENDABLE = /^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/;

const MAX_MESSAGE_LENGTH = 300;

/** Returns the first 300 characters of a driver's message. The full message may contain the statement with its values, which must never be logged. */
export function shortMessage(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : 'failed without a message';
}
