import type { ConnectionOptions } from 'mysql2';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';

/** Access to a server beyond what a configuration can hold: given in code, never logged. */
export interface DatabaseAccess {
  /** Called for each new connection, because the tokens of cloud providers are valid for minutes only. */
  readonly password?: () => string | Promise<string>;
  /** Settings of a pool to connect with. They replace the address and the login of the data source. */
  readonly pool?: ConnectionOptions;
}

/** Settings taken from a pool: the address of the server and the login. The store itself decides how values are read and written. */
const TAKEN = [
  'host',
  'port',
  'localAddress',
  'socketPath',
  'stream',
  'database',
  'user',
  'password',
  'password2',
  'password3',
  'passwordSha1',
  'ssl',
  'authPlugins',
  'enableCleartextPlugin',
] as const satisfies readonly (keyof ConnectionOptions)[];

/** Returns the connection settings of a mysql2 pool, in either of its two forms. Throws INVALID_ARGUMENT for anything else. */
export function settingsOfPool(pool: unknown): ConnectionOptions {
  const settings = connectionConfigOf(pool) ?? connectionConfigOf((pool as { readonly pool?: unknown } | null)?.pool);
  if (settings === null) {
    const expected = 'Expected a pool of mysql2 (createPool of mysql2 or mysql2/promise) that names a database';
    throw new SchedulerError('INVALID_ARGUMENT', `${expected}, found ${describeValue(pool)}.`);
  }
  const taken = TAKEN.filter((key) => settings[key] !== undefined && (settings[key] as unknown) !== false);
  return Object.fromEntries(taken.map((key) => [key, settings[key]])) as ConnectionOptions;
}

function connectionConfigOf(pool: unknown): ConnectionOptions | null {
  const { config } = (pool ?? {}) as { readonly config?: { readonly connectionConfig?: ConnectionOptions } };
  const settings = config?.connectionConfig;
  return typeof settings?.database === 'string' && settings.database !== '' ? settings : null;
}

/** Requests the password for one connection. Passes on an error of the callback, but never shows the value that it returns. */
export async function askPassword(password: NonNullable<DatabaseAccess['password']>): Promise<string> {
  const answer: unknown = await password();
  if (typeof answer === 'string') return answer;
  throw new SchedulerError('CONFIGURATION', `Expected a string from the password callback, found ${typeof answer}.`);
}
