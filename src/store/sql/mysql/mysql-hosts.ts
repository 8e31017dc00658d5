import type { ServerAddress } from '../../../base/server-url';
import type { StatementResult } from '../runtime/session';
import { SqlError } from '../runtime/sql-driver';
import type { MysqlSettings } from './mysql-data-source';
import { sessionText } from './session-texts';

interface ServerConnection {
  query(sql: string): Promise<StatementResult>;
  discard(): void;
}

/**
 * Connects to the first host of the URL that accepts writes. A single host is not asked, because its answer would change nothing. If no host accepts
 * writes, returns a connection to the first one that answers, so that a node can still read. Rejects with the last error if none answers.
 */
export async function onFirstWritable<Connection extends ServerConnection>(
  { hosts, access, socketPath }: Pick<MysqlSettings, 'hosts' | 'access' | 'socketPath'>,
  connect: (address: ServerAddress) => Promise<Connection>,
): Promise<Connection> {
  const [first, ...others] = hosts;
  if (first === undefined) throw new TypeError('A URL has at least one host.');
  if (others.length === 0 || access?.pool !== undefined || socketPath !== null) return connect(first);
  let readOnly: Connection | null = null;
  let failure: unknown;
  for (const address of hosts) {
    try {
      const session = await connect(address);
      if (await acceptsWrites(session)) {
        readOnly?.discard();
        return session;
      }
      if (readOnly === null) readOnly = session;
      else session.discard();
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      failure = error;
    }
  }
  if (readOnly !== null) return readOnly;
  throw failure;
}

async function acceptsWrites(session: ServerConnection): Promise<boolean> {
  try {
    const { rows } = await session.query(sessionText('selectReadOnly'));
    const [found] = rows as readonly { readonly isReadOnly: number }[];
    return Number(found?.isReadOnly) === 0;
  } catch (error) {
    session.discard();
    throw error;
  }
}
