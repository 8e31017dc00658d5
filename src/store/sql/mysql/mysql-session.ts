import type { Connection, QueryError } from 'mysql2';
import type { Clock } from '../../../base/clock';
import { addAll } from '../../../base/lists';
import { completesWithin } from '../../../base/sleep';
import type { IdleLimit } from '../runtime/idle-limit';
import type { BoundStep, Session, StatementResult } from '../runtime/session';
import { SqlError, type SqlValue } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import type { Statement } from '../runtime/statements';
import { CompoundScripts } from './compound-scripts';
import { CallWatchdog, type OpenSessions, silent, type WatchedSession } from './connection-watch';
import { type MysqlSettings, openConnection } from './mysql-data-source';
import { isRefusedScript, throwUndone, toMysqlSqlError } from './mysql-errors';
import { onFirstWritable } from './mysql-hosts';
import { Pipeline } from './pipeline';
import { PreparedScripts } from './prepared-scripts';
import { sessionText } from './session-texts';

/** Time without an answer after which the connection counts as lost, in milliseconds. The server's own timeouts (session.sql) are shorter. */
const ANSWER_TIMEOUT_MS = 25_000;

/** Minimum timeout for connecting, in milliseconds. Connecting takes several round trips, and more with encryption. */
const MIN_CONNECT_TIMEOUT_MS = 2_000;

const CLOSE_TIMEOUT_MS = 5_000;

/** Bytes reserved in a packet for everything except text and binary values. */
export const PACKET_OVERHEAD_BYTES = 16_384;

export interface SessionOptions {
  /** Time that a call waits for an answer, in milliseconds. Default: 25,000. */
  readonly answerTimeoutMs?: number | undefined;
  /** Set of connections that may be dropped together. The new connection is added before it connects, and removed when it is dead. */
  readonly among?: OpenSessions;
  /** Waiting time in milliseconds after which the session checks whether the server still has to answer. Requires `among`. Default: never. */
  readonly longWaitMs?: number | undefined;
  /** Statements that allow and end long pauses in a transaction; absent if pauses are not limited. */
  readonly longPauses?: { readonly allow: string; readonly end: string };
  readonly onSilence?: () => void;
  /** Form in which the connection sends scripts; absent if it sends none. `text`: for servers that run compound statements only in stored procedures. */
  readonly scripts?: 'compound' | 'text';
  /** Time without a call after which the owner closes the connection, in milliseconds; absent if the server lets it be idle. */
  readonly idleLimitMs?: number;
  /**
   * True if the server may undo an open transaction without an error. Its commit is then rejected, and what followed is rolled back. Requires
   * `autocommit = 0`. Default: false.
   */
  readonly provesTransactions?: boolean;
}

/** One connection to MySQL or MariaDB. Sends statements, converts errors to `SqlError`, and detects a dead connection. */
export class MysqlSession implements Session, WatchedSession {
  readonly counts = { statements: 0, commits: 0 };
  /** Identity of the server; null until its settings were read. */
  server: string | null = null;
  readonly idleLimit?: IdleLimit;
  readonly #connection: Connection;
  #promises: PromiseConnection | null = null;
  readonly #pipeline: Pipeline;
  readonly #compounds: CompoundScripts;
  readonly #prepared: PreparedScripts;
  readonly #clock: Clock;
  readonly #watchdog: CallWatchdog;
  readonly #options: SessionOptions;
  readonly #answerTimeoutMs: number;
  /** The server's `max_allowed_packet`. The server closes the connection when it receives a longer packet. */
  #maxPacketBytes = Number.POSITIVE_INFINITY;
  /** Functions that reject the pending calls. */
  readonly #unanswered = new Set<(error: SqlError) => void>();
  #isUsable = true;
  #beginsByItself = true;

