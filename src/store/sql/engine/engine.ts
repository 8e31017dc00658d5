import type { Clock } from '../../../base/clock';
import type { RandomSource } from '../../../base/ids';
import type { DatabaseAccess } from '../../database-access';
import type { DatabaseFact, DatabaseFault } from '../../database-examiner';
import type { PartialSession, Session, StatementResult } from '../runtime/session';
import type { ConnectionReading, IsolationLevel, SqlDriver } from '../runtime/sql-driver';
import type { Statements } from '../runtime/statements';
import type { SchemaMode } from '../schema/migrate';
import type { SchemaConnection } from '../schema/schema-connection';

/** Address and login of a database. */
export interface DataSourceSettings {
  /** Name below `dataSource` in the configuration, for messages. */
  readonly name: string;
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
}

/** Settings to connect to a database and use its tables. */
export interface DatabaseOptions {
  readonly dataSource: DataSourceSettings & { readonly maxConnections: number };
  /** Connection settings from an existing pool or a password callback, given in code. */
  readonly access?: DatabaseAccess;
  readonly tablePrefix: string;
  readonly schema: SchemaMode;
  /** True if triggers fire in the order of their priorities, for which the tables need an index. */
  readonly orderByPriority?: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives warnings for operators about the URL, the tables and the connections. */
  readonly onWarning: (warning: string) => void;
  /** Time limit for the server's answer to a check-in, in milliseconds. */
  readonly checkInTimeoutMs?: number;
  /** Isolation level of connections that write; default READ COMMITTED. Tests verify the store under REPEATABLE READ too. */
  readonly isolation?: IsolationLevel;
}

/** A kind of database: everything that code outside its folder uses. */
export interface SqlEngine {
  /**
   * Connects to read the catalogue and change tables. With `readOnly`, does not create a missing file. Throws `CONFIGURATION` for a URL or
   * setting that it cannot use.
   */
  openSchema(options: SchemaOptions, purpose: 'readOnly' | 'change'): Promise<SchemaConnection>;
  /** Returns the database behind a connection that this engine opened, ready to be used. */
  targetOf(connection: SchemaConnection, options: DatabaseOptions, statements: Statements): DatabaseTarget;
  readonly examination: EngineExamination;
}

export type SchemaOptions = Pick<
  DatabaseOptions,
  'dataSource' | 'access' | 'tablePrefix' | 'clock' | 'random' | 'onWarning'
>;

/** A database whose tables are in the expected state. */
export interface DatabaseTarget {
  readonly statements: Statements;
  openDriver(): SqlDriver;
  /** Wraps a caller's connection, to work in the transaction begun on it. Throws INVALID_ARGUMENT for anything else. */
  callerOf(given: unknown): Caller;
  /** Opens a connection for the transactions of jobs. */
  openForJobs(): Promise<JobSession>;
  readonly maxJobConnections: number;
  /** True if a failed commit may be stored anyway, because only its answer was lost. Otherwise a failed commit stored nothing. */
  readonly losesCommits: boolean;
}

/** A caller's connection. */
export interface Caller {
  readonly connection: object;
  /** Checks the connection before its first use. */
  open(): Promise<PartialSession>;
}

/** Runs the statements of jobs. */
export interface PerformingSession {
  readonly connection: unknown;
  /** Runs a statement. Rejects with the error of the driver. */
  perform(text: string, values: readonly unknown[]): Promise<StatementResult>;
}

/** A connection for the transactions of jobs. */
export interface JobSession extends Session, PartialSession, PerformingSession {
  /** Marks the transaction of a job. `endJob` fails if that transaction has ended since. */
  beginJob(): void | Promise<void>;
  endJob(): void | Promise<void>;
}

/** Settings of a server or a connection, by lower-case name. */
export type Settings = ReadonlyMap<string, string>;

/** Connections that the nodes need of a server. */
export interface ConnectionNeed {
  readonly nodes: number;
  /** Value of `dataSource.….maxConnections`. */
  readonly connectionsOfNode: number;
}

/** Examines the settings of a database, for `quartz doctor`. */
export interface EngineExamination {
  /** Returns faults of the server's settings; none if there is no server. */
  serverFaults(settings: Settings, need: ConnectionNeed): readonly DatabaseFault[];
  serverFacts(settings: Settings): readonly DatabaseFact[];
  /** Returns faults of the node's own connections. */
  connectionFaults(readings: readonly ConnectionReading[], isolation?: IsolationLevel): readonly DatabaseFault[];
  /** Returns facts about the database itself that the connections report. */
  connectionFacts(readings: readonly ConnectionReading[]): readonly DatabaseFact[];
  /** Returns the isolation level of a connection; null if it has none. */
  isolationOf(settings: Settings): string | null;
}
