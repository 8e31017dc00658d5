import type { Job } from '../api/job';
import type { ScheduleOptions, Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { checkKey } from '../domain/limits';
import type { ScheduleChange } from '../domain/schedule-change';
import { JobRegistry } from '../engine/job-registry';
import { triggerDefaults } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';
import { type ShorthandChanges, shorthandChanges } from './shorthand-changes';

/** The short form: one call names, registers and schedules. Calling it again with the same values changes nothing. */
export function shorthand(parts: SchedulerParts): Pick<Scheduler, 'schedule'> {
  const { store, writer, registry, lifecycle, clock, config } = parts;

  async function apply(changes: ShorthandChanges, alsoRunnable?: string): Promise<Date | null> {
    const [storeJob, storeTrigger] = changes;
    const [, outcome] = await writer.apply([await keepPersistedData(storeJob), storeTrigger], alsoRunnable);
    return toDate(outcome?.nextFireTime ?? null);
  }

  /** The data given to a job that persists its data is where it begins; what it has made of it since is kept. */
  async function keepPersistedData(change: ShorthandChanges[0]): Promise<ScheduleChange> {
    if (!change.job.persistJobDataAfterExecution) return change;
    const [stored] = await store.getJobs([checkKey(change.job.key, 'job')]);
    if (stored === undefined || !stored.persistJobDataAfterExecution) return change;
    const job = stored.unreadable === undefined ? { ...change.job, data: stored.data } : change.job;
    // Writing back what was read would undo a run that ends in between.
    return { ...change, job, ifExists: sameDefinition(job, stored) ? 'keep' : 'replace' };
  }

  return {
    async schedule<Data extends JobData>(name: string, when: ScheduleOptions<Data>, job?: Job<Data>) {
      lifecycle.assertUsable();
      const changes = shorthandChanges(name, when, triggerDefaults(clock, config));
      if (job === undefined) return apply(changes);
      // Throws unless a registry would take it.
      new JobRegistry().replace(name, job);
      const nextFireTime = await apply(changes, name);
      // Only now: what is refused must not leave a job type behind. Until then the trigger waits.
      registry.replace(name, job);
      return nextFireTime;
    },
  };
}

/** In everything but data. */
function sameDefinition(a: JobDetail, b: JobDetail): boolean {
  return (
    a.jobType === b.jobType &&
    a.description === b.description &&
    a.durable === b.durable &&
    a.disallowConcurrentExecution === b.disallowConcurrentExecution &&
    a.persistJobDataAfterExecution === b.persistJobDataAfterExecution &&
    a.requestsRecovery === b.requestsRecovery
  );
}
