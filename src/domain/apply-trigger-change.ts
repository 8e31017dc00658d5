import { ObjectAlreadyExistsError, SchedulerError } from '../base/errors';
import type { Calendar } from './calendars/calendar';
import { calendarFrom } from './calendars/calendar-from-data';
import { declarationOf, isDeclaredNow, planDeclaration } from './declaration';
import { type EditableSchedule, type EditedJob, type EditedTrigger, outcome } from './editable-schedule';
import { formatKey, sameKey } from './keys';
import { planRegistration, planReplacement, type StoredRegistration, stateAfterRegistration } from './registration';
import type { ScheduleChange, ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';
import { restingState } from './trigger-state';

type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Stores a trigger under its key, as `planRegistration` decides; a declared one, unless it has come to its end before. */
export function storeTrigger(schedule: EditableSchedule, change: ChangeOf<'storeTrigger'>): ScheduleOutcome {
  if (change.declared === undefined) return store(schedule, change);
  const { trigger } = change;
  const stored = schedule.trigger(trigger.key);
  // With the stored state: a trigger that cannot be read has not ended because of that.
  const current = stored && { ...registrationOf(stored, trigger), state: stored.state };
  const plan = planDeclaration(change, schedule.declaration(trigger.key), current);
  const done = plan === 'store' ? store(schedule, change) : declaredBefore(plan, stored);
  if (plan !== 'store' || isDeclaredNow(change, current, done)) schedule.declare(trigger.key, declarationOf(change));
  return done;
}

function declaredBefore(plan: 'finished' | 'kept', stored: EditedTrigger | null): ScheduleOutcome {
  return plan === 'finished' ? outcome('finished') : outcome('kept', { nextFireTime: stored?.nextFireTime ?? null });
}

function store(schedule: EditableSchedule, change: ChangeOf<'storeTrigger'>): ScheduleOutcome {
  const { trigger, ifExists } = change;
  const stored = schedule.trigger(trigger.key);
  if (change.needsReadableJob === true) refuseUnreadable(jobOf(schedule, trigger));
  if (stored === null) {
    jobOf(schedule, trigger);
    return insert(schedule, trigger);
  }
  if (ifExists === 'fail') throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  if (ifExists === 'keep') return outcome('kept', { nextFireTime: stored.nextFireTime });

  const job = jobOf(schedule, trigger);
  const current = registrationOf(stored, trigger);
  const { status, trigger: planned, ...kept } = planRegistration(change, current, calendarOf(schedule, trigger));
  if (status === 'replaced') {
    const circumstances = schedule.transitionContextOf(trigger.key.group, job.key);
    schedule.putTrigger(planned, stateAfterRegistration(planned, current.state, circumstances));
  }
  return outcome(status, { nextFireTime: planned.nextFireTime, ...kept });
}

/** Puts a trigger in the place of another, for the same job. Unlike a registration, it ends a pause of the old one. */
export function replaceTrigger(schedule: EditableSchedule, change: ChangeOf<'replaceTrigger'>): ScheduleOutcome {
  const old = schedule.trigger(change.key);
  if (old === null) return outcome('notFound');
  const trigger: Trigger = { ...change.trigger, jobKey: old.jobKey };
  if (!sameKey(change.key, trigger.key)) return rename(schedule, old, trigger);

  const plan = planReplacement({ ...change, trigger }, registrationOf(old, trigger), calendarOf(schedule, trigger));
  const circumstances = schedule.transitionContextOf(trigger.key.group, old.jobKey);
  schedule.putTrigger(plan.trigger, stateAfterRegistration(plan.trigger, null, circumstances));
  return outcome('replaced', { nextFireTime: plan.trigger.nextFireTime });
}

function rename(schedule: EditableSchedule, old: EditedTrigger, trigger: Trigger): ScheduleOutcome {
  if (schedule.trigger(trigger.key) !== null) throw new ObjectAlreadyExistsError('trigger', formatKey(trigger.key));
  schedule.removeTrigger(old.key);
  const { nextFireTime } = insert(schedule, trigger);
  return outcome('replaced', { nextFireTime, deletedTriggers: [old.key] });
}

function insert(schedule: EditableSchedule, requested: Trigger): ScheduleOutcome {
  const { key, jobKey } = requested;
  const calendar = calendarOf(schedule, requested);
  const { status, trigger } = planRegistration({ trigger: requested, startTimeDefaulted: false }, null, calendar);
  const circumstances = schedule.transitionContextOf(key.group, jobKey);
  // Perhaps paused only because all groups are: so that it is listed, and can be resumed by itself.
  if (circumstances.groupPaused) schedule.pauseGroup(key.group);
  schedule.putTrigger(trigger, restingState(circumstances));
  return outcome(status, { nextFireTime: trigger.nextFireTime });
}

/** What is stored, as far as it can be read: of a trigger that cannot be read, at least no time is fired again. */
function registrationOf({ trigger, state, previousFireTime }: EditedTrigger, requested: Trigger): StoredRegistration {
  if (trigger !== null) return { trigger, state };
  return { trigger: { ...requested, nextFireTime: null, previousFireTime }, state: 'COMPLETE' };
}

/** The calendar that a trigger names; null when it names none. */
function calendarOf(schedule: EditableSchedule, { key, calendarName }: Trigger): Calendar | null {
  if (calendarName === null) return null;
  const stored = schedule.calendar(calendarName);
  // One that only Java reads is refused as malformed: what it excludes is not known here.
  if (stored !== null) return stored.calendar ?? calendarFrom(stored.data);
  throw new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${calendarName}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

function jobOf(schedule: EditableSchedule, { key, jobKey }: Trigger): EditedJob {
  const job = schedule.job(jobKey);
  if (job !== null) return job;
  throw new SchedulerError(
    'JOB_NOT_FOUND',
    `Expected the job '${formatKey(jobKey)}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the job first, or schedule both together.',
  );
}

function refuseUnreadable({ key, detail }: EditedJob): void {
  if (detail !== null) return;
  throw new SchedulerError(
    'INVALID_JOB_DATA',
    `Expected data that this node can read in the job '${formatKey(key)}', found other data (listUnreadable() names the cause). ` +
      'It would not run here: store the job anew with addJob and replace, or trigger it on a node that reads its data.',
  );
}
