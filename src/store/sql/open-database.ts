import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import type { RandomSource } from '../../base/ids';
import type { DatabaseAccess } from '../database-access';
import type { IsolationLevel } from './mysql/check-settings';
import { type ConnectionOptions, MysqlSchemaConnection } from './mysql/mysql-connections';
import { type DataSourceSettings, readMysqlUrl } from './mysql/mysql-data-source';
import { MysqlDriver } from './mysql/mysql-driver';
import { toStoreFailure } from './runtime/retry-rules';
import type { SqlDriver } from './runtime/sql-driver';
import { applyTokens, loadStatements, type Statements, type StatementTokens } from './runtime/statements';
import { prepareSchema, type SchemaMode, type SchemaReport } from './schema/migrate';
import type { SchemaConnection } from './schema/schema-connection';
import { SqliteDriver, SqliteSchemaConnection } from './sqlite/sqlite-driver';
import type { SqliteOptions } from './sqlite/sqlite-session';

/** What must be known to reach a database and use its tables. */
export interface DatabaseOptions {
  /** `url`: `mysql://…`, `mariadb://…` or `sqlite:file`. */
  readonly dataSource: DataSourceSettings & { readonly maxConnections: number };
  /** Given in code, where the server is MySQL or MariaDB. */
  readonly access?: DatabaseAccess;
  readonly tablePrefix: string;
  readonly schema: SchemaMode;
  /** Triggers are fired in the order of their priorities, for which the tables need an index. */
  readonly orderByPriority?: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Hears what an operator should know: about the URL, the tables, the connections. */
  readonly onWarning: (warning: string) => void;
  /** How long a check-in waits for an answer of a server. */
  readonly checkInTimeoutMs?: number;
  /** For proving that the store is right under REPEATABLE READ too. */
  readonly isolation?: IsolationLevel;
}

/** A database that is ready: reachable, its tables as they must be. */
export interface OpenDatabase {
  readonly driver: SqlDriver;
  /** Migrations applied now. */
  readonly applied: readonly string[];
}

/** Connects, brings the schema to where `schema` allows, and makes the driver. Rejects with `STORE_FAILURE`, `SCHEMA_MISMATCH` or `CONFIGURATION`. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const connection = await openSchemaConnection(options);
  try {
    if (connection instanceof MysqlSchemaConnection) await checkServer(connection, options);
    const report = await prepareSchema(connection, { ...options, mode: options.schema });
    for (const warning of report.warnings) options.onWarning(warning);
    return { driver: driverFor(targetFor(connection, options, report), options), applied: report.applied };
  } catch (error) {
    throw toStoreFailure(error);
  } finally {
    await connection.close();
  }
}

/** The statements for a database whose tables are as they must be, and how to connect to it. */
export type DatabaseTarget = { readonly statements: Statements } & (
  | { readonly mysql: ConnectionOptions }
  | { readonly sqlite: SqliteOptions }
);

/** How to reach tables that are in use already; looks at them, and changes and checks nothing. Rejects as `openDatabase`. */
export async function findDatabase(options: DatabaseOptions): Promise<DatabaseTarget> {
  const connection = await openSchemaConnection(options, 'toLook');
  try {
    return targetFor(
      connection,
      options,
      await prepareSchema(connection, { mode: 'never', tablePrefix: options.tablePrefix }),
    );
  } catch (error) {
    throw toStoreFailure(error);
  } finally {
    await connection.close();
  }
}

/** Before anything is changed on it. */
async function checkServer(
  connection: MysqlSchemaConnection,
  { dataSource, onWarning }: DatabaseOptions,
): Promise<void> {
  const { problems, warnings } = await connection.checkServer();
  for (const warning of warnings) onWarning(warning);
  if (problems.length === 0) return;
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  throw new SchedulerError('CONFIGURATION', `The database of dataSource.${dataSource.name} cannot be used:\n${list}`);
}

/**
 * A connection for looking at the tables and making them, as `openDatabase` and the command `migrate` use it. One that is
 * only `toLook` makes no SQLite file where there is none.
 */
export async function openSchemaConnection(
  options: Pick<DatabaseOptions, 'dataSource' | 'access' | 'tablePrefix' | 'clock' | 'random' | 'onWarning'>,
  purpose: 'toLook' | 'toChange' = 'toChange',
): Promise<SchemaConnection> {
  const file = sqlitePath(options.dataSource);
  try {
    applyTokens('', options); // a prefix that is not a name is refused before anything is sent
    if (file !== null) {
      const path = purpose === 'toLook' && !existsSync(file) ? ':memory:' : file;
      return await SqliteSchemaConnection.open({ ...options, path }, options.tablePrefix);
    }
    const { settings, warnings } = mysqlSettings(options);
    for (const warning of warnings) options.onWarning(warning);
    return await MysqlSchemaConnection.open(settings, options.tablePrefix, options.clock);
  } catch (error) {
    throw toStoreFailure(error);
  }
}

function targetFor(connection: SchemaConnection, options: DatabaseOptions, { keyText }: SchemaReport): DatabaseTarget {
  const { dataSource, tablePrefix, clock, random } = options;
  const tokens: StatementTokens = { tablePrefix, ...(keyText === undefined ? {} : { keyText }) };
  const statements = loadStatements(connection.dialect, tokens);
  const path = sqlitePath(dataSource);
  if (path !== null) return { statements, sqlite: { path, clock, random } };
  const { settings } = mysqlSettings(options);
  const flavour = connection instanceof MysqlSchemaConnection ? connection.flavour : 'mysql';
  return { statements, mysql: { ...options, settings, flavour } };
}

function driverFor(target: DatabaseTarget, { dataSource }: DatabaseOptions): SqlDriver {
  if ('sqlite' in target) return new SqliteDriver(target.sqlite, target.statements);
  return new MysqlDriver(target.mysql, target.statements, dataSource.maxConnections);
}

function mysqlSettings({ dataSource, access }: Pick<DatabaseOptions, 'dataSource' | 'access'>) {
  const { settings, warnings } = readMysqlUrl(dataSource);
  return { settings: access === undefined ? settings : { ...settings, access }, warnings };
}

/** The file of a `sqlite:` URL, or null for another one. */
function sqlitePath({ name, url }: DataSourceSettings): string | null {
  if (!url.startsWith('sqlite:')) return null;
  const path = url.slice('sqlite:'.length);
  if (path === '' || path === ':memory:') {
    throw new SchedulerError('CONFIGURATION', `dataSource.${name}.URL: expected sqlite:FILE, found '${url}'.`);
  }
  if (!existsSync(dirname(path))) {
    throw new SchedulerError('CONFIGURATION', `dataSource.${name}.URL: the folder ${dirname(path)} does not exist.`);
  }
  return path;
}
