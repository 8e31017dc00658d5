import type { AcquiredTrigger } from '../../../domain/firing';
import { nextState } from '../../../domain/trigger-state';
import { toTime } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import { repeat, type Transactions } from '../runtime/transactions';
import { deleteReservations } from './fired-triggers';
import { isolateFailures, refuseLocked, reject } from './refused-triggers';
import { selectTriggers } from './select-triggers';
import { moveTriggers } from './write-triggers';

/** Releases acquired triggers. A reservation that the database rejects is kept and released later. Rejects if the store is down. */
export async function release(
  transactions: Transactions,
  node: SqlNode,
  acquired: readonly AcquiredTrigger[],
): Promise<void> {
  const run = async (part: readonly AcquiredTrigger[]) => {
    const options = { isSplit: part.length > 1, resolveUnknown: repeat };
    await transactions.run('TRIGGER_ACCESS', (tx) => releaseTriggers(tx, node, part), options);
    return part;
  };
  await isolateFailures(acquired, run, (each, error) => {
    keep(node, each, error);
    return each;
  });
}

/** Same as `release`, but keeps every reservation that cannot be released. */
export async function releaseOrKeep(
  transactions: Transactions,
  node: SqlNode,
  acquired: readonly AcquiredTrigger[],
): Promise<void> {
  if (acquired.length === 0) return;
  try {
    await release(transactions, node, acquired);
  } catch (error) {
    for (const each of acquired) keep(node, each, error);
  }
}

/** Releases reservations whose earlier release failed, and keeps them if it fails again. */
export function releasePending(transactions: Transactions, node: SqlNode): Promise<void> {
  return releaseOrKeep(transactions, node, node.rejectedTriggers.takePendingReleases());
}

function keep(node: SqlNode, acquired: AcquiredTrigger, error: unknown): void {
  node.rejectedTriggers.addPendingRelease(acquired);
  reject(node, acquired.trigger.key, 'giving back', error);
}

/**
 * Deletes the reservations and restores the states of triggers that were acquired and not fired. Ignores reservations that this node no longer
 * owns. Must run under TRIGGER_ACCESS.
 */
async function releaseTriggers(tx: SqlTransaction, node: SqlNode, acquired: readonly AcquiredTrigger[]): Promise<void> {
  const sought = acquired.map(({ trigger, runId }) => ({ key: trigger.key, entryId: runId }));
  const keys = sought.map(({ key }) => key);
  await refuseLocked(tx, node, keys);
  const found = await selectTriggers(tx, node, sought);
  const held = acquired.filter((_, index) => found[index]?.firedState === 'ACQUIRED');
  const entryIds = held.map(({ runId }) => runId);
  await deleteReservations(tx, node, entryIds);
  const moved = acquired.flatMap(({ trigger }, index) => {
    const { row = null, firedState = null } = found[index] ?? {};
    if (firedState !== 'ACQUIRED' || row?.TRIGGER_STATE !== 'ACQUIRED') return [];
    if (toTime(row.NEXT_FIRE_TIME) !== trigger.nextFireTime) return [];
    const circumstances = { jobExecuting: row.JOB_EXECUTING === 1, groupPaused: false };
    return [{ from: row, state: nextState('ACQUIRED', 'release', circumstances) }];
  });
  await moveTriggers(tx, node, moved);
}
