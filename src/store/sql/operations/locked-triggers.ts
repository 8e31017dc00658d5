import { toError } from '../../../base/errors';
import { formatKey, keyText, type TriggerKey } from '../../../domain/keys';
import { LockedByOthers } from '../rows/locked-rows';
import { type TriggerRow, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import type { RowProblem, SqlNode } from '../rows/sql-node';
import { mayBeOfOneRow } from '../runtime/retry-rules';
import { selectByRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

type Doing = NonNullable<RowProblem['doing']>;

const NONE: ReadonlySet<string> = new Set();

/** The rows without those that another session holds, which are reported. */
export async function withoutLocked(
  tx: SqlTransaction,
  node: SqlNode,
  rows: readonly TriggerRow[],
): Promise<readonly TriggerRow[]> {
  const locked = await selectLocked(tx, node, rows.map(triggerKeyOf));
  if (locked.size === 0) return rows;
  const isLocked = (row: TriggerRow) => locked.has(keyText(triggerKeyOf(row)));
  for (const key of rows.filter(isLocked).map(triggerKeyOf)) {
    reportRejected(node, key, 'firing', new LockedByOthers([key]));
  }
  return rows.filter((row) => !isLocked(row));
}

/** Throws `LockedByOthers` rather than wait for a stranger: the batch is then split, and the others go on. */
export async function refuseLocked(tx: SqlTransaction, node: SqlNode, keys: readonly TriggerKey[]): Promise<void> {
  const locked = await selectLocked(tx, node, keys);
  if (locked.size === 0) return;
  const stored = (await selectTriggerRows(tx, node, keys)).map(triggerKeyOf); // what is deleted is held by nobody
  const held = stored.filter((key) => locked.has(keyText(key)));
  if (held.length > 0) throw new LockedByOthers(held);
}

/** The texts of keys whose rows another session holds, or that have none. Nothing is asked unless there was such a lock lately. */
async function selectLocked(
  tx: SqlTransaction,
  { lockedRows, schedName }: SqlNode,
  keys: readonly TriggerKey[],
): Promise<ReadonlySet<string>> {
  if (!lockedRows.areSuspected || keys.length === 0) return NONE;
  type Row = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'>;
  const free = await selectByRows<Row>(tx, 'selectUnlockedTriggers', { schedName }, keys.map(triggerKeyColumns));
  const locked = new Set(keys.map(keyText));
  for (const row of free) locked.delete(keyText(triggerKeyOf(row)));
  if (locked.size > 0) lockedRows.passOver();
  return locked;
}

/** Passes over from now on what the database rejects by itself, and reports it; a lock on a row may be gone at any moment. */
export function reject(node: SqlNode, key: TriggerKey, doing: Doing, error: unknown): void {
  if (mayBeOfOneRow(error) && !(error instanceof LockedByOthers)) node.rejectedTriggers.add(key);
  reportRejected(node, key, doing, error);
}

/** Reports that the database rejected what was done to a trigger, unless the store as a whole failed; a lock on a row only once. */
export function reportRejected(node: SqlNode, key: TriggerKey, doing: Doing, error: unknown): void {
  if (!mayBeOfOneRow(error)) return;
  if (error instanceof LockedByOthers && !node.lockedRows.shouldReport(key)) return;
  node.onRowProblem({ what: 'trigger', name: formatKey(key), doing, error: toError(error) });
}
