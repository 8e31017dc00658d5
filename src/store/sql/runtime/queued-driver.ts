import type { ConnectionQueue } from './connection-queue';
import { runTransaction } from './session';
import type {
  ConnectionRole,
  SqlDialect,
  SqlDriver,
  SqlParams,
  SqlTransaction,
  TransactionOptions,
} from './sql-driver';
import type { StatementName } from './statement-names';
import { bindByPosition, type Statements } from './statements';

/** A connection that a driver keeps, and what it is for; the queues of `read` share its load. */
export interface RoleLane {
  readonly role: ConnectionRole;
  readonly queue: ConnectionQueue;
}

export interface LaneDriverParts {
  readonly queues: readonly RoleLane[];
  readonly dropSilent: () => void;
}

/** A driver made of connections of its own, instead of a pool in which one caller's burst starves the others. */
export class QueuedDriver implements SqlDriver {
  readonly dialect: SqlDialect;
  readonly #statements: Statements;
  readonly #dropSilent: () => void;
  readonly #queues: readonly RoleLane[];

  constructor(dialect: SqlDialect, statements: Statements, { queues, dropSilent }: LaneDriverParts) {
    this.dialect = dialect;
    this.#statements = statements;
    this.#dropSilent = dropSilent;
    this.#queues = queues;
  }

  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    return this.#queue(role).use((session) => runTransaction(session, this.#statements, work, options));
  }

  async select<Row>(name: StatementName, params: SqlParams): Promise<Row[]> {
    const statement = this.#statements.get(name);
    const values = bindByPosition(statement, params);
    const { rows } = await this.#queue('read').use((session) => session.execute(statement, values));
    return rows as Row[];
  }

  cut(): void {
    for (const { queue } of this.#queues) queue.cut();
  }

  dropSilent(): void {
    this.#dropSilent();
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.map(({ queue }) => queue.close()));
  }

  /** The least loaded queue of the role. */
  #queue(role: ConnectionRole): ConnectionQueue {
    const queues = this.#queues.filter((each) => each.role === role).map(({ queue }) => queue);
    const [first, ...others] = queues;
    if (first === undefined) throw new TypeError(`No connection serves '${role}'.`);
    return others.reduce((least, queue) => (queue.load < least.load ? queue : least), first);
  }
}
