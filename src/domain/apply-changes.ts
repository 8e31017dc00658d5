import type { EpochMs } from '../base/clock';
import { ObjectAlreadyExistsError, SchedulerError } from '../base/errors';
import { replaceTrigger, storeTrigger } from './apply-trigger-change';
import type { Calendar } from './calendars/calendar';
import { calendarFrom } from './calendars/calendar-from-data';
import { forgottenBy } from './declaration';
import { type EditableSchedule, type EditedTrigger, outcome } from './editable-schedule';
import { formatKey, type GroupMatcher, type JobKey, matchesGroup, type TriggerKey } from './keys';
import { sameData } from './same-data';
import { isJobOfFinished, type ScheduleChange, type ScheduleOutcome } from './schedule-change';
import { withNewCalendar } from './trigger-behaviour';

type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** The present time, and how late a fire time may be without being misfired, in milliseconds. */
interface Moment {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
}

/** Applies the changes to the schedule, in order. Throws what is wrong with the first impossible one. */
export function applyChanges(
  schedule: EditableSchedule,
  changes: readonly ScheduleChange[],
  moment: Moment,
): readonly ScheduleOutcome[] {
  const outcomes = changes.map((change) => {
    const isForgotten = forgottenBy(change);
    if (change.type === 'deleteTrigger') schedule.declare(change.key, null);
    else if (isForgotten !== null) schedule.forgetDeclarations(isForgotten);
    return applyChange(schedule, change, moment);
  });
  return requireTriggers(schedule, changes, outcomes);
}

function applyChange(schedule: EditableSchedule, change: ScheduleChange, moment: Moment): ScheduleOutcome {
  switch (change.type) {
    case 'storeJob':
      return storeJob(schedule, change);
    case 'storeTrigger':
      return storeTrigger(schedule, change);
    case 'replaceTrigger':
      return replaceTrigger(schedule, change);
    case 'deleteTrigger':
      return deleteTrigger(schedule, change.key);
    case 'deleteJob':
      return deleteJobs(schedule, schedule.job(change.key) === null ? [] : [change.key]);
    case 'storeCalendar':
      return storeCalendar(schedule, change, moment);
    case 'deleteCalendar':
      return deleteCalendar(schedule, change.name);
    case 'deleteJobsInGroup':
      return deleteJobs(schedule, schedule.jobsIn(isMeantBy(change)));
    case 'deleteTriggersInGroup':
      return deleteTriggers(schedule, schedule.triggersIn(isMeantBy(change)));
    case 'clear':
      return clear(schedule);
  }
}

function storeJob(schedule: EditableSchedule, { job, ifExists }: ChangeOf<'storeJob'>): ScheduleOutcome {
  const stored = schedule.job(job.key);
  if (stored !== null && ifExists === 'fail') throw new ObjectAlreadyExistsError('job', formatKey(job.key));
  if (stored !== null && ifExists === 'keep') return outcome('kept');
  if (stored !== null && sameData(stored.detail, job)) return outcome('unchanged');
  schedule.putJob(job);
  return outcome(stored === null ? 'created' : 'replaced');
}

/** Only once the whole set is applied is it known which jobs have triggers; the outcomes, without jobs that nothing needs. */
function requireTriggers(
  schedule: EditableSchedule,
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): readonly ScheduleOutcome[] {
  return outcomes.map((each, index) => {
    const change = changes[index];
    if (change?.type !== 'storeJob' || !change.requireTrigger) return each;
    const { key } = change.job;
    const stored = schedule.job(key);
    if (stored === null || stored.durable || stored.triggerCount > 0) return each;
    if (!isJobOfFinished(key, changes, outcomes)) throw triggerRequired(key);
    if (each.status === 'created') removeJob(schedule, key);
    return outcome('finished');
  });
}