  private constructor(connection: Connection, clock: Clock, options: SessionOptions) {
    this.#answerTimeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
    this.#options = options;
    if (options.idleLimitMs !== undefined) this.idleLimit = { clock, ms: options.idleLimitMs };
    this.#connection = connection;
    this.#pipeline = new Pipeline(connection);
    this.#compounds = new CompoundScripts(options.provesTransactions);
    this.#prepared = new PreparedScripts(options.provesTransactions);
    this.#clock = clock;
    this.#watchdog = new CallWatchdog(clock, {
      onSilence: (timeoutMs) => this.#abandon(timeoutMs),
      longWaitMs: options.longWaitMs,
      onLongWait: () => void this.#checkIfForgotten(),
    });
    // Without a listener, an idle connection that the server closes would end the process.
    connection.on('error', () => this.#markDead());
    connection.on('end', () => this.#markDead());
  }

  /** Connects and logs in. Does not set up the session. */
  static async open(settings: MysqlSettings, clock: Clock, options: SessionOptions = {}): Promise<MysqlSession> {
    const timeoutMs = Math.max(options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS, MIN_CONNECT_TIMEOUT_MS);
    return onFirstWritable(settings, async (address) => {
      const connection = await openConnection(settings, address, {
        clock,
        timeoutMs,
        runsTexts: options.scripts === 'text',
      });
      const session = new MysqlSession(connection, clock, options);
      options.among?.add(session);
      await session.#call<void>(null, (done) => connection.connect((error) => done(error)), timeoutMs);
      return session;
    });
  }

  get usable(): boolean {
    return this.#isUsable;
  }

  /** Half a packet. The rest is for the statement's other parameters, such as job data. */
  get maxSetBytes(): number {
    return (this.#maxPacketBytes - PACKET_OVERHEAD_BYTES) / 2;
  }

  get id(): number {
    return this.#connection.threadId;
  }

  /** Infinite if no call waits, because an idle connection may already be lost. */
  get silenceMs(): number {
    return this.#watchdog.waitedMs ?? Number.POSITIVE_INFINITY;
  }

  limitPackets(maxPacketBytes: number): void {
    this.#maxPacketBytes = maxPacketBytes;
  }

  async execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult> {
    this.#checkSize(statement.name, values);
    this.counts.statements++;
    const answer = await this.#call<unknown>(statement.name, (done) =>
      this.#pipeline.execute(statement.text, values as SqlValue[], done),
    );
    const { rows, changes } = toResult(answer);
    return { rows, changes: statement.countsTwice ? changes / 2 : changes };
  }

  /** On MariaDB, sends the script as one compound statement; on MySQL, as one text that runs prepared statements. */
  async script(steps: readonly BoundStep[]): Promise<readonly unknown[] | null> {
    try {
      return await (this.#options.scripts === 'compound' ? this.#compoundScript(steps) : this.#preparedScript(steps));
    } catch (error) {
      if (isRefusedScript(error)) return null;
      this.#prepared.forget();
      throw error;
    }
  }

  async #compoundScript(steps: readonly BoundStep[]): Promise<readonly unknown[] | null> {
    const values: SqlValue[] = [];
    for (const { values: own, rows } of steps) {
      addAll(values, own);
      if (rows !== null) values.push(rows);
    }
    const text = this.#compounds.textOf(steps);
    if (text === null || this.#isTooLarge(values)) return null;
    this.#countScript(steps);
    const answer = await this.#call<unknown>(null, (done) => this.#pipeline.execute(text, values, done));
    return Array.isArray(answer) ? (answer[0] as readonly unknown[]) : []; // the answer to the last statement follows the rows
  }

  async #preparedScript(steps: readonly BoundStep[]): Promise<readonly unknown[] | null> {
    if (this.#isTooLarge(steps.flatMap(({ values }) => values))) return null;
    const { unprepared, assign, values, run } = this.#prepared.of(steps);
    this.#countScript(steps);
    const preparing = unprepared.flatMap(({ text, prepare }) => [
      this.prepared('keepText', [text]),
      this.#text(prepare),
    ]);
    const assigning = this.#call(null, (done) => this.#pipeline.execute(assign, values as SqlValue[], done));
    const [answers] = await Promise.all([this.#text(run), assigning, ...preparing]);
    return (answers as readonly unknown[]).find((answer) => Array.isArray(answer)) ?? [];
  }

  #countScript(steps: readonly BoundStep[]): void {
    this.counts.statements += steps.length;
    this.counts.commits++;
  }

  /** Sends a text without parameters after the prepared statements, without waiting for their answers. */
  #text(text: string): Promise<unknown> {
    return this.#call(null, (done) => this.#pipeline.query(text, done));
  }

  /** Runs a statement without parameters as text. Some servers cannot prepare statements for settings and the catalogue. */
  async query(sql: string): Promise<StatementResult> {
    return toResult(await this.#call<unknown>(null, (done) => this.#connection.query(sql, done)));
  }

  /** Runs a prepared statement of session.sql. It is sent without waiting for the answers to earlier prepared statements. */
  async prepared(name: string, values: readonly SqlValue[] = []): Promise<void> {
    await this.#call<unknown>(null, (done) => this.#pipeline.execute(sessionText(name), values as SqlValue[], done));
  }

  /** Declares that the connection has `autocommit = 1`, so that `begin` must send a statement. */
  beginExplicitly(): void {
    this.#beginsByItself = false;
  }

  async allowLongPauses(): Promise<void> {
    const { longPauses } = this.#options;
    if (longPauses !== undefined) await this.query(longPauses.allow);
  }

  async endLongPauses(): Promise<void> {
    const { longPauses } = this.#options;
    if (longPauses !== undefined) await this.query(longPauses.end);
  }

  /** Begins a transaction. With `autocommit = 0`, sends nothing, because the first statement begins the transaction. */
  async begin(): Promise<void> {
    if (this.#options.provesTransactions) await this.query(sessionText('beginProof'));
    if (this.#beginsByItself) return;
    await this.#call<void>(null, (done) => this.#connection.beginTransaction((error) => done(error)));
  }

  async commit(): Promise<void> {
    this.counts.commits++;
    if (this.#options.provesTransactions) await this.query(sessionText('endProof')).catch(throwUndone);
    await this.#call<void>(null, (done) => this.#connection.commit((error) => done(error)));
  }

  async rollback(): Promise<void> {
    await this.#call<void>(null, (done) => this.#connection.rollback((error) => done(error)));
  }

  async savepoint(): Promise<void> {
    await this.query(sessionText('savepoint'));
  }

  async release(): Promise<void> {
    await this.query(sessionText('release'));
  }

  async rollbackTo(): Promise<void> {
    await this.query(sessionText('rollbackTo'));
    await this.release();
  }

  async beginJob(): Promise<void> {
    await this.query(sessionText('beginJob'));
  }

  async endJob(): Promise<void> {
    await this.query(sessionText('endJob'));
  }

  /** The connection in its promise form, for a job's own statements. */
  get connection(): PromiseConnection {
    this.#promises ??= this.#connection.promise();
    return this.#promises;
  }

  /** Runs a job's own statement. Rejects with the driver's error. */
  async perform(sql: string, values: readonly unknown[]): Promise<StatementResult> {
    const [answer] = await this.connection.execute({ sql, values: values as SqlValue[], supportBigNumbers: true });
    return toResult(answer);
  }

  /** Drops the connection. Rejects the pending calls, because the driver does not answer them after `destroy`. */
  discard(reason = dropped()): void {
    this.#markDead();
    this.#connection.destroy();
    for (const reject of this.#unanswered) reject(reason);
  }

  async close(): Promise<void> {
    if (!this.#isUsable) return;
    this.#markDead();
    await completesWithin(
      this.#clock,
      CLOSE_TIMEOUT_MS,
      new Promise<void>((resolve) => this.#connection.end(() => resolve())),
    );
    this.#connection.destroy();
  }

  #markDead(): void {
    this.#isUsable = false;
    this.#watchdog.stop();
    this.#options.among?.delete(this);
  }

  /** Drops a connection whose answer is overdue. The driver's own timeout does not cover preparing, and leaves the connection busy. */
  #abandon(timeoutMs: number): void {
    this.discard(silent(`no answer within ${timeoutMs / 1000} s`));
    this.#options.onSilence?.();
  }

  /** Drops the connection if the server has no answer to send. Only the server can distinguish a wait for a lock from a dropped connection. */
  async #checkIfForgotten(): Promise<void> {
    const requestedAt = this.#clock.monotonic();
    const isForgotten = await this.#options.among?.isForgotten(this);
    const waitedMs = this.#watchdog.waitedMs ?? 0;
    const isSameCall = waitedMs >= this.#clock.monotonic() - requestedAt + (this.#options.longWaitMs ?? 0);
    if (!isForgotten || !isSameCall || !this.#isUsable) return;
    this.discard(silent(`no answer within ${waitedMs / 1000} s, and the server is not working on one`));
  }

  async #call<T>(
    statement: StatementName | null,
    send: (done: Done<T>) => void,
    timeoutMs = this.#answerTimeoutMs,
  ): Promise<T> {
    let rejectCall: (error: SqlError) => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        rejectCall = reject;
        this.#unanswered.add(reject);
        if (this.#unanswered.size === 1) this.#watchdog.begin(timeoutMs);
        send((error, result) => (error ? reject(toMysqlSqlError(error, statement)) : resolve(result as T)));
      });
    } catch (error) {
      if (error instanceof SqlError && error.kind === 'connectionLost' && this.#isUsable) this.discard();
      throw error;
    } finally {
      this.#unanswered.delete(rejectCall);
      this.#watchdog.end();
      if (this.#unanswered.size > 0) this.#watchdog.begin(this.#answerTimeoutMs);
    }
  }

  #isTooLarge(values: readonly SqlValue[]): boolean {
    return sizeOfAll(values) > this.#maxPacketBytes;
  }

  #checkSize(name: StatementName, values: readonly SqlValue[]): void {
    if (this.#isTooLarge(values)) {
      throw new SqlError({
        kind: 'refused',
        databaseCode: 'max_allowed_packet',
        statement: name,
        message: `the parameters take ${sizeOfAll(values)} bytes, but the server accepts ${this.#maxPacketBytes}`,
        advice: 'Raise max_allowed_packet on the server, or store less data.',
      });
    }
  }
}

type PromiseConnection = ReturnType<Connection['promise']>;

type Done<T> = (error: QueryError | null, result?: T) => void;

function sizeOfAll(values: readonly SqlValue[]): number {
  return values.reduce<number>((sum, value) => sum + sizeOf(value), PACKET_OVERHEAD_BYTES);
}

function sizeOf(value: SqlValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 9;
}

/** Converts an answer of mysql2 to a statement: rows, or the number of changed rows. */
export function toResult(answer: unknown): StatementResult {
  if (Array.isArray(answer)) return { rows: answer, changes: 0 };
  return { rows: [], changes: (answer as { readonly affectedRows?: number } | undefined)?.affectedRows ?? 0 };
}

function dropped(): SqlError {
  const message = 'the connection was dropped before the answer came';
  return new SqlError({ kind: 'connectionLost', databaseCode: 'DROPPED', statement: null, message });
}
