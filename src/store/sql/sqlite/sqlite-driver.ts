import { isMainThread } from 'node:worker_threads';
import { yieldToEventLoop } from '../../../base/yield-to-event-loop';
import { CommitGroup } from '../runtime/commit-group';
import { ConnectionQueue } from '../runtime/connection-queue';
import { runTransaction } from '../runtime/session';
import type { ConnectionRole, SqlDriver, SqlParams, SqlTransaction } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import { bindByPosition, type Statements } from '../runtime/statements';
import { sqliteDialect } from './sqlite-dialect';
import { type SqliteOptions, SqliteSession } from './sqlite-session';

/**
 * In a thread of its own, one turn of the event loop brings what was sent at the same time. In the application's thread it
 * would bring the application, which may take its time while the file is locked.
 */
const whenAsked = isMainThread ? async () => undefined : yieldToEventLoop;

/** Two connections to a file: one that writes, because the file has one writer at a time, and one that reads beside it. */
export class SqliteDriver implements SqlDriver {
  readonly dialect = sqliteDialect;
  readonly #statements: Statements;
  readonly #writer: ConnectionQueue<SqliteSession>;
  readonly #reader: ConnectionQueue<SqliteSession>;
  readonly #group: CommitGroup;

  constructor(options: SqliteOptions, statements: Statements) {
    this.#statements = statements;
    this.#writer = new ConnectionQueue(() => SqliteSession.openExisting(options, 'write'));
    this.#reader = new ConnectionQueue(() => SqliteSession.openExisting(options, 'read'));
    this.#group = new CommitGroup({ queue: this.#writer, statements, whenAsked });
  }

  transaction<T>(role: ConnectionRole, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    if (role !== 'read') return this.#group.run(work);
    return this.#reader.use((session) => runTransaction(session, this.#statements, work));
  }

  async select<Row>(name: StatementName, params: SqlParams): Promise<Row[]> {
    const statement = this.#statements.get(name);
    const values = bindByPosition(statement, params);
    const { rows } = await this.#reader.use((session) => session.execute(statement, values));
    return rows as Row[];
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }
}
