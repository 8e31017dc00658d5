import { toStoreFailure } from '../runtime/retry-rules';
import type { Session } from '../runtime/session';
import type { SqlParams, Writers } from '../runtime/sql-driver';
import type { Dialect } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';
import { bindByPosition, namedTexts, type Statement, toStatement } from '../runtime/statements';
import type { Catalogue } from './catalogue';
import { type DeclaredTable, loadDeclaredTables, type RecordedMigrations, toRecorded } from './schema-files';
import { findTable } from './validate-schema';

/** Access to one table in a statement's plan. */
export interface PlanStep {
  /** Name of the table in the statement, or its alias. */
  readonly table: string;
  /** Index that the step uses; null if none. */
  readonly index: string | null;
  /** True if the step reads the whole table or index. */
  readonly isScan: boolean;
  /** Number of rows that the database expects to read; null if the database does not estimate it. */
  readonly rows: number | null;
}

export interface StatementPlan {
  readonly steps: readonly PlanStep[];
  readonly sorts: boolean;
}

export interface ServerFindings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** A separate connection that reads the catalogue and changes tables. */
export abstract class SchemaConnection<Connection extends Session = Session> {
  readonly dialect: Dialect;
  protected readonly tablePrefix: string;
  protected readonly text: (name: string) => SqlText;
  protected readonly session: Connection;

  constructor(dialect: Dialect, session: Connection, tablePrefix: string) {
    this.dialect = dialect;
    this.session = session;
    this.tablePrefix = tablePrefix;
    this.text = namedTexts(dialect, 'catalogue.sql');
  }

  /** Tables that schema.sql declares in this dialect. */
  get declared(): readonly DeclaredTable[] {
    return loadDeclaredTables(this.dialect);
  }

  abstract readCatalogue(): Promise<Catalogue>;

  /** Returns the server's settings and status by lower-case name; an empty map for an embedded database. */
  async readServer(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  async checkServer(_writers?: Writers): Promise<ServerFindings> {
    return { problems: [], warnings: [] };
  }

  /** Statements that convert all tables to the exact (case-sensitive) collation. Empty if all tables have it, or if the database offers no choice. */
  exactKeyStatements(_catalogue: Catalogue): readonly string[] {
    return [];
  }

  /** Returns the plan of a statement without running it. */
  abstract explain(statement: Statement, params: SqlParams): Promise<StatementPlan>;

  abstract define(text: string): Promise<void>;

  /** Runs `work` while no other node changes the tables. Nodes that call this at the same time run one after the other. */
  abstract exclusively<T>(work: () => Promise<T>): Promise<T>;

  /** Reads the applied migrations, by key. The table of migrations must exist. */
  async readMigrations(): Promise<RecordedMigrations> {
    const rows = await this.all<{ name: string; recorded: string }>('selectMigrations');
    return new Map(rows.map(({ name, recorded }) => [name, toRecorded(recorded)]));
  }

  /** Names of the schedulers with rows in the tables; null if a table that would contain them is missing. */
  async readSchedulerNames(): Promise<readonly string[] | null> {
    const catalogue = await this.readCatalogue();
    const isThere = (name: string) => findTable(catalogue, name) !== undefined;
    if (!['QRTZ_LOCKS', 'QRTZ_JOB_DETAILS', 'QRTZ_SCHEDULER_STATE'].every(isThere)) return null;
    return (await this.all<{ readonly name: string }>('selectSchedulerNames')).map(({ name }) => name);
  }

  /** True if a node has begun to create the tables and has not finished, perhaps because it died. The table of migrations must exist. */
  async hasStartedCreation(): Promise<boolean> {
    return (await this.all('selectCreation')).length > 0;
  }

  /** Runs `work`, then closes the connection. Rejects with `STORE_FAILURE` if the database fails. */
  async use<T>(work: (connection: SchemaConnection) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      throw toStoreFailure(error);
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  protected async all<Row>(name: string, params?: SqlParams): Promise<Row[]> {
    const statement = toStatement(this.text(name), { tablePrefix: this.tablePrefix });
    const { rows } = await this.session.execute(statement, bindByPosition(statement, params));
    return rows as Row[];
  }
}
