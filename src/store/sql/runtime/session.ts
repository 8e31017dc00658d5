import type { Clock } from '../../../base/clock';
import { completesWithin } from '../../../base/sleep';
import type { ConnectionActivity } from '../../store-activity';
import { closeWhenIdle, type IdleLimit } from './idle-limit';
import { ScriptRefused } from './script';
import {
  CLOSED,
  type ScriptStep,
  SqlError,
  type SqlErrorKind,
  type SqlTransaction,
  type SqlValue,
  type SqlValues,
  type TransactionOptions,
  UnknownCommitError,
} from './sql-driver';
import type { StatementName } from './statement-names';
import { bindByPosition, type Statement, type Statements } from './statements';

export interface StatementResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** A step of a script with its statement and values. */
export interface BoundStep extends Pick<ScriptStep, 'isQuery' | 'rows'> {
  readonly statement: { readonly name: string; readonly text: string };
  readonly values: readonly SqlValue[];
}

/** One connection, used by one caller at a time. Rejects only with `SqlError`. Statements run in order, and may be sent before earlier answers. */
export interface Session {
  /** Maximum size of a set of rows in one statement, in bytes; absent if there is no limit. */
  readonly maxSetBytes?: number;
  readonly usable: boolean;
  /** Absent if the server lets the connection be idle. */
  readonly idleLimit?: IdleLimit;
  /** Activity since the connection was opened. The counters only increase. Statements that begin or end transactions are not counted. */
  readonly counts: { statements: number; commits: number };
  execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult>;
  /**
   * Runs the steps and commits, in one round trip. Returns the rows of the result, or null if a step found or changed another number of rows. Absent if
   * unsupported.
   */
  script?(steps: readonly BoundStep[]): Promise<readonly unknown[] | null>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Makes the server tolerate long pauses between the statements of a transaction, until `endLongPauses`. Absent if the server always does. */
  allowLongPauses?(): Promise<void>;
  endLongPauses?(): Promise<void>;
  /** Drops the connection immediately, including an open transaction. Never throws. */
  discard(): void;
  close(): Promise<void>;
}

/** A connection that can undo part of its transaction. */
export interface PartialSession extends Pick<Session, 'execute' | 'maxSetBytes'> {
  savepoint(): void | Promise<void>;
  /** Releases the savepoint. The statements since the savepoint are committed with the rest of the transaction. */
  release(): void | Promise<void>;
  /** Undoes the statements since the savepoint. The transaction continues. Rejects if the database has already undone the whole transaction. */
  rollbackTo(): void | Promise<void>;
}

/** Kinds of errors after which a rollback makes the connection usable again. After all other errors, the connection is dropped. */
const LEAVES_CONNECTION_SOUND: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>([
  'deadlock',
  'lockTimeout',
  'busy',
  'duplicateKey',
  'foreignKey',
]);

/** An open transaction, as seen by the code that runs in it. Runs statements by name, in order, until the transaction ends. */
export class OpenTransaction implements SqlTransaction {
  /** First error of a statement; null if none. After an error, the transaction can only be rolled back. */
  failure: SqlError | null = null;
  hasWritten = false;
  readonly #session: Pick<Session, 'execute' | 'maxSetBytes'>;
  readonly #statements: Statements;
  readonly #schedName: string | undefined;
  #hasEnded = false;
  /** Number of statements without an answer. */
  #running = 0;

  constructor(session: Pick<Session, 'execute' | 'maxSetBytes'>, statements: Statements, schedName?: string) {
    this.#session = session;
    this.#statements = statements;
    this.#schedName = schedName;
  }

  get maxSetBytes(): number {
    return this.#session.maxSetBytes ?? Number.POSITIVE_INFINITY;
  }

