import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { JobKeyLike, TriggerKey } from '../domain/keys';
import type { Trigger } from './trigger';
import type { DataFor, EnqueueArguments, JobTypeName, JobTypeOption, ScheduleTiming } from './typed-jobs';

/** Options of methods that store a job in the caller's transaction. */
export interface StoreJobInTransactionOptions {
  /** Accepts a job type that no node has registered yet (default false). */
  readonly registeredLater?: boolean;
}

/** Options of `addJob` in a transaction. */
export interface AddJobInTransactionOptions extends StoreJobInTransactionOptions {
  /** Accepts a job that is not durable, because its trigger will be stored later (default false). */
  readonly storeNonDurableWhileAwaitingScheduling?: boolean;
}

/**
 * Adds jobs and triggers in a transaction of the caller. Other nodes see them after the commit; a rollback discards them. Only new keys are
 * accepted; stored objects are never replaced. A rejected call changes nothing, and the transaction can continue. The exception is a deadlock,
 * after which the database has rolled back the whole transaction.
 */
export interface TransactionScheduler<
  Registry extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
> {
  /**
   * Stores a trigger for a stored job. Returns the first fire time. Rejects with INVALID_ARGUMENT for an unsuitable
   * connection, and with the codes of `scheduler.scheduleJob`.
   */
  scheduleJob(trigger: Trigger): Promise<Date>;
  /** Stores a new job with its trigger. */
  scheduleJob(job: JobDetail, trigger: Trigger, options?: StoreJobInTransactionOptions): Promise<Date>;
  /** Like `scheduler.schedule`, but only for a new name. Rejects with OBJECT_ALREADY_EXISTS if the name is stored. */
  schedule<Name extends JobTypeName<Registry>, Cron extends string>(
    name: Name,
    when: ScheduleTiming<Cron> & { readonly job?: undefined } & DataFor<Registry[Name]>,
  ): Promise<Date>;
  schedule<Type extends JobTypeName<Registry>, Cron extends string>(
    name: string,
    when: ScheduleTiming<Cron> & JobTypeOption<Type> & DataFor<Registry[Type]>,
  ): Promise<Date>;
  /**
   * Like `scheduler.enqueue`: runs a job of a registered type once, after the caller has committed, or at a given time. Returns the key of the new
   * trigger.
   */
  enqueue<Type extends JobTypeName<Registry>>(
    jobType: Type,
    ...data: EnqueueArguments<Registry[Type]>
  ): Promise<TriggerKey>;
  /** Like `scheduler.addJob`, but only for a new job. */
  addJob(job: JobDetail, options?: AddJobInTransactionOptions): Promise<void>;
  /** Like `scheduler.triggerJob`: runs a stored job once, after the caller has committed. Returns the key of the new trigger. */
  triggerJob(key: JobKeyLike, data?: JobData): Promise<TriggerKey>;
}

/** Value for a `?` in a statement, as the database driver accepts it. */
export type SqlParameter = string | number | bigint | boolean | Date | Uint8Array | null;

/** Runs SQL statements in the transaction that also ends the job's run. */
export interface JobSql {
  /** Runs a statement that returns rows. Rejects with the driver's error. */
  query<Row = Readonly<Record<string, unknown>>>(text: string, values?: readonly SqlParameter[]): Promise<Row[]>;
  /** Runs a statement that changes rows. Rejects with the driver's error. */
  execute(text: string, values?: readonly SqlParameter[]): Promise<{ readonly affectedRows: number }>;
  /**
   * Underlying connection, for other libraries: a mysql2 connection with promises, or a `DatabaseSync` of SQLite. A commit or rollback on this
   * connection makes `transaction` reject. On MySQL and MariaDB, statements such as ALTER TABLE commit implicitly.
   */
  readonly connection: unknown;
}
