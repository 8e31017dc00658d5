import { OpenTransaction } from './open-transaction';
import {
  SqlError,
  type SqlErrorKind,
  type SqlTransaction,
  type SqlValue,
  type TransactionOptions,
  UnknownCommitError,
} from './sql-driver';
import type { Statement, Statements } from './statements';

/** What one statement answered. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
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

/** Kinds of errors after which the connection is as good as before, once rolled back. All others cost it. */
const LEAVES_CONNECTION_SOUND: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>([
  'deadlock',
  'lockTimeout',
  'busy',
  'duplicateKey',
  'foreignKey',
]);

/** One transaction on one connection; what `SqlDriver.transaction` promises. */
export async function runTransaction<T>(
  session: Session,
  statements: Statements,
  work: (tx: SqlTransaction) => Promise<T>,
  { pausesLong = false }: TransactionOptions = {},
): Promise<T> {
  if (!pausesLong) return runBriefly(session, statements, work);
  await orDiscard(session, session.allowLongPauses?.());
  try {
    return await runBriefly(session, statements, work);
  } finally {
    if (session.usable) await orDiscard(session, session.endLongPauses?.()).catch(() => undefined);
  }
}

async function runBriefly<T>(
  session: Session,
  statements: Statements,
  work: (tx: SqlTransaction) => Promise<T>,
): Promise<T> {
  await orDiscard(session, session.begin());
  const tx = new OpenTransaction(session, statements);
  let result: T;
  try {
    result = await work(tx);
    tx.end();
  } catch (error) {
    tx.abandon();
    await undo(session, tx.failure ?? error);
    throw error;
  }
  await commit(session, tx);
  return result;
}

async function commit(session: Session, tx: OpenTransaction): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    session.discard();
    // A deadlock at COMMIT (Galera's certification) is an answer: rolled back. Nothing written: nothing to lose.
    const isKnown = !tx.hasWritten || (error instanceof SqlError && error.kind === 'deadlock');
    throw isKnown ? error : new UnknownCommitError(error);
  }
}

async function undo(session: Session, error: unknown): Promise<void> {
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
