import { unmet } from '../../domain/check-text';
import { type DatabaseAccess, settingsOfPool } from '../../store/database-access';

/** A mysql2 pool, with callbacks or promises. */
export interface MysqlPool {
  /** Method of both forms of a pool. Never called: the scheduler reads only the pool's settings. */
  // biome-ignore lint/suspicious/noExplicitAny: its two forms differ in it; only its settings are read
  getConnection(...args: any[]): unknown;
}

interface GivenDatabase {
  readonly pool?: MysqlPool;
  readonly password?: () => string | Promise<string>;
}

/** Returns the database access that a program passed, or undefined if it passed none. Throws INVALID_ARGUMENT. */
export function accessOf({ pool, password }: GivenDatabase): DatabaseAccess | undefined {
  if (pool === undefined && password === undefined) return undefined;
  if (password !== undefined && typeof password !== 'function') {
    throw unmet('a function that returns the password', `a value of type ${typeof password}`);
  }
  return {
    ...(pool === undefined ? {} : { pool: settingsOfPool(pool) }),
    ...(password === undefined ? {} : { password }),
  };
}

/** Adds the pool's database to a configuration object that names none. A configuration file stays unchanged. */
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
