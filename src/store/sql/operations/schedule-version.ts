import { type NodeTransactions, type NodeWork, withNode } from '../rows/node-transaction';
import type { SqlNode } from '../rows/sql-node';
import { WITHOUT_LOCK, type Work } from '../runtime/transactions';

/*
 * The version of the schedule: a row that every transaction advances that changes, deletes, pauses or resumes what was stored before. A train that was
 * decided for another version stores nothing. Additions do not advance it, unless they wait for a stored job.
 */

/** Creates the version of a schedule that has none. Otherwise writes nothing: a node that only reads may use a server that refuses writes. */
export async function startVersion(transactions: NodeTransactions): Promise<void> {
  const found = await transactions.all('selectMeta', { metaKey: 'schedule.version' });
  if (found.length > 0) return;
  await transactions.run(null, (tx) => tx.run('advanceScheduleVersion'), WITHOUT_LOCK);
}

/** Returns a work that also advances the version if it has written. */
export function advancingVersion<T>(node: SqlNode, work: NodeWork<T>): Work<T> {
  return async (tx) => {
    const result = await work(withNode(tx, node));
    if (tx.hasWritten) await tx.run('advanceScheduleVersion');
    return result;
  };
}
