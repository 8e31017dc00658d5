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
  toStoreFailure,
} from './retry-rules';
import {
  type ConnectionRole,
  type SqlDriver,
  SqlError,
  type SqlParams,
  type SqlTransaction,
  UnknownCommitError,
} from './sql-driver';
import type { StatementName } from './statement-names';

const LOCK_NAMES = ['STATE_ACCESS', 'TRIGGER_ACCESS'] as const;

/** Quartz's cluster-wide locks. A transaction that takes both takes `STATE_ACCESS` first. A lock ends with its transaction. */
export type LockName = (typeof LOCK_NAMES)[number];

export type Work<T> = (tx: SqlTransaction) => Promise<T>;

/** Outcome of a transaction whose commit got no answer. */
export type CommitResolution<T> =
  | { readonly status: 'committed'; readonly result: T }
  | { readonly status: 'notCommitted' };

export interface RunOptions<T> extends AttemptLimits {
  /** Connection to use. Default: `scheduler`. */
  readonly role?: Exclude<ConnectionRole, 'read'>;
  /** See `TransactionOptions.pausesLong`. */
  readonly pausesLong?: boolean;
  /**
   * Determines the outcome of a commit without an answer. It is called under the same locks in a new transaction, so the old one has ended.
   * `result` is the value that `work` returned. `notCommitted` runs the work again. Without this option the outcome stays unknown and `run`
   * rejects.
   */
  readonly resolveUnknown?: (tx: SqlTransaction, result: T) => Promise<CommitResolution<T>>;
}

export interface TransactionsOptions {
  readonly schedName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Availability of the database. When it is announced, transactions that wait for another attempt retry at once. Default: never announced. */
  readonly availability?: Availability;
  /**
   * Called after a wait that a row held by another session may explain. Either the row itself was not granted, and the next attempt
   * follows. Or the lock of the triggers came late, perhaps because its holder waited for such a row.
   */
  readonly onLongWait?: () => void;
  /** Time that the start waits for a busy database. Default: for the usual attempts. */
  readonly starting?: Pick<AwaitDatabaseOptions, 'startTimeout' | 'onWarning'>;
}

/** Delay between two attempts, in milliseconds. Long enough for the winner of a deadlock to end. */
const RESTART_DELAY_MS = { firstDelay: 20, longestDelay: 500 };

/** Total time that a transaction waits for the cluster's locks, in milliseconds. The server may end each wait earlier (MySQL after about 1 s). */
const LOCK_QUEUE_MS = 30_000;

/** Delay between two queries for the outcome of a commit, in milliseconds. */
const RESOLVE_DELAY_MS = { firstDelay: 100, longestDelay: 5_000 };

const PROCESS_ID_LENGTH = 16;

/** Duration of a long wait for a lock, in milliseconds: a little less than its holder waits for a row (`limitRowWaits`). */
const LONG_QUEUE_MS = 900;

/**
 * Begins transactions, locks, runs and commits them. Restarts those that lost a conflict, and determines the outcome of commits without an
 * answer.
 */
export class Transactions {
  /** Identifies the rows that this process leaves in the database. */
  readonly processId: string;
  readonly #driver: SqlDriver;
  readonly #options: TransactionsOptions;
  readonly #availability: Availability;
  readonly #closing = new AbortController();
  readonly #lockWaits = new CountedClasses(LOCK_WAIT_BOUNDS_MS);
  #isCut = false;

