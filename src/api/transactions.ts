import type { JobDetail } from '../domain/job-detail';
import type { JobKeyLike, TriggerKey } from '../domain/keys';
import type { GivenFields } from './schedule-mistakes';
import type { Trigger } from './trigger';
import type {
  EnqueueArgument,
  EnqueuedData,
  EnqueuedType,
  JobTypeName,
  NameArgument,
  ScheduleArgument,
  TriggerData,
} from './typed-jobs';

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
  schedule<Name extends string, When extends GivenFields>(
    name: NameArgument<Registry, Name, When>,
    when: ScheduleArgument<Registry, Name, When>,
  ): Promise<Date>;
  /**
   * Like `scheduler.enqueue`: runs a job of a registered type once, after the caller has committed, or at a given time. Returns the key of the new
   * trigger.
   */
  enqueue<Type extends JobTypeName<Registry>>(jobType: EnqueuedType<Registry, Type>): Promise<TriggerKey>;
  enqueue<Type extends JobTypeName<Registry>, Options extends GivenFields>(
    jobType: Type,
    data: EnqueuedData<Registry, Type>,
    options?: EnqueueArgument<Registry, Type, Options>,
  ): Promise<TriggerKey>;
  /** Like `scheduler.addJob`, but only for a new job. */
  addJob(job: JobDetail, options?: AddJobInTransactionOptions): Promise<void>;
  /** Like `scheduler.triggerJob`: runs a stored job once, after the caller has committed. Returns the key of the new trigger. */
  triggerJob(key: JobKeyLike): Promise<TriggerKey>;
  triggerJob<Key extends JobKeyLike>(key: Key, data: TriggerData<Registry, Key> | undefined): Promise<TriggerKey>;
}

/**
 * A connection with an open transaction on the scheduler's database: a connection of mysql2, with callbacks or promises, for MySQL and MariaDB, or a
 * `DatabaseSync` for SQLite.
 */
export interface OpenConnection {
  /** Method of a mysql2 connection. */
  // biome-ignore lint/suspicious/noExplicitAny: the two forms of the connection differ in it
  execute?(...args: any[]): unknown;
  /** Method of a mysql2 connection. */
  // biome-ignore lint/suspicious/noExplicitAny: the two forms of the connection differ in it
  query?(...args: any[]): unknown;
  /** Method of a `DatabaseSync`. */
  exec?(sql: string): unknown;
  /** Method of a `DatabaseSync`, or of a mysql2 connection. */
  // biome-ignore lint/suspicious/noExplicitAny: the drivers differ in it
  prepare?(...args: any[]): unknown;
  /** Absent. A pool has this method, and runs each statement on another connection. */
  readonly getConnection?: never;
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
  readonly connection: OpenConnection;
}
