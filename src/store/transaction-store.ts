import type { JobSql } from '../api/transactions';
import type { EpochMs } from '../base/clock';
import type { Completion } from '../domain/completion';
import type { JobDetail } from '../domain/job-detail';
import type { JobKey } from '../domain/keys';
import type { ChangeSet, Outcomes } from '../domain/schedule-change';
import type { ApplyOptions, CompletionOutcome } from './job-store';
import type { ConnectionActivity } from './store-activity';

export interface EndedInTransaction<T> {
  readonly answer: T;
  readonly completion: Completion;
  readonly outcome: CompletionOutcome;
  /** Earliest fire time of the triggers that became eligible to fire; undefined if there are none. */
  readonly earliest: EpochMs | undefined;
}

/** Writes a store's tables together with other data, in the calling thread: in transactions of callers and of jobs. Connects on first use. */
export interface TransactionStore {
  /**
   * Adds jobs and triggers in the transaction that is open on `connection`. The changes become visible when the caller commits, and are
   * lost on rollback. Every change must be a `storeJob` or `storeTrigger` that fails if its key is already stored. Takes no cluster-wide
   * lock and fires nothing. Returns one outcome per change.
   * Rejects for the reasons of `applySchedule`. Rejects with INVALID_ARGUMENT for other changes, and for a connection that does not reach
   * these tables or has no open transaction.
   */
  addWithin(connection: unknown, changes: ChangeSet, options: ApplyOptions): Promise<Outcomes>;
  /** Returns the jobs among these keys that are stored, as seen by the open transaction of the connection. */
  findJobsWithin(connection: unknown, keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  /**
   * Runs a job's statements and ends the job's run in one transaction. `completionOf` returns the completion of the run. If `work` rejects,
   * rejects with the same error. Rejects with SCHEDULER_STATE if the run no longer belongs to this node, or if the transaction ended before
   * the job returned. Rejects with STORE_FAILURE if the result cannot be stored. After any rejection, nothing is stored.
   */
  runJob<T>(work: (sql: JobSql) => Promise<T>, completionOf: (answer: T) => Completion): Promise<EndedInTransaction<T>>;
  /** Returns the activity of the connections for transactions of jobs; null if no job has used one yet. */
  readActivity(): ConnectionActivity | null;
  /** Waits at most `timeoutMs` for its transactions (default: no limit), then closes their connections. */
  close(timeoutMs?: number): Promise<void>;
}