function triggerRequired(key: JobKey): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected the job '${formatKey(key)}' to be durable or to have a trigger. ` +
      'Build it with storeDurably(), or schedule it.',
  );
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

function deleteTrigger(schedule: EditableSchedule, key: TriggerKey): ScheduleOutcome {
  const stored = schedule.trigger(key);
  return deleteTriggers(schedule, stored === null ? [] : [stored]);
}

/** Also deletes the non-durable jobs that are left without triggers. */
function deleteTriggers(schedule: EditableSchedule, triggers: readonly EditedTrigger[]): ScheduleOutcome {
  if (triggers.length === 0) return outcome('notFound');
  for (const { key } of triggers) schedule.removeTrigger(key);
  const deletedJobs = triggers.flatMap(({ jobKey }) => deleteOrphan(schedule, jobKey));
  return outcome('deleted', { deletedTriggers: triggers.map(({ key }) => key), deletedJobs });
}

function deleteOrphan(schedule: EditableSchedule, key: JobKey): readonly JobKey[] {
  const job = schedule.job(key);
  if (job === null || job.durable || job.triggerCount > 0) return [];
  schedule.removeJob(key);
  return [job.key];
}

function deleteJobs(schedule: EditableSchedule, keys: readonly JobKey[]): ScheduleOutcome {
  if (keys.length === 0) return outcome('notFound');
  return outcome('deleted', { deletedTriggers: keys.flatMap((key) => removeJob(schedule, key)), deletedJobs: keys });
}

/** Deletes a job and its triggers, whose keys it returns. */
function removeJob(schedule: EditableSchedule, key: JobKey): readonly TriggerKey[] {
  const triggers = schedule.triggersOf(key);
  for (const trigger of triggers) schedule.removeTrigger(trigger);
  schedule.removeJob(key);
  return triggers;
}

/** What executes goes on, and still blocks a job stored under its key. */
function clear(schedule: EditableSchedule): ScheduleOutcome {
  const jobs = schedule.jobsIn(() => true);
  const deletedTriggers = jobs.flatMap((key) => removeJob(schedule, key));
  schedule.clearRest();
  return outcome('deleted', { deletedTriggers, deletedJobs: jobs });
}

/** Stores a calendar; with `updateTriggers`, its triggers follow it at once. Throws INVALID_CALENDAR. */
function storeCalendar(schedule: EditableSchedule, change: ChangeOf<'storeCalendar'>, moment: Moment): ScheduleOutcome {
  const { name, ifExists, updateTriggers } = change;
  const stored = schedule.calendar(name);
  if (stored !== null && ifExists === 'fail') throw new ObjectAlreadyExistsError('calendar', name);
  if (stored !== null && ifExists === 'keep') return outcome('kept');
  const calendar = calendarFrom(change.calendar);
  if (stored !== null && sameData(stored.data, change.calendar)) return outcome('unchanged');

  schedule.putCalendar(name, change.calendar, calendar);
  if (updateTriggers) for (const user of schedule.usersOf(name)) reschedule(schedule, user, calendar, moment);
  return outcome(stored === null ? 'created' : 'replaced');
}

function reschedule(schedule: EditableSchedule, user: EditedTrigger, calendar: Calendar, moment: Moment): void {
  const { trigger: before, state } = user;
  // A trigger that has fired its last time stays finished, whatever the calendar now includes.
  if (before === null || state === 'COMPLETE' || before.nextFireTime === null) return;
  const trigger = withNewCalendar(before, calendar, moment.now, moment.misfireThreshold);
  if (trigger.nextFireTime === before.nextFireTime) return;
  if (trigger.nextFireTime === null) schedule.putTrigger(trigger, 'COMPLETE');
  // A reservation was for another time, so it ends.
  else schedule.putTrigger(trigger, state === 'ACQUIRED' ? 'WAITING' : state);
}

/** Throws CALENDAR_IN_USE while a trigger refers to it. */
function deleteCalendar(schedule: EditableSchedule, name: string): ScheduleOutcome {
  if (schedule.calendar(name) === null) return outcome('notFound');
  const users = schedule.usersOf(name);
  const [user] = users;
  if (user !== undefined) {
    throw new SchedulerError(
      'CALENDAR_IN_USE',
      `Expected no trigger to refer to the calendar '${name}', found ${users.length}, ` +
        `among them '${formatKey(user.key)}'. Delete or reschedule them first.`,
    );
  }
  schedule.removeCalendar(name);
  return outcome('deleted');
}
