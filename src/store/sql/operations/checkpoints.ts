import type { EpochMs } from '../../../base/clock';
import { maxOf } from '../../../base/lists';
import { type CheckpointKey, planCheckpoints, type SavedCheckpoint } from '../../../domain/checkpoint';
import type { Completion } from '../../../domain/completion';
import type { NodeTransaction } from '../rows/node-transaction';
import { type ListedValue, writeRows } from '../runtime/row-batches';
import type { SqlParams } from '../runtime/sql-driver';
import type { Extension } from './extension';

/** Stored shard number of an occurrence that is not divided into parts (shards). */
const NO_SHARD = -1;
/** Later than the time of every checkpoint. */
const EVER = Number.MAX_SAFE_INTEGER;

export const CHECKPOINTS: Extension = {
  async freed(tx, { owned }) {
    await endCheckpoints(tx, owned);
  },
};

export async function readCheckpoint(
  tx: NodeTransaction,
  { occurrenceId, shard }: CheckpointKey,
): Promise<string | null> {
  return (await selectCheckpoint(tx, { occurrenceId, shard }))?.SAVED_VALUE ?? null;
}

/** True if the run has saved the last checkpoint of its occurrence. */
export async function hasSaved(tx: NodeTransaction, runId: string, key: CheckpointKey): Promise<boolean> {
  return (await selectCheckpoint(tx, key))?.RUN_ID === runId;
}

async function selectCheckpoint(tx: NodeTransaction, { occurrenceId, shard }: CheckpointKey) {
  const key: SqlParams = { occurrenceId, shard: shard ?? NO_SHARD };
  const [row] = await tx.all<{ readonly SAVED_VALUE: string; readonly RUN_ID: string }>('selectCheckpoint', key);
  return row;
}

export async function saveCheckpoint(tx: NodeTransaction, saved: SavedCheckpoint, now: EpochMs): Promise<boolean> {
  const { instanceId } = tx.node;
  const rows = [[...keyColumns(saved), saved.runId, saved.value]];
  return (await writeRows(tx, 'upsertCheckpoints', rows, { instanceId, now })) > 0;
}

/** Deletes the checkpoints of occurrences that end. Checkpoints that a retry or rerun needs remain. Sends no statement if no run has a checkpoint. */
async function endCheckpoints(tx: NodeTransaction, completions: readonly Completion[]): Promise<void> {
  const { over, kept } = planCheckpoints(completions);
  const now = maxOf(completions.map(({ end }) => end?.endTime ?? 0));
  const rows = kept.map((each) => [...keyColumns(each), each.runId]);
  await Promise.all([deleteCheckpoints(tx, over), writeRows(tx, 'keepCheckpoints', rows, { now })]);
}

/** Deletes these checkpoints, except any that have changed since `before` (default: no exception). Returns the number deleted. */
export function deleteCheckpoints(
  tx: NodeTransaction,
  keys: readonly CheckpointKey[],
  before: EpochMs = EVER,
): Promise<number> {
  return writeRows(tx, 'deleteCheckpoints', keys.map(keyColumns), { before });
}

export async function pruneCheckpoints(tx: NodeTransaction, before: EpochMs, maxCount: number): Promise<number> {
  type Row = { readonly OCCURRENCE_ID: string; readonly SHARD: number };
  const found = await tx.all<Row>('selectOldCheckpoints', { before, limit: maxCount });
  const keys = found.map(({ OCCURRENCE_ID, SHARD }) => ({ occurrenceId: OCCURRENCE_ID, shard: SHARD }));
  return deleteCheckpoints(tx, keys, before);
}

function keyColumns({ occurrenceId, shard }: CheckpointKey): readonly ListedValue[] {
  return [occurrenceId, shard ?? NO_SHARD];
}
