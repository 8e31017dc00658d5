import type { EpochMs } from '../../../base/clock';
import { maxOf } from '../../../base/lists';
import { type CheckpointKey, type SavedCheckpoint, settleCheckpoints } from '../../../domain/checkpoint';
import type { Completion } from '../../../domain/completion';
import type { SqlNode } from '../rows/sql-node';
import { type ListedValue, writeRows } from '../runtime/row-batches';
import type { SqlParams, SqlTransaction } from '../runtime/sql-driver';
import type { Extension } from './extension';

/** Of an occurrence without parts. */
const NO_SHARD = -1;
/** After every time that a checkpoint can have. */
const EVER = Number.MAX_SAFE_INTEGER;

/** Checkpoints of occurrences. */
export const CHECKPOINTS: Extension = {
  async freed(tx, node, { owned }) {
    await endCheckpoints(tx, node, owned);
    return undefined;
  },
};

/** The last saved value, as JSON; null if nothing is stored. */
export async function readCheckpoint(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  { occurrenceId, shard }: CheckpointKey,
): Promise<string | null> {
  const key: SqlParams = { occurrenceId, shard: shard ?? NO_SHARD };
  const [row] = await tx.all<{ readonly SAVED_VALUE: string }>('selectCheckpoint', { schedName, ...key });
  return row?.SAVED_VALUE ?? null;
}

/** False: the fired trigger of the run is gone, or another node's, so nothing was stored. */
export async function saveCheckpoint(
  tx: SqlTransaction,
  { schedName, instanceId }: SqlNode,
  saved: SavedCheckpoint,
  now: EpochMs,
): Promise<boolean> {
  const rows = [[...keyColumns(saved), saved.runId, saved.value]];
  return (await writeRows(tx, 'upsertCheckpoints', { schedName, instanceId, now }, rows)) > 0;
}

/** Deletes the checkpoints of occurrences that end, and keeps those of runs that others follow. Nothing is sent where there are none. */
async function endCheckpoints(tx: SqlTransaction, node: SqlNode, completions: readonly Completion[]): Promise<void> {
  const { over, kept } = settleCheckpoints(completions);
  const now = maxOf(completions.map(({ end }) => end?.endTime ?? 0));
  const rows = kept.map((each) => [...keyColumns(each), each.runId]);
  await Promise.all([
    deleteCheckpoints(tx, node, over),
    writeRows(tx, 'keepCheckpoints', { schedName: node.schedName, now }, rows),
  ]);
}

/** Deletes those that are stored and were not changed since `before`; how many. */
export function deleteCheckpoints(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  keys: readonly CheckpointKey[],
  before: EpochMs = EVER,
): Promise<number> {
  return writeRows(tx, 'deleteCheckpoints', { schedName, before }, keys.map(keyColumns));
}

interface OldRow {
  readonly OCCURRENCE_ID: string;
  readonly SHARD: number;
}

/** Deletes what nothing will read any more; how many. */
export async function pruneCheckpoints(
  tx: SqlTransaction,
  node: SqlNode,
  before: EpochMs,
  maxCount: number,
): Promise<number> {
  const { schedName } = node;
  const found = await tx.all<OldRow>('selectOldCheckpoints', { schedName, before, limit: maxCount });
  const keys = found.map(
    (row): CheckpointKey => ({
      occurrenceId: row.OCCURRENCE_ID,
      shard: row.SHARD,
    }),
  );
  return deleteCheckpoints(tx, node, keys, before);
}

function keyColumns({ occurrenceId, shard }: CheckpointKey): readonly ListedValue[] {
  return [occurrenceId, shard ?? NO_SHARD];
}
