import { SchedulerError } from '../../base/errors';
import type { DatabaseOptions, DatabaseTarget, SchemaOptions } from './engine/engine';
import { engineOf } from './engines';
import { toStoreFailure } from './runtime/retry-rules';
import type { SqlDriver } from './runtime/sql-driver';
import { applyTokens, loadStatements } from './runtime/statements';
import { prepareSchema, type SchemaReport } from './schema/migrate';
import type { SchemaConnection } from './schema/schema-connection';

/** A reachable database whose tables exist in the expected state. */
export interface OpenDatabase {
  readonly driver: SqlDriver;
  /** Names of the migrations that were applied while opening. */
  readonly applied: readonly string[];
}

/** Connects, migrates as far as `schema` allows, and creates the driver. Rejects with `STORE_FAILURE`, `SCHEMA_MISMATCH` or `CONFIGURATION`. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const connection = await openSchemaConnection(options);
  try {
    await assertUsable(connection, options);
    const report = await prepareSchema(connection, { ...options, mode: options.schema });
    for (const warning of report.warnings) options.onWarning(warning);
    return { driver: targetFor(connection, options, report).openDriver(), applied: report.applied };
  } catch (error) {
    throw toStoreFailure(error);
  } finally {
    await connection.close();
  }
}

/** Connects to existing tables. Only reads the catalogue; does not check or change the tables. Rejects like `openDatabase`. */
export async function findDatabase(options: DatabaseOptions): Promise<DatabaseTarget> {
  const connection = await openSchemaConnection(options, 'readOnly');
  try {
    const report = await prepareSchema(connection, { mode: 'never', tablePrefix: options.tablePrefix });
    return targetFor(connection, options, report);
  } catch (error) {
    throw toStoreFailure(error);
  } finally {
    await connection.close();
  }
}

/** Throws `CONFIGURATION` for an unsupported server, before anything is changed on it. Reports warnings. */
async function assertUsable(connection: SchemaConnection, { dataSource, onWarning }: DatabaseOptions): Promise<void> {
  const { problems, warnings } = await connection.checkServer();
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
  const { dataSource, tablePrefix } = options;
  const statements = loadStatements(connection.dialect, { tablePrefix, ...(keyText === undefined ? {} : { keyText }) });
  return engineOf(dataSource).targetOf(connection, options, statements);
}
