import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { JobKeyLike, TriggerKey } from '../domain/keys';
import type { ScheduleOptions } from './schedule-options';
import type { Trigger } from './trigger';

/** Of calls that store a job in a transaction. */
export interface StoreJobInTransactionOptions {
  /** The job type is registered later (default false): it may be one that nobody can run yet. */
  readonly registeredLater?: boolean;
}

/** Of `addJob` in a transaction. */
export interface AddJobInTransactionOptions extends StoreJobInTransactionOptions {
  /** Also a job that is not durable, to which a trigger is added later (default false). */
  readonly storeNonDurableWhileAwaitingScheduling?: boolean;
}

/**
 * Adds to the schedule in a transaction that the caller has begun: seen by every node when the caller commits, gone when he rolls back.
 * Only new keys: what is stored already is never replaced. A call that rejects has changed nothing, and the transaction goes on; after a
 * deadlock the database has rolled all of it back, as after any statement.
 */
export interface TransactionScheduler {
  /** As `scheduler.scheduleJob`. Returns the first fire time. Rejects as that does, with INVALID_ARGUMENT also for the connection. */
  scheduleJob(trigger: Trigger): Promise<Date>;
  /** Stores a job that is new, with its trigger. */
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobInTransactionOptions): Promise<Date>;
  /** As `scheduler.schedule`, of a name that is new: what is stored under it already is refused with OBJECT_ALREADY_EXISTS. */
  schedule(name: string, when: ScheduleOptions): Promise<Date>;
  /** As `scheduler.addJob`, of a job that is new. */
  addJob(job: JobDetail, options?: AddJobInTransactionOptions): Promise<void>;
  /** As `scheduler.triggerJob`: runs a stored job once, as soon as the caller has committed. Returns the key of the trigger. */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;
}

/** What a statement may be given in the place of a `?`: as the driver of the database takes it. */
export type SqlParameter = string | number | bigint | boolean | Date | Uint8Array | null;

/** The statements of a job, in the transaction that also ends its run. */
export interface JobSql {
  /** Runs a statement that answers rows. Rejects with the error of the driver. */
  query<Row = Readonly<Record<string, unknown>>>(text: string, values?: readonly SqlParameter[]): Promise<Row[]>;
  /** Runs a statement that changes rows. Rejects with the error of the driver. */
  execute(text: string, values?: readonly SqlParameter[]): Promise<{ readonly affectedRows: number }>;
  /**
   * The connection itself, for other libraries: of mysql2, with promises; in SQLite the `DatabaseSync`. Whoever uses it leaves the
   * transaction open: ending it, also by changing a table, fails the call.
   */
  readonly connection: unknown;
}
