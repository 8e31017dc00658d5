import type { TriggerKey } from '../../../domain/keys';
import { type TriggerRecord, toTriggerRow } from '../rows/read-rows';
import { type TriggerRow, triggerKeyColumns } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';

/** A key, and the reservation that may still be this node's. */
export interface SoughtTrigger {
  readonly key: TriggerKey;
  readonly entryId: string | null;
}

/** What is stored under a key. */
export interface FoundTrigger {
  /** Null: no trigger. */
  readonly row: TriggerRow | null;
  /** The entry that was asked for is this node's, and in this state. */
  readonly firedState: string | null;
}

type Row = TriggerRecord & { readonly POSITION: number; readonly FIRED_STATE: string | null };

/** What is stored under the keys, in their order. */
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

/** The rows of the triggers that are stored under the keys. */
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
