import { type Catalogue, type ColumnRow, type IndexRow, toTables } from '../schema/catalogue';
import { SchemaConnection } from '../schema/schema-connection';
import { type SqliteOptions, SqliteSession } from './sqlite-session';

/** A connection for reading the catalogue of a file and making tables. */
export class SqliteSchemaConnection extends SchemaConnection {
  readonly #session: SqliteSession;

  private constructor(session: SqliteSession, tablePrefix: string) {
    super('sqlite', session, tablePrefix);
    this.#session = session;
  }

  static async open(options: SqliteOptions, tablePrefix: string): Promise<SqliteSchemaConnection> {
    return new SqliteSchemaConnection(await SqliteSession.open(options, 'write'), tablePrefix);
  }

  async readCatalogue(): Promise<Catalogue> {
    const where = { namePrefix: this.tablePrefix.slice(this.tablePrefix.indexOf('.') + 1) };
    const columns = await this.all<ColumnRow>('selectColumns', where);
    const tables = toTables(columns, await this.all<IndexRow>('selectIndexes', where));
    return { tables, ignoresCase: true, exactKeyText: null };
  }

  async define(text: string): Promise<void> {
    this.#session.define(text);
  }

  /** One transaction: definitions are part of it in SQLite, so that a migration happens whole or not at all. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    await this.#session.begin();
    try {
      const result = await work();
      await this.#session.commit();
      return result;
    } catch (error) {
      this.#session.discard();
      throw error;
    }
  }
}
