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

/** Quartz's cluster-wide locks. Whoever takes both takes `STATE_ACCESS` first. A lock ends with its transaction. */
export type LockName = (typeof LOCK_NAMES)[number];

export type Work<T> = (tx: SqlTransaction) => Promise<T>;

/** Whether a transaction whose commit got no answer was stored, and with what outcome. */
export type CommitResolution<T> =
  | { readonly status: 'committed'; readonly result: T }
  | { readonly status: 'notCommitted' };

export interface RunOptions<T> extends AttemptLimits {
  /** Default `scheduler`. */
  readonly role?: Exclude<ConnectionRole, 'read'>;
  /** As `TransactionOptions.pausesLong`. */
  readonly pausesLong?: boolean;
  /**
   * Finds out what became of a commit without an answer: called under the same locks in a new transaction, so the old one
   * has ended; `result` is what `work` had returned. `notCommitted` runs the work again. Without it the outcome stays
   * unknown and `run` rejects.
   */
  readonly resolveUnknown?: (tx: SqlTransaction, result: T) => Promise<CommitResolution<T>>;
}

export interface TransactionsOptions {
  readonly schedName: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Of the database: once it is announced, whoever waits for another attempt makes it. Default: one that nobody announces. */
  readonly availability?: Availability;
  /**
   * Called after a wait that a row held by another session may explain: the row itself was not granted (before the next attempt), or
   * the lock of the triggers came late, perhaps because its holder was waiting for such a row.
   */
  readonly onLongWait?: () => void;
  /** How long the start waits for a database that others keep busy; default: for the usual attempts. */
  readonly starting?: Pick<AwaitDatabaseOptions, 'startTimeout' | 'onWarning'>;
}

/** Between two attempts; far apart enough for the winner of a deadlock to end. */
const RESTART_DELAY_MS = { firstDelay: 20, longestDelay: 500 };

/** How long a transaction waits for the cluster's locks in all: the server may end each wait sooner (MySQL after about 1 s). */
const LOCK_QUEUE_MS = 30_000;

/** Between two questions to the database what became of a commit. */
const RESOLVE_DELAY_MS = { firstDelay: 100, longestDelay: 5_000 };

const PROCESS_ID_LENGTH = 16;

/** A long wait for a lock: a little less than its holder waits for a row (`limitRowWaits`). */
const LONG_QUEUE_MS = 900;

/** Begin, lock, run, commit; restarts what lost a conflict, and finds out what became of a commit without an answer. */
export class Transactions {
  /** Names what this process leaves in the database. */
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
    setMaxListeners(0, this.#closing.signal); // as many as calls that meet an outage
  }

  /** Whether a commit may be stored although it failed. */
  get losesCommits(): boolean {
    return this.#driver.dialect.losesCommits;
  }

  /**
   * Runs `work` in a transaction that holds the locks, and commits. Restarts it from the beginning, locks and reads too,
   * after a deadlock, a lock not granted, a lost connection or `StaleRead`: `work` must take nothing over from an earlier
   * attempt. Its first statement is sent behind the locks, before they are granted: what the work knows must not depend on them
   * before its first answer. Rejects with `STORE_FAILURE` when the attempts are used up, with what `work` threw if it was neither.
   */
  async run<T>(locks: LockName | readonly LockName[] | null, work: Work<T>, options: RunOptions<T> = {}): Promise<T> {
    const wanted = inLockOrder(locks);
    return this.#repeating(() => this.#attempt(wanted, work, options), options);
  }

  /** Several reads that see the same moment. Nothing may be written, and nothing written because of it. */
  async read<T>(work: Work<T>): Promise<T> {
    return this.#repeating(() => this.#driver.transaction('read', work));
  }

  /** One statement that only reads, in no transaction. */
  async select<Row>(statement: StatementName, params: SqlParams): Promise<Row[]> {
    return this.#repeating(() => this.#driver.select<Row>(statement, params));
  }

  readActivity(): StoreActivity {
    return { lockWaits: this.#lockWaits.read(), ...this.#driver.readActivity() };
  }

  /** Makes the rows that the locks are taken on, at start, so that no two nodes race for a missing one. Waits for no lock that is held. */
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

  /** Nothing is tried again, and what waits for an answer fails now. */
  cut(): void {
    this.#isCut = true;
    this.#closing.abort();
    this.#driver.cut?.();
  }

  /** As `SqlDriver.dropSilent`. */
  dropSilent(): void {
    this.#driver.dropSilent?.();
  }

  /** Ends what is waiting for another attempt, then closes the driver. */
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

  /** Asks until the database answers: a scheduler that does not know what it fired can only guess. */
  async #untilKnown<T>(unknown: UnknownCommitError, ask: () => Promise<T>): Promise<T> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      try {
        return await ask();
      } catch (error) {
        // Anything the database did not cause is a mistake in the resolver: it would fail for ever.
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

  /** Whatever fails once the connections were cut does so because of that. */
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

/** `STATE_ACCESS` before `TRIGGER_ACCESS`, as Java nodes take them: two orders would deadlock. */
function inLockOrder(locks: LockName | readonly LockName[] | null): readonly LockName[] {
  if (locks === null) return [];
  return typeof locks === 'string' ? [locks] : [...locks].sort();
}

/** For what changes nothing a second time: when the outcome of its commit is unknown, it is simply done again. */
export const repeat = async (): Promise<CommitResolution<never>> => ({ status: 'notCommitted' });

/** For what needs none of the locks of the schedule, must not wait for an acquisition, and changes nothing a second time. */
export const WITHOUT_LOCK = { role: 'completions', resolveUnknown: repeat } as const;
