import { SqlError } from '../sql-driver';
import type { MysqlSession } from './mysql-session';

/** So long without an answer, milliseconds, is normal for nothing but a lock that somebody holds. */
const LONG = 1_000;

/**
 * The connections of one node, but the one that checks in. A network that forgets connections (a firewall, a fail-over) tells
 * nobody: each would be waited for by itself, for as long as a slow statement may take.
 */
export class OpenSessions {
  readonly #sessions = new Set<MysqlSession>();

  add(session: MysqlSession): void {
    this.#sessions.add(session);
  }

  delete(session: MysqlSession): void {
    this.#sessions.delete(session);
  }

  /** The network, or the server, is known to have been away: drops what is idle or waits for an answer for long. */
  dropSilent(): void {
    for (const session of [...this.#sessions]) if (session.silence >= LONG) session.discard(forgotten());
  }
}

function forgotten(): SqlError {
  const message = 'no answer while the node had lost the database; the connection was dropped';
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}
