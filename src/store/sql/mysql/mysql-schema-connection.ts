import type { Clock } from '../../../base/clock';
import { SqlError, type SqlParams } from '../runtime/sql-driver';
import { readSql } from '../runtime/sql-files';
import type { SqlText } from '../runtime/sql-text';
import { applyTokens, bindByPosition, toStatement } from '../runtime/statements';
import { type ColumnRow, type ForeignKeyRow, type IndexRow, toTables } from '../schema/read-catalogue';
import type { Catalogue, SchemaConnection } from '../schema/schema-connection';
import { checkServer, type ServerFindings } from './check-server';
import { connectForSchema, flavourOf, type MysqlFlavour, readSettings } from './mysql-connections';
import type { MysqlSession } from './mysql-session';
import type { MysqlSettings } from './mysql-settings';

/** A connection for the catalogue and for changing tables: autocommit, because every definition commits by itself. */
export class MysqlSchemaConnection implements SchemaConnection {
  readonly dialect = 'mysql';
  readonly flavour: MysqlFlavour;
  readonly #session: MysqlSession;
  readonly #tablePrefix: string;
  readonly #texts: ReadonlyMap<string, SqlText>;

  private constructor(session: MysqlSession, flavour: MysqlFlavour, tablePrefix: string) {
    this.#session = session;
    this.flavour = flavour;
    this.#tablePrefix = tablePrefix;
    this.#texts = new Map(readSql('mysql', 'catalogue.sql').map((text) => [text.name, text]));
  }

  static async open(settings: MysqlSettings, tablePrefix: string, clock: Clock): Promise<MysqlSchemaConnection> {
    applyTokens('', { tablePrefix }); // a prefix that is not a name is refused before anything is sent
    const session = await connectForSchema(settings, clock);
    try {
      return new MysqlSchemaConnection(session, flavourOf(await readSettings(session)), tablePrefix);
    } catch (error) {
      session.discard();
      throw error;
    }
  }

  async readCatalogue(): Promise<Catalogue> {
    const dot = this.#tablePrefix.indexOf('.');
    const where = {
      schemaName: dot < 0 ? null : this.#tablePrefix.slice(0, dot),
      namePrefix: this.#tablePrefix.slice(dot + 1),
    };
    const columns = await this.#all<ColumnRow>('selectColumns', where);
    const indexes = await this.#all<IndexRow>('selectIndexes', where);
    const [nameCase] = await this.#all<{ lowerCaseTableNames: number }>('selectTableNameCase', {});
    const [exact] = await this.#all<{ collation: string }>('selectExactCollation', {});
    return {
      tables: toTables(columns, indexes, await this.#all<ForeignKeyRow>('selectForeignKeys', where)),
      ignoresCase: Number(nameCase?.lowerCaseTableNames) !== 0,
      exactKeyText: { characterSet: 'utf8mb4', collation: exact?.collation ?? 'utf8mb4_bin' },
    };
  }

  async checkServer(): Promise<ServerFindings> {
    const settings = await this.#show('selectServerSettings');
    const status = await this.#show('selectServerStatus');
    return checkServer(new Map([...settings, ...status].map((row) => [row.Variable_name.toLowerCase(), row.Value])));
  }

  async readMigrations(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#all<{ name: string; checksum: string }>('selectMigrations', {});
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  }

  async define(text: string): Promise<void> {
    await this.#session.query(text);
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const lockName = `quartz-ts ${this.#tablePrefix}`;
    const [answer] = await this.#all<{ granted: number | null }>('selectMigrationLock', { lockName });
    if (answer?.granted !== 1) throw notGranted(lockName);
    try {
      return await work();
    } finally {
      await this.#all('selectMigrationUnlock', { lockName });
    }
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  /** SHOW is not prepared by every server. */
  async #show(name: string): Promise<readonly { readonly Variable_name: string; readonly Value: string }[]> {
    const { rows } = await this.#session.query(this.#text(name).text);
    return rows as readonly { readonly Variable_name: string; readonly Value: string }[];
  }

  #text(name: string): SqlText {
    const text = this.#texts.get(name);
    if (text === undefined) throw new TypeError(`sql/mysql/catalogue.sql has no '${name}'.`);
    return text;
  }

  async #all<Row>(name: string, params: SqlParams): Promise<Row[]> {
    const statement = toStatement(this.#text(name), { tablePrefix: this.#tablePrefix });
    const { rows } = await this.#session.execute(statement, bindByPosition(statement, params));
    return rows as Row[];
  }
}

function notGranted(lockName: string): SqlError {
  const message = `another node has been changing the tables for a minute (GET_LOCK '${lockName}')`;
  return new SqlError({ kind: 'lockTimeout', databaseCode: 'GET_LOCK', statement: null, message });
}
