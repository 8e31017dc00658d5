import { SchedulerError } from '../../base/errors';
import { describeValue } from '../../domain/check-text';
import { type DatabaseAccess, settingsOfPool } from '../../store/database-access';

/** A pool of mysql2, with callbacks or promises. */
export interface MysqlPool {
  /** What a pool has. */
  // biome-ignore lint/suspicious/noExplicitAny: its two forms differ in it; only its settings are read
  getConnection(...args: any[]): unknown;
}

/** What a program gives besides a configuration to reach a database. */
export interface GivenDatabase {
  readonly pool?: MysqlPool;
  readonly password?: () => string | Promise<string>;
}

/** The way to the database that was given in code; undefined: the configuration says all. Throws INVALID_ARGUMENT. */
export function accessOf({ pool, password }: GivenDatabase): DatabaseAccess | undefined {
  if (pool === undefined && password === undefined) return undefined;
  if (password !== undefined && typeof password !== 'function') {
    const message = `Expected a function that answers the password, found ${describeValue(typeof password)}.`;
    throw new SchedulerError('INVALID_ARGUMENT', message);
  }
  return {
    ...(pool === undefined ? {} : { pool: settingsOfPool(pool) }),
    ...(password === undefined ? {} : { password }),
  };
}

/** A configuration that names no database means the pool's. */
export function withDatabaseOf(
  access: DatabaseAccess | undefined,
  config: string | object | undefined,
): string | object | undefined {
  if (access?.pool === undefined || typeof config === 'string') return config;
  const names = Object.keys(config ?? {});
  if (names.some((name) => /(^|\.)(dataSource|database)/.test(name))) return config;
  const { host = 'localhost', port = 3306, database = '' } = access.pool;
  return { ...config, database: `mysql://${host}:${port}/${encodeURIComponent(database)}` };
}
