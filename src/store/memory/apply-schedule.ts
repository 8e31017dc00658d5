import { ObjectAlreadyExistsError, SchedulerError } from '../../base/errors';
import { forgottenBy } from '../../domain/declaration';
import type { JobDetail } from '../../domain/job-detail';
import { formatKey, type GroupMatcher, type JobKey, type TriggerKey } from '../../domain/keys';
import { sameData } from '../../domain/same-data';
import { isJobOfFinished, type ScheduleChange, type ScheduleOutcome } from '../../domain/schedule-change';
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
    const outcomes = changes.map((change) => {
      forgetDeclarations(tables, change);
      return applyChange(tables, change, options);
    });
    return requireTriggers(tables, changes, outcomes);
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

function forgetDeclarations(tables: MemoryTables, change: ScheduleChange): void {
  const isForgotten = forgottenBy(change);
  if (change.type === 'deleteTrigger') tables.declare(change.key, null);
  else if (isForgotten !== null) {
    for (const each of tables.declared.values()) if (isForgotten(each)) tables.declare(each.key, null);
  }
}

/** Only once the whole set is applied is it known which jobs have triggers; the outcomes, without jobs that nothing needs. */
function requireTriggers(
  tables: MemoryTables,
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): readonly ScheduleOutcome[] {
  return outcomes.map((each, index) => {
    const change = changes[index];
    if (change?.type !== 'storeJob' || !change.requireTrigger) return each;
    const stored = tables.job(change.job.key);
    if (stored === null || stored.detail.durable || stored.triggers.size > 0) return each;
    if (!isJobOfFinished(change.job.key, changes, outcomes)) throw triggerRequired(change.job);
    if (each.status === 'created') tables.removeJob(stored);
    return outcome('finished');
  });
}

function triggerRequired({ key }: JobDetail): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected the job '${formatKey(key)}' to be durable or to have a trigger. ` +
      'Build it with storeDurably(), or schedule it.',
  );
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
