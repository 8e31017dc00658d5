import { SystemClock } from '../base/clock';
import { systemRandom } from '../base/ids';
import type { SqlStoreConfig } from '../config/scheduler-config';
import { openSchemaConnection } from '../store/sql/open-database';
import { toStoreFailure } from '../store/sql/runtime/retry-rules';
import { type Plan, prepareSchema, printMigration, type SchemaReport } from '../store/sql/schema/migrate';
import type { SchemaConnection } from '../store/sql/schema/schema-connection';

/** The statements that the tables of a store need now, for someone else to run, and what they would not mend. */
export function printSchema(config: SqlStoreConfig, onWarning: (warning: string) => void): Promise<Plan> {
  const print = (connection: SchemaConnection) => printMigration(connection, config.tablePrefix);
  return connected(config, { purpose: 'toLook', onWarning }, print);
}

/** Brings the tables of a store up to date. Rejects with SCHEMA_MISMATCH when they cannot be used even then. */
export function applySchema(config: SqlStoreConfig, onWarning: (warning: string) => void): Promise<SchemaReport> {
  const options = { mode: 'migrate', tablePrefix: config.tablePrefix } as const;
  const apply = (connection: SchemaConnection) => prepareSchema(connection, options);
  return connected(config, { purpose: 'toChange', onWarning }, apply);
}

interface Access {
  readonly purpose: 'toLook' | 'toChange';
  readonly onWarning: (warning: string) => void;
}

async function connected<T>(
  { dataSource, tablePrefix }: SqlStoreConfig,
  { purpose, onWarning }: Access,
  work: (connection: SchemaConnection) => Promise<T>,
): Promise<T> {
  const surroundings = { clock: new SystemClock(), random: systemRandom, onWarning };
  const connection = await openSchemaConnection({ dataSource, tablePrefix, ...surroundings }, purpose);
  try {
    return await work(connection);
  } catch (error) {
    throw toStoreFailure(error);
  } finally {
    await connection.close();
  }
}
