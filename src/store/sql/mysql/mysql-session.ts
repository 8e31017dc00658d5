import type { Connection, QueryError } from 'mysql2';
import type { Clock } from '../../../base/clock';
import { SchedulerError, toError } from '../../../base/errors';
import { settlesWithin } from '../../../base/sleep';
import type { Session, StatementResult } from '../runtime/session';
import { SqlError, type SqlValue } from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import type { Statement } from '../runtime/statements';
import { CallWatchdog } from './call-watchdog';
import { toMysqlSqlError } from './mysql-dialect';
import type { MysqlSettings } from './mysql-settings';
import { openConnection } from './open-connection';
import type { OpenSessions } from './open-sessions';
import { Pipeline } from './pipeline';

/** Milliseconds after which a server that does not answer is taken for gone; its own limits (session.sql) are shorter. */
export const PATIENCE = 25_000;

/** Milliseconds for connecting, at least: several times there and back, more with encryption. */
const LEAST_CONNECT_PATIENCE = 2_000;

export interface SessionOptions {
  /** Milliseconds that a call waits for an answer; default: `PATIENCE`. */
  readonly patience?: number | undefined;
  /** Those that may be dropped together; from before it is connected until it is dead. */
  readonly among?: OpenSessions;
  /** Milliseconds after which the server is asked whether it still owes an answer; needs `among`. Default: never. */
  readonly longWait?: number | undefined;
  /** The statements for a transaction that pauses long, where pauses are limited. */
  readonly longPauses?: { readonly allow: string; readonly end: string };
  /** Hears that the server did not answer in time. */
  readonly onSilence?: () => void;
}

/** Milliseconds for saying good-bye. */
const CLOSE_PATIENCE = 5_000;

/** Room in a packet for everything that is not text or bytes. */
const PACKET_OVERHEAD = 16_384;

/** One connection to MySQL or MariaDB: sends statements, translates errors, and knows when it is dead. */
export class MysqlSession implements Session {
  readonly #connection: Connection;
  readonly #pipeline: Pipeline;
  readonly #clock: Clock;
  readonly #watchdog: CallWatchdog;
  readonly #options: SessionOptions;
  readonly #patience: number;
  /** The server's `max_allowed_packet`; anything longer would only cut the connection. */
  #longestPacket = Number.POSITIVE_INFINITY;
  /** Of every call that was not answered yet. */
  readonly #unanswered = new Set<(error: SqlError) => void>();
  #isUsable = true;
  #beginsByItself = true;

