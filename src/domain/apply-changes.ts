import { badArgument, ObjectAlreadyExistsError } from '../base/errors';
import { atOnce, type Steps } from '../base/steps';
import { deleteCalendar, followCalendar, setFireTime, storeCalendar } from './apply-calendars';
import { type Applying, applyDeclaration, applyEdit, isEdit } from './apply-declared';
import { refuseEnding } from './calendar-users';
import type { Calendar } from './calendars/calendar';
import { linksIn, refuseCycles } from './chain';
import type { ChangeContext } from './change-context';
import { declares, forgottenBy, isOfAnotherSet, targetOf } from './declaration';
import { storingClockChanges } from './default-clock-changes';
import { requireVersion } from './definition-version';
import { type DeletedWith, deletedRun } from './deleted-runs';
import {
  calendarOf,
  type EditableSchedule,
  type EditedTrigger,
  jobOf,
  movePause,
  outcome,
  refuseUnreadable,
  registrationOf,
} from './editable-schedule';
import { firstOfEach, formatKey, type JobKey, keyText, sameKey, type TriggerKey } from './keys';
import {
  planRegistration,
  planReplacement,
  type RegistrationPlan,
  type RequestedTrigger,
  stateAfterRegistration,
} from './registration';
import { SCHEDULE_CHANGED } from './run';
import { sameData } from './same-data';
import {
  type ChangeOf,
  type ChangeSet,
  groupsOf,
  type Outcomes,
  type ScheduleChange,
  type ScheduleOutcome,
} from './schedule-change';
import type { Trigger } from './trigger';
import { moveRuns, putDue } from './waiting-runs';

/** Applies the changes to the schedule in order. Throws the error of the first change that cannot be applied. */
export const applyChanges = (schedule: EditableSchedule, changes: ChangeSet, context: ChangeContext) =>
  atOnce(applyingChanges(schedule, changes, context));

/** Number of changes applied between two yields. With fewer changes, yielding would cost more than applying the changes. */
const CHANGES_A_STEP = 16;

/** Applies the changes like `applyChanges`, but yields after every `CHANGES_A_STEP` changes. A large set then does not block the event loop. */
export function* applyingChanges(
  schedule: EditableSchedule,
  changes: ChangeSet,
  context: ChangeContext,
): Steps<Outcomes> {
  const { author = null, now } = context;
  const applying: Applying = {
    author,
    now,
    apply: (change) => applyChange(schedule, change, context),
    registration: ({ trigger }) => {
      const stored = schedule.trigger(trigger.key);
      // The stored state, so that an unreadable trigger is not reported as COMPLETE.
      return stored && { ...registrationOf(schedule, stored, trigger, context), state: stored.state };
    },
  };
  const outcomes: ScheduleOutcome[] = [];
  for (const given of changes) {
    const change = storingClockChanges(given, context.clockChanges);
    outcomes.push(applyAsOwned(schedule, change, applying));
    if (outcomes.length % CHANGES_A_STEP === 0) yield;
  }
  const chained = linksIn(changes).flatMap(({ key }) => schedule.trigger(key)?.jobKey ?? []);
  if (chained.length > 0) refuseCycles(chained, schedule.links());
  return requireTriggers(schedule, changes, refuseEnding(schedule, changes, outcomes, context));
}

/** Declarations keep manual edits, which become overrides. A program that deletes an object that it declared also deletes its declaration. */
function applyAsOwned(schedule: EditableSchedule, change: ScheduleChange, applying: Applying): ScheduleOutcome {
  if (declares(change)) return applyDeclaration(schedule, change, applying);
  if (applying.author !== null && isEdit(change)) return applyEdit(schedule, change, applying);
  const isForgotten = forgottenBy(change);
  if (change.type === 'deleteTrigger') {
    const trigger = targetOf('trigger', change.key);
    if (isOfAnotherSet(change, schedule.declaration(trigger))) return outcome('notFound');
    if (isForgotten !== null) schedule.declare(trigger, null);
  } else if (isForgotten !== null) schedule.forgetDeclarations(isForgotten);
  return applying.apply(change);
}

