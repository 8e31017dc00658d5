import type { JobKey, TriggerKey } from '../../domain/keys';
import type { JobEntry, TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';

/** Deletes a trigger, and its job if that is left without one. The key of the job it deleted, or null. */
export function deleteTriggerEntry(tables: MemoryTables, entry: TriggerEntry): JobKey | null {
  tables.removeTrigger(entry);
  return deleteOrphan(tables, entry.job);
}

/** Deletes a non-durable job left without triggers. Its key, or null when it stays. */
export function deleteOrphan(tables: MemoryTables, job: JobEntry): JobKey | null {
  if (job.detail.durable || job.triggers.size > 0 || !job.isStored) return null;
  tables.removeJob(job);
  return job.detail.key;
}

/** Deletes a job and its triggers, whose keys it returns. */
export function deleteJobEntry(tables: MemoryTables, job: JobEntry): readonly TriggerKey[] {
  const entries = job.triggers.toArray();
  for (const entry of entries) tables.removeTrigger(entry);
  tables.removeJob(job);
  return entries.map(({ trigger }) => trigger.key);
}