  async all<Row>(name: StatementName, params?: SqlValues): Promise<Row[]> {
    return (await this.#execute(name, params)).rows as Row[];
  }

  async run(name: StatementName, params?: SqlValues): Promise<{ readonly changes: number }> {
    const { changes } = await this.#execute(name, params);
    if (changes > 0) this.hasWritten = true;
    return { changes };
  }

  /**
   * Runs `work`, and rejects any later statement. Throws if `work` suppressed an error or did not await a statement. After a deadlock, throws its
   * error rather than those of statements that were sent with it: they have run without the earlier ones, and their errors may reach `work` first.
   */
  async perform<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.failure !== null) throw this.failure;
      if (this.#running > 0)
        throw new TypeError(
          'The transaction ended while one of its statements was still running. Await every statement.',
        );
      return result;
    } catch (error) {
      throw this.#causeOf(error);
    } finally {
      this.#hasEnded = true;
    }
  }

  /** After a deadlock, the database has undone the earlier statements. Whatever `work` read and concluded since then may be wrong. */
  #causeOf(error: unknown): unknown {
    return this.failure?.isRolledBack === true ? this.failure : error;
  }

  async #execute(name: StatementName, params: SqlValues | undefined): Promise<StatementResult> {
    if (this.failure !== null) throw this.failure;
    if (this.#hasEnded) throw new TypeError(`${name}: the transaction has ended.`);
    this.#running++;
    try {
      return await execute(this.#session, this.#statements, name, { params, schedName: this.#schedName });
    } catch (error) {
      if (error instanceof SqlError) this.failure ??= error;
      throw error;
    } finally {
      this.#running--;
    }
  }
}

/** Values of a statement's parameters. `schedName`: value of this parameter unless `params` contains another one. */
interface NamedValues {
  readonly params?: SqlValues | undefined;
  readonly schedName?: string | undefined;
}

export async function execute(
  session: Pick<Session, 'execute'>,
  statements: Statements,
  name: StatementName,
  { params, schedName }: NamedValues,
): Promise<StatementResult> {
  const statement = statements.get(name);
  return session.execute(statement, bindByPosition(statement, params, schedName));
}

/** Runs one transaction on one connection; see `SqlDriver.transaction`. */
export async function runTransaction<T>(
  session: Session,
  statements: Statements,
  work: (tx: SqlTransaction) => Promise<T>,
  { pausesLong = false, schedName }: TransactionOptions = {},
): Promise<T> {
  if (pausesLong) await orDiscard(session, session.allowLongPauses?.());
  try {
    await orDiscard(session, session.begin());
    const tx = new OpenTransaction(session, statements, schedName);
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

/** Kinds of errors with which a statement fails before the script's commit. */
const ENDS_SCRIPT: ReadonlySet<SqlErrorKind> = new Set<SqlErrorKind>([...LEAVES_CONNECTION_SOUND, 'refused', 'schema']);

/** Runs a script on one connection; see `SqlDriver.script`. */
export async function runScript(
  session: Session,
  statements: Statements,
  steps: readonly ScriptStep[],
  { rings, schedName }: { readonly rings: readonly BoundStep[]; readonly schedName: string | undefined },
): Promise<readonly unknown[]> {
  const bound = steps.map(({ statement: name, params, isQuery, rows }) => {
    const statement = statements.get(name);
    return { statement, values: bindByPosition(statement, params, schedName), isQuery, rows };
  });
  try {
    const rows = await session.script?.([...rings, ...bound]);
    if (rows) return rows;
  } catch (error) {
    const isKnown = error instanceof SqlError && (ENDS_SCRIPT.has(error.kind) || error.isRolledBack);
    if (!isKnown) session.discard();
    if (!isKnown) throw new UnknownCommitError(error);
  }
  if (session.usable) await orDiscard(session, session.rollback());
  throw new ScriptRefused();
}

/** Runs `work` within an open transaction, as a whole or not at all. The transaction continues, whether or not `work` fails. */
export async function runPart<T>(
  session: PartialSession,
  { statements, schedName }: { readonly statements: Statements; readonly schedName: string },
  work: (tx: SqlTransaction) => Promise<T>,
): Promise<T> {
  await session.savepoint();
  try {
    const result = await new OpenTransaction(session, statements, schedName).perform(work);
    await session.release();
    return result;
  } catch (error) {
    await undoPart(session);
    throw error;
  }
}

/** Rolls back to the savepoint. After a deadlock or on a lost connection, nothing is left to undo. */
async function undoPart(session: PartialSession): Promise<void> {
  try {
    await session.rollbackTo();
  } catch {
    // report the earlier error instead
  }
}

async function commit(session: Session, tx: OpenTransaction): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    session.discard();
    // if the transaction changed nothing, the outcome of its commit does not matter
    const isKnown = !tx.hasWritten || (error instanceof SqlError && error.isRolledBack);
    throw isKnown ? error : new UnknownCommitError(error);
  }
}

