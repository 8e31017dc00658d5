import type { OpenConnection } from '../../../api/transactions';
import type { Clock } from '../../../base/clock';
import type { RandomSource } from '../../../base/ids';
import type { DatabaseAccess } from '../../database-access';
import type { DatabaseFact, DatabaseFault } from '../../database-examiner';
import type { PartialSession, Session, StatementResult } from '../runtime/session';
import type { ConnectionReading, IsolationLevel, SqlDriver, Writers } from '../runtime/sql-driver';
import type { Statements } from '../runtime/statements';
import type { SchemaMode } from '../schema/migrate';
import type { SchemaConnection } from '../schema/schema-connection';

export interface DataSourceSettings {
  /** Name under `dataSource` in the configuration. Used in messages. */
  readonly name: string;
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  /** File with the password, read for each new connection. Absent or null: none. */
  readonly passwordFile?: string | null;
}

export interface DatabaseOptions {
  readonly dataSource: DataSourceSettings & { readonly maxConnections: number };
  /** Connection settings passed in code: an existing pool or a password callback. */
  readonly access?: DatabaseAccess;
  readonly tablePrefix: string;
  /** Servers of a database cluster to which nodes write. Default: one. */
  readonly writers?: Writers | undefined;
  readonly schema: SchemaMode;
  /** True if triggers fire in the order of their priorities. The tables then need an additional index. */
  readonly orderByPriority?: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives warnings for operators about the URL, the tables and the connections. Several connections may report the same warning. */
  readonly onWarning: (warning: string) => void;
  /** Time that a check-in waits for an answer, in milliseconds (default: 5,000). A later one would miss the lease and delay the next check-in. */
  readonly checkInTimeoutMs?: number;
  /** Isolation level of connections that write. Default: READ COMMITTED. Only tests set REPEATABLE READ. */
  readonly isolation?: IsolationLevel;
}

/** Port for one kind of database: everything that code outside the engine's folder uses. */
export interface SqlEngine {
  /** Connection for the catalogue and changes to tables. `readOnly` creates no missing file. Throws `CONFIGURATION` for an invalid URL or setting. */
  openSchema(options: SchemaOptions, purpose: 'readOnly' | 'change'): Promise<SchemaConnection>;
  /** Returns the database of a connection from `openSchema`, for opening drivers and other connections. */
  targetOf(connection: SchemaConnection, options: DatabaseOptions, statements: Statements): DatabaseTarget;
  readonly examination: EngineExamination;
}

export type SchemaOptions = Pick<
  DatabaseOptions,
  'dataSource' | 'access' | 'tablePrefix' | 'clock' | 'random' | 'onWarning'
>;

/** A database whose tables exist in the expected state. */
export interface DatabaseTarget {
  readonly statements: Statements;
  openDriver(): SqlDriver;
  /** Wraps a connection on which the caller has begun a transaction. Throws INVALID_ARGUMENT for an unsuitable value. */
  callerOf(given: unknown): Caller;
  openForJobs(): Promise<JobSession>;
  readonly maxJobConnections: number;
  /** True if an open transaction that writes keeps every other one from writing. */
  readonly hasOneWriter?: boolean;
  /** True if a commit that failed may still have been stored, because only its answer was lost. False if a failed commit never stores anything. */
  readonly losesCommits: boolean;
  /** True if several servers accept writes, so that each lock must also change a row. */
  readonly hasSeveralWriters?: boolean;
}

/** A connection that the caller has opened. */
export interface Caller {
  readonly connection: object;
  /** Checks the connection and returns it as a session. Only the first call queries the server. */
  open(): Promise<PartialSession>;
}

export interface PerformingSession {
  readonly connection: OpenConnection;
  /** Runs a statement. Rejects with the driver's error. */
  perform(text: string, values: readonly unknown[]): Promise<StatementResult>;
}

export interface JobSession extends Session, PartialSession, PerformingSession {
  /** Marks the current transaction as the job's. `endJob` rejects if this transaction has ended by then. */
  beginJob(): void | Promise<void>;
  endJob(): void | Promise<void>;
}

/** Settings of a server or connection, by lower-case name. */
export type Settings = ReadonlyMap<string, string>;

/** Number of nodes and their connections, to compute how many connections a server must accept. */
export interface ConnectionNeed {
  readonly nodes: number;
  readonly connectionsOfNode: number;
  readonly writers?: Writers | undefined;
}

/** Types of columns that can replace each other. */
export interface TypeRules {
  /** Families of types in ascending size. Each type can store all values of the types before it. */
  readonly families: readonly (readonly string[])[];
  /** Other names of types. */
  readonly synonyms: Readonly<Record<string, string>>;
}

/** Examines the settings of a database, for `quartz doctor`. */
export interface EngineExamination {
  readonly types: TypeRules;
  /** Returns the faults in the server's settings; an empty array for an embedded database. */
  serverFaults(settings: Settings, need: ConnectionNeed): readonly DatabaseFault[];
  serverFacts(settings: Settings): readonly DatabaseFact[];
  connectionFaults(readings: readonly ConnectionReading[], isolation?: IsolationLevel): readonly DatabaseFault[];
  connectionFacts(readings: readonly ConnectionReading[]): readonly DatabaseFact[];
  /** Returns the isolation level of a connection; null if unknown or if the database has none. */
  isolationOf(settings: Settings): string | null;
}
