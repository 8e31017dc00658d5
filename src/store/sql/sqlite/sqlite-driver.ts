import { isMainThread } from 'node:worker_threads';
import type { Clock } from '../../../base/clock';
import { CountedClasses } from '../../../base/counted-classes';
import { yieldToEventLoop } from '../../../base/yield-to-event-loop';
import { LOCK_WAIT_BOUNDS_MS, type StoreActivity } from '../../store-activity';
import {
  ConnectionQueue,
  execute,
  OpenTransaction,
  orDiscard,
  type PartialSession,
  runTransaction,
  type Session,
} from '../runtime/session';
import {
  type ConnectionReading,
  type ConnectionRole,
  type SqlDialect,
  type SqlDriver,
  type SqlParams,
  type SqlTransaction,
  type TransactionOptions,
  UnknownCommitError,
} from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import { bindByPosition, type Statement, type Statements } from '../runtime/statements';
import { type Catalogue, type ColumnRow, type IndexRow, toTables } from '../schema/catalogue';
import { SchemaConnection, type StatementPlan } from '../schema/schema-connection';
import { SqliteBell } from './sqlite-bell';
import { type SqliteOptions, SqliteSession } from './sqlite-session';

/** SQLite runs in this process, so no answer is lost. No other connection sees a failed commit, and the next commit overwrites it. */
export const sqliteDialect: SqlDialect = { name: 'sqlite', losesCommits: false };

/**
 * Waits until callers that are about to request another transaction have done so. In a separate thread, one turn of the event loop receives
 * all messages that were sent together. In the application's thread, does not wait: the application could run for any length of time while
 * the file is locked.
 */
const untilMoreRequests = isMainThread ? async () => undefined : yieldToEventLoop;

/** Uses two connections to a file: one that writes, because SQLite allows one writer at a time, and one that reads concurrently. */
export class SqliteDriver implements SqlDriver {
  readonly dialect = sqliteDialect;
  readonly bell: SqliteBell;
  readonly #lockWaits = new CountedClasses(LOCK_WAIT_BOUNDS_MS);
  readonly #statements: Statements;
  readonly #writer: ConnectionQueue<SqliteSession>;
  readonly #reader: ConnectionQueue<SqliteSession>;
  readonly #group: CommitGroup;
  readonly #clock: Clock;

