import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { JobKeyLike, TriggerKey } from '../domain/keys';
import type { ScheduleOptions } from './schedule-options';
import type { Trigger } from './trigger';

/** Options of calls that store a job in a transaction. */
export interface StoreJobInTransactionOptions {
  /** Accepts a job type that is registered later and that no node can run yet (default false). */
  readonly registeredLater?: boolean;
}

/** Options of `addJob` in a transaction. */
export interface AddJobInTransactionOptions extends StoreJobInTransactionOptions {
  /** Accepts a job that is not durable and gets its trigger later (default false). */
  readonly storeNonDurableWhileAwaitingScheduling?: boolean;
}

/**
 * Adds to the schedule within a transaction of the caller: visible to every node after the commit, discarded by a rollback. Only new keys
 * are accepted: stored objects are never replaced. A rejected call has changed nothing, and the transaction continues. After a deadlock,
 * however, the database has rolled back the whole transaction, as after any statement.
 */
export interface TransactionScheduler {
  /**
   * Like `scheduler.scheduleJob`. Returns the first fire time. Rejects with the same codes, and with INVALID_ARGUMENT for an unsuitable
   * connection.
   */
  scheduleJob(trigger: Trigger): Promise<Date>;
  /** Stores a new job with its trigger. */
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobInTransactionOptions): Promise<Date>;
  /** Like `scheduler.schedule`, for a new name: an existing one is refused with OBJECT_ALREADY_EXISTS. */
  schedule(name: string, when: ScheduleOptions): Promise<Date>;
  /** Like `scheduler.addJob`, for a new job. */
  addJob(job: JobDetail, options?: AddJobInTransactionOptions): Promise<void>;
  /** Like `scheduler.triggerJob`: runs a stored job once, as soon as the caller has committed. Returns the key of the trigger. */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;
}

/** Value for a `?` of a statement, as the database driver accepts it. */
export type SqlParameter = string | number | bigint | boolean | Date | Uint8Array | null;

/** Statements of a job, in the transaction that also ends its run. */
export interface JobSql {
  /** Runs a statement that returns rows. Rejects with the error of the driver. */
  query<Row = Readonly<Record<string, unknown>>>(text: string, values?: readonly SqlParameter[]): Promise<Row[]>;
  /** Runs a statement that changes rows. Rejects with the error of the driver. */
  execute(text: string, values?: readonly SqlParameter[]): Promise<{ readonly affectedRows: number }>;
  /**
   * The connection itself, for other libraries: of mysql2 with promises, or a `DatabaseSync` of SQLite. Do not end the transaction on it, which
   * fails the call. On MySQL and MariaDB, a statement that changes a table's definition ends the transaction too.
   */
  readonly connection: unknown;
}