  private constructor(connection: Connection, clock: Clock, options: SessionOptions) {
    this.#patience = options.patience ?? PATIENCE;
    this.#options = options;
    this.#connection = connection;
    this.#pipeline = new Pipeline(connection);
    this.#clock = clock;
    this.#watchdog = new CallWatchdog(clock, {
      onSilence: (patience) => this.#giveUp(patience),
      longWait: options.longWait,
      onLongWait: () => void this.#askWhetherForgotten(),
    });
    // Without a listener the process dies when the server closes an idle connection.
    connection.on('error', () => this.#markDead());
    connection.on('end', () => this.#markDead());
  }

  /** Connects and logs in; nothing is set up yet. */
  static async open(settings: MysqlSettings, clock: Clock, options: SessionOptions = {}): Promise<MysqlSession> {
    const patience = Math.max(options.patience ?? PATIENCE, LEAST_CONNECT_PATIENCE);
    const session = new MysqlSession(await opened(settings, clock, patience), clock, options);
    options.among?.add(session);
    await session.#call<void>(null, (done) => session.#connection.connect((error) => done(error)), patience);
    return session;
  }

  get usable(): boolean {
    return this.#isUsable;
  }

  /** Half a packet: the statement's other parameters, a job's data among them, need room too. */
  get longestSet(): number {
    return (this.#longestPacket - PACKET_OVERHEAD) / 2;
  }

  /** The server's number of the connection. */
  get id(): number {
    return this.#connection.threadId;
  }

  /** Milliseconds since it was heard of; an idle connection may not be there any more. */
  get silence(): number {
    return this.#watchdog.waited ?? Number.POSITIVE_INFINITY;
  }

  limitPackets(longestPacket: number): void {
    this.#longestPacket = longestPacket;
  }

  async execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult> {
    this.#checkSize(statement.name, values);
    const answer = await this.#call<unknown>(statement.name, (done) =>
      this.#pipeline.execute(statement.text, values as SqlValue[], done),
    );
    const { rows, changes } = toResult(answer);
    return { rows, changes: statement.countsTwice ? changes / 2 : changes };
  }

  /** A statement without parameters as text: settings and the catalogue, which some servers do not prepare. */
  async query(text: string): Promise<StatementResult> {
    return toResult(await this.#call<unknown>(null, (done) => this.#connection.query(text, done)));
  }

  /** For connections with `autocommit = 1`: transactions must be begun. */
  beginExplicitly(): void {
    this.#beginsByItself = false;
  }

  async allowLongPauses(): Promise<void> {
    if (this.#options.longPauses !== undefined) await this.query(this.#options.longPauses.allow);
  }

  async endLongPauses(): Promise<void> {
    if (this.#options.longPauses !== undefined) await this.query(this.#options.longPauses.end);
  }

  /** With `autocommit = 0` the first statement begins the transaction, and there is nothing to send. */
  async begin(): Promise<void> {
    if (this.#beginsByItself) return;
    await this.#call<void>(null, (done) => this.#connection.beginTransaction((error) => done(error)));
  }

  async commit(): Promise<void> {
    await this.#call<void>(null, (done) => this.#connection.commit((error) => done(error)));
  }

  async rollback(): Promise<void> {
    await this.#call<void>(null, (done) => this.#connection.rollback((error) => done(error)));
  }

  /** The driver does not answer what is under way on a connection that it drops. */
  discard(reason = dropped()): void {
    this.#markDead();
    this.#connection.destroy();
    for (const reject of this.#unanswered) reject(reason);
  }

  async close(): Promise<void> {
    if (!this.#isUsable) return;
    this.#markDead();
    await settlesWithin(
      this.#clock,
      CLOSE_PATIENCE,
      new Promise<void>((resolve) => this.#connection.end(() => resolve())),
    );
    this.#connection.destroy();
  }

  #markDead(): void {
    this.#isUsable = false;
    this.#watchdog.stop();
    this.#options.among?.delete(this);
  }

  /** The driver's own time limit leaves the connection busy, and does not cover preparing. */
  #giveUp(patience: number): void {
    this.discard(silentServer(patience));
    this.#options.onSilence?.();
  }

  /** Waiting for a lock looks like a connection that the network has forgotten, except to the server. */
  async #askWhetherForgotten(): Promise<void> {
    const askedAt = this.#clock.monotonic();
    const isForgotten = await this.#options.among?.isForgotten(this);
    const waited = this.#watchdog.waited ?? 0;
    const hasWaitedOn = waited >= this.#clock.monotonic() - askedAt + (this.#options.longWait ?? 0);
    if (isForgotten === true && hasWaitedOn && this.#isUsable) this.discard(forgottenByNetwork(waited));
  }

  async #call<T>(
    statement: StatementName | null,
    send: (done: Done<T>) => void,
    patience = this.#patience,
  ): Promise<T> {
    let rejectCall: (error: SqlError) => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        rejectCall = reject;
        this.#unanswered.add(reject);
        if (this.#unanswered.size === 1) this.#watchdog.begin(patience);
        send((error, result) => (error ? reject(toMysqlSqlError(error, statement)) : resolve(result as T)));
      });
    } catch (error) {
      if (error instanceof SqlError && error.kind === 'connectionLost' && this.#isUsable) this.discard();
      throw error;
    } finally {
      this.#unanswered.delete(rejectCall);
      this.#watchdog.end();
      if (this.#unanswered.size > 0) this.#watchdog.begin(this.#patience);
    }
  }

  #checkSize(name: StatementName, values: readonly SqlValue[]): void {
    const size = values.reduce<number>((sum, value) => sum + sizeOf(value), PACKET_OVERHEAD);
    if (size > this.#longestPacket) {
      throw new SqlError({
        kind: 'refused',
        databaseCode: 'max_allowed_packet',
        statement: name,
        message: `its parameters have ${size} bytes, the server takes ${this.#longestPacket}; raise max_allowed_packet`,
      });
    }
  }
}

/** Asking for the password may take as long as a statement, and a callback that fails is a database that cannot be reached now. */
async function opened(settings: MysqlSettings, clock: Clock, patience: number): Promise<Connection> {
  const connection = openConnection(settings);
  if (settings.access?.password === undefined || (await settlesWithin(clock, patience, connection))) {
    return connection.catch((error: unknown) => {
      if (error instanceof SchedulerError) throw error;
      throw noPassword(toError(error).message);
    });
  }
  connection.then((late) => late.destroy()).catch(() => undefined);
  throw noPassword(`no answer within ${patience / 1000} s`);
}

function noPassword(reason: string): SqlError {
  const message = `the password callback failed: ${reason}`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'PASSWORD', statement: null, message });
}

type Done<T> = (error: QueryError | null, result?: T) => void;

function sizeOf(value: SqlValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 9;
}

function toResult(answer: unknown): StatementResult {
  if (Array.isArray(answer)) return { rows: answer, changes: 0 };
  return { rows: [], changes: (answer as { readonly affectedRows?: number } | undefined)?.affectedRows ?? 0 };
}

function dropped(): SqlError {
  const message = 'the connection was dropped before the answer came';
  return new SqlError({ kind: 'connectionLost', databaseCode: 'DROPPED', statement: null, message });
}

function forgottenByNetwork(waited: number): SqlError {
  const message = `no answer within ${waited / 1000} s, and the server knows of none to give; the connection was dropped`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}

function silentServer(patience: number): SqlError {
  const message = `no answer within ${patience / 1000} s; the connection was dropped`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}
