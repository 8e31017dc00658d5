import { type DatabaseName, databaseOfUrl } from '../../base/database-kinds';
import { SchedulerError } from '../../base/errors';
import type { DatabaseOptions, DatabaseTarget, SchemaOptions, SqlEngine } from './engine/engine';
import { MYSQL } from './mysql/engine';
import { toStoreFailure } from './runtime/retry-rules';
import type { SqlDriver } from './runtime/sql-driver';
import { applyTokens, loadStatements } from './runtime/statements';
import { prepareSchema, type SchemaReport } from './schema/migrate';
import type { SchemaConnection } from './schema/schema-connection';
import { SQLITE } from './sqlite/engine';

const ENGINES: Readonly<Record<DatabaseName, SqlEngine>> = { mysql: MYSQL, sqlite: SQLITE };

/** Returns the engine for a URL. Throws a TypeError for an unknown URL scheme, which the configuration rejects earlier. */
export function engineOf({ url }: { readonly url: string }): SqlEngine {
  const name = databaseOfUrl(url);
  if (name === null)
    throw new TypeError(`No database engine supports the URL scheme '${url.slice(0, url.indexOf(':'))}'.`);
  return ENGINES[name];
}

/** A reachable database whose tables exist in the expected state. */
interface OpenDatabase {
  readonly driver: SqlDriver;
  /** Names of the migrations that were applied while opening. */
  readonly applied: readonly string[];
}

/** Connects, migrates as far as `schema` allows, and creates the driver. Rejects with `STORE_FAILURE`, `SCHEMA_MISMATCH` or `CONFIGURATION`. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const opened = await openSchemaConnection(options);
  return opened.use(async (connection) => {
    await assertUsable(connection, options);
    const report = await prepareSchema(connection, { ...options, mode: options.schema });
    for (const warning of report.warnings) options.onWarning(warning);
    return { driver: targetFor(connection, options, report).openDriver(), applied: report.applied };
  });
}

/** Connects to existing tables. Only reads the catalogue; does not check or change the tables. Rejects like `openDatabase`. */
export async function findDatabase(options: DatabaseOptions): Promise<DatabaseTarget> {
  const opened = await openSchemaConnection(options, 'readOnly');
  return opened.use(async (connection) => {
    return targetFor(connection, options, await prepareSchema(connection, { mode: 'never' }));
  });
}

/** Throws `CONFIGURATION` for an unsupported server, before anything is changed on it. Reports warnings. */
async function assertUsable(
  connection: SchemaConnection,
  { dataSource, writers, onWarning }: DatabaseOptions,
): Promise<void> {
  const { problems, warnings } = await connection.checkServer(writers);
  for (const warning of warnings) onWarning(warning);
  if (problems.length === 0) return;
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  throw new SchedulerError('CONFIGURATION', `The database of dataSource.${dataSource.name} cannot be used:\n${list}`);
}

/** Opens a connection that reads the catalogue or changes tables. `readOnly` does not create a missing SQLite file. Rejects with `STORE_FAILURE` or `CONFIGURATION`. */
export async function openSchemaConnection(
  options: SchemaOptions,
  purpose: 'readOnly' | 'change' = 'change',
): Promise<SchemaConnection> {
  try {
    applyTokens('', options); // throws for an invalid prefix before anything is sent
    return await engineOf(options.dataSource).openSchema(options, purpose);
  } catch (error) {
    throw toStoreFailure(error);
  }
}

function targetFor(connection: SchemaConnection, options: DatabaseOptions, { keyText }: SchemaReport): DatabaseTarget {
  const statements = loadStatements(connection.dialect, { tablePrefix: options.tablePrefix, keyText });
  return engineOf(options.dataSource).targetOf(connection, options, statements);
}
