import { ObjectAlreadyExistsError } from '../../../../base/errors';
import { forgottenBy } from '../../../../domain/declaration';
import { formatKey, type GroupMatcher, type JobKey, matchesGroup, type TriggerKey } from '../../../../domain/keys';
import { sameData } from '../../../../domain/same-data';
import { isJobOfFinished, type ScheduleChange, type ScheduleOutcome } from '../../../../domain/schedule-change';
import type { ApplyOptions } from '../../../job-store';
import { deleteCalendar, storeCalendar } from './apply-calendar-change';
import { replaceTrigger, storeTrigger } from './apply-trigger-change';
import { outcome } from './outcomes';
import type { JobDraft, ScheduleDraft, TriggerDraft } from './schedule-draft';
import { triggerRequired } from './schedule-errors';

type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Applies the changes to the draft, in order. Throws what the first impossible one says. */
export function applyChanges(
  draft: ScheduleDraft,
  changes: readonly ScheduleChange[],
  options: ApplyOptions,
): readonly ScheduleOutcome[] {
  const outcomes = changes.map((change) => {
    const isForgotten = forgottenBy(change);
    if (change.type === 'deleteTrigger') draft.declared.set(change.key, null);
    else if (isForgotten !== null) draft.declared.forget(isForgotten);
    return applyChange(draft, change, options);
  });
  return requireTriggers(draft, changes, outcomes);
}

function applyChange(draft: ScheduleDraft, change: ScheduleChange, options: ApplyOptions): ScheduleOutcome {
  switch (change.type) {
    case 'storeJob':
      return storeJob(draft, change);
    case 'storeTrigger':
      return storeTrigger(draft, change);
    case 'replaceTrigger':
      return replaceTrigger(draft, change);
    case 'deleteTrigger':
      return deleteTrigger(draft, change.key);
    case 'deleteJob':
      return deleteJob(draft, change.key);
    case 'storeCalendar':
      return storeCalendar(draft, change, options);
    case 'deleteCalendar':
      return deleteCalendar(draft, change.name);
    case 'deleteJobsInGroup':
      return deleteJobsInGroup(draft, isMeantBy(change));
    case 'deleteTriggersInGroup':
      return deleteTriggersInGroup(draft, isMeantBy(change));
    case 'clear':
      return clear(draft);
  }
}

function storeJob(draft: ScheduleDraft, { job, ifExists }: ChangeOf<'storeJob'>): ScheduleOutcome {
  const stored = draft.job(job.key);
  if (stored === null) {
    write(draft.jobDraft(job.key), job);
    return outcome('created');
  }
  if (ifExists === 'fail') throw new ObjectAlreadyExistsError('job', formatKey(job.key));
  if (ifExists === 'keep') return outcome('kept');
  if (sameData(stored.written ?? stored.stored, job)) return outcome('unchanged');
  write(stored, job);
  return outcome('replaced');
}

function write(draft: JobDraft, job: NonNullable<JobDraft['written']>): void {
  draft.facts = job;
  draft.written = job;
}

/** Only once the whole set is applied is it known which jobs have triggers; the outcomes, without jobs that nothing needs. */
function requireTriggers(
  draft: ScheduleDraft,
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): readonly ScheduleOutcome[] {
  return outcomes.map((each, index) => {
    const change = changes[index];
    if (change?.type !== 'storeJob' || !change.requireTrigger) return each;
    const stored = draft.job(change.job.key);
    if (stored === null || stored.facts.durable || stored.triggerCount > 0) return each;
    if (!isJobOfFinished(change.job.key, changes, outcomes)) throw triggerRequired(change.job);
    if (each.status === 'created') removeJob(draft, stored);
    return outcome('finished');
  });
}

function deleteTrigger(draft: ScheduleDraft, key: TriggerKey): ScheduleOutcome {
  const stored = draft.trigger(key);
  if (stored === null) return outcome('notFound');
  const { jobKey } = stored.now;
  draft.removeTrigger(stored);
  return outcome('deleted', { deletedTriggers: [key], deletedJobs: deleteOrphan(draft, jobKey) });
}

function deleteJob(draft: ScheduleDraft, key: JobKey): ScheduleOutcome {
  const job = draft.job(key);
  if (job === null) return outcome('notFound');
  return outcome('deleted', { deletedTriggers: removeJob(draft, job), deletedJobs: [key] });
}

/** Deletes a non-durable job left without triggers; its key. */
function deleteOrphan(draft: ScheduleDraft, key: JobKey): readonly JobKey[] {
  const job = draft.job(key);
  if (job === null || job.facts.durable || job.triggerCount > 0) return [];
  removeJob(draft, job);
  return [job.key];
}

/** Deletes a job and its triggers, whose keys it returns. */
function removeJob(draft: ScheduleDraft, job: JobDraft): readonly TriggerKey[] {
  const triggers = draft.triggersOf(job.key);
  for (const trigger of triggers) draft.removeTrigger(trigger);
  job.facts = null;
  job.written = null;
  return triggers.map(({ key }) => key);
}

function isMeantBy({
  group,
  exceptGroups,
}: {
  readonly group: GroupMatcher;
  readonly exceptGroups: readonly string[];
}) {
  return (name: string) => matchesGroup(group, name) && !exceptGroups.includes(name);
}

function deleteJobsInGroup(draft: ScheduleDraft, isMeant: (group: string) => boolean): ScheduleOutcome {
  const jobs = [...draft.jobs.values()].filter(({ key, facts }) => facts !== null && isMeant(key.group));
  const deletedTriggers = jobs.flatMap((job) => removeJob(draft, job));
  return jobs.length === 0
    ? outcome('notFound')
    : outcome('deleted', { deletedTriggers, deletedJobs: jobs.map(({ key }) => key) });
}

function deleteTriggersInGroup(draft: ScheduleDraft, isMeant: (group: string) => boolean): ScheduleOutcome {
  const triggers = [...draft.triggers.values()].filter(({ key, now }) => now !== null && isMeant(key.group));
  const jobKeys = triggers.map(({ now }) => (now as NonNullable<TriggerDraft['now']>).jobKey);
  for (const trigger of triggers) draft.removeTrigger(trigger);
  const deletedJobs = jobKeys.flatMap((key) => deleteOrphan(draft, key));
  const deletedTriggers = triggers.map(({ key }) => key);
  return triggers.length === 0 ? outcome('notFound') : outcome('deleted', { deletedTriggers, deletedJobs });
}

/** What executes goes on, and still blocks a job stored under its key. */
function clear(draft: ScheduleDraft): ScheduleOutcome {
  const jobs = [...draft.jobs.values()].filter(({ facts }) => facts !== null);
  const deletedTriggers = jobs.flatMap((job) => removeJob(draft, job));
  for (const calendar of draft.calendars.values()) {
    calendar.now = null;
    calendar.isPresent = false;
  }
  draft.paused.clear();
  return outcome('deleted', { deletedTriggers, deletedJobs: jobs.map(({ key }) => key) });
}
