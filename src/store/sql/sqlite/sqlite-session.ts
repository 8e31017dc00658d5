import { closeSync, lstatSync, openSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../../../base/clock';
import type { CountedClasses } from '../../../base/counted-classes';
import type { RandomSource } from '../../../base/ids';
import { argumentsOf } from '../../../base/lists';
import { backoffDelay } from '../../../base/retry';
import { NEVER, sleepFor } from '../../../base/sleep';
import { TimeSlice } from '../../../base/yield-to-event-loop';
import { unmet } from '../../../domain/check-text';
import type { Session, StatementResult } from '../runtime/session';
import { SqlError, type SqlValue } from '../runtime/sql-driver';
import { namedTexts, type Statement } from '../runtime/statements';
import { openSqlite } from './open-sqlite';
import { toSqliteSqlError } from './sqlite-errors';
import { loadSqlite, readAtOnce, readInSlices, type SqliteDatabase, type SqliteStatement } from './sqlite-module';

export interface SqliteOptions {
  /** Path of the file. A missing file is created, but a missing folder is not. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Histogram of the waits for the lock on the file, in milliseconds. */
  readonly lockWaits?: Pick<CountedClasses, 'add'>;
}

/** Time for which another process may lock the file, in milliseconds. Equal to MySQL's lock timeout. */
const BUSY_TIMEOUT_MS = 10_000;

/** Delays between two attempts to begin, in milliseconds. Short, because transactions are short and no event reports that the file is unlocked. */
const BUSY_DELAY = { firstDelay: 2, maxDelay: 40 };

const sessionText = namedTexts('sqlite', 'session.sql');

/** One connection to a file, in this thread. A writer locks the file and never pauses; a reader runs in time slices, so that firing continues. */
export class SqliteSession implements Session {
  readonly counts = { statements: 0, commits: 0 };
  readonly #database: SqliteDatabase;
  readonly #options: SqliteOptions;
  readonly #purpose: 'write' | 'read';
  readonly #prepared = new Map<string, PreparedStatement>();
  /** Identity of the file; null if it did not exist. Detects when another file has replaced it under the same path. */
  readonly #file: number | null;
  readonly #slice: TimeSlice;
  /** Resolves when no statement is being read. */
  #reading: Promise<unknown> = Promise.resolve();
  #isUsable = true;

  private constructor(database: SqliteDatabase, options: SqliteOptions, purpose: 'write' | 'read') {
    this.#database = database;
    this.#options = options;
    this.#purpose = purpose;
    this.#file = fileAt(options.path);
    this.#slice = new TimeSlice(options.clock);
  }

  /** Opens an existing file. Rejects if the file is missing: SQLite would create an empty file without tables. */
  static async openExisting(options: SqliteOptions, purpose: 'write' | 'read'): Promise<SqliteSession> {
    if (fileAt(options.path) === null) throw fileGone(options.path);
    return SqliteSession.open(options, purpose);
  }

  static async open(options: SqliteOptions, purpose: 'write' | 'read'): Promise<SqliteSession> {
    const sqlite = loadSqlite();
    makePrivately(options.path);
    const database = translated(options.path, () => openSqlite(sqlite, options.path));
    const session = new SqliteSession(database, options, purpose);
    try {
      session.#control('setBusyTimeout');
      await session.#untilFree(() => session.#control('setWriteAheadLog')); // needs exclusive access to the file, once
      session.#control('setFullSync');
      session.#control('setForeignKeys');
      if (purpose === 'write' && session.#selectRow('selectJournalMode').journal_mode === 'wal') {
        session.#control('setNoBusyTimeout');
      }
      return session;
    } catch (error) {
      session.discard();
      throw error;
    }
  }

  /** Wraps a connection that the caller opens and closes. Throws INVALID_ARGUMENT unless it reaches this file and has an open transaction. */
  static ofCaller(database: SqliteDatabase, options: SqliteOptions): SqliteSession {
    const [main] = database.prepare('PRAGMA database_list').all() as readonly { readonly file: string }[];
    const session = new SqliteSession(database, options, 'write');
    if (session.#file === null || fileAt(main?.file ?? '') !== session.#file) {
      const found = main?.file ? `one to ${main.file}` : 'one to an in-memory database';
      throw unmet(`a connection to the file ${options.path}`, found);
    }
    try {
      session.#control('beginRead');
    } catch {
      return session; // `beginRead` failed because a transaction is open
    }
    session.#control('rollback');
    throw unmet('a connection with an open transaction', 'one without. Run BEGIN first');
  }

  get usable(): boolean {
    return this.#isUsable;
  }

  async execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementResult> {
    this.counts.statements++;
    const bound = values.map(toBound);
    if (this.#purpose === 'read') return this.#executeInSlices(statement, bound);
    return translated(
      this.#options.path,
      () => {
        const { prepared, answersRows } = this.#prepare(statement);
        return answersRows ? { rows: readAtOnce(prepared, bound), changes: 0 } : runAtOnce(prepared, bound);
      },
      statement,
    );
  }

  /** Runs a statement after the previous one has ended. Running a statement again while it is being read would lose its remaining rows. */
  #executeInSlices(statement: Statement, bound: readonly unknown[]): Promise<StatementResult> {
    const turn = this.#reading.then(async () => {
      await this.#slice.rest();
      try {
        const { prepared, answersRows } = this.#prepare(statement);
        if (!answersRows) return runAtOnce(prepared, bound);
        return { rows: await readInSlices(prepared, bound, this.#slice), changes: 0 };
      } catch (error) {
        throw toSqliteSqlError(error, statement.name, this.#options.path);
      }
    });
    this.#reading = turn.catch(() => undefined);
    return turn;
  }

  /** The connection, for a job's own statements. */
  get connection(): SqliteDatabase {
    return this.#database;
  }

  /** Runs a job's own statement. Rejects with SQLite's error. */
  async perform(text: string, values: readonly unknown[]): Promise<StatementResult> {
    const prepared = this.#database.prepare(text);
    const bound = values.map((value) => toBound(value as SqlValue));
    return ANSWERS_ROWS.test(text) ? { rows: readAtOnce(prepared, bound), changes: 0 } : runAtOnce(prepared, bound);
  }

  async begin(): Promise<void> {
    // Data written to a deleted file is lost when this process ends, and no other process sees it.
    if (this.#file !== null && fileAt(this.#options.path) !== this.#file) throw fileGone(this.#options.path);
    if (this.#purpose === 'read') return this.#control('beginRead');
    const { clock, lockWaits } = this.#options;
    const start = clock.monotonic();
    await this.#untilFree(() => this.#control('beginWrite'));
    lockWaits?.add(clock.monotonic() - start);
  }

  async commit(): Promise<void> {
    this.counts.commits++;
    this.#control('commit');
  }

  async rollback(): Promise<void> {
    if (this.#purpose === 'read') await this.#reading;
    this.#control('rollback');
  }

  savepoint(): void {
    this.#control('savepoint');
  }

  release(): void {
    this.#control('release');
  }

  rollbackTo(): void {
    this.#control('rollbackTo');
    this.#control('release'); // a savepoint stays open after a rollback to it
  }

  discard(): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    // Closing alone would not end the transaction while prepared statements exist, so the file would stay locked.
    for (const step of [() => this.#control('rollback'), () => this.#database.close()]) {
      try {
        step();
      } catch {
        // no transaction is open, or the connection is broken; neither matters, because the connection is not used again
      }
    }
  }

  async close(): Promise<void> {
    if (this.#isUsable && this.#purpose === 'write') this.#moveIntoFile();
    this.discard();
  }

  /** Writes the write-ahead log into the file. Closing also does so, but the package delays it until its statements are garbage-collected. */
  #moveIntoFile(): void {
    try {
      this.#control('checkpoint');
    } catch {
      // the next connection to the file reads the rest from the log
    }
  }

  beginJob(): void {
    this.#control('beginJob');
  }

  endJob(): void {
    this.#control('endJob');
  }

  define(text: string): void {
    translated(this.#options.path, () => this.#database.exec(text));
  }

  readSettings(): ReadonlyMap<string, string> {
    const found = SETTINGS.flatMap((name) => Object.entries(this.#selectRow(name)));
    const log = statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false });
    return new Map([...found, ['log_bytes', log?.size ?? 0]].map(([name, value]) => [String(name), String(value)]));
  }

  /** Writes the write-ahead log into the file and empties the log. Returns false if another connection is using the log. */
  truncateLog(): boolean {
    return this.#selectRow('truncateLog').busy === 0;
  }

  /** Returns the row that a statement of session.sql selects; an empty object if there is none. */
  #selectRow(name: string): Readonly<Record<string, unknown>> {
    return translated(
      this.#options.path,
      () => (this.#database.prepare(sessionText(name).text).all()[0] ?? {}) as Record<string, unknown>,
    );
  }

  #control(name: string): void {
    this.define(sessionText(name).text);
  }

  /** Retries for up to 10 seconds while another process locks the file. Other operations of this thread continue between attempts. */
  async #untilFree(step: () => void): Promise<void> {
    const { clock, random } = this.#options;
    const end = clock.monotonic() + BUSY_TIMEOUT_MS;
    for (let failures = 1; ; failures++) {
      try {
        return step();
      } catch (error) {
        if (!(error instanceof SqlError) || error.kind !== 'busy' || clock.monotonic() >= end) throw error;
        await sleepFor(clock, backoffDelay(failures, { ...BUSY_DELAY, random }), NEVER);
      }
    }
  }

  #prepare(statement: Statement): PreparedStatement {
    const known = this.#prepared.get(statement.text);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(statement.text);
    const answersRows = !/\b(INSERT|UPDATE|DELETE)\b/.test(statement.text);
    this.#prepared.set(statement.text, { prepared, answersRows });
    return { prepared, answersRows };
  }
}

const SETTINGS = ['selectJournalMode', 'selectSynchronous', 'selectForeignKeys', 'selectFile'] as const;

const ANSWERS_ROWS = /^\s*(SELECT|WITH|VALUES|PRAGMA|EXPLAIN)\b|\bRETURNING\b/i;

interface PreparedStatement {
  readonly prepared: SqliteStatement;
  readonly answersRows: boolean;
}

function runAtOnce(prepared: SqliteStatement, bound: readonly unknown[]): StatementResult {
  return { rows: [], changes: Number(prepared.run(...argumentsOf(bound)).changes) };
}

/** Converts integers to bigint. Node binds numbers as floating-point values, so `1` would become the text `1.0` in JSON. */
function toBound(value: SqlValue): SqlValue | bigint {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Returns the identity (inode) of the file at a path; null if there is none. */
function fileAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

function fileGone(path: string): SqlError {
  return new SqlError({
    ...{ kind: 'connectionLost', databaseCode: 'SQLite file', statement: null },
    message: `the file ${path} was deleted or replaced while the scheduler was running`,
    advice: 'Restore it with its -wal file, or stop the scheduler.',
  });
}

function translated<T>(path: string, work: () => T, statement?: Statement): T {
  try {
    return work();
  } catch (error) {
    throw toSqliteSqlError(error, statement?.name ?? null, path);
  }
}

/** Creates the file with permissions for its user only, because job data may be secret. SQLite creates its other files with the same permissions. */
function makePrivately(path: string): void {
  if (path === ':memory:') return;
  try {
    closeSync(openSync(targetOf(path), 'wx', 0o600));
  } catch {
    // The file already exists, or cannot be created. If it cannot be created, SQLite reports the error.
  }
}

/** Returns the path to which a symbolic link leads. The file must be created there before SQLite creates it with permissions for everyone. */
function targetOf(path: string, depth = 0): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && depth < MAX_LINKS ? targetOf(resolve(dirname(path), readlinkSync(path)), depth + 1) : path;
}

/** Maximum number of symbolic links to follow, as in operating systems. */
const MAX_LINKS = 40;
