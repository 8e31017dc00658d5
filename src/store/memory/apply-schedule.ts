import { ObjectAlreadyExistsError, SchedulerError } from '../../base/errors';
import { formatKey, type GroupMatcher, type JobKey, type TriggerKey } from '../../domain/keys';
import { sameData } from '../../domain/same-data';
import type { ScheduleChange, ScheduleOutcome } from '../../domain/schedule-change';
import type { ApplyOptions } from '../job-store';
import { deleteCalendar, storeCalendar } from './apply-calendars';
import { replaceTrigger, storeTrigger } from './apply-triggers';
import { deleteJobEntry, deleteOrphan, deleteTriggerEntry } from './deletions';
import type { MemoryTables } from './memory-tables';
import { KEPT, NOT_FOUND, outcome } from './outcomes';

type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Applies the changes in order, all or none. Throws what the first impossible one says. */
export function applySchedule(
  tables: MemoryTables,
  changes: readonly ScheduleChange[],
  options: ApplyOptions,
): readonly ScheduleOutcome[] {
  return tables.atomically(() => {
    const outcomes = changes.map((change) => applyChange(tables, change, options));
    requireTriggers(tables, changes);
    return outcomes;
  });
}

function applyChange(tables: MemoryTables, change: ScheduleChange, options: ApplyOptions): ScheduleOutcome {
  switch (change.type) {
    case 'storeJob':
      return storeJob(tables, change);
    case 'storeTrigger':
      return storeTrigger(tables, change);
    case 'replaceTrigger':
      return replaceTrigger(tables, change);
    case 'deleteTrigger':
      return deleteTrigger(tables, change.key);
    case 'deleteJob':
      return deleteJob(tables, change.key);
    case 'storeCalendar':
      return storeCalendar(tables, change, options);
    case 'deleteCalendar':
      return deleteCalendar(tables, change.name);
    case 'deleteJobsInGroup':
      return deleteJobsInGroup(tables, groupsOf(tables.jobGroups, change));
    case 'deleteTriggersInGroup':
      return deleteTriggersInGroup(tables, groupsOf(tables.triggerGroups, change));
    case 'clear':
      return clear(tables);
  }
}

function storeJob(tables: MemoryTables, { job, ifExists }: ChangeOf<'storeJob'>): ScheduleOutcome {
  const stored = tables.job(job.key);
  if (stored === null) {
    tables.insertJob(job);
    return outcome('created');
  }
  if (ifExists === 'fail') throw new ObjectAlreadyExistsError('job', formatKey(job.key));
  if (ifExists === 'keep') return KEPT;
  if (sameData(stored.detail, job)) return outcome('unchanged');
  tables.replaceJob(stored, job);
  return outcome('replaced');
}

/** Only once the whole set is applied is it known which jobs have triggers. */
function requireTriggers(tables: MemoryTables, changes: readonly ScheduleChange[]): void {
  for (const change of changes) {
    if (change.type !== 'storeJob' || !change.requireTrigger) continue;
    const stored = tables.job(change.job.key);
    if (stored === null || stored.detail.durable || stored.triggers.size > 0) continue;
    throw new SchedulerError(
      'INVALID_ARGUMENT',
      `Expected the job '${formatKey(change.job.key)}' to be durable or to have a trigger. ` +
        'Build it with storeDurably(), or schedule it.',
    );
  }
}

function deleteTrigger(tables: MemoryTables, key: TriggerKey): ScheduleOutcome {
  const entry = tables.trigger(key);
  if (entry === null) return NOT_FOUND;
  const orphan = deleteTriggerEntry(tables, entry);
  return outcome('deleted', { deletedTriggers: [key], deletedJobs: orphan === null ? [] : [orphan] });
}

function deleteJob(tables: MemoryTables, key: JobKey): ScheduleOutcome {
  const job = tables.job(key);
  if (job === null) return NOT_FOUND;
  return outcome('deleted', { deletedTriggers: deleteJobEntry(tables, job), deletedJobs: [key] });
}

/** The groups a deletion by group means. */
function groupsOf(
  index: { matching(matcher: GroupMatcher): string[] },
  { group, exceptGroups }: { readonly group: GroupMatcher; readonly exceptGroups: readonly string[] },
): readonly string[] {
  return index.matching(group).filter((name) => !exceptGroups.includes(name));
}

function deleteJobsInGroup(tables: MemoryTables, groups: readonly string[]): ScheduleOutcome {
  const jobs = groups.flatMap((group) => tables.jobGroups.members(group));
  const deletedTriggers = jobs.flatMap((job) => deleteJobEntry(tables, job));
  const deletedJobs = jobs.map((job) => job.detail.key);
  return jobs.length === 0 ? NOT_FOUND : outcome('deleted', { deletedTriggers, deletedJobs });
}

function deleteTriggersInGroup(tables: MemoryTables, groups: readonly string[]): ScheduleOutcome {
  const entries = groups.flatMap((group) => tables.triggerGroups.members(group));
  for (const entry of entries) tables.removeTrigger(entry);
  const deletedJobs = entries.map(({ job }) => deleteOrphan(tables, job)).filter((key) => key !== null);
  const deletedTriggers = entries.map(({ trigger }) => trigger.key);
  return entries.length === 0 ? NOT_FOUND : outcome('deleted', { deletedTriggers, deletedJobs });
}

/** What executes goes on, and still blocks a job stored under its key. */
function clear(tables: MemoryTables): ScheduleOutcome {
  const jobs = [...tables.jobs.values()];
  const deletedTriggers = jobs.flatMap((job) => deleteJobEntry(tables, job));
  for (const name of [...tables.calendars.keys()]) tables.removeCalendar(name);
  for (const group of [...tables.pausedGroups]) tables.unpauseGroup(group);
  return outcome('deleted', { deletedTriggers, deletedJobs: jobs.map((job) => job.detail.key) });
}
