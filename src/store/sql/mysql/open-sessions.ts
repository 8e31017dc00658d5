import { SqlError } from '../runtime/sql-driver';
import type { MysqlSession } from './mysql-session';
import { owesAnswer, type ServerProcess } from './server-processes';

/** So long without an answer, milliseconds, is normal for nothing but a lock that somebody holds. */
const LONG = 1_000;

/** What the server says of all its connections, and the number of the one that has asked. */
export interface ServerView {
  readonly asker: number;
  readonly processes: readonly ServerProcess[];
}

/**
 * The connections of one node, but the one that checks in. A network that forgets connections (a firewall, a fail-over) tells
 * nobody: each would be waited for by itself, for as long as a slow statement may take.
 */
export class OpenSessions {
  readonly #sessions = new Set<MysqlSession>();
  readonly #askServer: () => Promise<ServerView>;
  #asking: Promise<ServerView> | null = null;

  /** `askServer` asks on a connection that is none of these. */
  constructor(askServer: () => Promise<ServerView>) {
    this.#askServer = askServer;
  }

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

  /** Whether the server knows of nothing that it would have to answer there. False where it cannot be asked. */
  async isForgotten({ id }: MysqlSession): Promise<boolean> {
    this.#asking ??= this.#askServer().finally(() => {
      this.#asking = null;
    });
    const view = await this.#asking.catch(() => null);
    return view !== null && owesAnswer(id, view.asker, view.processes) === false;
  }
}

function forgotten(): SqlError {
  const message = 'no answer while the node had lost the database; the connection was dropped';
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}
