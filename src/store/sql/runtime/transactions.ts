import { setMaxListeners } from 'node:events';
import { Availability } from '../../../base/availability';
import type { Clock } from '../../../base/clock';
import { CountedClasses } from '../../../base/counted-classes';
import { SchedulerError, StoreClosedError } from '../../../base/errors';
import type { RandomSource } from '../../../base/ids';
import { backoffDelay } from '../../../base/retry';
import { LOCK_WAIT_BOUNDS_MS, type StoreActivity } from '../../store-activity';
import { type AwaitDatabaseOptions, awaitDatabase } from './await-database';
import {
  type AttemptLimits,
  attemptsAllowed,
  isQueueTimeout,
  isRowLocked,
  lostCommit,
  MissingLockRow,
  mayBeResolvedLater,
  StaleRead,
  toStoreFailure,
} from './retry-rules';
import { ScriptRefused } from './script';
import {
  type Bell,
  type ConnectionRole,
  type ScriptStep,
  type SqlDialect,
  type SqlDriver,
  SqlError,
  type SqlParams,
  type SqlTransaction,
  type TransactionOptions,
  UnknownCommitError,
} from './sql-driver';
import type { StatementName } from './statement-names';

const LOCK_NAMES = ['STATE_ACCESS', 'TRIGGER_ACCESS'] as const;

/** Quartz's cluster-wide locks. A transaction that takes both takes `STATE_ACCESS` first. A lock is released when its transaction ends. */
export type LockName = (typeof LOCK_NAMES)[number];

export type Work<T> = (tx: SqlTransaction) => Promise<T>;

/** Outcome of a transaction whose commit received no answer. */
export type CommitResolution<T> =
  | { readonly status: 'committed'; readonly result: T }
  | { readonly status: 'notCommitted' };

/** A script under TRIGGER_ACCESS. */
interface LockedScript<Row> {
  /** Returns the steps of one attempt. */
  readonly stepsOf: () => readonly ScriptStep[];
  /** Connection to use. Default: `scheduler`. */
  readonly role?: 'scheduler' | 'completions';
  /** Epochs of the nodes to ring first. */
  readonly rings?: readonly string[];
  /**
   * Called after a commit without an answer, in a transaction that holds the lock. The script may still arrive later: unless it is stored, it must be
   * refused from then on, by its own steps.
   */
  readonly resolveUnknown: Work<CommitResolution<readonly Row[]>>;
}

export interface RunOptions<T> extends AttemptLimits {
  /** Connection to use. Default: `scheduler`. */
  readonly role?: Exclude<ConnectionRole, 'read'>;
  /** See `TransactionOptions.pausesLong`. */
  readonly pausesLong?: boolean;
  /** See `TransactionOptions.yields`. */
  readonly yields?: boolean;
  /**
   * Determines the outcome of a commit that received no answer. Called in a new transaction that holds the same locks, so the old transaction has
   * ended. `result`: value that `work` returned. If this returns `notCommitted`, the transaction is repeated. Without this option, the outcome is
   * unknown and `run` rejects.
   */
  readonly resolveUnknown?: (tx: SqlTransaction, result: T) => Promise<CommitResolution<T>>;
}

interface TransactionsOptions {
  readonly schedName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** When it reports that the database is available, waiting transactions retry immediately. Default: not shared. */
  readonly availability?: Availability;
  /** Called after a wait that a row locked by another session may have caused: a wait for the row, or for TRIGGER_ACCESS while its holder waited. */
  readonly onLongWait?: () => void;
  /** Retries at start while the database is unreachable or busy. Default: the usual number of attempts. */
  readonly starting?: Pick<AwaitDatabaseOptions, 'startTimeout' | 'onWarning'>;
}

type GivenOptions = Pick<TransactionOptions, 'pausesLong' | 'yields'>;

/** Delays between two attempts, in milliseconds. Long enough for the winner of a deadlock to finish. */
const RESTART_DELAY_MS = { firstDelay: 20, maxDelay: 500 };

/** Total time that a transaction waits for the cluster's locks, in milliseconds. The server may end each wait earlier (MySQL: after about 1 s). */
const LOCK_QUEUE_MS = 30_000;

/** Delays between two queries for the outcome of a commit, in milliseconds. */
export const RESOLVE_DELAY_MS = { firstDelay: 100, maxDelay: 5_000 };

const PROCESS_ID_LENGTH = 16;

/** Duration of a long wait for a lock, in milliseconds: slightly less than its holder may wait for a row (`limitRowWaits`). */
const LONG_QUEUE_MS = 900;