function applyChange(schedule: EditableSchedule, change: ScheduleChange, context: ChangeContext): ScheduleOutcome {
  switch (change.type) {
    case 'storeJob':
      return storeJob(schedule, change);
    case 'storeTrigger':
      return store(schedule, change, context);
    case 'replaceTrigger':
      return replaceTrigger(schedule, change, context);
    case 'deleteTrigger':
      return deleteTrigger(schedule, change);
    case 'deleteJob':
      return deleteJobs(schedule, schedule.job(change.key) === null ? [] : [change.key]);
    case 'storeCalendar':
      return storeCalendar(schedule, change, context);
    case 'followCalendar':
      return followCalendar(schedule, change, context);
    case 'setFireTime':
      return setFireTime(schedule, change, context);
    case 'deleteCalendar':
      return deleteCalendar(schedule, change.name);
    case 'deleteJobsInGroup':
      return deleteJobs(schedule, schedule.jobsIn(groupsOf(change)));
    case 'deleteTriggersInGroup':
      return deleteTriggersInGroup(schedule, change);
    case 'expect':
      requireVersion(schedule, change);
      return outcome('unchanged');
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

/**
 * Checks the jobs that the set stores with `requireTrigger`, after all changes are applied. Throws INVALID_ARGUMENT if such a job is neither durable
 * nor has a trigger. If all declared triggers of the job have finished, does not throw, but removes the job if this set created it.
 */
function requireTriggers(schedule: EditableSchedule, changes: ChangeSet, outcomes: Outcomes): Outcomes {
  const finished = new Set(
    changes.flatMap((change, index) =>
      change.type === 'storeTrigger' && outcomes[index]?.status === 'finished' ? [keyText(change.trigger.jobKey)] : [],
    ),
  );
  return outcomes.map((each, index) => {
    const change = changes[index];
    if (change?.type !== 'storeJob' || !change.requireTrigger) return each;
    const { key } = change.job;
    const stored = schedule.job(key);
    if (stored === null || stored.durable || stored.triggerCount > 0) return each;
    if (!finished.has(keyText(key))) {
      const expected = `the job '${formatKey(key)}' to be durable or to have a trigger`;
      throw badArgument(`Expected ${expected}. Build it with storeDurably(), or schedule it.`);
    }
    if (each.status === 'created') {
      schedule.removeJob(key);
      schedule.declare(targetOf('job', key), null);
    }
    return outcome('finished');
  });
}

function store(schedule: EditableSchedule, change: ChangeOf<'storeTrigger'>, at: ChangeContext): ScheduleOutcome {
  const { trigger, ifExists } = change;
  const stored = schedule.trigger(trigger.key);
  if (change.needsReadableJob === true) refuseUnreadable(jobOf(schedule, trigger));
  if (stored === null && change.onlyIfStored === true) return outcome('notFound');
  if (stored === null) {
    jobOf(schedule, trigger);
    return insert(schedule, trigger, at);
  }
  if (ifExists === 'fail') throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  if (ifExists === 'keep') return outcome('kept', { nextFireTime: stored.nextFireTime });

  const job = jobOf(schedule, trigger);
  const current = registrationOf(schedule, stored, trigger, at);
  const plan = planRegistration(change, current, calendarOf(schedule, trigger, at), at);
  const { status, trigger: planned, keptTimeZone } = plan;
  const kept = keptTimeZone === undefined ? {} : { keptTimeZone };
  if (status === 'replaced') {
    const context = schedule.transitionContextOf(trigger.key.group, job.key);
    const state = stateAfterRegistration(planned, current.state, context);
    schedule.putTrigger(planned, state);
    putDue(schedule, plan, state);
  }
  return outcome(status, { nextFireTime: planned.nextFireTime, ...kept, ...miss(schedule, current.trigger, plan) });
}

function replaceTrigger(
  schedule: EditableSchedule,
  change: ChangeOf<'replaceTrigger'>,
  at: ChangeContext,
): ScheduleOutcome {
  const old = schedule.trigger(change.key);
  if (old === null) return outcome('notFound');
  const trigger: Trigger = { ...change.trigger, jobKey: old.jobKey };
  if (!sameKey(change.key, trigger.key)) return rename(schedule, old, { ...change, trigger }, at);

  const current = registrationOf(schedule, old, trigger, at);
  const plan = planReplacement({ ...change, trigger }, current, calendarOf(schedule, trigger, at), at);
  const context = schedule.transitionContextOf(trigger.key.group, old.jobKey);
  const state = stateAfterRegistration(plan.trigger, old.state, context);
  schedule.putTrigger(plan.trigger, state);
  putDue(schedule, plan, state);
  return outcome('replaced', { nextFireTime: plan.trigger.nextFireTime, ...miss(schedule, current.trigger, plan) });
}

/** Has the store record the due fire time that the changed trigger no longer fires. */
function miss(
  schedule: EditableSchedule,
  stored: Trigger,
  { missed, trigger: { key, jobKey } }: RegistrationPlan,
): Pick<ScheduleOutcome, 'droppedTime'> {
  if (missed === undefined) return {};
  const jobDetail = schedule.job(jobKey)?.detail ?? null;
  const error = missed.isDropped ? SCHEDULE_CHANGED : null;
  const trigger = { ...stored, key, nextFireTime: missed.time };
  if (jobDetail !== null) schedule.missFireTime({ trigger, jobDetail, error });
  return missed.isDropped ? { droppedTime: missed.time } : {};
}

/** Under safe rules, the trigger continues under its new key: what was due stays due, and an unchanged schedule keeps its progress. */
function rename(
  schedule: EditableSchedule,
  old: EditedTrigger,
  requested: RequestedTrigger,
  at: ChangeContext,
): ScheduleOutcome {
  const { trigger } = requested;
  if (schedule.trigger(trigger.key) !== null) throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  const isHeld = movePause(schedule, old, trigger.key);
  const current = registrationOf(schedule, old, trigger, at);
  const calendar = calendarOf(schedule, trigger, at);
  const plan =
    at.rules === 'quartz' ? planNew(trigger, calendar, at) : planReplacement(requested, current, calendar, at);
  schedule.removeTrigger(old.key);
  const { state } = putNew(schedule, plan, isHeld);
  moveRuns(schedule, old.key, trigger.key, { before: old.state, after: state });
  putDue(schedule, plan, state);
  const { nextFireTime } = plan.trigger;
  return outcome('replaced', { nextFireTime, deletedTriggers: [old.key], ...miss(schedule, current.trigger, plan) });
}

function insert(schedule: EditableSchedule, requested: Trigger, at: ChangeContext): ScheduleOutcome {
  const plan = planNew(requested, calendarOf(schedule, requested, at), at);
  const { startsPaused } = putNew(schedule, plan);
  return outcome(plan.status, { nextFireTime: plan.trigger.nextFireTime, ...(startsPaused && { startsPaused }) });
}

function planNew(trigger: Trigger, calendar: Calendar | null, at: ChangeContext): RegistrationPlan {
  return planRegistration({ trigger, startTimeDefaulted: false }, null, calendar, at);
}

/** Stores a trigger under a new key. `startsPaused`: its group is paused. */
function putNew(schedule: EditableSchedule, { trigger }: RegistrationPlan, isHeld = false) {
  const { key, jobKey } = trigger;
  const context = schedule.transitionContextOf(key.group, jobKey);
  // If only the pause of all groups pauses this group, also pauses the group itself, so that it is listed and can be resumed individually.
  if (context.groupPaused) schedule.pauseGroup(key.group);
  const state = stateAfterRegistration(trigger, isHeld ? 'PAUSED' : null, context);
  schedule.putTrigger(trigger, state);
  return { state, startsPaused: context.groupPaused };
}

/**
 * Deletes a trigger and the triggers of further runs that it started, such as retries, also if the trigger itself no longer exists. A further run that
 * is executing continues, but is not repeated if its node dies.
 */
function deleteTrigger(schedule: EditableSchedule, { key, unfired }: ChangeOf<'deleteTrigger'>): ScheduleOutcome {
  const found = [schedule.trigger(key)].filter((trigger) => trigger !== null).filter(isSelectedBy({ unfired }));
  return deleteTriggers(schedule, found, schedule.runsByOrigin().of(key));
}

function deleteTriggersInGroup(
  schedule: EditableSchedule,
  change: Extract<ScheduleChange, { readonly exceptGroups: readonly string[] }>,
): ScheduleOutcome {
  const isInGroup = groupsOf(change);
  const found = schedule.triggersIn(isInGroup).filter(isSelectedBy(change));
  return deleteTriggers(schedule, found, schedule.runsByOrigin().in(isInGroup));
}

function isSelectedBy({ unfired }: { readonly unfired?: true | undefined }): (trigger: EditedTrigger) => boolean {
  return ({ state }) => unfired !== true || state !== 'COMPLETE';
}

/** Deletes triggers with their waiting runs, and non-durable jobs that have no triggers left. Jobs that are running continue to run. */
function deleteTriggers(
  schedule: EditableSchedule,
  named: readonly EditedTrigger[],
  runKeys: readonly TriggerKey[],
): ScheduleOutcome {
  const runs = runKeys.flatMap((key) => schedule.trigger(key) ?? []);
  const isRun = new Set(runs.map(({ key }) => keyText(key)));
  const triggers = firstOfEach([...named, ...runs], ({ key }) => keyText(key));
  if (triggers.length === 0) return outcome('notFound');
  for (const each of triggers) remove(schedule, each, isRun.has(keyText(each.key)) ? 'trigger' : 'run');
  const deletedJobs = triggers.flatMap(({ jobKey }) => deleteOrphan(schedule, jobKey));
  return outcome('deleted', { deletedTriggers: triggers.map(({ key }) => key), deletedJobs });
}

function remove(schedule: EditableSchedule, trigger: EditedTrigger, deletedWith: DeletedWith): void {
  const job = schedule.job(trigger.jobKey);
  const run = job === null ? null : deletedRun(trigger.trigger, job, deletedWith);
  if (run !== null) schedule.endRun(run);
  schedule.removeTrigger(trigger.key);
}

function deleteOrphan(schedule: EditableSchedule, key: JobKey): readonly JobKey[] {
  const job = schedule.job(key);
  if (job === null || job.durable || job.triggerCount > 0) return [];
  schedule.removeJob(key);
  return [job.key];
}

function deleteJobs(schedule: EditableSchedule, keys: readonly JobKey[]): ScheduleOutcome {
  if (keys.length === 0) return outcome('notFound');
  const deletedTriggers = keys.flatMap((key) => {
    const triggers = schedule.triggersOf(key);
    for (const trigger of triggers.flatMap((each) => schedule.trigger(each) ?? [])) remove(schedule, trigger, 'job');
    schedule.removeJob(key);
    return triggers;
  });
  return outcome('deleted', { deletedTriggers, deletedJobs: keys });
}

/** Does not record the ends of waiting runs. Running jobs continue, and block a job that is later stored under the same key. */
function clear(schedule: EditableSchedule): ScheduleOutcome {
  const jobs = schedule.jobsIn(() => true);
  const deletedTriggers = jobs.flatMap((key) => schedule.triggersOf(key));
  for (const trigger of deletedTriggers) schedule.removeTrigger(trigger);
  for (const job of jobs) schedule.removeJob(job);
  schedule.clearRest();
  return outcome('deleted', { deletedTriggers, deletedJobs: jobs });
}
