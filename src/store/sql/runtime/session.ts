import {
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

/** What one statement answered. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** What a connection has done so far. Only ever added to: a number that grows costs nothing. */
export interface SessionCounts {
  /** Those of the store, without what begins and ends transactions. */
  statements: number;
  commits: number;
}

/**
 * One connection as both drivers see it. Rejects with `SqlError` only, and serves one caller at a time, who need not wait
 * for an answer before the next statement: they run in order.
 */
export interface Session {
  /** The longest set of rows that one statement takes, in bytes; absent: any. */
  readonly longestSet?: number;
  /** False once it must not be used again. */
  readonly usable: boolean;
  readonly counts: SessionCounts;
  execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Until `endLongPauses`, the server waits long for the next statement of a transaction; absent: it always does. */
  allowLongPauses?(): Promise<void>;
  endLongPauses?(): Promise<void>;
  /** Drops the connection at once, with whatever it has open. Never throws. */
  discard(): void;
  close(): Promise<void>;
}

/** A connection that can undo the last part of its transaction. */
export interface PartialSession extends Pick<Session, 'execute' | 'longestSet'> {
  savepoint(): void | Promise<void>;
  /** Ends the part since the savepoint; it will be committed with the rest. */
  release(): void | Promise<void>;
  /** Undoes the part, and the transaction goes on without it. Throws when the database has undone all of it by itself. */
  rollbackTo(): void | Promise<void>;
}

/** Kinds of errors after which the connection is as good as before, once rolled back. All others cost it. */
const LEAVES_CONNECTION_SOUND: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>([
  'deadlock',
  'lockTimeout',
  'busy',
  'duplicateKey',
  'foreignKey',
]);

/** The transaction as the work inside it sees it: statements by name, one after the other, until it ends. */
export class OpenTransaction implements SqlTransaction {
  /** The first error of a statement: the transaction can only be rolled back. */
  failure: SqlError | null = null;
  /** Whether any row was touched, so that there is something to commit. */
  hasWritten = false;
  readonly #session: Pick<Session, 'execute' | 'longestSet'>;
  readonly #statements: Statements;
  #hasEnded = false;
  /** Statements without an answer yet. */
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

  /** Runs the work, and refuses statements from then on. Throws if it swallowed an error, or has not awaited a statement. */
  async perform<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.failure !== null) throw this.failure;
      if (this.#running > 0) throw new TypeError('The work ended while a statement of its transaction still runs.');
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

/** Runs a statement by its name. */
export async function execute(
  session: Pick<Session, 'execute'>,
  statements: Statements,
  name: StatementName,
  params: SqlParams,
): Promise<StatementResult> {
  const statement = statements.get(name);
  return session.execute(statement, bindByPosition(statement, params));
}

/** One transaction on one connection; what `SqlDriver.transaction` promises. */
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

/** A part of a transaction: all of it or nothing, and the transaction goes on. */
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

/** After a deadlock, or on a connection that is gone, there is nothing left to undo. */
async function undoPart(session: PartialSession): Promise<void> {
  try {
    await session.rollbackTo();
  } catch {
    // the error before is what counts
  }
}

async function commit(session: Session, tx: OpenTransaction): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    session.discard();
    // Nothing written: nothing to lose.
    const isKnown = !tx.hasWritten || (error instanceof SqlError && error.isRolledBack);
    throw isKnown ? error : new UnknownCommitError(error);
  }
}

/** Ends a transaction that failed; without its connection, where that is not sound any more. */
export async function undo(session: Session, error: unknown): Promise<void> {
  if (error instanceof SqlError && !LEAVES_CONNECTION_SOUND.has(error.kind)) return session.discard();
  // After a lock timeout the transaction is still open: a commit later would store its first half.
  await orDiscard(session, session.rollback()).catch(() => undefined);
}

/** Waits for a step without which the connection is of no use. */
export async function orDiscard(session: Session, step: Promise<void> | undefined): Promise<void> {
  try {
    await step;
  } catch (error) {
    session.discard();
    throw error;
  }
}
