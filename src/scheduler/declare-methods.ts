import type { DeclareOptions, DeclareReport, ScheduleOptions } from '../api/schedule-options';
import type { DeclaredSchedule, Job, Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import { checkText } from '../domain/check-text';
import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { keyText, type TriggerKey } from '../domain/keys';
import { checkKey, LIMITS } from '../domain/limits';
import type { ScheduleChange } from '../domain/schedule-change';
import { JobRegistry } from '../engine/job-registry';
import { checkFlag, checkObject, checkOptions, triggerDefaults } from './checked-input';
import { noLongerDeclared } from './schedule-events';
import type { SchedulerParts } from './scheduler-parts';
import { type ShorthandChanges, shorthandChanges } from './shorthand-changes';

const DECLARE_OPTIONS = { set: true, prune: true } as const;
const DEFAULT_SET = 'default';

/** Jobs that are given with their schedules, by their type. */
type GivenJobs = ReadonlyMap<string, Job>;

/** The short form: one call names, registers and schedules. Calling it again with the same values changes nothing. */
export function declareMethods(parts: SchedulerParts) {
  const { store, writer, registry, lifecycle, clock, config, announce } = parts;

  /** The next fire times, in the order of the schedules. */
  async function apply(schedules: readonly ShorthandChanges[], jobs: GivenJobs, gone: readonly TriggerKey[] = []) {
    // Throws unless a registry would take them.
    for (const [type, job] of jobs) new JobRegistry().replace(type, job);
    const kept = await Promise.all(
      schedules.map(async ([storeJob, storeTrigger]) => [await keepPersistedData(storeJob), storeTrigger]),
    );
    const deletions = gone.map((key): ScheduleChange => ({ type: 'deleteTrigger', key }));
    const outcomes = await writer.apply([...kept.flat(), ...deletions], [...jobs.keys()]);
    // Only now: what is refused must not leave a job type behind. Until then the trigger waits.
    for (const [type, job] of jobs) registry.replace(type, job);
    return schedules.map((_, index) => toDate(outcomes[2 * index + 1]?.nextFireTime ?? null));
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

  /** Triggers that were part of the set and are none of these. */
  async function undeclared(set: string, schedules: readonly ShorthandChanges[]): Promise<readonly TriggerKey[]> {
    const declared = new Set(schedules.map(([, { trigger }]) => keyText(trigger.key)));
    return (await store.getDeclaredTriggers(set)).filter((key) => !declared.has(keyText(key)));
  }

  return {
    async schedule<Data extends JobData>(name: string, when: ScheduleOptions<Data>, job?: Job<Data>) {
      lifecycle.assertUsable();
      const changes = shorthandChanges(name, when, triggerDefaults(clock, config), null);
      const [nextFireTime] = await apply([changes], new Map(job === undefined ? [] : [[name, job as Job]]));
      return nextFireTime ?? null;
    },

    async declare(schedules: Readonly<Record<string, DeclaredSchedule>>, options: DeclareOptions = {}) {
      lifecycle.assertUsable();
      const { set = DEFAULT_SET, prune = false } = checkOptions(options, DECLARE_OPTIONS);
      checkText(set, 'the name of a declared set', LIMITS.name);
      checkFlag(prune, 'prune');
      const entries = Object.entries(
        checkObject(schedules, "schedules by their name, such as { cleanup: { every: '5m' } }"),
      );
      for (const [name, each] of entries) checkObject(each, `when to run '${name}', such as { every: '5m' }`);
      const defaults = triggerDefaults(clock, config);
      const changes = entries.map(([name, { job: _, ...when }]) => shorthandChanges(name, when, defaults, set));
      const jobs = new Map(entries.flatMap(([name, { job }]) => (job === undefined ? [] : [[name, job] as const])));
      const gone = await undeclared(set, changes);
      const times = await apply(changes, jobs, prune ? gone : []);
      if (!prune && gone.length > 0) announce(noLongerDeclared(set, gone));
      const nextFireTimes = Object.fromEntries(entries.map(([name], index) => [name, times[index] ?? null]));
      return { nextFireTimes, undeclared: gone } satisfies DeclareReport;
    },
  } satisfies Pick<Scheduler, 'schedule' | 'declare'>;
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
