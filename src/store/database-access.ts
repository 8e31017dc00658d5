import { badArgument, SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';

/** Database access that cannot be written in a configuration file. Passed in code and never logged. */
export interface DatabaseAccess {
  /** Returns the password. Called for each new connection, because tokens of cloud providers expire within minutes. */
  readonly password?: () => string | Promise<string>;
  /** Connection settings of an existing pool. They replace the address and login of the data source. */
  readonly pool?: PoolSettings;
}

/** Settings of connections in a pool of mysql2. Not its own type, because the driver need not be installed. */
type PoolSettings = Readonly<Record<string, unknown>> & { readonly database?: string };

/** Settings copied from a pool: server address and login. The store sets all options for reading and writing values itself. */
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
];

/** Connection settings of a mysql2 callback or promise pool. Throws INVALID_ARGUMENT for other values and for a pool without a database name. */
export function settingsOfPool(pool: unknown): PoolSettings {
  const settings = connectionConfigOf(pool) ?? connectionConfigOf((pool as { readonly pool?: unknown } | null)?.pool);
  if (settings === null) {
    const expected = 'Expected a pool of mysql2 (createPool of mysql2 or mysql2/promise) that names a database';
    const isPool = typeof (pool as { readonly getConnection?: unknown } | null)?.getConnection === 'function';
    const found = isPool ? 'a pool without a database' : describeValue(pool);
    throw badArgument(`${expected}, found ${found}.`);
  }
  const taken = TAKEN.filter((key) => settings[key] !== undefined && settings[key] !== false);
  return Object.fromEntries(taken.map((key) => [key, settings[key]]));
}

function connectionConfigOf(pool: unknown): PoolSettings | null {
  const { config } = (pool ?? {}) as { readonly config?: { readonly connectionConfig?: PoolSettings } };
  const settings = config?.connectionConfig;
  return typeof settings?.database === 'string' && settings.database !== '' ? settings : null;
}

/** Calls the password callback. Rethrows its error. Throws CONFIGURATION if the result is not a string, without quoting the result. */
export async function requestPassword(password: NonNullable<DatabaseAccess['password']>): Promise<string> {
  const answer: unknown = await password();
  if (typeof answer === 'string') return answer;
  throw new SchedulerError('CONFIGURATION', `Expected a string from the password callback, found ${typeof answer}.`);
}
