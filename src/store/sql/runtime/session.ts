import type { Clock } from '../../../base/clock';
import { settlesWithin } from '../../../base/sleep';
import type { ConnectionActivity } from '../../store-activity';
import {
  CLOSED,
  SqlError,
  type SqlErrorKind,
  type SqlParams,
  type SqlTransaction,
  type SqlValue,
  type TransactionOptions,
  UnknownCommitError,
} from './sql-driver';
import type { StatementName } from './statement-names';
import { bindByPosition, type Statement, type Statements } from './statements';

/** Result of one statement. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Activity of a connection since it was opened. Only ever increases. */
export interface SessionCounts {
  /** Number of the store's statements, except those that begin and end transactions. */
  statements: number;
  commits: number;
}

/**
 * One connection, in the form that both drivers use. Rejects with `SqlError` only. It serves one caller at a time, who need not wait for an
 * answer before sending the next statement: statements run in order.
 */
export interface Session {
  /** Longest set of rows that one statement accepts, in bytes; absent: no limit. */
  readonly longestSet?: number;
  /** False if it must not be used any more. */
  readonly usable: boolean;
  readonly counts: SessionCounts;
  execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Makes the server wait long for the next statement of a transaction, until `endLongPauses`. Absent: it always does. */
  allowLongPauses?(): Promise<void>;
  endLongPauses?(): Promise<void>;
  /** Drops the connection at once, including an open transaction. Never throws. */
  discard(): void;
  close(): Promise<void>;
}

/** A connection that can undo the last part of its transaction. */
export interface PartialSession extends Pick<Session, 'execute' | 'longestSet'> {
  savepoint(): void | Promise<void>;
  /** Ends the part since the savepoint. It will be committed with the rest. */
  release(): void | Promise<void>;
  /** Undoes the part, and the transaction continues without it. Throws if the database has already undone the whole transaction. */
  rollbackTo(): void | Promise<void>;
}

/** Kinds of errors after which a connection can be used again, once rolled back. After all others it is dropped. */
const LEAVES_CONNECTION_SOUND: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>([
  'deadlock',
  'lockTimeout',
  'busy',
  'duplicateKey',
  'foreignKey',
]);

/** The transaction as seen by the work in it: statements by name, one after the other, until it ends. */
export class OpenTransaction implements SqlTransaction {
  /** First error of a statement. After it the transaction can only be rolled back. */
  failure: SqlError | null = null;
  /** True if any row was changed, so that there is something to commit. */
  hasWritten = false;
  readonly #session: Pick<Session, 'execute' | 'longestSet'>;
  readonly #statements: Statements;
  #hasEnded = false;
  /** Number of statements without an answer. */
  #running = 0;

  constructor(session: Pick<Session, 'execute' | 'longestSet'>, statements: Statements) {
    this.#session = session;
    this.#statements = statements;
  }

  get longestSet(): number {
    return this.#session.longestSet ?? Number.POSITIVE_INFINITY;
  }

  async all<Row>(name: StatementName, params: SqlParams): Promise<Row[]> {
    return (await this.#execute(name, params)).rows as Row[];
  }

  async run(name: StatementName, params: SqlParams): Promise<{ readonly changes: number }> {
    const { changes } = await this.#execute(name, params);
    if (changes > 0) this.hasWritten = true;
    return { changes };
  }

  /** Runs the work, and rejects statements afterwards. Throws if the work suppressed an error or did not await a statement. */
  async perform<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.failure !== null) throw this.failure;
      if (this.#running > 0)
        throw new TypeError(
          'The transaction ended while one of its statements was still running. Await every statement.',
        );
      return result;
    } finally {
      this.#hasEnded = true;
    }
  }

  async #execute(name: StatementName, params: SqlParams): Promise<StatementResult> {
    if (this.failure !== null) throw this.failure;
    if (this.#hasEnded) throw new TypeError(`${name}: the transaction has ended.`);
    this.#running++;
    try {
      return await execute(this.#session, this.#statements, name, params);
    } catch (error) {
      if (error instanceof SqlError) this.failure ??= error;
      throw error;
    } finally {
      this.#running--;
    }
  }
}

/** Runs a statement by name. */
export async function execute(
  session: Pick<Session, 'execute'>,
  statements: Statements,
  name: StatementName,
  params: SqlParams,
): Promise<StatementResult> {
  const statement = statements.get(name);
  return session.execute(statement, bindByPosition(statement, params));
}

