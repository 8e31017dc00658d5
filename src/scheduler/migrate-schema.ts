import { SystemClock } from '../base/clock';
import { systemRandom } from '../base/ids';
import type { SqlStoreConfig } from '../config/scheduler-config';
import { prepareSchema, printMigration, type SchemaReport } from '../store/sql/migrate';
import { openSchemaConnection } from '../store/sql/open-database';
import { toStoreFailure } from '../store/sql/restart-rules';
import type { SchemaConnection } from '../store/sql/schema/schema-connection';

/** The statements that the tables of a store need now, in order, for someone else to run; the tables stay as they are. */
export function printSchema(config: SqlStoreConfig, onWarning: (warning: string) => void): Promise<readonly string[]> {
  return connected(config, onWarning, (connection) => printMigration(connection, config.tablePrefix));
}

/** Brings the tables of a store up to date. Rejects with SCHEMA_MISMATCH when they cannot be used even then. */
export function applySchema(config: SqlStoreConfig, onWarning: (warning: string) => void): Promise<SchemaReport> {
  const options = { mode: 'migrate', tablePrefix: config.tablePrefix } as const;
  return connected(config, onWarning, (connection) => prepareSchema(connection, options));
}

async function connected<T>(
  { dataSource, tablePrefix }: SqlStoreConfig,
  onWarning: (warning: string) => void,
  work: (connection: SchemaConnection) => Promise<T>,
): Promise<T> {
  const surroundings = { clock: new SystemClock(), random: systemRandom, onWarning };
  const connection = await openSchemaConnection({ dataSource, tablePrefix, ...surroundings });
  try {
    return await work(connection);
  } catch (error) {
    throw toStoreFailure(error);
  } finally {
    await connection.close();
  }
}
