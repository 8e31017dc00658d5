import type { Session } from '../runtime/session';
import type { SqlParams } from '../runtime/sql-driver';
import type { Dialect } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';
import { bindByPosition, namedTexts, type Statement, toStatement } from '../runtime/statements';
import type { Catalogue } from './catalogue';
import { type DeclaredTable, type RecordedMigration, toRecorded } from './schema-files';

/** How the database would find the rows of one table in a statement. */
export interface PlanStep {
  /** As the statement names it: its alias, where it has one. */
  readonly table: string;
  /** Null: none. */
  readonly index: string | null;
  /** All of the table, or of the index, is read. */
  readonly isScan: boolean;
  /** It expects to read so many; null: it does not say. */
  readonly rows: number | null;
}

export interface StatementPlan {
  readonly steps: readonly PlanStep[];
  /** Something is sorted. */
  readonly sorts: boolean;
}

/** Why a server cannot be used, and what an operator should know about one that can. */
export interface ServerFindings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** A connection of its own for reading the catalogue and making tables. */
export abstract class SchemaConnection {
  readonly dialect: Dialect;
  protected readonly tablePrefix: string;
  /** A text of catalogue.sql. */
  protected readonly text: (name: string) => SqlText;
  readonly #session: Session;

  constructor(dialect: Dialect, session: Session, tablePrefix: string) {
    this.dialect = dialect;
    this.#session = session;
    this.tablePrefix = tablePrefix;
    this.text = namedTexts(dialect, 'catalogue.sql');
  }

  abstract readCatalogue(): Promise<Catalogue>;

  /** Settings and state of the server, by lower-case name; empty where there is no server. */
  async readServer(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  /** Judges whether the server can be used. */
  async checkServer(): Promise<ServerFindings> {
    return { problems: [], warnings: [] };
  }

  /** The statements that give all tables the exact collation; none where there is no choice, or all have it. */
  exactKeyStatements(_declared: readonly DeclaredTable[], _catalogue: Catalogue): readonly string[] {
    return [];
  }

  /** How a statement would be carried out now, which it is not. */
  abstract explain(statement: Statement, params: SqlParams): Promise<StatementPlan>;

  /** Runs one statement of a migration. */
  abstract define(text: string): Promise<void>;

  /** Runs `work` while no other node does the same, however many start together. */
  abstract exclusively<T>(work: () => Promise<T>): Promise<T>;

  /** Migrations applied, by key; only after the table of them was found. */
  async readMigrations(): Promise<ReadonlyMap<string, RecordedMigration>> {
    const rows = await this.all<{ name: string; recorded: string }>('selectMigrations', {});
    return new Map(rows.map(({ name, recorded }) => [name, toRecorded(recorded)]));
  }

  /** Whether the tables are being made for the first time, or were until somebody died at it; only after the table of it was found. */
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
