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

/** Stored job to which a change set is applied. */
export interface EditedJob {
  readonly key: JobKey;
  /** The job; null if this node cannot read it. */
  readonly detail: JobDetail | null;
  readonly durable: boolean;
  readonly triggerCount: number;
}

/** Stored trigger to which a change set is applied. */
export interface EditedTrigger {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  readonly state: TriggerState;
  /** The trigger; null if this node cannot read it, or has not loaded all of it. */
  readonly trigger: Trigger | null;
  readonly nextFireTime: EpochMs | null;
  readonly previousFireTime: EpochMs | null;
}

/** Stored calendar to which a change set is applied. */
export interface EditedCalendar {
  /** The calendar; null if only Java can read it. */
  readonly data: CalendarData | null;
  readonly calendar?: Calendar;
}

/** Schedule to which a change set is applied, step by step: its stored objects, and the operations on them. `applyChanges` holds the rules. */
export interface EditableSchedule {
  job(key: JobKey): EditedJob | null;
  trigger(key: TriggerKey): EditedTrigger | null;
  calendar(name: string): EditedCalendar | null;
  /** Returns the keys of the jobs in the selected groups. */
  jobsIn(isSelected: (group: string) => boolean): readonly JobKey[];
  triggersIn(isSelected: (group: string) => boolean): readonly EditedTrigger[];
  triggersOf(job: JobKey): readonly TriggerKey[];
  /** Returns the triggers that refer to the calendar. */
  usersOf(calendar: string): readonly EditedTrigger[];
  /** Returns the stored runs of earlier occurrences. Call it only if the change set deletes triggers. */
  runsByOrigin(): RunsByOrigin;
  /** Returns every trigger that waits for other jobs. Call it only if the change set stores such a trigger. */
  links(): readonly ChainLink[];
  /** Returns the facts that decide the state of a trigger of this group and job. */
  transitionContextOf(group: string, job: JobKey): TransitionContext;

  /** Stores a job under its key, replacing any existing one. */
  putJob(job: JobDetail): void;
  /** Removes a job. Its triggers must have been removed before. */
  removeJob(key: JobKey): void;
  /** Stores a trigger under its key, replacing any existing one. Its job must be stored. */
  putTrigger(trigger: Trigger, state: TriggerState): void;
  removeTrigger(key: TriggerKey): void;
  /** Records that the trigger of a waiting run is deleted, so that the store records its end. */
  endRun(run: DeletedRun): void;
  putCalendar(name: string, data: CalendarData, calendar: Calendar): void;
  removeCalendar(name: string): void;
  pauseGroup(group: string): void;
  /** Removes every calendar, and forgets paused groups. */
  clearRest(): void;

  declaration(subject: Subject): Declaration | null;
  /** Stores the declaration of a subject; null deletes it. */
  declare(subject: Subject, declaration: Declaration | null): void;
  forgetDeclarations(isSelected: (declared: DeclaredKeys) => boolean): void;
}

/** Shared by all outcomes, so that it is copied between threads only once. */
const NONE: readonly never[] = Object.freeze([]);

/** Outcome of one step. By default nothing was deleted and there is no fire time. */
export function outcome(
  status: ScheduleOutcome['status'],
  details?: Partial<Omit<ScheduleOutcome, 'status'>>,
): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: NONE, deletedJobs: NONE, ...details };
}

/** Returns the calendar that a trigger names, or null if it names none. Throws CALENDAR_NOT_FOUND, or INVALID_CALENDAR. */
export function calendarOf(schedule: EditableSchedule, { key, calendarName }: Trigger): Calendar | null {
  if (calendarName === null) return null;
  const stored = schedule.calendar(calendarName);
  // A calendar that only Java can read is refused as malformed, because its excluded times are unknown here.
  if (stored !== null) return stored.calendar ?? calendarFrom(stored.data);
  throw new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${calendarName}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

/** Returns the job of a trigger. Throws JOB_NOT_FOUND. */
export function jobOf(schedule: EditableSchedule, { key, jobKey }: Trigger): EditedJob {
  const job = schedule.job(jobKey);
  if (job !== null) return job;
  throw new SchedulerError(
    'JOB_NOT_FOUND',
    `Expected the job '${formatKey(jobKey)}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the job first, or schedule both together.',
  );
}

/** Moves a trigger to its next fire time under the new calendar. */
export function reschedule(
  schedule: EditableSchedule,
  { trigger: before, state }: EditedTrigger,
  timeOf: (trigger: Trigger) => EpochMs | null,
): void {
  // A trigger that has fired for the last time stays finished, even if the calendar now includes further times.
  if (before === null || state === 'COMPLETE' || before.nextFireTime === null) return;
  const trigger = { ...before, nextFireTime: timeOf(before) };
  if (trigger.nextFireTime === before.nextFireTime) return;
  if (trigger.nextFireTime === null) schedule.putTrigger(trigger, 'COMPLETE');
  // A reservation was for another time, so it ends.
  else schedule.putTrigger(trigger, state === 'ACQUIRED' ? 'WAITING' : state);
}
