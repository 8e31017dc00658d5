import type { EpochMs } from '../../base/clock';
import { checkpointKeyText, planCheckpoints, type SavedCheckpoint } from '../../domain/checkpoint';
import type { Completion } from '../../domain/completion';
import { recoveryTriggerKey } from '../../domain/recovery';
import { retryTriggerKey } from '../../domain/retry';
import type { MemoryTables } from './memory-tables';

/** Deletes the checkpoint of an occurrence that ends. If further runs follow, keeps the checkpoint and updates its run and time. */
export function endCheckpoint(tables: MemoryTables, completion: Completion, endTime: EpochMs): void {
  const { over, kept } = planCheckpoints([completion]);
  for (const key of over) tables.checkpoints.delete(checkpointKeyText(key));
  for (const { runId, ...key } of kept) {
    const stored = tables.checkpoints.get(checkpointKeyText(key));
    if (stored !== undefined)
      tables.checkpoints.set(checkpointKeyText(key), { ...stored, runId, updatedTime: endTime });
  }
}

export function saveCheckpoint(tables: MemoryTables, saved: SavedCheckpoint, now: EpochMs): boolean {
  const { runId, value } = saved;
  if (!tables.executions.has(runId)) return false;
  tables.checkpoints.set(checkpointKeyText(saved), { value, runId, updatedTime: now });
  return true;
}

export function pruneCheckpoints(tables: MemoryTables, before: EpochMs, maxCount: number): number {
  const isNeeded = (runId: string) =>
    tables.executions.has(runId) ||
    tables.trigger(retryTriggerKey(runId)) !== null ||
    tables.trigger(recoveryTriggerKey(runId)) !== null;
  let count = 0;
  for (const [text, { runId, updatedTime }] of tables.checkpoints) {
    if (count === maxCount) break;
    if (updatedTime >= before || isNeeded(runId)) continue;
    tables.checkpoints.delete(text);
    count++;
  }
  return count;
}
