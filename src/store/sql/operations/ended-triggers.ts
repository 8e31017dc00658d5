import type { EpochMs } from '../../../base/clock';
import { distinctKeys, type JobKey, keyText, type TriggerKey } from '../../../domain/keys';
import { hasEnded } from '../../../domain/trigger-end';
import type { EndedSweep, EndedSweepRequest } from '../../cluster-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { computed, readPlainTrigger } from '../rows/read-rows';
import { jobKeyOf, keyList, type TriggerRow, triggerKeyColumns, triggerKeyOf } from '../rows/rows';
import { selectByRows, writeEveryRow, writeRows } from '../runtime/row-batches';
import { EXTENSIONS } from './extensions';
import { readJobTypes } from './read-cluster';
import { type JobName, selectEachJob, selectTriggerRows, type TriggerName } from './select-definitions';
import { deleteKindRows } from './write-triggers';

/* Deletes triggers whose own schedule has ended. A trigger that only its calendar has ended is kept: it fires again when the calendar changes. */

/** Keys of deleted triggers, and of the non-durable jobs deleted with their last trigger. */
export interface DeletedTriggers {
  readonly triggers: readonly TriggerKey[];
  readonly jobs: readonly JobKey[];
}

const NONE: DeletedTriggers = { triggers: [], jobs: [] };

/**
 * Deletes those of the triggers that are COMPLETE, have no firing, and whose own schedule has ended at `now`. Also deletes non-durable jobs left
 * without triggers. Must run under TRIGGER_ACCESS.
 */
export async function deleteEnded(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
  now: EpochMs,
): Promise<DeletedTriggers> {
  if (keys.length === 0) return NONE;
  type Row = TriggerName & JobName & Pick<TriggerRow, 'TRIGGER_TYPE' | 'CALENDAR_NAME'>;
  const leftovers = await selectByRows<Row>(tx, 'selectLeftovers', keys.map(triggerKeyColumns));
  const bound = leftovers.filter(({ CALENDAR_NAME }) => CALENDAR_NAME !== null).map(triggerKeyOf);
  const ended = new Set((await selectEndedOf(tx, bound, now)).map(keyText));
  const found = leftovers.filter((row) => row.CALENDAR_NAME === null || ended.has(keyText(triggerKeyOf(row))));
  if (found.length === 0) return NONE;
  const rows = found.map((row) => keyList(triggerKeyOf(row)));
  await deleteKindRows(tx, new Set(found.map(({ TRIGGER_TYPE }) => TRIGGER_TYPE)), rows);
  await writeEveryRow(tx, 'deleteFinishedTriggers', rows);
  const removed = found.map((row) => ({ key: triggerKeyOf(row), firing: null }));
  for (const extension of EXTENSIONS) await extension.removed?.(tx, removed);
  const jobs = await deleteOrphanJobs(tx, distinctKeys(found.map(jobKeyOf)));
  return { triggers: removed.map(({ key }) => key), jobs };
}

/**
 * Like `deleteEnded`, for triggers that have not ended by a firing of this library. Deletes none while a Java node is in the cluster: it may have
 * stored the trigger, and Quartz keeps such triggers.
 */
export async function deleteEndedUnlessJava(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
  now: EpochMs,
): Promise<DeletedTriggers> {
  return keys.length === 0 || (await hasJavaNode(tx)) ? NONE : deleteEnded(tx, keys, now);
}

async function hasJavaNode(reader: NodeTransaction): Promise<boolean> {
  return (await readJobTypes(reader)).some(({ isJava }) => isJava);
}

/** Deletes the non-durable jobs among `keys` that have no trigger. `keys` must not contain duplicates. Returns the deleted jobs. */
export async function deleteOrphanJobs(tx: NodeTransaction, keys: readonly JobKey[]): Promise<readonly JobKey[]> {
  const deleted = await writeRows(tx, 'deleteOrphanJobs', keys.map(keyList));
  const isUnclear = deleted > 0 && deleted < keys.length;
  const left = await selectEachJob(tx, isUnclear ? keys : []);
  return keys.filter((_, index) => (isUnclear ? left[index] === null : deleted > 0));
}

/** A page of triggers that are COMPLETE without a firing. `ended`: those whose own schedule has ended. */
interface EndedReading extends Pick<EndedSweep, 'next'> {
  readonly ended: readonly TriggerKey[];
}

/** Sorts before every key, because no key is empty. */
const BEFORE_ALL: TriggerKey = { name: '', group: '' };

/** Reads one page of triggers that have no further fire time and no firing, without a lock. */
export async function findEnded(
  reader: NodeTransaction,
  { after, maxCount, now }: EndedSweepRequest,
): Promise<EndedReading> {
  const { name: afterName, group: afterGroup } = after ?? BEFORE_ALL;
  const rows = await reader.all<TriggerName>('selectEndedTriggers', { afterName, afterGroup, limit: maxCount });
  const last = rows.length < maxCount ? undefined : rows.at(-1);
  const next = last === undefined ? null : triggerKeyOf(last);
  if (rows.length === 0 || (await hasJavaNode(reader))) return { ended: [], next };
  return { ended: await selectEndedOf(reader, rows.map(triggerKeyOf), now), next };
}

/** Selects the triggers whose own schedule has ended. Leaves out triggers that this node cannot read or compute. */
async function selectEndedOf(
  reader: NodeTransaction,
  keys: readonly TriggerKey[],
  now: EpochMs,
): Promise<readonly TriggerKey[]> {
  const rows = await selectTriggerRows(reader, keys);
  return rows.flatMap((row) => {
    const trigger = readPlainTrigger(row, reader.node);
    const isEnded = trigger !== null && computed(row, reader.node, () => hasEnded(trigger, now));
    return isEnded === true ? [triggerKeyOf(row)] : [];
  });
}
