import { setMaxListeners } from 'node:events';
import { Availability } from '../../../base/availability';
import type { Clock } from '../../../base/clock';
import { SchedulerError, StoreClosedError } from '../../../base/errors';
import type { RandomSource } from '../../../base/ids';
import { backoffDelay } from '../../../base/retry';
import { attemptsAllowed, isRowLocked, lostCommit, MissingLockRow, toStoreFailure } from './retry-rules';
import {
  type ConnectionRole,
  type SqlDriver,
  SqlError,
  type SqlParams,
  type SqlTransaction,
  UnknownCommitError,
} from './sql-driver';
import type { StatementName } from './statement-names';

/** Quartz's cluster-wide locks. Whoever takes both takes `STATE_ACCESS` first. A lock ends with its transaction. */
export type LockName = 'TRIGGER_ACCESS' | 'STATE_ACCESS';

export type Work<T> = (tx: SqlTransaction) => Promise<T>;

/** Whether a transaction whose commit got no answer was stored, and with what outcome. */
export type CommitResolution<T> =
  | { readonly status: 'committed'; readonly result: T }
  | { readonly status: 'notCommitted' };

export interface RunOptions<T> {
  /** Default `scheduler`. */
  readonly role?: Exclude<ConnectionRole, 'read'>;
  /** As `TransactionOptions.pausesLong`. */
  readonly pausesLong?: boolean;
  /** Attempts before giving up on conflicts. Default 5. */
  readonly attempts?: number;
  /** The work is on a batch of several that is split when it fails: two attempts at what may be one row's fault. */
  readonly isSplit?: boolean;
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
   * Hears of a wait that a row held by another session may explain: the row itself was not granted (before the next attempt), or the
   * lock of the triggers came late, perhaps because its holder was waiting for such a row.
   */
  readonly onLongWait?: () => void;
}

/** Between two attempts; far apart enough for the winner of a deadlock to end. */
const RESTART_DELAY = { firstDelay: 20, longestDelay: 500 };

/** Between two looks at a database that must tell what became of a commit. */
const RESOLVE_DELAY = { firstDelay: 100, longestDelay: 5_000 };

const PROCESS_ID_LENGTH = 16;

/** Milliseconds in the queue for a lock: a little less than its holder waits for a row on MariaDB (`limitRowWaits`). */
const LONG_QUEUE = 900;

/** Begin, lock, run, commit; restarts what lost a conflict, and finds out what became of a commit without an answer. */
export class Transactions {
  /** Names what this process leaves in the database. */
  readonly processId: string;
  readonly #driver: SqlDriver;
  readonly #options: TransactionsOptions;
  readonly #availability: Availability;
  readonly #closing = new AbortController();
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
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(wanted, work, options);
      } catch (error) {
        if (error instanceof MissingLockRow) await this.createLockRows();
        if (isRowLocked(error)) this.#options.onLongWait?.();
        if (attempt >= attemptsAllowed(error, options) || this.#closing.signal.aborted) throw this.#failure(error);
      }
      await this.#pause(backoffDelay(attempt, { ...RESTART_DELAY, random: this.#options.random }));
    }
  }

  /** Several reads that see the same moment. Nothing may be written, and nothing written because of it. */
  async read<T>(work: Work<T>): Promise<T> {
    return this.#repeating(() => this.#driver.transaction('read', work));
  }

  /** One statement that only reads, in no transaction. */
  async select<Row>(statement: StatementName, params: SqlParams): Promise<Row[]> {
    return this.#repeating(() => this.#driver.select<Row>(statement, params));
  }

  /** The rows that the locks are taken on; at start, so that no two nodes race for a missing one. */
  async createLockRows(): Promise<void> {
    const { schedName } = this.#options;
    await this.#repeating(() =>
      this.#driver.transaction('scheduler', async (tx) => {
        await tx.run('insertLocks', { schedName });
      }),
    );
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
    const role = options.role ?? 'scheduler';
    let worked: { readonly result: T } | undefined;
    try {
      const working: Work<T> = async (tx) => {
        worked = { result: await work(tx) };
        return worked.result;
      };
      return await this.#locked(role, locks, working, options.pausesLong);
    } catch (error) {
      const resolve = options.resolveUnknown;
      if (!(error instanceof UnknownCommitError) || resolve === undefined || worked === undefined) throw error;
      const { result } = worked;
      const resolution = await this.#untilKnown(error, () => this.#locked(role, locks, (tx) => resolve(tx, result)));
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
    const rows = await tx.all('selectLock', { schedName, lockName });
    if (rows.length === 0) throw new MissingLockRow(lockName);
    if (lockName === 'TRIGGER_ACCESS' && clock.monotonic() - start > LONG_QUEUE) onLongWait?.();
  }

  /** Asks until the database answers: a scheduler that does not know what it fired can only guess. */
  async #untilKnown<T>(unknown: UnknownCommitError, ask: () => Promise<T>): Promise<T> {
    for (let failures = 1; !this.#closing.signal.aborted; failures++) {
      try {
        return await ask();
      } catch (error) {
        // Anything the database did not cause is a mistake in the resolver: it would fail for ever.
        if (attemptsAllowed(error) === 1 && !(error instanceof UnknownCommitError)) throw toStoreFailure(error);
        await this.#pause(backoffDelay(failures, { ...RESOLVE_DELAY, random: this.#options.random }));
      }
    }
    throw unknown;
  }

  async #repeating<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= attemptsAllowed(error) || this.#closing.signal.aborted) throw this.#failure(error);
        await this.#pause(backoffDelay(attempt, { ...RESTART_DELAY, random: this.#options.random }));
      }
    }
  }

  /** Whatever fails once the connections were cut does so because of that. */
  #failure(error: unknown): Error {
    const failure = toStoreFailure(error);
    const isOfStore = failure instanceof SchedulerError && failure.code === 'STORE_FAILURE';
    return this.#isCut && isOfStore ? new StoreClosedError({ cause: failure }) : failure;
  }

  async #pause(duration: number): Promise<void> {
    await this.#availability.pause(duration, this.#closing.signal);
  }
}

/** `STATE_ACCESS` before `TRIGGER_ACCESS`, as Java nodes take them: two orders would deadlock. */
function inLockOrder(locks: LockName | readonly LockName[] | null): readonly LockName[] {
  if (locks === null) return [];
  return typeof locks === 'string' ? [locks] : [...locks].sort();
}

/** For what changes nothing a second time: when the outcome of its commit is unknown, it is simply done again. */
export const repeat = async (): Promise<CommitResolution<never>> => ({ status: 'notCommitted' });
