import type { Completion } from '../../../domain/completion';
import type { FireResult } from '../../../domain/firing';
import { keyText } from '../../../domain/keys';
import type { AcquireResult, MisfireSweep } from '../../job-store';
import { toTime, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { CommitResolution } from '../runtime/transactions';
import { hasJoined } from './check-in';
import { FENCED } from './complete-locked';
import type { CompletedBatch } from './completed-batch';
import { selectTriggerRows } from './select-triggers';

/*
 * What became of a transaction whose commit got no answer. Asked under the same lock, which proves that the old transaction
 * has ended; the fired rows tell, because every entry id was made before it was sent.
 */

/** Not committed: to be done again, for triggers that may be others by now. */
export async function resolveAcquisition(
  tx: SqlTransaction,
  node: SqlNode,
  result: AcquireResult,
): Promise<CommitResolution<AcquireResult>> {
  const reserved = result.acquired.map(({ fireInstanceId }) => fireInstanceId);
  const fired = firedEntries(result.fired);
  // A batch that fired nothing wrote no row that could tell; done again, it does the same.
  const isCommitted =
    (await holdsAny(tx, node, reserved, 'ACQUIRED')) || (await holdsAny(tx, node, fired, 'EXECUTING'));
  return isCommitted ? { status: 'committed', result } : { status: 'notCommitted' };
}

/** Not committed: to be done again, with the same reservations. */
export async function resolveFirings(
  tx: SqlTransaction,
  node: SqlNode,
  results: readonly FireResult[],
): Promise<CommitResolution<readonly FireResult[]>> {
  const isCommitted = await holdsAny(tx, node, firedEntries(results), 'EXECUTING');
  return isCommitted ? { status: 'committed', result: results } : { status: 'notCommitted' };
}

/**
 * Not committed: to be done again. Fired rows that are gone were taken away by this commit, or by whoever ended the life that
 * the firings are of, and has them run again: once it has ended, nothing is taken for stored that may not have been.
 */
export async function resolveCompletions(
  tx: SqlTransaction,
  node: SqlNode,
  completions: readonly Completion[],
  batch: CompletedBatch,
): Promise<CommitResolution<CompletedBatch>> {
  const entryIds = completions
    .filter((_, index) => batch.outcomes[index]?.status === 'completed')
    .map(({ firing }) => firing.fireInstanceId);
  if (await holdsAny(tx, node, entryIds, 'EXECUTING')) return { status: 'notCommitted' };
  const { instanceId } = node;
  const epoch = node.life?.epoch ?? null; // null: nobody else could have taken them away
  const isOurs = epoch === null || (await hasJoined(tx, node, { instanceId, epoch }));
  const outcomes = isOurs
    ? batch.outcomes
    : batch.outcomes.map((each) => (each.status === 'completed' ? FENCED : each));
  return { status: 'committed', result: { ...batch, outcomes } };
}

/** A sweep moves every trigger on. Swept again, none of them would misfire, and nobody would be told that they did. */
export async function resolveMisfires(
  tx: SqlTransaction,
  node: SqlNode,
  sweep: MisfireSweep,
): Promise<CommitResolution<MisfireSweep>> {
  const times = new Map(sweep.misfired.map(({ key, nextFireTime }) => [keyText(key), nextFireTime]));
  const rows = await selectTriggerRows(
    tx,
    node,
    sweep.misfired.map(({ key }) => key),
  );
  const isAsRead = rows.some(
    (row) => row.TRIGGER_STATE === 'WAITING' && toTime(row.NEXT_FIRE_TIME) === times.get(keyText(triggerKeyOf(row))),
  );
  return isAsRead ? { status: 'notCommitted' } : { status: 'committed', result: sweep };
}

/** Whether one of the fired rows is there, in that state. */
export async function holdsAny(
  tx: SqlTransaction,
  { schedName, instanceId }: SqlNode,
  entryIds: readonly string[],
  state: 'ACQUIRED' | 'EXECUTING',
): Promise<boolean> {
  const rows = entryIds.map((entryId) => ({ entryId }));
  const found = await selectByRows<{ STATE: string }>(tx, 'selectFiredTriggers', { schedName, instanceId }, rows);
  return found.some(({ STATE }) => STATE === state);
}

function firedEntries(results: readonly FireResult[]): readonly string[] {
  return results.flatMap((result) => (result.status === 'fired' ? [result.firing.fireInstanceId] : []));
}
