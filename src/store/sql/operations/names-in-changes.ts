import { linksIn } from '../../../domain/chain';
import {
  calendarTarget,
  type DeclarationTarget,
  declares,
  forgottenBy,
  targetOf,
  targetText,
} from '../../../domain/declaration';
import { distinctKeys, type GroupMatcher, type JobKey, keyText, sameKey, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import type { RequestedTrigger } from '../../../domain/registration';
import type { ChangeOf, ChangeSet, ScheduleChange } from '../../../domain/schedule-change';
import type { Trigger } from '../../../domain/trigger';

/** Names in a change set. Their objects must be loaded before the change set is applied. */
export interface NamesInChanges {
  readonly triggers: readonly TriggerKey[];
  /** New triggers, which must not exist yet. */
  readonly newTriggers: readonly TriggerKey[];
  /** Deleted and renamed triggers, whose waiting runs must be loaded. */
  readonly unscheduled: readonly TriggerKey[];
  readonly replaced: readonly ReplacedTrigger[];
  readonly jobs: readonly JobKey[];
  /** New jobs, which must not exist yet. */
  readonly newJobs: readonly JobKey[];
  /** Jobs that the change set stores as non-concurrent. */
  readonly nonConcurrentJobs: readonly JobKey[];
  readonly deletedJobs: readonly JobKey[];
  readonly calendars: readonly string[];
  readonly updatedCalendars: readonly string[];
  readonly deletedCalendars: readonly string[];
  readonly triggerGroups: readonly GroupMatcher[];
  readonly jobGroups: readonly GroupMatcher[];
  /** Targets whose declarations the change set may create, change or delete. */
  readonly declared: readonly DeclarationTarget[];
  /** True for a manual edit. Triggers of deleted jobs are then loaded in full, so that dropping the override can restore them. */
  readonly isEdit: boolean;
  readonly mayLeaveOrphans: boolean;
  /** True if the change set clears the whole schedule. */
  readonly everything: boolean;
  /** True if the change set stores triggers that wait for other jobs. */
  readonly links: boolean;
  /** Jobs of new triggers. Their followers (triggers that wait for the job) must be looked up. */
  readonly followable: readonly JobKey[];
}

/** A stored trigger that the change set may replace. `key`: key before the change. */
export interface ReplacedTrigger {
  readonly key: TriggerKey;
  readonly requested: RequestedTrigger;
}

type Names = {
  -readonly [Name in keyof NamesInChanges]: NamesInChanges[Name] extends readonly (infer T)[] ? T[] : boolean;
};

export function namesIn(changes: ChangeSet, isEdit = false): NamesInChanges {
  const names: Names = {
    triggers: [],
    newTriggers: [],
    unscheduled: [],
    replaced: [],
    jobs: [],
    newJobs: [],
    nonConcurrentJobs: [],
    deletedJobs: [],
    calendars: [],
    updatedCalendars: [],
    deletedCalendars: [],
    triggerGroups: [],
    jobGroups: [],
    declared: [],
    isEdit,
    mayLeaveOrphans: false,
    everything: false,
    links: linksIn(changes).length > 0,
    followable: [],
  };
  for (const change of changes) {
    addNames(names, change);
    addReplaced(names, change);
    addDeclared(names, change);
  }
  const newJobs = distinctKeys(names.newJobs);
  const areNew = new Set(newJobs.map(keyText));
  return {
    ...names,
    triggers: distinctKeys(names.triggers),
    newTriggers: distinctKeys(names.newTriggers),
    jobs: distinctKeys(names.jobs.filter((key) => !areNew.has(keyText(key)))),
    newJobs,
    nonConcurrentJobs: distinctKeys(names.nonConcurrentJobs),
    calendars: [...new Set(names.calendars)],
    declared: [...new Map(names.declared.map((target) => [targetText(target), target])).values()],
  };
}

/** Objects that new jobs and triggers rely on. */
export interface Additions {
  /** Groups of the new triggers. */
  readonly groups: ReadonlySet<string>;
  /** Stored jobs of the new triggers, as `keyText`. */
  readonly jobs: ReadonlySet<string>;
}

/**
 * Returns the objects on which the changes rely, if they only add jobs and triggers. Null if they do more, or if a new job is non-concurrent: a
 * deleted job with the key may still be executing.
 */
export function additionsIn(changes: ChangeSet): Additions | null {
  const groups = new Set<string>();
  const jobs = new Set<string>();
  const newJobs: string[] = [];
  for (const change of changes) {
    if (declares(change)) return null;
    if (change.type === 'storeJob' && change.ifExists === 'fail' && !change.job.disallowConcurrentExecution) {
      newJobs.push(keyText(change.job.key));
    } else if (change.type === 'storeTrigger' && change.ifExists === 'fail' && !isBound(change.trigger)) {
      groups.add(change.trigger.key.group);
      jobs.add(keyText(change.trigger.jobKey));
    } else return null;
  }
  for (const text of newJobs) jobs.delete(text);
  return changes.length === 0 ? null : { groups, jobs };
}

/** True if the fire times of the trigger depend on a calendar or on other jobs. */
const isBound = ({ calendarName, kind }: Trigger) => calendarName !== null || kind === 'AFTER';

/** True if the changes may affect more objects than they name. */
export function concernsMany({ everything, ...names }: NamesInChanges): boolean {
  const { deletedJobs, updatedCalendars, deletedCalendars, triggerGroups, jobGroups } = names;
  return everything || [deletedJobs, updatedCalendars, deletedCalendars, triggerGroups, jobGroups].flat().length > 0;
}

function addNames(names: Names, change: ScheduleChange): void {
  switch (change.type) {
    case 'storeJob':
      (change.ifExists === 'fail' ? names.newJobs : names.jobs).push(change.job.key);
      if (change.job.disallowConcurrentExecution) names.nonConcurrentJobs.push(change.job.key);
      if (change.requireTrigger) names.mayLeaveOrphans = true;
      break;
    case 'storeTrigger':
      (change.ifExists === 'fail' ? names.newTriggers : names.triggers).push(change.trigger.key);
      names.jobs.push(change.trigger.jobKey);
      addCalendar(names, change.trigger);
      break;
    case 'replaceTrigger':
      names.triggers.push(change.trigger.key, change.key);
      addCalendar(names, change.trigger);
      break;
    case 'deleteTrigger':
      names.triggers.push(change.key);
      if (!isGroupOfFurtherRuns(change.key.group)) names.unscheduled.push(change.key);
      names.mayLeaveOrphans = true;
      break;
    case 'deleteJob':
      names.jobs.push(change.key);
      names.deletedJobs.push(change.key);
      break;
    case 'storeCalendar':
      names.calendars.push(change.name);
      if (change.ifExists === 'replace' && change.usersLater !== true) names.updatedCalendars.push(change.name);
      break;
    case 'followCalendar':
      addFollowers(names, change);
      break;
    case 'setFireTime':
      addTrigger(names, change.read);
      break;
    case 'deleteCalendar':
      names.calendars.push(change.name);
      names.deletedCalendars.push(change.name);
      break;
    case 'deleteJobsInGroup':
    case 'deleteTriggersInGroup':
      addGroup(names, change);
      break;
    case 'expect':
      addExpected(names, change);
      break;
    case 'clear':
      names.everything = true;
  }
}

function addReplaced({ replaced, unscheduled }: Names, change: ScheduleChange): void {
  if (change.type === 'replaceTrigger') {
    replaced.push({ key: change.key, requested: change });
    if (!sameKey(change.key, change.trigger.key)) unscheduled.push(change.key);
  } else if (change.type === 'storeTrigger' && change.ifExists === 'replace') {
    replaced.push({ key: change.trigger.key, requested: change });
  }
}

function addGroup(names: Names, { type, group }: ChangeOf<'deleteJobsInGroup' | 'deleteTriggersInGroup'>): void {
  if (type === 'deleteJobsInGroup') names.jobGroups.push(group);
  else {
    names.triggerGroups.push(group);
    names.mayLeaveOrphans = true;
  }
}

function addExpected(names: Names, change: ChangeOf<'expect'>): void {
  if (change.what === 'calendar') names.calendars.push(change.name);
  else (change.what === 'job' ? names.jobs : names.triggers).push(change.key);
}

function addFollowers(names: Names, { name, triggers }: ChangeOf<'followCalendar'>): void {
  names.calendars.push(name);
  for (const { read } of triggers) names.triggers.push(read.key);
}

function addDeclared(names: Names, change: ScheduleChange): void {
  const { declared, isEdit } = names;
  switch (change.type) {
    case 'storeJob':
      if (isEdit || declares(change)) declared.push(targetOf('job', change.job.key));
      break;
    case 'storeTrigger':
      if (isEdit || declares(change)) declared.push(targetOf('trigger', change.trigger.key));
      if (declares(change)) declared.push(targetOf('job', change.trigger.jobKey));
      break;
    case 'storeCalendar':
      if (isEdit || declares(change)) declared.push(calendarTarget(change.name));
      break;
    case 'replaceTrigger':
      if (isEdit) declared.push(targetOf('trigger', change.trigger.key));
      if (isEdit || forgottenBy(change) !== null) declared.push(targetOf('trigger', change.key));
      break;
    case 'deleteTrigger':
      declared.push(targetOf('trigger', change.key));
      break;
    case 'deleteCalendar':
      declared.push(calendarTarget(change.name));
  }
}

function addTrigger(names: Names, trigger: Trigger): void {
  names.triggers.push(trigger.key);
  addCalendar(names, trigger);
}

function addCalendar({ calendars }: Names, { calendarName }: { readonly calendarName: string | null }): void {
  if (calendarName !== null) calendars.push(calendarName);
}
