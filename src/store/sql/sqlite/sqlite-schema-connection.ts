import type { SqlParams } from '../runtime/sql-driver';
import { readSql } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';
import { applyTokens, bindByPosition, toStatement } from '../runtime/statements';
import { type ColumnRow, type IndexRow, toTables } from '../schema/read-catalogue';
import type { Catalogue, SchemaConnection } from '../schema/schema-connection';
import { type SqliteOptions, SqliteSession } from './sqlite-session';

/** A connection for looking at the tables of a file and making them. */
export class SqliteSchemaConnection implements SchemaConnection {
  readonly dialect = 'sqlite';
  readonly #session: SqliteSession;
  readonly #tablePrefix: string;
  readonly #texts: ReadonlyMap<string, SqlText>;

  private constructor(session: SqliteSession, tablePrefix: string) {
    this.#session = session;
    this.#tablePrefix = tablePrefix;
    this.#texts = new Map(readSql('sqlite', 'catalogue.sql').map((text) => [text.name, text]));
  }

  static async open(options: SqliteOptions, tablePrefix: string): Promise<SqliteSchemaConnection> {
    applyTokens('', { tablePrefix });
    return new SqliteSchemaConnection(await SqliteSession.open(options, 'write'), tablePrefix);
  }

  async readCatalogue(): Promise<Catalogue> {
    const where = { namePrefix: this.#tablePrefix.slice(this.#tablePrefix.indexOf('.') + 1) };
    const tables = toTables(this.#all<ColumnRow>('selectColumns', where), this.#all<IndexRow>('selectIndexes', where));
    return { tables, ignoresCase: true, exactKeyText: null };
  }

  async readMigrations(): Promise<ReadonlyMap<string, string>> {
    const rows = this.#all<{ name: string; checksum: string }>('selectMigrations', {});
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
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

  async close(): Promise<void> {
    await this.#session.close();
  }

  #all<Row>(name: string, params: SqlParams): Row[] {
    const text = this.#texts.get(name);
    if (text === undefined) throw new TypeError(`sql/sqlite/catalogue.sql has no '${name}'.`);
    const statement = toStatement(text, { tablePrefix: this.#tablePrefix });
    return this.#session.executeNow(statement, bindByPosition(statement, params)).rows as Row[];
  }
}