/** Runs one transaction on one connection; see `SqlDriver.transaction`. */
export async function runTransaction<T>(
  session: Session,
  statements: Statements,
  work: (tx: SqlTransaction) => Promise<T>,
  { pausesLong = false }: TransactionOptions = {},
): Promise<T> {
  if (pausesLong) await orDiscard(session, session.allowLongPauses?.());
  try {
    await orDiscard(session, session.begin());
    const tx = new OpenTransaction(session, statements);
    const result = await tx.perform(work).catch(async (error: unknown) => {
      await undo(session, tx.failure ?? error);
      throw error;
    });
    await commit(session, tx);
    return result;
  } finally {
    if (pausesLong && session.usable) await orDiscard(session, session.endLongPauses?.()).catch(() => undefined);
  }
}

/** Runs a part of a transaction, as a whole or not at all. The transaction continues. */
export async function runPart<T>(
  session: PartialSession,
  statements: Statements,
  work: (tx: SqlTransaction) => Promise<T>,
): Promise<T> {
  await session.savepoint();
  try {
    const result = await new OpenTransaction(session, statements).perform(work);
    await session.release();
    return result;
  } catch (error) {
    await undoPart(session);
    throw error;
  }
}

/** Undoes the part. After a deadlock or on a lost connection there is nothing left to undo. */
async function undoPart(session: PartialSession): Promise<void> {
  try {
    await session.rollbackTo();
  } catch {
    // the earlier error is the one to report
  }
}

async function commit(session: Session, tx: OpenTransaction): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    session.discard();
    // nothing was written, so nothing is lost
    const isKnown = !tx.hasWritten || (error instanceof SqlError && error.isRolledBack);
    throw isKnown ? error : new UnknownCommitError(error);
  }
}

/** Ends a failed transaction, and drops its connection if that cannot be used again. */
export async function undo(session: Session, error: unknown): Promise<void> {
  if (error instanceof SqlError && !LEAVES_CONNECTION_SOUND.has(error.kind)) return session.discard();
  // After a lock timeout the transaction is still open, so a later commit would store its first half.
  await orDiscard(session, session.rollback()).catch(() => undefined);
}

/** Waits for a step without which the connection is useless, and drops the connection if the step fails. */
export async function orDiscard(session: Session, step: Promise<void> | undefined): Promise<void> {
  try {
    await step;
  } catch (error) {
    session.discard();
    throw error;
  }
}

/** One connection and the queue of its callers. It connects when first needed, and again after the connection was lost. */
export class ConnectionQueue<Connection extends Session = Session> {
  readonly #connect: () => Promise<Connection>;
  #session: Connection | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #load = 0;
  /** Activity of closed connections. */
  readonly #before = { statements: 0, commits: 0 };
  #isClosed = false;
  #isCut = false;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  /** Number of callers that use the connection or wait for it. */
  get load(): number {
    return this.#load;
  }

  /** Returns its activity. */
  read(): Omit<ConnectionActivity, 'connection'> {
    const { statements = 0, commits = 0 } = this.#session?.counts ?? {};
    return {
      open: this.#session?.usable ? 1 : 0,
      inUse: Math.min(this.#load, 1),
      waiting: Math.max(0, this.#load - 1),
      statements: this.#before.statements + statements,
      commits: this.#before.commits + commits,
    };
  }

  /** True if a connection is open that has not been lost. */
  get isConnected(): boolean {
    return this.#session?.usable === true;
  }

  /** Runs `ask` after the callers before it. Returns null if the connection did not get to it within `timeoutMs`. Connects if needed. */
  async tryUse<T>(clock: Clock, timeoutMs: number, ask: (session: Connection) => Promise<T>): Promise<T | null> {
    const answer = this.use(ask);
    if (await settlesWithin(clock, timeoutMs, answer)) return answer;
    answer.catch(() => undefined);
    return null;
  }

  /** Runs `work` on a working connection, after all callers before it. */
  async use<T>(work: (session: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedError();
    this.#load++;
    const turn = this.#last.then(async () => work(await this.#open()));
    const done = turn.finally(() => this.#load--);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Drops the connection. Running work fails, and no further work begins. */
  cut(): void {
    this.#isClosed = true;
    this.#isCut = true;
    this.#session?.discard();
  }

  /** Waits for the callers before it, then closes the connection. Later callers are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#session?.close();
    this.#forget();
  }

  async #open(): Promise<Connection> {
    if (this.#session?.usable) return this.#session;
    this.#forget();
    if (this.#isCut) throw closedError();
    this.#session = await this.#connect();
    if (this.#isCut) this.#session.discard();
    return this.#session;
  }

  #forget(): void {
    this.#before.statements += this.#session?.counts.statements ?? 0;
    this.#before.commits += this.#session?.counts.commits ?? 0;
    this.#session = null;
  }
}

function closedError(): SqlError {
  return new SqlError({ kind: 'other', databaseCode: CLOSED, statement: null, message: 'The store is closed.' });
}