  constructor(driver: SqlDriver, options: TransactionsOptions) {
    this.processId = options.random.token(PROCESS_ID_LENGTH);
    this.#driver = driver;
    this.#options = options;
    this.#availability = options.availability ?? new Availability(options.clock);
    setMaxListeners(0, this.#closing.signal); // one listener per call during an outage
  }

  /** True if a failed commit may be stored anyway. */
  get losesCommits(): boolean {
    return this.#driver.dialect.losesCommits;
  }

  /**
   * Runs `work` in a transaction that holds the locks, and commits. Restarts it from the beginning, including locks and reads, after a
   * deadlock, a lock that was not granted, a lost connection or `StaleRead`. `work` must therefore keep nothing from an earlier attempt.
   * Its first statement is sent right after the lock statements, before the locks are granted. `work` must not rely on the locks before its
   * first answer.
   * Rejects with `STORE_FAILURE` when the attempts are used up. Rejects with the error of `work` if the database did not cause it.
   */
  async run<T>(locks: LockName | readonly LockName[] | null, work: Work<T>, options: RunOptions<T> = {}): Promise<T> {
    const wanted = inLockOrder(locks);
    return this.#repeating(() => this.#attempt(wanted, work, options), options);
  }

  /** Runs several reads that see the same snapshot. Nothing may be written, here or based on the results. */
  async read<T>(work: Work<T>): Promise<T> {
    return this.#repeating(() => this.#driver.transaction('read', work));
  }

  /** Runs one statement that only reads, in no transaction. */
  async select<Row>(statement: StatementName, params: SqlParams): Promise<Row[]> {
    return this.#repeating(() => this.#driver.select<Row>(statement, params));
  }

  readActivity(): StoreActivity {
    return { lockWaits: this.#lockWaits.read(), ...this.#driver.readActivity() };
  }

  /** Creates the rows for the locks at start, so that no two nodes race for a missing one. Does not wait for locks that are held. */
  createLockRows(): Promise<void> {
    const { starting } = this.#options;
    if (starting === undefined) return this.#createLockRows();
    return awaitDatabase(() => this.#createLockRows(), { ...this.#options, ...starting, signal: this.#closing.signal });
  }

  async #createLockRows(): Promise<void> {
    const { schedName } = this.#options;
    const found = await this.select<{ readonly LOCK_NAME: string }>('selectLockNames', { schedName });
    const missing = LOCK_NAMES.filter((name) => !found.some(({ LOCK_NAME }) => LOCK_NAME === name));
    if (missing.length === 0) return;
    const params = { schedName, rows: JSON.stringify(missing) };
    await this.#repeating(() => this.#driver.transaction('scheduler', (tx) => tx.run('insertLocks', params)));
  }

  /** Stops all retries, and fails calls that wait for an answer. */
  cut(): void {
    this.#isCut = true;
    this.#closing.abort();
    this.#driver.cut?.();
  }

  /** See `SqlDriver.dropSilent`. */
  dropSilent(): void {
    this.#driver.dropSilent?.();
  }

  /** Ends waits for another attempt, then closes the driver. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#driver.close();
  }

  async #attempt<T>(locks: readonly LockName[], work: Work<T>, options: RunOptions<T>): Promise<T> {
    const { role = 'scheduler', pausesLong, resolveUnknown } = options;
    let worked: { readonly result: T } | undefined;
    const working: Work<T> = async (tx) => {
      worked = { result: await work(tx) };
      return worked.result;
    };
    try {
      return await this.#locked(role, locks, working, pausesLong);
    } catch (error) {
      if (!(error instanceof UnknownCommitError) || resolveUnknown === undefined || worked === undefined) throw error;
      const { result } = worked;
      const ask = () => this.#locked(role, locks, (tx) => resolveUnknown(tx, result));
      const resolution = await this.#untilKnown(error, ask);
      if (resolution.status === 'committed') return resolution.result;
      throw error.cause instanceof SqlError ? error.cause : lostCommit();
    }
  }

  #locked<T>(role: ConnectionRole, locks: readonly LockName[], work: Work<T>, pausesLong = false): Promise<T> {
    const locked: Work<T> = async (tx) => {
      const locking = Promise.all(locks.map((lockName) => this.#lock(tx, lockName)));
      const [, result] = await Promise.all([locking, work(tx)]);
      return result;
    };
    return this.#driver.transaction(role, locked, { pausesLong });
  }

  async #lock(tx: SqlTransaction, lockName: LockName): Promise<void> {
    const { schedName, clock, onLongWait } = this.#options;
    const start = clock.monotonic();
    try {
      const rows = await tx.all('selectLock', { schedName, lockName });
      if (rows.length === 0) throw new MissingLockRow(lockName);
    } finally {
      const waited = clock.monotonic() - start;
      if (lockName === 'TRIGGER_ACCESS') this.#lockWaits.add(waited);
      if (lockName === 'TRIGGER_ACCESS' && waited > LONG_QUEUE_MS) onLongWait?.();
    }
  }

  /** Queries until the database answers, because a scheduler must know what it has fired. */
  async #untilKnown<T>(unknown: UnknownCommitError, ask: () => Promise<T>): Promise<T> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      try {
        return await ask();
      } catch (error) {
        // An error that the database did not cause is a bug in the resolver and would repeat endlessly.
        if (attemptsAllowed(error) === 1 && !(error instanceof UnknownCommitError)) throw toStoreFailure(error);
        await this.#pause(failures, RESOLVE_DELAY_MS);
      }
    }
    throw unknown;
  }

  async #repeating<T>(work: () => Promise<T>, limits: AttemptLimits = {}): Promise<T> {
    const { clock } = this.#options;
    const start = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof MissingLockRow) await this.createLockRows();
        if (isRowLocked(error)) this.#options.onLongWait?.();
        const isQueued = isQueueTimeout(error) && clock.monotonic() - start < LOCK_QUEUE_MS;
        const isOver = attempt >= attemptsAllowed(error, limits) && !isQueued;
        if (isOver || this.#closing.signal.aborted) throw this.#failure(error);
        await this.#pause(isQueued ? 1 : attempt, RESTART_DELAY_MS);
      }
    }
  }

  /** Returns the failure to report. After the connections were cut, every failure of the store is a consequence of that. */
  #failure(error: unknown): Error {
    const failure = toStoreFailure(error);
    const isOfStore = failure instanceof SchedulerError && failure.code === 'STORE_FAILURE';
    return this.#isCut && isOfStore ? new StoreClosedError({ cause: failure }) : failure;
  }

  async #pause(failures: number, delay: typeof RESTART_DELAY_MS): Promise<void> {
    const durationMs = backoffDelay(failures, { ...delay, random: this.#options.random });
    await this.#availability.pause(durationMs, this.#closing.signal);
  }
}

/** Sorts the locks: `STATE_ACCESS` before `TRIGGER_ACCESS`, as Java nodes take them. Different orders would deadlock. */
function inLockOrder(locks: LockName | readonly LockName[] | null): readonly LockName[] {
  if (locks === null) return [];
  return typeof locks === 'string' ? [locks] : [...locks].sort();
}

/** Resolution for work that may run twice without harm. If the outcome of its commit is unknown, it runs again. */
export const repeat = async (): Promise<CommitResolution<never>> => ({ status: 'notCommitted' });

/** Options for work that needs none of the schedule's locks, must not wait for an acquisition, and may run twice without harm. */
export const WITHOUT_LOCK = { role: 'completions', resolveUnknown: repeat } as const;
