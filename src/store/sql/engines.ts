import { type DatabaseName, databaseOfUrl } from '../../base/database-kinds';
import type { SqlEngine } from './engine/engine';
import { MYSQL } from './mysql/engine';
import { SQLITE } from './sqlite/engine';

const ENGINES: Readonly<Record<DatabaseName, SqlEngine>> = { mysql: MYSQL, sqlite: SQLITE };

/** Returns the engine for a URL. Throws a TypeError for an unknown URL scheme, which the configuration rejects earlier. */
export function engineOf({ url }: { readonly url: string }): SqlEngine {
  const name = databaseOfUrl(url);
  if (name === null)
    throw new TypeError(`No database engine supports the URL scheme '${url.slice(0, url.indexOf(':'))}'.`);
  return ENGINES[name];
}