  constructor(options: SqliteOptions, statements: Statements) {
    this.#statements = statements;
    this.#clock = options.clock;
    this.bell = new SqliteBell(options.path, options.clock);
    const lockWaits = this.#lockWaits;
    this.#writer = new ConnectionQueue(() => SqliteSession.openExisting({ ...options, lockWaits }, 'write'));
    this.#reader = new ConnectionQueue(() => SqliteSession.openExisting(options, 'read'));
    this.#group = new CommitGroup(this.#writer, statements, untilMoreRequests, options.clock);
  }

  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    { schedName, yields = false }: TransactionOptions = {},
  ): Promise<T> {
    const options = schedName === undefined ? {} : { schedName };
    if (role !== 'read') return this.#group.run(work, { ...options, yields });
    return this.#reader.use((session) => runTransaction(session, this.#statements, work, options));
  }

  async select<Row>(name: StatementName, params?: SqlParams, schedName?: string): Promise<Row[]> {
    const read = (session: SqliteSession) => execute(session, this.#statements, name, { params, schedName });
    return (await this.#reader.use(read)).rows as Row[];
  }

  readActivity(): Omit<StoreActivity, 'trains'> {
    const writer = this.#writer.read();
    const waiting = writer.waiting + this.#group.waiting;
    const connections = [
      { connection: 'write', ...writer, waiting },
      { connection: 'read', ...this.#reader.read() },
    ];
    return { connections, lockWaits: this.#lockWaits.read() };
  }

  readConnections(timeoutMs: number): Promise<readonly ConnectionReading[]> {
    const polled = [
      { role: 'scheduler', queue: this.#writer },
      { role: 'read', queue: this.#reader },
    ] as const;
    return Promise.all(
      polled.map(async ({ role, queue }) => {
        const load = queue.load + (role === 'read' ? 0 : this.#group.waiting);
        const settings = await queue.tryUse(this.#clock, timeoutMs, async (session) => session.readSettings());
        return { role, load, settings };
      }),
    );
  }

  truncateLog(): Promise<boolean> {
    return this.#writer.use(async (session) => session.truncateLog());
  }

  async close(): Promise<void> {
    this.bell.close();
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }
}

export class SqliteSchemaConnection extends SchemaConnection<SqliteSession> {
  static async open(options: SqliteOptions, tablePrefix: string): Promise<SqliteSchemaConnection> {
    return new SqliteSchemaConnection('sqlite', await SqliteSession.open(options, 'write'), tablePrefix);
  }

  async readCatalogue(): Promise<Catalogue> {
    const { tablePrefix } = this;
    const where = { namePrefix: tablePrefix.slice(tablePrefix.indexOf('.') + 1) };
    const columns = await this.all<ColumnRow>('selectColumns', where);
    const tables = toTables(columns, await this.all<IndexRow>('selectIndexes', where));
    return { tablePrefix, tables, ignoresCase: true, exactKeyText: null };
  }

  async explain(statement: Statement, params: SqlParams): Promise<StatementPlan> {
    const explain = `EXPLAIN QUERY PLAN ${statement.text}`;
    const { rows } = await this.session.perform(explain, bindByPosition(statement, params));
    return toPlan((rows as readonly { readonly detail: string }[]).map(({ detail }) => detail));
  }

  async define(text: string): Promise<void> {
    this.session.define(text);
  }

  /** Runs `work` in one transaction. SQLite's transactions include definitions, so a migration is applied as a whole or not at all. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    await this.session.begin();
    try {
      const result = await work();
      await this.session.commit();
      return result;
    } catch (error) {
      this.session.discard();
      throw error;
    }
  }
}

/** Sources other than tables: sets of rows in parameters, and constant rows. */
const NO_TABLE = /json_each|VIRTUAL TABLE|CONSTANT ROW|VALUES CLAUSE/;

function toPlan(details: readonly string[]): StatementPlan {
  const temporary = new Set(details.flatMap((detail) => /^(?:MATERIALIZE|CO-ROUTINE) (\w+)$/.exec(detail)?.[1] ?? []));
  const steps = details.flatMap((detail) => {
    const [, how, table] = /^(SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    if (how === undefined || table === undefined || temporary.has(table) || NO_TABLE.test(detail)) return [];
    const index = /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1] ?? null;
    return [{ table, index, isScan: how === 'SCAN', rows: null }];
  });
  return { steps, sorts: details.some((detail) => detail.startsWith('USE TEMP B-TREE FOR ORDER BY')) };
}

/** A connection on which several transactions share a commit. */
export interface SavepointSession extends Session, PartialSession {
  savepoint(): void;
  release(): void;
  rollbackTo(): void;
}

/** A transaction of a group, with the functions that report its outcome to its caller. */
interface Part<T> {
  readonly work: (tx: SqlTransaction) => Promise<T>;
  readonly schedName: string | undefined;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

/** A transaction that waits to run. `run` resolves to null if the transaction failed; the promise of its caller has then been rejected. */
interface Waiting {
  readonly run: (session: SavepointSession) => Promise<Done | null>;
  readonly reject: (error: unknown) => void;
}

/** A transaction whose statements have run, and whose caller waits for the shared commit. */
interface Done {
  readonly committed: () => void;
  readonly commitFailed: (error: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of transactions in one commit: enough to share the cost of the disk flush, but the first must not wait long for the last. */
const MAX_GROUP = 16;

/** Time after which a group takes no further changes that yield, in milliseconds. A firing that is requested then waits for the commit only. */
const MAX_GROUP_MS = 10;

/**
 * Combines transactions that are requested together into one commit. A durable commit waits for the disk, which takes most of the time of a
 * transaction on an embedded database. For example, the completions of one batch and the acquisition of the next share a commit. Each
 * transaction has its own savepoint and fails alone. Success is reported only after the whole group is on the disk.
 *
 * There are two queues. Changes of the schedule that yield run after all other transactions, in their order. A program may request thousands of them at
 * once; the node still fires and checks in.
 */
export class CommitGroup {
  readonly #queue: ConnectionQueue<SavepointSession>;
  readonly #statements: Statements;
  readonly #untilMoreRequests: () => Promise<void>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waiting: Waiting[] = [];
  readonly #yielding: Waiting[] = [];
  #isOpen = false;

  constructor(
    queue: ConnectionQueue<SavepointSession>,
    statements: Statements,
    untilMoreRequests: () => Promise<void>,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    this.#clock = clock;
    this.#queue = queue;
    this.#statements = statements;
    this.#untilMoreRequests = untilMoreRequests;
  }

  /** Number of transactions that wait to run. If no group is open, the first of them waits for the connection. */
  get waiting(): number {
    return this.#waiting.length + this.#yielding.length;
  }

  /** Runs a transaction; see `SqlDriver.transaction`. */
  run<T>(
    work: (tx: SqlTransaction) => Promise<T>,
    { schedName, yields = false }: Pick<TransactionOptions, 'schedName' | 'yields'> = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const queue = yields ? this.#yielding : this.#waiting;
      queue.push({ run: (session) => this.#runPart(session, { work, schedName, resolve, reject }), reject });
      if (!this.#isOpen) this.#beginGroup();
    });
  }

  /** `takesTurn`: a chain of groups never returns to the event loop by itself, so no firing or check-in would be received before the last change. */
  #beginGroup(takesTurn = false): void {
    this.#isOpen = true;
    this.#queue
      .use(async (session) => {
        if (takesTurn) await yieldToEventLoop();
        await this.#runGroup(session);
      })
      .catch((error: unknown) => {
        this.#isOpen = false;
        for (const { reject } of [...this.#waiting.splice(0), ...this.#yielding.splice(0)]) reject(error);
      });
  }

  /** Rejects only if the shared transaction could not begin. Later failures are reported to the callers. */
  async #runGroup(session: SavepointSession): Promise<void> {
    await orDiscard(session, session.begin());
    const done: Done[] = [];
    try {
      await this.#runWaiting(session, done);
    } catch (error) {
      session.discard();
      for (const { reject } of done.splice(0)) reject(error);
    }
    this.#isOpen = false;
    if (this.waiting > 0) this.#beginGroup(this.#yielding.length > 0);
    if (session.usable) await finish(session, done);
  }

  async #runWaiting(session: SavepointSession, done: Done[]): Promise<void> {
    const end = this.#clock.monotonic() + MAX_GROUP_MS;
    for (let count = 0; count < MAX_GROUP; count++) {
      const mayYield = count === 0 || this.#clock.monotonic() < end;
      const next = this.#next(count === MAX_GROUP - 1, mayYield);
      if (next === undefined) return;
      const part = await next.run(session);
      if (part) done.push(part);
      if (this.waiting === 0) await this.#untilMoreRequests();
    }
  }

  /** Takes the next transaction of a group. The last place of a full group is for a change that yields, so that each is stored in the end. */
  #next(isLast: boolean, takesYielding: boolean): Waiting | undefined {
    if (isLast) return this.#yielding.shift() ?? this.#waiting.shift();
    return this.#waiting.shift() ?? (takesYielding ? this.#yielding.shift() : undefined);
  }

  async #runPart<T>(session: SavepointSession, { work, schedName, resolve, reject }: Part<T>): Promise<Done | null> {
    const tx = new OpenTransaction(session, this.#statements, schedName);
    try {
      session.savepoint();
      const result = await tx.perform(work);
      session.release();
      const commitFailed = (error: unknown) => reject(tx.hasWritten ? new UnknownCommitError(error) : error);
      return { committed: () => resolve(result), commitFailed, reject };
    } catch (error) {
      reject(error);
      session.rollbackTo();
      return null;
    }
  }
}

async function finish(session: SavepointSession, done: readonly Done[]): Promise<void> {
  try {
    await session.commit();
  } catch (error) {
    session.discard();
    for (const { commitFailed } of done) commitFailed(error);
    return;
  }
  for (const { committed } of done) committed();
}
