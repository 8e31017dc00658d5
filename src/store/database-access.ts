import type { ConnectionOptions } from 'mysql2';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';

/** What reaches a server besides what a configuration can say: given in code, never logged. */
export interface DatabaseAccess {
  /** Asked for each new connection. Cloud providers' tokens are valid for minutes. */
  readonly password?: () => string | Promise<string>;
  /** How a pool connects, in place of the address and the login of the data source. */
  readonly pool?: ConnectionOptions;
}

/** Of a pool's settings, what says where the server is and who we are. How values are read and written is ours. */
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

/** How a pool of mysql2 connects, whichever of its two forms it has. Throws INVALID_ARGUMENT for anything else. */
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

/** The password for one connection. The error of a callback is passed on, what it answers never is. */
export async function askPassword(password: NonNullable<DatabaseAccess['password']>): Promise<string> {
  const answer: unknown = await password();
  if (typeof answer === 'string') return answer;
  throw new SchedulerError('CONFIGURATION', `Expected a text from the password callback, found ${typeof answer}.`);
}
