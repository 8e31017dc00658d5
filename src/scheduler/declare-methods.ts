import { checkObject } from '../api/builders/check-arguments';
import type { DeclareOptions, DeclareReport, EnqueueOptions } from '../api/schedule-options';
import type { DeclaredSchedule, Job, Scheduler } from '../api/scheduler';
import { toDate } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { checkOptional, refuseUndefined } from '../domain/check-options';
import { checkText, invalidArgument, unmet } from '../domain/check-text';
import { withExplicitVersion } from '../domain/data-version';
import type { DeclaredSet, Prune } from '../domain/declaration';
import { enqueuedName } from '../domain/enqueued-name';
import { type JobData, NO_DATA } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import type { TriggerKey } from '../domain/keys';
import { checkFlag, checkKey, LIMITS } from '../domain/limits';
import { type Declarer, EDIT_POLICIES } from '../domain/override';
import { sameData } from '../domain/same-data';
import type { ScheduleChange } from '../domain/schedule-change';
import { JobRegistry } from '../engine/job-registry';
import { afterCommit } from './after-commit';
import { checkOneOf, type TriggerDefaults, triggerDefaults } from './checked-input';
import { applyDeclared } from './declared-set';
import type { SchedulerParts } from './scheduler-parts';
import { type GivenSchedule, type ShorthandChanges, shorthandChanges } from './shorthand-changes';

const DECLARE_OPTIONS: Readonly<Record<keyof DeclareOptions, true>> = {
  set: true,
  prune: true,
  renamedFrom: true,
  onDeclaredEdit: true,
  atomic: true,
};
const DEFAULT_SET = 'default';

type Declared = Readonly<Record<string, DeclaredSchedule>>;

type GivenJobs = ReadonlyMap<string, Job>;

/** Methods that create or replace a job and its trigger, and register the job type, in one call. Repeating it with equal values changes nothing. */
export function declareMethods(parts: SchedulerParts) {
  const { store, writer, registry, lifecycle, clock, config, announce } = parts;

  async function apply(schedules: readonly ShorthandChanges[], jobs: GivenJobs, declared: DeclaredSet | null = null) {
    // Throws if a job function or its options are invalid, before anything is stored.
    const given = new JobRegistry(Object.fromEntries(jobs));
    const hasVersions = (type: string) => ((given.rulesOf(type) ?? registry.rulesOf(type))?.version ?? 1) > 1;
    const kept = await Promise.all(
      schedules.map(async ([storeJob, storeTrigger]) => [
        await keepPersistedData(store, storeJob, hasVersions),
        storeTrigger,
      ]),
    );
    const { outcomes, undeclared } =
      declared === null
        ? { outcomes: await writer.apply(kept.flat(), { alsoRunnable: given }), undeclared: [] }
        : await applyDeclared(parts, kept.flat(), declared, { alsoRunnable: given });
    // Registered only after the commit, so that a rejected set registers no job type. A due trigger waits until its job type is registered.
    for (const [type, job] of jobs)
      afterCommit(announce, `registering the job type '${type}'`, () => registry.replace(type, job));
    const nextFireTimes = schedules.map((_, index) => toDate(outcomes[2 * index + 1]?.nextFireTime ?? null));
    return { nextFireTimes, undeclared };
  }

  const declareSet = async (
    schedules: Declared,
    options: DeclareOptions | undefined,
    pruneByDefault: Prune,
  ): Promise<DeclareReport> => {
    lifecycle.assertUsable();
    const { declared, declarer } = readDeclareOptions(options, pruneByDefault);
    const { changes, jobs } = readDeclared(schedules, triggerDefaults(clock, config), declarer);
    const { nextFireTimes, undeclared } = await apply(changes, jobs, declared);
    const names = Object.keys(schedules);
    return {
      nextFireTimes: Object.fromEntries(names.map((name, index) => [name, nextFireTimes[index] ?? null])),
      undeclared,
    };
  };

  return {
    async schedule(name: string, when: GivenSchedule, job?: Job) {
      lifecycle.assertUsable();
      if (job !== undefined && when?.job !== undefined)
        throw unmet('a job as the third argument or the name of a registered type as `job`', 'both');
      const declared = shorthandChanges(name, when, triggerDefaults(clock, config), { set: null });
      const changes = isOneOffToCome(when, declared, clock.now()) ? withoutMemory(declared) : declared;
      const { nextFireTimes } = await apply([changes], new Map(job === undefined ? [] : [[name, job as Job]]));
      return nextFireTimes[0] ?? null;
    },

    enqueue: enqueueWith(parts),

    declare: (schedules: Declared, options?: DeclareOptions) => declareSet(schedules, options, false),
    sync: (schedules: Declared, options?: DeclareOptions) => declareSet(schedules, options, 'group'),
  } as Pick<Scheduler, 'schedule' | 'enqueue' | 'declare' | 'sync'>;
}

/** Time by which `at` may precede the call, in milliseconds: `at: new Date()` counts as a time to come. */
const AT_ONCE_MS = 60_000;

