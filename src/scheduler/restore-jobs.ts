import { sayingVersion } from '../domain/data-version';
import { keptJob } from '../domain/deleted-runs';
import type { RunRecord } from '../domain/run';
import type { ScheduleChange } from '../domain/schedule-change';
import type { SchedulerParts } from './scheduler-parts';

/** Stores jobs again that went with their last trigger, because they are not durable; a job that is there stays as it is. */
export async function restoreJobs({ writer, registry }: SchedulerParts, runs: readonly RunRecord[]): Promise<void> {
  const changes = runs.flatMap((run): ScheduleChange[] => {
    const stored = keptJob(run);
    if (stored === null) return [];
    // Of the version that it was of, not of that which is registered now.
    const hasVersions = (registry.rulesOf(stored.jobType)?.version ?? 1) > 1;
    const restored = hasVersions ? { ...stored, data: sayingVersion(stored.data) } : stored;
    return [{ type: 'storeJob', job: restored, ifExists: 'keep', requireTrigger: false, registeredLater: true }];
  });
  if (changes.length > 0) await writer.apply(changes);
}
