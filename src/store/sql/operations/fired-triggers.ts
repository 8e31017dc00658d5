import { type EpochMs, earliestOf } from '../../../base/clock';
import { distinctKeys, type JobKey, keyText } from '../../../domain/keys';
import type { NodeTransaction } from '../rows/node-transaction';
import { jobKeyColumns } from '../rows/rows';
import { selectByRows, writeRows } from '../runtime/row-batches';
import { selectJobKeys } from './select-definitions';

/** Returns the given entry ids that are stored as fired triggers of this node in `state`. */
export async function selectFiredTriggers(
  tx: NodeTransaction,
  entryIds: readonly string[],
  state: 'ACQUIRED' | 'EXECUTING',
): Promise<ReadonlySet<string>> {
  const { instanceId } = tx.node;
  type Row = { readonly ENTRY_ID: string; readonly STATE: string };
  const rows = entryIds.map((entryId) => ({ entryId }));
  const found = await selectByRows<Row>(tx, 'selectFiredTriggers', rows, { instanceId });
  return new Set(found.filter(({ STATE }) => STATE === state).map(({ ENTRY_ID }) => ENTRY_ID));
}

export async function deleteReservations(tx: NodeTransaction, entryIds: readonly string[]): Promise<void> {
  const { instanceId } = tx.node;
  const rows = entryIds.map((entryId) => ({ entryId }));
  await writeRows(tx, 'deleteReservations', rows, { instanceId });
}

/** Returns which of these jobs are executing, in the form of `keyText`. Includes deleted jobs, because they block a new job with the same key. */
export async function selectExecutingJobs(tx: NodeTransaction, jobs: readonly JobKey[]): Promise<ReadonlySet<string>> {
  // Each job is listed once: a duplicate would return its rows twice.
  const named = distinctKeys(jobs).map(jobKeyColumns);
  return new Set((await selectJobKeys(tx, 'selectExecutingJobs', named)).map(keyText));
}

/**
 * Unblocks the triggers of jobs that no longer execute. Returns their earliest fire time, or undefined if none was blocked and none is due. A due
 * trigger that is not blocked was added in an open transaction while the job executed.
 */
export async function unblockTriggersOf(tx: NodeTransaction, jobs: readonly JobKey[]): Promise<EpochMs | undefined> {
  const rows = jobs.map(jobKeyColumns);
  const [unblocked, times] = await Promise.all([
    writeRows(tx, 'unblockTriggers', rows),
    selectByRows<{ EARLIEST: number | null }>(tx, 'selectEarliestOfJobs', rows),
  ]);
  const earliest = earliestOf(times.map(({ EARLIEST }) => EARLIEST));
  const isDue = earliest !== undefined && earliest <= tx.node.clock.now();
  return unblocked === 0 && !isDue ? undefined : earliest;
}