/**
 * Returns true for a run of a registered job type at one time to come. Programs create such names at run time, one per order or customer, so nothing of
 * them is remembered after they end ([ADR 0063](docs/adr/0063-one-offs-by-job-type-are-not-remembered.md)).
 */
function isOneOffToCome({ job, at, every, cron }: GivenSchedule, [, { trigger }]: ShorthandChanges, now: EpochMs) {
  const isOneOff = job !== undefined && at !== undefined && every === undefined && cron === undefined;
  return isOneOff && trigger.startTime >= now - AT_ONCE_MS;
}

function withoutMemory([{ declared: _job, ...storeJob }, { declared: _trigger, ...storeTrigger }]: ShorthandChanges) {
  return [storeJob, storeTrigger] as const satisfies ShorthandChanges;
}

/** Options of `enqueue` whose absence changes when or how often the job runs. */
const OMITTED_BY_ENQUEUE = { at: 'a run at once', name: 'a generated name' } as const;

/** Creates `enqueue`. It stores a job and a trigger that fires once, under the given name or a generated one. Neither belongs to a declared set. */
export function enqueueWith({ writer, lifecycle, clock, random, config }: SchedulerParts) {
  return async (jobType: string, data?: JobData, given?: EnqueueOptions): Promise<TriggerKey> => {
    const options = given ?? {};
    lifecycle.assertUsable();
    const type = checkText(jobType, 'a job type', LIMITS.jobType);
    refuseUndefined(checkObject(options, 'an object as the options of enqueue'), OMITTED_BY_ENQUEUE);
    const { name = enqueuedName(type, random), ...how } = options;
    const when = { at: new Date(clock.now()), ...how, job: type, ...(data === undefined ? {} : { data }) };
    const changes = shorthandChanges(name, when, triggerDefaults(clock, config), null);
    await writer.apply(changes);
    return { ...changes[1].trigger.key };
  };
}

/** If a stored job persists its data, replaces the declared data, which is only the initial value, with the stored data. */
async function keepPersistedData(
  store: Pick<SchedulerParts['store'], 'getJobs'>,
  change: ShorthandChanges[0],
  hasVersions: (jobType: string) => boolean,
): Promise<ScheduleChange> {
  if (!change.job.persistJobDataAfterExecution) return change;
  const [stored] = await store.getJobs([checkKey(change.job.key, 'job')]);
  if (stored === undefined || !stored.persistJobDataAfterExecution) return change;
  const data = hasVersions(change.job.jobType) ? withExplicitVersion(stored.data) : stored.data;
  const job = stored.unreadable === undefined ? { ...change.job, data } : change.job;
  // If only the data differs, the stored job stays unchanged. Storing the data again could undo the changes of a run that has just ended.
  return { ...change, job, ifExists: sameDefinition(job, stored) ? 'keep' : 'replace' };
}

/** Reads the changes and the job functions of a declared set. Throws INVALID_ARGUMENT or the error of an invalid schedule, such as CRON_SYNTAX. */
function readDeclared(schedules: Declared, defaults: TriggerDefaults, declarer: Declarer) {
  const entries = Object.entries(checkObject(schedules, "schedules by name, such as { cleanup: { every: '5m' } }"));
  for (const [name, each] of entries) checkObject(each, `a schedule for '${name}', such as { every: '5m' }`);
  const changes = entries.map(([name, { job, ...when }]) =>
    shorthandChanges(name, typeof job === 'string' ? { ...when, job } : when, defaults, declarer),
  );
  const jobs = new Map(
    entries.flatMap(([name, { job }]) => (job === undefined || typeof job === 'string' ? [] : [[name, job] as const])),
  );
  return { changes, jobs };
}

function readDeclareOptions(
  options: DeclareOptions | undefined,
  pruneByDefault: Prune,
): { readonly declared: DeclaredSet; readonly declarer: Declarer } {
  const {
    set = DEFAULT_SET,
    prune = pruneByDefault,
    renamedFrom,
    onDeclaredEdit: onEdit,
    atomic = false,
  } = checkOptional(options, DECLARE_OPTIONS);
  checkText(set, 'the name of a declared set', LIMITS.name);
  if (prune !== 'group' && prune !== 'all' && typeof prune !== 'boolean')
    throw invalidArgument("'group', 'all', true or false as prune", prune);
  if (renamedFrom !== undefined) checkText(renamedFrom, 'the former name of a declared set', LIMITS.name);
  if (onEdit !== undefined) checkOneOf(onEdit, 'onDeclaredEdit', EDIT_POLICIES);
  return {
    declared: {
      set,
      prune: prune === true ? 'all' : prune,
      ...(renamedFrom !== undefined && { renamedFrom }),
      atomic: checkFlag(atomic, 'atomic'),
    },
    declarer: { set, ...(onEdit !== undefined && { onEdit }) },
  };
}

/** True if two jobs differ at most in their data. */
function sameDefinition(a: JobDetail, { unreadable: _, ...b }: JobDetail): boolean {
  return sameData({ ...a, data: NO_DATA }, { ...b, data: NO_DATA });
}
