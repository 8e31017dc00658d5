import { type GroupMatcher, groupsOf, type JobKey, matchesGroup, type TriggerKey } from '../../domain/keys';
import { nextState } from '../../domain/trigger-state';
import { ALL_GROUPS_PAUSED, type ApplyOptions, isKeys, type Which } from '../job-store';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';
import { recoverInto } from './firings';
import type { MemoryTables } from './memory-tables';

/** Pauses triggers, or groups of them with what will be added to them. The names of the groups. */
export function pauseTriggers(tables: MemoryTables, which: Which<TriggerKey>): readonly string[] {
  if (isKeys(which)) {
    const found = triggersOf(tables, which);
    for (const entry of found) tables.move(entry, 'pause');
    return groupsOf(found.map(({ trigger }) => trigger.key));
  }
  // A group that has no trigger yet can only be meant by its name.
  const groups = which.operator === 'equals' ? [which.value] : tables.triggerGroups.matching(which);
  for (const group of groups) {
    tables.pauseGroup(group);
    for (const entry of tables.triggerGroups.members(group)) tables.move(entry, 'pause');
  }
  if (which.operator === 'any') tables.pauseGroup(ALL_GROUPS_PAUSED);
  return groups;
}

/** Undoes `pauseTriggers`. The names of the groups. */
export function resumeTriggers(
  tables: MemoryTables,
  which: Which<TriggerKey>,
  options: ApplyOptions,
): readonly string[] {
  if (isKeys(which)) {
    const found = triggersOf(tables, which);
    for (const entry of found) resume(tables, entry, options);
    return groupsOf(found.map(({ trigger }) => trigger.key));
  }
  const paused = [...tables.pausedGroups].filter((group) => isResumedBy(which, group));
  for (const group of paused) tables.unpauseGroup(group);
  const present = tables.triggerGroups.matching(which);
  for (const group of present) {
    for (const entry of tables.triggerGroups.members(group)) resume(tables, entry, options);
  }
  return [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
}

/** Pauses the triggers the jobs have now. The names of the job groups. */
export function pauseJobs(tables: MemoryTables, which: Which<JobKey>): readonly string[] {
  const jobs = jobsOf(tables, which);
  for (const job of jobs) for (const entry of job.triggers.toArray()) tables.move(entry, 'pause');
  return groupsOf(jobs.map(({ detail }) => detail.key));
}

/** Resumes the triggers of the jobs. The names of the job groups. */
export function resumeJobs(tables: MemoryTables, which: Which<JobKey>, options: ApplyOptions): readonly string[] {
  const jobs = jobsOf(tables, which);
  for (const job of jobs) for (const entry of job.triggers.toArray()) resume(tables, entry, options);
  return groupsOf(jobs.map(({ detail }) => detail.key));
}

/** Sets triggers in ERROR going again. The names of the groups. */
export function resetTriggersFromError(tables: MemoryTables, keys: readonly TriggerKey[]): readonly string[] {
  const found = triggersOf(tables, keys);
  for (const entry of found) {
    const { key, nextFireTime } = entry.trigger;
    if (entry.state !== 'ERROR') continue;
    const state = nextState('ERROR', 'reset', tables.contextOf(key.group, entry.job));
    tables.updateTrigger(entry, entry.trigger, nextFireTime === null ? 'COMPLETE' : state);
  }
  return groupsOf(found.map(({ trigger }) => trigger.key));
}

function resume(tables: MemoryTables, entry: TriggerEntry, options: ApplyOptions): void {
  if (entry.state !== 'PAUSED') return;
  const context = tables.contextOf(entry.trigger.key.group, entry.job);
  recoverInto(tables, entry, nextState(stateOf(entry), 'resume', context), options);
}

/** The mark of all groups is no group: only who resumes all groups removes it. */
function isResumedBy(matcher: GroupMatcher, group: string): boolean {
  return group === ALL_GROUPS_PAUSED ? matcher.operator === 'any' : matchesGroup(matcher, group);
}

/** Those of the triggers that are stored. */
function triggersOf(tables: MemoryTables, keys: readonly TriggerKey[]): readonly TriggerEntry[] {
  return keys.map((key) => tables.trigger(key)).filter((entry) => entry !== null);
}

function jobsOf(tables: MemoryTables, which: Which<JobKey>): readonly JobEntry[] {
  if (isKeys(which)) return which.map((key) => tables.job(key)).filter((job) => job !== null);
  return tables.jobGroups.matching(which).flatMap((group) => tables.jobGroups.members(group));
}
