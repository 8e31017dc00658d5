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

/** Returns the URL of the pool's database, without a login; null without a pool. */
export function urlOfPool(access: DatabaseAccess | undefined): string | null {
  if (access?.pool === undefined) return null;
  const { host = 'localhost', port = 3306, database = '' } = access.pool;
  return `mysql://${host}:${port}/${encodeURIComponent(database)}`;
}

/** Adds the pool's database to a configuration object that names none. For a file, `loadConfig` does the same. */
export function withDatabaseOf(
  access: DatabaseAccess | undefined,
  config: string | object | undefined,
): string | object | undefined {
  const database = urlOfPool(access);
  if (database === null || typeof config === 'string') return config;
  const names = Object.keys(config ?? {});
  if (names.some((name) => /(^|\.)(dataSource|database)/.test(name))) return config;
  return { ...config, database };
}
