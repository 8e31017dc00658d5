import { formatKey, keyText, type TriggerKey } from '../../../domain/keys';
import { LockedByOthers } from '../rows/locked-rows';
import { type TriggerRow, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { selectTriggerRows } from './select-triggers';

/** Those of the triggers, which are stored, whose rows another session holds. Nothing is asked unless there was such a one lately. */
export async function lockedAmong(
  tx: SqlTransaction,
  node: SqlNode,
  keys: readonly TriggerKey[],
): Promise<ReadonlySet<string>> {
  const { lockedRows, schedName } = node;
  if (!lockedRows.areSuspected || keys.length === 0) return NONE;
  type Row = { readonly TRIGGER_NAME: string; readonly TRIGGER_GROUP: string };
  const free = await selectByRows<Row>(tx, 'selectUnlockedTriggers', { schedName }, keys.map(triggerKeyColumns));
  const isFree = new Set(free.map((row) => keyText({ name: row.TRIGGER_NAME, group: row.TRIGGER_GROUP })));
  const locked = new Set(keys.map(keyText).filter((text) => !isFree.has(text)));
  if (locked.size > 0) lockedRows.passOver();
  return locked;
}

const NONE: ReadonlySet<string> = new Set();

/** Tells of triggers that are passed over. */
export function reportLocked(node: SqlNode, keys: readonly TriggerKey[]): void {
  for (const key of keys.filter((each) => node.lockedRows.isNews(each))) {
    node.onRowProblem({ what: 'trigger', name: formatKey(key), doing: 'firing', error: new LockedByOthers([key]) });
  }
}

/** The rows without those that another session holds, which is told. */
export async function unlocked(
  tx: SqlTransaction,
  node: SqlNode,
  rows: readonly TriggerRow[],
): Promise<readonly TriggerRow[]> {
  const keys = rows.map(triggerKeyOf);
  const locked = await lockedAmong(tx, node, keys);
  reportLocked(
    node,
    keys.filter((key) => locked.has(keyText(key))),
  );
  return locked.size === 0 ? rows : rows.filter((row) => !locked.has(keyText(triggerKeyOf(row))));
}

/** Throws `LockedByOthers` rather than wait for a stranger: the batch is then split, and the others go on. */
export async function refuseLocked(tx: SqlTransaction, node: SqlNode, keys: readonly TriggerKey[]): Promise<void> {
  const locked = await lockedAmong(tx, node, keys);
  if (locked.size === 0) return;
  const stored = await selectTriggerRows(tx, node, keys); // what is deleted is held by nobody
  const held = stored
    .map(({ TRIGGER_NAME, TRIGGER_GROUP }) => ({ name: TRIGGER_NAME, group: TRIGGER_GROUP }))
    .filter((key) => locked.has(keyText(key)));
  if (held.length > 0) throw new LockedByOthers(held);
}
