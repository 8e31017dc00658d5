import { badArgument } from '../../base/errors';
import type { ScheduleChange } from '../../domain/schedule-change';
import type { TransactionStore } from '../transaction-store';
import type { DatabaseTarget } from './engine/engine';
import { findDatabase } from './open-database';
import { type SqlStoreOptions, sqlNodeOf } from './open-sql-store';
import { addToSchedule } from './operations/add-to-schedule';
import { getJobs } from './operations/read-schedule';
import { type NodeWork, withNode } from './rows/node-transaction';
import type { SqlNode } from './rows/sql-node';
import { toStoreFailure } from './runtime/retry-rules';
import { runPart } from './runtime/session';
import { SqlError, type SqlTransaction } from './runtime/sql-driver';
import { SqlJobTransactions } from './sql-job-transactions';

/** Accesses a node's tables in transactions outside of the store: on connections that callers pass in, and on separate connections for jobs. */
export class SqlTransactionStore implements TransactionStore {
  readonly #options: SqlStoreOptions;
  readonly #node: SqlNode;
  #target: Promise<DatabaseTarget> | null = null;
  #jobs: SqlJobTransactions | null = null;
  /** Last operation on each connection. Operations on one connection run one at a time, or their savepoints would undo each other's changes. */
  readonly #lastOf = new WeakMap<object, Promise<unknown>>();
  /** Connections that are known to reach the tables of this scheduler. */
  readonly #known = new WeakSet<object>();

  constructor(options: SqlStoreOptions) {
    this.#options = options;
    this.#node = sqlNodeOf(options);
  }

  readonly addWithin: TransactionStore['addWithin'] = async (connection, changes, options) => {
    for (const change of changes) assertAdds(change);
    return this.#within(connection, (tx) => addToSchedule(tx, changes, options));
  };

  readonly findJobsWithin: TransactionStore['findJobsWithin'] = (connection, keys) =>
    this.#within(connection, (tx) => getJobs(tx, keys));

  readonly runJob: TransactionStore['runJob'] = async (work, completionOf) => {
    const target = await this.#findTarget();
    this.#jobs ??= new SqlJobTransactions(target, this.#node, this.#options);
    return this.#jobs.run({ work, completionOf });
  };

  readonly readActivity: TransactionStore['readActivity'] = () => this.#jobs?.readActivity() ?? null;

  readonly close: TransactionStore['close'] = async (timeoutMs = Number.POSITIVE_INFINITY) => {
    await this.#jobs?.close(timeoutMs);
  };

  /** Runs one operation within the caller's transaction, as a whole or not at all, after earlier operations on the same connection. */
  async #within<T>(given: unknown, work: NodeWork<T>): Promise<T> {
    const target = await this.#findTarget();
    const caller = target.callerOf(given);
    const { connection } = caller;
    const { schedName } = this.#node;
    const part = async () => {
      const session = await caller.open();
      return runPart(session, { statements: target.statements, schedName }, async (tx) => {
        if (!this.#known.has(connection)) await this.#assertOurs(tx);
        this.#known.add(connection);
        return work(withNode(tx, this.#node));
      });
    };
    const turn = (this.#lastOf.get(connection) ?? Promise.resolve()).then(part);
    const ended = turn.catch(() => undefined);
    this.#lastOf.set(connection, ended);
    try {
      return await turn;
    } catch (error) {
      throw toStoreFailure(error);
    }
  }

  /** Throws INVALID_ARGUMENT for a connection to another server or schema. */
  async #assertOurs(tx: SqlTransaction): Promise<void> {
    const { schedName } = this.#node;
    const rows = await tx.all('selectLockNames').catch((error: unknown) => {
      if (error instanceof SqlError && error.kind === 'schema') return [];
      throw error;
    });
    if (rows.length > 0) return;
    const { tablePrefix } = this.#options;
    throw badArgument(
      `Expected a connection to the database of this scheduler, found one to a database where the tables ${tablePrefix}* have no lock rows of '${schedName}'.`,
    );
  }

  #findTarget(): Promise<DatabaseTarget> {
    this.#target ??= findDatabase(this.#options).catch((error: unknown) => {
      this.#target = null; // the next call retries
      throw error;
    });
    return this.#target;
  }
}

function assertAdds(change: ScheduleChange): void {
  const adds = (change.type === 'storeJob' || change.type === 'storeTrigger') && change.ifExists === 'fail';
  if (!adds)
    throw badArgument(
      `Expected only new jobs and triggers, found the change ${change.type}, which may replace or delete. A transaction of the caller can only add.`,
    );
}
