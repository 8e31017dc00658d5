import { AsyncLocalStorage } from 'node:async_hooks';
import { SchedulerStateError } from '../base/errors';

/*
 * A SQLite file has one writer. While a job's transaction is open, every other write to the file waits until it ends. A write that the job itself
 * awaits inside of its transaction would therefore wait for the job, until the lock timeout.
 */

const open = new AsyncLocalStorage<{ readonly database: string; isOpen: boolean }>();

/** Runs `work` of a job while its transaction is the only writer of `database`. Rejects with the error of `work`. */
export async function asOnlyWriter<T>(database: string, work: () => Promise<T>): Promise<T> {
  const transaction = { database, isOpen: true };
  try {
    return await open.run(transaction, work);
  } finally {
    transaction.isOpen = false; // code that still runs after the transaction may wait for other writes
  }
}

/** Throws SCHEDULER_STATE if `what` would wait for the transaction of the job that calls it. `database`: URL of the database, or null for any. */
export function assertNotWithinTransaction(what: string, database: string | null = null): void {
  const transaction = open.getStore();
  if (!transaction?.isOpen || (database !== null && database !== transaction.database)) return;
  throw new SchedulerStateError(
    `Expected ${what} outside of context.transaction, found it inside: a SQLite file has one writer, so the call would wait for the job's own ` +
      'transaction. Schedule with scheduler.withConnection(sql.connection), or make the call before or after the transaction.',
  );
}
