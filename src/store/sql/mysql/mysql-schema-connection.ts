import type { Clock } from '../../../base/clock';
import { SqlError } from '../runtime/sql-driver';
import { type Catalogue, type ColumnRow, type ForeignKeyRow, type IndexRow, toTables } from '../schema/catalogue';
import { SchemaConnection } from '../schema/schema-connection';
import { checkServer, type ServerFindings } from './check-server';
import { connectForSchema, flavourOf, type MysqlFlavour, readSettings } from './mysql-connections';
import type { MysqlSession } from './mysql-session';
import type { MysqlSettings } from './mysql-settings';

/** A connection for the catalogue and for changing tables: autocommit, because every definition commits by itself. */
export class MysqlSchemaConnection extends SchemaConnection {
  readonly flavour: MysqlFlavour;
  readonly #session: MysqlSession;

  private constructor(session: MysqlSession, flavour: MysqlFlavour, tablePrefix: string) {
    super('mysql', session, tablePrefix);
    this.#session = session;
    this.flavour = flavour;
  }

  static async open(settings: MysqlSettings, tablePrefix: string, clock: Clock): Promise<MysqlSchemaConnection> {
    const session = await connectForSchema(settings, clock);
    try {
      return new MysqlSchemaConnection(session, flavourOf(await readSettings(session)), tablePrefix);
    } catch (error) {
      session.discard();
      throw error;
    }
  }

  async readCatalogue(): Promise<Catalogue> {
    const dot = this.tablePrefix.indexOf('.');
    const where = {
      schemaName: dot < 0 ? null : this.tablePrefix.slice(0, dot),
      namePrefix: this.tablePrefix.slice(dot + 1),
    };
    const columns = await this.all<ColumnRow>('selectColumns', where);
    const indexes = await this.all<IndexRow>('selectIndexes', where);
    const [nameCase] = await this.all<{ lowerCaseTableNames: number }>('selectTableNameCase', {});
    const [exact] = await this.all<{ collation: string }>('selectExactCollation', {});
    return {
      tables: toTables(columns, indexes, await this.all<ForeignKeyRow>('selectForeignKeys', where)),
      ignoresCase: Number(nameCase?.lowerCaseTableNames) !== 0,
      exactKeyText: { characterSet: 'utf8mb4', collation: exact?.collation ?? 'utf8mb4_bin' },
    };
  }

  async checkServer(): Promise<ServerFindings> {
    const settings = await this.#show('selectServerSettings');
    const status = await this.#show('selectServerStatus');
    return checkServer(new Map([...settings, ...status].map((row) => [row.Variable_name.toLowerCase(), row.Value])));
  }

  async define(text: string): Promise<void> {
    await this.#session.query(text);
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const lockName = `quartz-ts ${this.tablePrefix}`;
    const [answer] = await this.all<{ granted: number | null }>('selectMigrationLock', { lockName });
    if (answer?.granted !== 1) throw notGranted(lockName);
    try {
      return await work();
    } finally {
      await this.all('selectMigrationUnlock', { lockName });
    }
  }

  /** SHOW is not prepared by every server. */
  async #show(name: string): Promise<readonly { readonly Variable_name: string; readonly Value: string }[]> {
    const { rows } = await this.#session.query(this.text(name).text);
    return rows as readonly { readonly Variable_name: string; readonly Value: string }[];
  }
}

function notGranted(lockName: string): SqlError {
  const message = `another node has been changing the tables for a minute (GET_LOCK '${lockName}')`;
  return new SqlError({ kind: 'lockTimeout', databaseCode: 'GET_LOCK', statement: null, message });
}
