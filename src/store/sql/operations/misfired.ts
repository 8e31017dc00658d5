import { type FirstDue, firstDueAfterMisfire } from '../../../domain/first-due';
import type { TriggerKey } from '../../../domain/keys';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { keyList, type TriggerRow, triggerKeyOf } from '../rows/rows';
import { writeRows } from '../runtime/row-batches';
import type { Extension } from './extension';
import type { MissingTrigger } from './missed-times';
import type { ScheduleDraft, TriggerDraft } from './schedule-draft';
import type { TriggerName } from './select-definitions';

/*
 * First due times: one row of QRTZ_X_MISFIRED for each trigger whose fire time a misfire has moved. A row is valid while the trigger has the fire time
 * that the misfire gave it, so whoever moves the trigger need not know of it. Firings, pauses and changes delete rows that they have read, only so
 * that acquisition by priority does not read them; the sweeper deletes rows that a Java node leaves.
 */

export const MISFIRED: Extension = { stored: followChanges };

/** Stores the first due times of triggers that misfire recovery has moved. Sends no statement if there are none. */
export async function saveFirstDue(
  tx: NodeTransaction,
  recovered: readonly (MissingTrigger & { readonly from: TriggerRow })[],
): Promise<void> {
  const rows = recovered.flatMap(({ from, before, trigger, caughtUp }) => {
    const firstDue = firstDueAfterMisfire(before, { trigger, caughtUp }, from.FIRST_DUE_TIME);
    return firstDue === null ? [] : [rowOf(trigger.key, trigger.priority, firstDue)];
  });
  await writeRows(tx, 'upsertMisfired', rows);
}

/** Deletes the first due times of triggers that fire or are paused. Sends no statement unless one of their rows was read with a first due time. */
export function forgetFirstDue(tx: NodeTransaction, rows: readonly TriggerRow[]): Promise<number> {
  const misfired = rows.filter(({ FIRST_DUE_TIME }) => FIRST_DUE_TIME !== null);
  return deleteMisfired(tx, misfired.map(triggerKeyOf));
}

export function deleteMisfired(tx: NodeTransaction, keys: readonly TriggerKey[]): Promise<number> {
  return writeRows(tx, 'deleteMisfired', keys.map(keyList));
}

/** Returns at most `limit` triggers with a first due time that is no longer valid. */
export async function findStaleMisfired(reader: NodeReader, limit: number): Promise<readonly TriggerKey[]> {
  return (await reader.all<TriggerName>('selectStaleMisfired', { limit })).map(triggerKeyOf);
}

function rowOf(key: TriggerKey, priority: number, { nextFireTime, firstDueTime }: FirstDue) {
  return [...keyList(key), priority, nextFireTime, firstDueTime];
}

/** Applies a change set. A trigger that keeps its fire time has waited as long as before, under its new priority. */
async function followChanges(tx: NodeTransaction, draft: ScheduleDraft): Promise<void> {
  const misfired = [...draft.triggers.values()].filter(({ before }) => before !== null && before.firstDueTime !== null);
  const kept = misfired.flatMap(keptRow);
  const gone = misfired.filter((each) => each.now === null || (each.isWritten && keptRow(each).length === 0));
  await Promise.all([
    writeRows(tx, 'upsertMisfired', kept),
    deleteMisfired(
      tx,
      gone.map(({ key }) => key),
    ),
  ]);
}

/** Returns an array with the row of a changed trigger that still waits; empty if nothing waits, or nothing changes. */
function keptRow({ key, before, now, isWritten }: TriggerDraft) {
  const trigger = now?.trigger ?? null;
  if (before === null || trigger === null || !isWritten) return [];
  const { nextFireTime, firstDueTime } = before;
  if (nextFireTime === null || firstDueTime == null || trigger.nextFireTime !== nextFireTime) return [];
  return [rowOf(key, trigger.priority, { nextFireTime, firstDueTime })];
}
