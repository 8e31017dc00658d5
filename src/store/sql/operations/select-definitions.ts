import type { JobKey, TriggerKey } from '../../../domain/keys';
import type { NodeTransaction } from '../rows/node-transaction';
import { type TriggerRecord, toTriggerRow } from '../rows/read-rows';
import { type JobRow, jobKeyColumns, jobKeyOf, type TriggerRow, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import { type RowOfSet, selectByRows, selectOrdered } from '../runtime/row-batches';
import type { StatementName } from '../runtime/statement-names';

/** Columns of a trigger's key. */
export type TriggerName = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'>;

/** Columns of a job's key. */
export type JobName = Pick<JobRow, 'JOB_NAME' | 'JOB_GROUP'>;

export interface FoundTrigger {
  /** Row of the trigger; null if no trigger has this key. */
  readonly row: TriggerRow | null;
  /** State of the reservation's fired trigger; null if this node does not own it. */
  readonly firedState: string | null;
}

/** Returns one stored state per trigger, in the same order. `entryId`: a reservation that this node may still own; null if there is none. */
export async function selectTriggers(
  tx: NodeTransaction,
  sought: readonly { readonly key: TriggerKey; readonly entryId: string | null }[],
): Promise<readonly FoundTrigger[]> {
  const { instanceId } = tx.node;
  type Row = TriggerRecord & { readonly POSITION: number; readonly FIRED_STATE: string | null };
  const rows = sought.map(({ key, entryId }) => ({ ...triggerKeyColumns(key), entryId }));
  const found = await selectOrdered<Row>(tx, 'selectTriggers', rows, { instanceId });
  return found.map((whole) => {
    const row = toTriggerRow(whole);
    return { row: row.TRIGGER_NAME === null ? null : row, firedState: whole.FIRED_STATE };
  });
}

/** Returns one row per key, in the same order; null if the trigger does not exist. */
export async function selectEachTrigger(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
): Promise<readonly (TriggerRow | null)[]> {
  const sought = keys.map((key) => ({ key, entryId: null }));
  return (await selectTriggers(tx, sought)).map(({ row }) => row);
}

/** Returns the rows of the triggers with these keys that exist, in the same order. */
export async function selectTriggerRows(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
): Promise<readonly TriggerRow[]> {
  return (await selectEachTrigger(tx, keys)).filter((row) => row !== null);
}

/** Returns one row per key, in the same order; null if the job does not exist. */
export async function selectEachJob(tx: NodeTransaction, keys: readonly JobKey[]): Promise<readonly (JobRow | null)[]> {
  type Row = JobRow & { readonly POSITION: number };
  const rows = await selectOrdered<Row>(tx, 'selectJobs', keys.map(jobKeyColumns));
  return rows.map((row) => (row.JOB_NAME === null ? null : row));
}

export async function selectTriggerKeys(
  tx: NodeTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
): Promise<readonly TriggerKey[]> {
  return (await selectByRows<TriggerName>(tx, statement, rows)).map(triggerKeyOf);
}

export async function selectJobKeys(
  tx: NodeTransaction,
  statement: StatementName,
  rows: readonly RowOfSet[],
): Promise<readonly JobKey[]> {
  return (await selectByRows<JobName>(tx, statement, rows)).map(jobKeyOf);
}

/** Returns the stored calendars among these, as their bytes by name. */
export async function selectCalendars(
  tx: NodeTransaction,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  type Row = { readonly CALENDAR_NAME: string; readonly CALENDAR: Uint8Array };
  const rows = await selectByRows<Row>(tx, 'selectCalendars', names);
  return new Map(rows.map(({ CALENDAR_NAME, CALENDAR }) => [CALENDAR_NAME, CALENDAR]));
}