/** Acquires locks, runs the caller's statements and commits. Restarts after a lost conflict; determines the outcome of unanswered commits. */
export class Transactions {
  /** Identifies the rows that this process leaves in the database. */
  readonly processId: string;
  readonly #driver: SqlDriver;
  readonly #options: TransactionsOptions;
  readonly #availability: Availability;
  /** Aborted when the store begins to close: no call is retried any more. */
  readonly #closing = new AbortController();
  /** Aborted when the store stops waiting for the outcomes of its calls. */
  readonly #aborting = new AbortController();
  readonly #lockWaits = new CountedClasses(LOCK_WAIT_BOUNDS_MS);
  /** Counted by the operations that send trains. */
  readonly trains = { sent: 0, fired: 0 };
  /** Number of calls that have not ended. */
  #calls = 0;
  #onIdle: () => void = () => undefined;

  constructor(driver: SqlDriver, options: TransactionsOptions) {
    this.processId = options.random.token(PROCESS_ID_LENGTH);
    this.#driver = driver;
    this.#options = options;
    this.#availability = options.availability ?? new Availability(options.clock);
    // during an outage, each call adds a listener
    setMaxListeners(0, this.#closing.signal);
    setMaxListeners(0, this.#aborting.signal);
  }

  get bell(): Bell | undefined {
    return this.#driver.bell;
  }

  get losesCommits(): boolean {
    return this.#driver.dialect.losesCommits;
  }

  /**
   * Runs `work` in a transaction that holds the locks, and commits. After a deadlock, a lock timeout, a lost connection or `StaleRead`,
   * restarts from the beginning, including locks and reads. `work` must therefore keep no state of an earlier attempt. Its first statement
   * is sent right after the lock statements, before the locks are granted. `work` must not rely on the locks until its first statement is
   * answered.
   * Rejects with `STORE_FAILURE` when the attempts are used up. If `work` failed and the database was not the cause, rejects with the error
   * of `work`.
   */
  async run<T>(locks: LockName | readonly LockName[] | null, work: Work<T>, options: RunOptions<T> = {}): Promise<T> {
    const wanted = inLockOrder(locks);
    return this.#repeating(() => this.#attempt(wanted, work, options), options);
  }

  /** True if the database can run `runScript`. */
  get runsScripts(): boolean {
    return this.#driver.script !== undefined;
  }

  /**
   * Runs a script under TRIGGER_ACCESS and commits, in one round trip. Returns the rows of its result. Rejects with `ScriptRefused` if an ordinary
   * transaction must run the same work, which then reports or resolves the cause.
   */
  async runScript<Row>(script: LockedScript<Row>): Promise<readonly Row[]> {
    const { stepsOf, role = 'scheduler', rings = [], resolveUnknown } = script;
    const options = { rings, schedName: this.#options.schedName };
    return this.#repeating(async () => {
      try {
        const steps = [...this.#lockSteps('TRIGGER_ACCESS'), ...stepsOf()];
        return (await this.#timed(async () => this.#driver.script?.(role, steps, options))) as readonly Row[];
      } catch (error) {
        if (!(error instanceof UnknownCommitError)) throw error;
        return this.#resolved(error, () => this.#locked(role, ['TRIGGER_ACCESS'], resolveUnknown));
      }
    });
  }

  #lockSteps(lockName: LockName): readonly ScriptStep[] {
    const params = { lockName };
    const lock: ScriptStep = { statement: 'selectLock', params, isQuery: true, rows: 1 };
    if (!this.#driver.dialect.hasSeveralWriters) return [lock];
    return [lock, { statement: 'advanceLock', params, isQuery: false, rows: null }];
  }

  /**
   * Runs a script that may safely run twice, with at most one lock, and returns the rows of its result. Returns null if it was refused, or if the
   * database runs no scripts: an ordinary transaction must then do the same work.
   */
  async tryScript<Row>(
    steps: readonly ScriptStep[],
    { role, lock, ...limits }: AttemptLimits & { readonly role: ConnectionRole; readonly lock?: LockName },
  ): Promise<readonly Row[] | null> {
    const { schedName } = this.#options;
    const all = lock === undefined ? steps : [...this.#lockSteps(lock), ...steps];
    return this.#repeating(async () => {
      try {
        return ((await this.#driver.script?.(role, all, { schedName })) ?? null) as readonly Row[] | null;
      } catch (error) {
        if (error instanceof ScriptRefused) return null;
        throw error instanceof UnknownCommitError ? error.cause : error;
      }
    }, limits);
  }

  /** Runs several reads on one snapshot. Neither `work` nor a later transaction may write based on the results. */
  async read<T>(work: Work<T>): Promise<T> {
    return this.#repeating(() => this.#transaction('read', work));
  }

  async all<Row>(statement: StatementName, params?: SqlParams): Promise<Row[]> {
    return this.#repeating(() => this.#driver.select<Row>(statement, params, this.#options.schedName));
  }

  /** Opens connections before they are needed: behind a slow network, that takes a quarter of a second. Ignores failures, which the first use reports. */
  async connect(roles: readonly ConnectionRole[]): Promise<void> {
    await Promise.allSettled(roles.map((role) => this.#driver.transaction(role, async () => undefined)));
  }

  readActivity(): StoreActivity {
    return { lockWaits: this.#lockWaits.read(), trains: { ...this.trains }, ...this.#driver.readActivity() };
  }

  /** Creates the lock rows at start, so that nodes do not compete to create a missing row. Does not wait for locks that are held. */
  createLockRows(): Promise<void> {
    const { starting } = this.#options;
    if (starting === undefined) return this.#createLockRows();
    return awaitDatabase(() => this.#createLockRows(), { ...this.#options, ...starting, signal: this.#closing.signal });
  }

  async #createLockRows(): Promise<void> {
    const found = await this.all<{ readonly LOCK_NAME: string }>('selectLockNames');
    const missing = LOCK_NAMES.filter((name) => !found.some(({ LOCK_NAME }) => LOCK_NAME === name));
    if (missing.length === 0) return;
    const params = { rows: JSON.stringify(missing) };
    await this.#repeating(() => this.#transaction('scheduler', (tx) => tx.run('insertLocks', params)));
  }

  /** Stops all retries, and fails calls that wait for an answer or for the outcome of a commit. */
  abort(): void {
    this.#closing.abort();
    this.#aborting.abort();
    this.#driver.abort?.();
  }

  dropSilent(): void {
    this.#driver.dropSilent?.();
  }

  /** Ends all calls without a further attempt. A call whose commit had no answer ends when its outcome is known. */
  async drain(): Promise<void> {
    this.#closing.abort();
    if (this.#calls === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#driver.close();
  }

  async #attempt<T>(locks: readonly LockName[], work: Work<T>, options: RunOptions<T>): Promise<T> {
    const { role = 'scheduler', pausesLong = false, yields = false, resolveUnknown } = options;
    const given = { pausesLong, yields };
    let worked: { readonly result: T } | undefined;
    const working: Work<T> = async (tx) => {
      worked = { result: await work(tx) };
      return worked.result;
    };
    try {
      return await this.#locked(role, locks, working, given);
    } catch (error) {
      if (!(error instanceof UnknownCommitError) || resolveUnknown === undefined || worked === undefined) throw error;
      const { result } = worked;
      return this.#resolved(error, () => this.#locked(role, locks, (tx) => resolveUnknown(tx, result)));
    }
  }

  /** Returns the result of a transaction whose commit was unknown. Throws the cause if the transaction was not committed. */
  async #resolved<T>(unknown: UnknownCommitError, resolve: () => Promise<CommitResolution<T>>): Promise<T> {
    const resolution = await this.#untilKnown(unknown, resolve);
    if (resolution.status === 'committed') return resolution.result;
    throw unknown.cause instanceof SqlError ? unknown.cause : lostCommit();
  }

  #locked<T>(role: ConnectionRole, locks: readonly LockName[], work: Work<T>, given: GivenOptions = {}): Promise<T> {
    const locked: Work<T> = async (tx) => {
      const locking = Promise.all(locks.map((lockName) => this.#lock(tx, lockName)));
      const [, result] = await Promise.all([locking, work(tx)]);
      return result;
    };
    return this.#transaction(role, locked, given);
  }

  #transaction<T>(role: ConnectionRole, work: Work<T>, given: GivenOptions = {}): Promise<T> {
    return this.#driver.transaction(role, work, { ...given, schedName: this.#options.schedName });
  }

  #lock(tx: SqlTransaction, lockName: LockName): Promise<void> {
    const take = () => takeLock(tx, lockName, this.#driver.dialect);
    return lockName === 'TRIGGER_ACCESS' ? this.#timed(take) : take();
  }

  /** Counts the duration of `work` as a wait for TRIGGER_ACCESS. A script is counted as a whole: without a queue, it takes less than a millisecond. */
  async #timed<T>(work: () => Promise<T>): Promise<T> {
    const { clock, onLongWait } = this.#options;
    const start = clock.monotonic();
    try {
      return await work();
    } finally {
      const waited = clock.monotonic() - start;
      this.#lockWaits.add(waited);
      if (waited > LONG_QUEUE_MS) onLongWait?.();
    }
  }

  /**
   * Retries until the database answers, because a scheduler must know which triggers it has fired, and a caller whether its change is stored. A store
   * that closes still waits for the answer, until its deadline.
   */
  async #untilKnown<T>(unknown: UnknownCommitError, resolve: () => Promise<T>): Promise<T> {
    for (let failures = 1; !this.#aborting.signal.aborted; failures++) {
      try {
        return await resolve();
      } catch (error) {
        // The database did not cause this error, so the resolver has a bug, and a retry would never succeed.
        if (!mayBeResolvedLater(error)) throw toStoreFailure(error);
        await this.#pause(failures, RESOLVE_DELAY_MS, this.#aborting.signal);
      }
    }
    throw unknown;
  }

  /** Repeats `work`, after a pause, until it succeeds or the store closes. For work that no other node does. */
  async untilDone(work: () => Promise<void>): Promise<void> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      await this.#pause(failures, RESOLVE_DELAY_MS);
      const isDone = await work().then(
        () => true,
        () => false, // the calls in `work` report the failure of the store
      );
      if (isDone) return;
    }
  }

  async #repeating<T>(work: () => Promise<T>, limits: AttemptLimits = {}): Promise<T> {
    this.#calls++;
    try {
      return await this.#attempts(work, limits);
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#onIdle();
    }
  }

  async #attempts<T>(work: () => Promise<T>, limits: AttemptLimits): Promise<T> {
    const { clock } = this.#options;
    const start = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof MissingLockRow) await this.createLockRows();
        if (isRowLocked(error)) this.#options.onLongWait?.();
        const isQueued = this.#isQueued(error) && clock.monotonic() - start < LOCK_QUEUE_MS;
        const isOver = attempt >= attemptsAllowed(error, limits) && !isQueued;
        if (isOver || this.#closing.signal.aborted) throw this.#failure(error);
        await this.#pause(isQueued ? 1 : attempt, RESTART_DELAY_MS);
      }
    }
  }

  /** True if another transaction held the lock. With several writers, its holder on another server is noticed only as a conflict at the commit. */
  #isQueued(error: unknown): boolean {
    if (isQueueTimeout(error)) return true;
    if (this.#driver.dialect.hasSeveralWriters !== true) return false;
    return error instanceof StaleRead || (error instanceof SqlError && error.kind === 'deadlock');
  }

  /** Returns the error to report. After `abort`, every failure of the store becomes a `StoreClosedError`. */
  #failure(error: unknown): Error {
    const failure = toStoreFailure(error);
    const isOfStore = failure instanceof SchedulerError && failure.code === 'STORE_FAILURE';
    if (!this.#aborting.signal.aborted || !isOfStore) return failure;
    return new StoreClosedError({ cause: failure, isUnknown: error instanceof UnknownCommitError });
  }

  async #pause(failures: number, delay: typeof RESTART_DELAY_MS, signal = this.#closing.signal): Promise<void> {
    const durationMs = backoffDelay(failures, { ...delay, random: this.#options.random });
    await this.#availability.pause(durationMs, signal);
  }
}

