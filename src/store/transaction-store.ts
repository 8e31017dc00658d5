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
  /** Value that the job returned from its transaction. */
  readonly answer: T;
  readonly completion: Completion;
  readonly outcome: CompletionOutcome;
  /** Earliest fire time that this made possible; undefined if none. */
  readonly earliest: EpochMs | undefined;
}

/**
 * Writes a store's tables together with other data, in the calling thread. It takes part in transactions that callers have begun, and runs
 * those of jobs. It connects on first use.
 */
export interface TransactionStore {
  /**
   * Adds to the schedule in the transaction that is open on `connection`. The changes become visible when the caller commits, and are gone
   * on rollback. Every change must be a `storeJob` or `storeTrigger` that fails if its key is stored. Takes no cluster-wide lock, and fires
   * nothing. Returns one outcome per change.
   * Rejects for the reasons of `applySchedule`, and with INVALID_ARGUMENT for a connection that does not reach these tables or has no open
   * transaction.
   */
  addWithin(
    connection: unknown,
    changes: readonly ScheduleChange[],
    options: ApplyOptions,
  ): Promise<readonly ScheduleOutcome[]>;
  /** Returns the stored jobs among those keys, as that transaction sees them. */
  findJobsWithin(connection: unknown, keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  /**
   * Runs a job's statements and ends its run in one transaction. `completionOf` returns how the run ended. A rejection of `work` is passed
   * on. Rejects with SCHEDULER_STATE if the run no longer belongs to this node, or if something else ended the transaction. Rejects with
   * STORE_FAILURE if the result cannot be stored. Whenever it rejects, nothing was stored.
   */
  runJob<T>(work: (sql: JobSql) => Promise<T>, completionOf: (answer: T) => Completion): Promise<EndedInTransaction<T>>;
  /** Returns the activity of the connections for transactions of jobs; null if there are none yet. */
  readActivity(): ConnectionActivity | null;
  /** Waits at most `timeoutMs` for the transactions of jobs (default: no limit), then closes their connections. */
  close(timeoutMs?: number): Promise<void>;
}
