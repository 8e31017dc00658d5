import { parseTail, type RunningNote } from '../../../domain/progress';
import type { RunningFiring } from '../../cluster-store';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { jobKeyOf, type TriggerRow, toFireTime } from '../rows/rows';
import { optional, writeRows } from '../runtime/row-batches';
import { type ProgressColumns, progressOf } from './read-cluster';

/** Stores the progress and log lines of runs; deletes those of ended runs. Takes no cluster-wide lock. Skips runs without a fired trigger. */
export async function saveProgress(
  tx: NodeTransaction,
  notes: readonly RunningNote[],
  ended: readonly string[],
): Promise<void> {
  const { instanceId } = tx.node;
  await Promise.all([
    writeRows(tx, 'upsertProgress', notes.map(progressColumns), { instanceId }),
    writeRows(tx, 'deleteProgress', ended),
  ]);
}

function progressColumns({ runId, progress, tail, interruption }: RunningNote) {
  const lines = tail.lines.length === 0 ? null : JSON.stringify(tail);
  return [
    runId,
    optional(progress?.fraction ?? null),
    optional(progress?.message ?? null),
    optional(lines),
    optional(progress?.at ?? null),
    optional(interruption?.at ?? null),
    optional(interruption?.by ?? null),
  ];
}

/** Returns the ids of at most `limit` runs that have ended but still have a progress row. */
export async function findEndedProgress(reader: NodeReader, limit: number): Promise<readonly string[]> {
  const rows = await reader.all<{ readonly ENTRY_ID: string }>('selectEndedProgress', { limit });
  return rows.map(({ ENTRY_ID }) => ENTRY_ID);
}

/** Returns an executing run with its progress and last log lines; null if the run is not executing. */
export async function findRunning(reader: NodeReader, entryId: string): Promise<RunningFiring | null> {
  type Row = Pick<TriggerRow, 'JOB_NAME' | 'JOB_GROUP'> &
    ProgressColumns & {
      readonly INSTANCE_NAME: string;
      readonly FIRED_TIME: number;
      readonly LOG_LINES: string | null;
    };
  const [row] = await reader.all<Row>('selectRunning', { rows: JSON.stringify([entryId]) });
  if (row === undefined) return null;
  const { INSTANCE_NAME: instanceId, FIRED_TIME, LOG_LINES } = row;
  const progress = progressOf(row);
  return { instanceId, jobKey: jobKeyOf(row), fireTime: toFireTime(FIRED_TIME), progress, tail: parseTail(LOG_LINES) };
}
