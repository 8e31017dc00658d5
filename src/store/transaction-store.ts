import type { JobSql } from '../api/transactions';
import type { EpochMs } from '../base/clock';
import type { Completion } from '../domain/completion';
import type { JobDetail } from '../domain/job-detail';
import type { JobKey } from '../domain/keys';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { ApplyOptions, CompletionOutcome } from './job-store';
import type { ConnectionActivity } from './store-activity';

/** A run that its own transaction has ended. */
export interface EndedInTransaction<T> {
  /** What the job's part of the transaction answered. */
  readonly answer: T;
  readonly completion: Completion;
  readonly outcome: CompletionOutcome;
  /** The earliest fire time that came within reach; undefined: none did. */
  readonly earliest: EpochMs | undefined;
}

/**
 * The tables of a store, written in the calling thread and together with what is not the store's: in the transactions that callers have
 * begun, and in those of jobs. It connects when that is first needed.
 */
export interface TransactionStore {
  /**
   * Adds to the schedule in the transaction that is open on `connection`: seen when the caller commits, gone when he rolls back. Every change
   * must be a `storeJob` or `storeTrigger` that fails where its key is stored. Takes no lock of the cluster, and fires nothing. One outcome
   * per change. Rejects as `applySchedule`, and with INVALID_ARGUMENT for what is no connection to these tables, or has no open transaction.
   */
  addWithin(
    connection: unknown,
    changes: readonly ScheduleChange[],
    options: ApplyOptions,
  ): Promise<readonly ScheduleOutcome[]>;
  /** The jobs of those keys that are stored, as that transaction sees them. */
  findJobsWithin(connection: unknown, keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  /**
   * Runs a job's statements and ends its run in one transaction. What `work` rejects with is passed on, and nothing is stored. `completionOf`
   * says how the run ended. Rejects with SCHEDULER_STATE where the run is this node's no longer, and where the transaction was ended by
   * something else; with STORE_FAILURE where it cannot be stored. Whenever it rejects, nothing was stored.
   */
  runJob<T>(work: (sql: JobSql) => Promise<T>, completionOf: (answer: T) => Completion): Promise<EndedInTransaction<T>>;
  /** What its connections do, which are for the transactions of jobs; null: it has none yet. */
  readActivity(): ConnectionActivity | null;
  /** Waits for the transactions of jobs, for `timeoutMs` at most (default: however long it takes), then closes their connections. */
  close(timeoutMs?: number): Promise<void>;
}
