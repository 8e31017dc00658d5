import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { Calendar, CalendarData } from './calendars/calendar';
import { calendarFrom } from './calendars/calendar-from-data';
import type { ChainLink } from './chain';
import type { Declaration, DeclaredKeys, Subject } from './declaration';
import type { DeletedRun, RunsByOrigin } from './deleted-runs';
import type { JobDetail } from './job-detail';
import { formatKey, type JobKey, type TriggerKey } from './keys';
import type { ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';
import type { TransitionContext, TriggerState } from './trigger-state';

/** A job as a change set finds it. */
export interface EditedJob {
  readonly key: JobKey;
  /** Null: this node cannot read it. */
  readonly detail: JobDetail | null;
  readonly durable: boolean;
  readonly triggerCount: number;
}

/** A trigger as a change set finds it. */
export interface EditedTrigger {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  readonly state: TriggerState;
  /** Null: this node cannot read it, or has not read it as a whole. */
  readonly trigger: Trigger | null;
  readonly nextFireTime: EpochMs | null;
  readonly previousFireTime: EpochMs | null;
}

/** A calendar as a change set finds it. */
export interface EditedCalendar {
  /** Null: only Java reads it. */
  readonly data: CalendarData | null;
  readonly calendar?: Calendar;
}

/**
 * The schedule that a change set is applied to, step by step: what each store keeps of it, and what the steps may do to it. The rules are in
 * `applyChanges`.
 */
export interface EditableSchedule {
  job(key: JobKey): EditedJob | null;
  trigger(key: TriggerKey): EditedTrigger | null;
  calendar(name: string): EditedCalendar | null;
  /** The keys of the jobs in the groups that are meant. */
  jobsIn(isSelected: (group: string) => boolean): readonly JobKey[];
  triggersIn(isSelected: (group: string) => boolean): readonly EditedTrigger[];
  triggersOf(job: JobKey): readonly TriggerKey[];
  /** The triggers that refer to the calendar. */
  usersOf(calendar: string): readonly EditedTrigger[];
  /** The stored runs of earlier occurrences. Only to be asked where the change set deletes triggers. */
  runsByOrigin(): RunsByOrigin;
  /** Every trigger that waits for other jobs. Only to be asked where the change set stores such a trigger. */
  links(): readonly ChainLink[];
  /** What decides the state of a trigger of this group and job. */
  transitionContextOf(group: string, job: JobKey): TransitionContext;

  /** Puts a job under its key, in place of what is there. */
  putJob(job: JobDetail): void;
  /** Its triggers must be gone. */
  removeJob(key: JobKey): void;
  /** Puts a trigger under its key, in place of what is there. Its job is stored. */
  putTrigger(trigger: Trigger, state: TriggerState): void;
  removeTrigger(key: TriggerKey): void;
  /** Notes that the trigger of a waiting run is deleted: the store records its end. */
  endRun(run: DeletedRun): void;
  putCalendar(name: string, data: CalendarData, calendar: Calendar): void;
  removeCalendar(name: string): void;
  pauseGroup(group: string): void;
  /** Removes every calendar, and forgets paused groups. */
  clearRest(): void;

  declaration(subject: Subject): Declaration | null;
  /** Null: it is not declared any more. */
  declare(subject: Subject, declaration: Declaration | null): void;
  forgetDeclarations(isSelected: (declared: DeclaredKeys) => boolean): void;
}

/** Shared by all outcomes, so that it crosses between the threads once. */
const NONE: readonly never[] = Object.freeze([]);

/** What one step did; by default nothing was deleted and there is no fire time. */
export function outcome(
  status: ScheduleOutcome['status'],
  details?: Partial<Omit<ScheduleOutcome, 'status'>>,
): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: NONE, deletedJobs: NONE, ...details };
}

/** The calendar that a trigger names; null when it names none. Throws CALENDAR_NOT_FOUND, or INVALID_CALENDAR. */
export function calendarOf(schedule: EditableSchedule, { key, calendarName }: Trigger): Calendar | null {
  if (calendarName === null) return null;
  const stored = schedule.calendar(calendarName);
  // A calendar that only Java reads is refused as malformed: what it excludes is not known here.
  if (stored !== null) return stored.calendar ?? calendarFrom(stored.data);
  throw new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${calendarName}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

/** The job of a trigger. Throws JOB_NOT_FOUND. */
export function jobOf(schedule: EditableSchedule, { key, jobKey }: Trigger): EditedJob {
  const job = schedule.job(jobKey);
  if (job !== null) return job;
  throw new SchedulerError(
    'JOB_NOT_FOUND',
    `Expected the job '${formatKey(jobKey)}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the job first, or schedule both together.',
  );
}

/** Gives a trigger the next fire time that its new calendar leaves it. */
export function reschedule(
  schedule: EditableSchedule,
  { trigger: before, state }: EditedTrigger,
  timeOf: (trigger: Trigger) => EpochMs | null,
): void {
  // A trigger that has fired its last time stays finished, whatever the calendar now includes.
  if (before === null || state === 'COMPLETE' || before.nextFireTime === null) return;
  const trigger = { ...before, nextFireTime: timeOf(before) };
  if (trigger.nextFireTime === before.nextFireTime) return;
  if (trigger.nextFireTime === null) schedule.putTrigger(trigger, 'COMPLETE');
  // A reservation was for another time, so it ends.
  else schedule.putTrigger(trigger, state === 'ACQUIRED' ? 'WAITING' : state);
}
