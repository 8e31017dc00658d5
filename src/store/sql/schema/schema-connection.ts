import type { Session } from '../runtime/session';
import type { SqlParams } from '../runtime/sql-driver';
import type { Dialect } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';
import { bindByPosition, namedTexts, type Statement, toStatement } from '../runtime/statements';
import type { Catalogue } from './catalogue';
import { type DeclaredTable, type RecordedMigration, toRecorded } from './schema-files';

/** Access of a statement to one table, as planned by the database. */
export interface PlanStep {
  /** Name of the table in the statement: its alias, if it has one. */
  readonly table: string;
  /** Index used; null if none. */
  readonly index: string | null;
  /** True if the whole table or index is read. */
  readonly isScan: boolean;
  /** Number of rows that the database expects to read; null if it gives none. */
  readonly rows: number | null;
}

export interface StatementPlan {
  readonly steps: readonly PlanStep[];
  /** True if rows are sorted. */
  readonly sorts: boolean;
}

/** Reasons why a server cannot be used, and warnings for operators about one that can. */
export interface ServerFindings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** A separate connection that reads the catalogue and creates tables. */
export abstract class SchemaConnection {
  readonly dialect: Dialect;
  protected readonly tablePrefix: string;
  /** Returns a statement of catalogue.sql. */
  protected readonly text: (name: string) => SqlText;
  readonly #session: Session;

  constructor(dialect: Dialect, session: Session, tablePrefix: string) {
    this.dialect = dialect;
    this.#session = session;
    this.tablePrefix = tablePrefix;
    this.text = namedTexts(dialect, 'catalogue.sql');
  }

  abstract readCatalogue(): Promise<Catalogue>;

  /** Returns settings and state of the server, by lower-case name; empty if there is no server. */
  async readServer(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  /** Checks whether the server can be used. */
  async checkServer(): Promise<ServerFindings> {
    return { problems: [], warnings: [] };
  }

  /** Returns the statements that convert all tables to the exact collation; none if there is no choice, or all have it. */
  exactKeyStatements(_declared: readonly DeclaredTable[], _catalogue: Catalogue): readonly string[] {
    return [];
  }

  /** Returns the plan of a statement without running it. */
  abstract explain(statement: Statement, params: SqlParams): Promise<StatementPlan>;

  /** Runs one statement of a migration. */
  abstract define(text: string): Promise<void>;

  /** Runs `work` while no other node does the same, however many start together. */
  abstract exclusively<T>(work: () => Promise<T>): Promise<T>;

  /** Reads the applied migrations, by key. Call it only if their table exists. */
  async readMigrations(): Promise<ReadonlyMap<string, RecordedMigration>> {
    const rows = await this.all<{ name: string; recorded: string }>('selectMigrations', {});
    return new Map(rows.map(({ name, recorded }) => [name, toRecorded(recorded)]));
  }

  /** True if a node began to create the tables and has not finished, perhaps because it died. Call it only if the table that records it exists. */
  async hasBegunCreation(): Promise<boolean> {
    return (await this.all('selectCreation', {})).length > 0;
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  protected async all<Row>(name: string, params: SqlParams): Promise<Row[]> {
    const statement = toStatement(this.text(name), { tablePrefix: this.tablePrefix });
    const { rows } = await this.#session.execute(statement, bindByPosition(statement, params));
    return rows as Row[];
  }
}
