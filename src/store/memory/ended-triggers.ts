import type { EpochMs } from '../../base/clock';
import type { JobKey } from '../../domain/keys';
import { hasEnded } from '../../domain/trigger-end';
import type { JobEntry, TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';

/** Maximum number of triggers without a further fire time to check at once. The next call checks others. */
const MAX_ENDED = 200;

/** Deletes triggers whose own schedule has ended and that are not executing, with their non-durable jobs. Returns the keys of the deleted jobs. */
export function deleteEnded(tables: MemoryTables, now: EpochMs): readonly JobKey[] {
  if (tables.ended.size === 0) return [];
  return [...take(tables.ended, MAX_ENDED)].flatMap((entry) => {
    const deleted = removeEnded(tables, entry, now);
    if (tables.ended.delete(entry)) tables.ended.add(entry); // moves it to the end, so that the next call checks others first
    return deleted;
  });
}

/** Deletes the trigger if its own schedule has ended and it is not executing. Returns an array with its job if the job was deleted too, else empty. */
export function removeEnded(tables: MemoryTables, entry: TriggerEntry, now: EpochMs): readonly JobKey[] {
  if (entry.state !== 'COMPLETE' || !hasEnded(entry.trigger, now)) return [];
  for (const execution of tables.executions.values()) if (execution.entry === entry) return [];
  tables.removeTrigger(entry);
  const job = deleteOrphan(tables, entry.job);
  return job === null ? [] : [job];
}

/** Removes a non-durable job without triggers. Returns its key, or null if the job stays. */
export function deleteOrphan(tables: MemoryTables, job: JobEntry): JobKey | null {
  if (job.detail.durable || job.triggers.size > 0 || !job.isStored) return null;
  tables.removeJob(job);
  return job.detail.key;
}

function* take<T>(values: Iterable<T>, count: number): Iterable<T> {
  let taken = 0;
  for (const value of values) {
    if (taken++ >= count) return;
    yield value;
  }
}