/** Waits for a lock of the cluster. Throws `MissingLockRow` if its row is not stored. */
export async function takeLock(
  tx: SqlTransaction,
  lockName: LockName,
  { hasSeveralWriters = false }: Pick<SqlDialect, 'hasSeveralWriters'>,
): Promise<void> {
  const locking = tx.all('selectLock', { lockName });
  const advancing = hasSeveralWriters ? tx.run('advanceLock', { lockName }) : undefined;
  const [rows] = await Promise.all([locking, advancing]);
  if (rows.length === 0) throw new MissingLockRow(lockName);
}

/** Sorts the locks: `STATE_ACCESS` before `TRIGGER_ACCESS`, as in Java nodes. Another order would cause deadlocks. */
function inLockOrder(locks: LockName | readonly LockName[] | null): readonly LockName[] {
  if (locks === null) return [];
  return typeof locks === 'string' ? [locks] : [...locks].sort();
}

/** Resolution for a transaction that may safely run twice. If the outcome of its commit is unknown, the transaction is repeated. */
export const repeat = async (): Promise<CommitResolution<never>> => ({ status: 'notCommitted' });

/** Options for a transaction that needs no lock of the schedule, must not wait for an acquisition, and may safely run twice. */
export const WITHOUT_LOCK = { role: 'completions', resolveUnknown: repeat } as const;
