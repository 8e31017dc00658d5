import type { TriggerKey } from '../../../domain/keys';
import { type TriggerRecord, toTriggerRow } from '../rows/read-rows';
import { type TriggerRow, triggerKeyColumns } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';

/** A trigger key, and the entry id of a reservation that this node may still own; null if there is none. */
export interface SoughtTrigger {
  readonly key: TriggerKey;
  readonly entryId: string | null;
}

export interface FoundTrigger {
  /** Row of the trigger; null if no trigger has this key. */
  readonly row: TriggerRow | null;
  /** State of the reservation's fired trigger; null if this node does not own it. */
  readonly firedState: string | null;
}

type Row = TriggerRecord & { readonly POSITION: number; readonly FIRED_STATE: string | null };

/** Returns one stored state per sought trigger, in the same order. */
export async function selectTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  sought: readonly SoughtTrigger[],
): Promise<readonly FoundTrigger[]> {
  const { schedName, instanceId } = node;
  const rows = sought.map(({ key, entryId }) => ({ ...triggerKeyColumns(key), entryId }));
  const found = await selectOrdered<Row>(tx, 'selectTriggers', { schedName, instanceId }, rows);
  return found.map((whole) => {
    const row = toTriggerRow(whole);
    return { row: row.TRIGGER_NAME === null ? null : row, firedState: whole.FIRED_STATE };
  });
}

/** Returns the rows of the triggers with these keys that exist, in the same order. */
export async function selectTriggerRows(
  tx: SqlTransaction,
  node: SqlNode,
  keys: readonly TriggerKey[],
): Promise<readonly TriggerRow[]> {
  const found = await selectTriggers(
    tx,
    node,
    keys.map((key) => ({ key, entryId: null })),
  );
  return found.map(({ row }) => row).filter((row) => row !== null);
}