/** Rolls back a failed transaction. Drops its connection if the error or the rollback makes it unusable. */
export async function undo(session: Session, error: unknown): Promise<void> {
  if (error instanceof SqlError && !LEAVES_CONNECTION_SOUND.has(error.kind)) return session.discard();
  // After a lock timeout, the transaction is still open. Without a rollback, a later commit would store a part of the transaction.
  await orDiscard(session, session.rollback()).catch(() => undefined);
}

/** Waits for a step that must succeed before the connection can be used. If the step fails, drops the connection and rethrows the error. */
export async function orDiscard(session: Session, step: Promise<void> | undefined): Promise<void> {
  try {
    await step;
  } catch (error) {
    session.discard();
    throw error;
  }
}

/** One connection with a queue of callers. It connects when first needed, and again after the connection was lost. */
export class ConnectionQueue<Connection extends Session = Session> {
  readonly #connect: () => Promise<Connection>;
  #session: Connection | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #load = 0;
  /** Activity of earlier connections, which were lost or closed. */
  readonly #before = { statements: 0, commits: 0 };
  #idleSince = 0;
  /** Aborted when the present connection is lost or closed: nothing then closes it when it is idle. */
  #present = new AbortController();
  /** Resolves when an idle connection is closed. */
  #closing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #isAborted = false;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  get load(): number {
    return this.#load;
  }

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

  get isConnected(): boolean {
    return this.#session?.usable === true;
  }

  /** Like `use`, but returns null after `timeoutMs` without a result. `query` may then still run later. */
  async tryUse<T>(clock: Clock, timeoutMs: number, query: (session: Connection) => Promise<T>): Promise<T | null> {
    const answer = this.use(query);
    if (await completesWithin(clock, timeoutMs, answer)) return answer;
    answer.catch(() => undefined);
    return null;
  }

  /** Runs `work` on a usable connection, after all earlier callers. Rejects if the queue is closed. */
  async use<T>(work: (session: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedError();
    this.#load++;
    const turn = this.#last.then(async () => work(await this.#open()));
    const done = turn.finally(() => {
      this.#load--;
      this.#idleSince = this.#session?.idleLimit?.clock.monotonic() ?? 0;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Drops the connection. The calls in progress fail, and no waiting call begins. */
  abort(): void {
    this.#isClosed = true;
    this.#isAborted = true;
    this.#present.abort();
    this.#session?.discard();
  }

  /** Waits for all earlier callers, then closes the connection. Later callers are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    this.#present.abort();
    await Promise.all([this.#session?.close(), this.#closing]);
    this.#forget();
  }

  async #open(): Promise<Connection> {
    if (this.#session?.usable) return this.#session;
    this.#forget();
    if (this.#isAborted) throw closedError();
    this.#session = await this.#connect();
    this.#present = new AbortController();
    if (this.#isAborted) this.#session.discard();
    const { idleLimit } = this.#session;
    if (idleLimit !== undefined) this.#closing = this.#closeWhenIdle(this.#session, idleLimit);
    return this.#session;
  }

  #closeWhenIdle(session: Connection, limit: IdleLimit): Promise<void> {
    const idleMs = () => (this.#load > 0 ? 0 : limit.clock.monotonic() - this.#idleSince);
    return closeWhenIdle(session, limit, { idleMs, signal: this.#present.signal });
  }

  #forget(): void {
    this.#present.abort();
    this.#before.statements += this.#session?.counts.statements ?? 0;
    this.#before.commits += this.#session?.counts.commits ?? 0;
    this.#session = null;
  }
}

export function closedError(): SqlError {
  return new SqlError({ kind: 'other', databaseCode: CLOSED, statement: null, message: 'The store is closed.' });
}
