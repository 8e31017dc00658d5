import type { Clock } from '../../../base/clock';
import type { RandomSource } from '../../../base/ids';
import type { DatabaseAccess } from '../../database-access';
import type { DatabaseFact, DatabaseFault } from '../../database-examiner';
import type { PartialSession, Session, StatementResult } from '../runtime/session';
import type { ConnectionReading, IsolationLevel, SqlDriver } from '../runtime/sql-driver';
import type { Statements } from '../runtime/statements';
import type { SchemaMode } from '../schema/migrate';
import type { SchemaConnection } from '../schema/schema-connection';

/** How to reach a database. */
export interface DataSourceSettings {
  /** The name below `dataSource` in the configuration, for messages. */
  readonly name: string;
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
}

/** How to reach a database and use its tables. */
export interface DatabaseOptions {
  readonly dataSource: DataSourceSettings & { readonly maxConnections: number };
  /** An existing pool's way to connect, given in code. */
  readonly access?: DatabaseAccess;
  readonly tablePrefix: string;
  readonly schema: SchemaMode;
  /** Triggers fire in the order of their priorities, for which the tables need an index. */
  readonly orderByPriority?: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives warnings for operators about the URL, the tables and the connections. */
  readonly onWarning: (warning: string) => void;
  /** Time limit for the server's answer to a check-in, in milliseconds. */
  readonly checkInTimeoutMs?: number;
  /** Isolation level of connections that write; default READ COMMITTED. Tests prove the store right under REPEATABLE READ too. */
  readonly isolation?: IsolationLevel;
}

/** A kind of database: everything that code outside its folder may ask of it. */
export interface SqlEngine {
  /**
   * Connects for reading the catalogue and changing tables. With `readOnly`, makes no file where there is none. Throws `CONFIGURATION`
   * for a URL or a setting that it cannot use.
   */
  openSchema(options: SchemaOptions, purpose: 'readOnly' | 'change'): Promise<SchemaConnection>;
  /** The database behind a connection that it has opened, ready to be used. */
  targetOf(connection: SchemaConnection, options: DatabaseOptions, statements: Statements): DatabaseTarget;
  readonly examination: EngineExamination;
}

export type SchemaOptions = Pick<
  DatabaseOptions,
  'dataSource' | 'access' | 'tablePrefix' | 'clock' | 'random' | 'onWarning'
>;

/** A database whose tables are as they must be. */
export interface DatabaseTarget {
  readonly statements: Statements;
  openDriver(): SqlDriver;
  /** A connection that a caller gives, in the transaction begun on it. Throws INVALID_ARGUMENT for anything else. */
  callerOf(given: unknown): Caller;
  /** A connection for the transactions of jobs. */
  openForJobs(): Promise<JobSession>;
  readonly maxJobConnections: number;
  /** A commit that fails may be stored all the same, because its answer was lost. Otherwise a failed commit stored nothing. */
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
  /** Rejects with the error of the driver. */
  perform(text: string, values: readonly unknown[]): Promise<StatementResult>;
}

/** A connection for the transactions of jobs. */
export interface JobSession extends Session, PartialSession, PerformingSession {
  /** Marks the transaction of a job; `endJob` fails if the transaction has ended since. */
  beginJob(): void | Promise<void>;
  endJob(): void | Promise<void>;
}

/** Settings of a server or a connection, by lower-case name. */
export type Settings = ReadonlyMap<string, string>;

/** What the nodes need of a server. */
export interface ConnectionNeed {
  readonly nodes: number;
  /** `dataSource.….maxConnections`. */
  readonly connectionsOfNode: number;
}

/** Judges the settings of a database for the doctor. */
export interface EngineExamination {
  /** Faults of the server's settings; none where there is no server. */
  serverFaults(settings: Settings, need: ConnectionNeed): readonly DatabaseFault[];
  serverFacts(settings: Settings): readonly DatabaseFact[];
  /** Faults of the node's own connections. */
  connectionFaults(readings: readonly ConnectionReading[], isolation?: IsolationLevel): readonly DatabaseFault[];
  /** Facts that the connections report about the database itself. */
  connectionFacts(readings: readonly ConnectionReading[]): readonly DatabaseFact[];
  /** The isolation level of a connection, where it has one. */
  isolationOf(settings: Settings): string | null;
}
