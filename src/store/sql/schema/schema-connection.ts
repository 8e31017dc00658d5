import type { Session } from '../runtime/session';
import type { SqlParams } from '../runtime/sql-driver';
import type { Dialect } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';
import { bindByPosition, namedTexts, toStatement } from '../runtime/statements';
import type { Catalogue } from './catalogue';

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

  /** Runs one statement of a migration. */
  abstract define(text: string): Promise<void>;

  /** Runs `work` while no other node does the same, however many start together. */
  abstract exclusively<T>(work: () => Promise<T>): Promise<T>;

  /** Checksums of the migrations applied, by name; only after the table of them was found. */
  async readMigrations(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.all<{ name: string; checksum: string }>('selectMigrations', {});
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
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
