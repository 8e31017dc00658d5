import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { Calendar, CalendarData } from './calendars/calendar';
import { calendarFrom } from './calendars/calendar-from-data';
import type { ChainLink } from './chain';
import type { ChangeContext } from './change-context';
import type { Declaration, DeclarationTarget, DeclaredKeys } from './declaration';
import type { DeletedRun, RunsByOrigin } from './deleted-runs';
import type { JobDetail } from './job-detail';
import { formatKey, type JobKey, type TriggerKey } from './keys';
import type { StoredRegistration } from './registration';
import type { ScheduleOutcome } from './schedule-change';
import type { Trigger } from './trigger';
import { isPaused, restingState, type TransitionContext, type TriggerState } from './trigger-state';

export interface EditedJob {
  readonly key: JobKey;
  /** The job; null if this node cannot read it. */
  readonly detail: JobDetail | null;
  readonly durable: boolean;
  readonly triggerCount: number;
}

export interface EditedTrigger {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  readonly state: TriggerState;
  /** The trigger; null if this node cannot read it or has not loaded it completely. */
  readonly trigger: Trigger | null;
  readonly nextFireTime: EpochMs | null;
  readonly previousFireTime: EpochMs | null;
}

export interface EditedCalendar {
  /** The calendar data; null if only Java can read it. */
  readonly data: CalendarData | null;
  readonly calendar?: Calendar;
}

/** Due fire time that a changed trigger no longer fires. */
export interface MissedFireTime {
  /** The stored trigger, with the missed time as its next fire time. */
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
  /** Reason; null for the misfire instruction. */
  readonly error: string | null;
}

/** Stored objects to which changes are applied, and the operations that change them. `applyChanges` contains the rules. */
export interface EditableSchedule {
  job(key: JobKey): EditedJob | null;
  trigger(key: TriggerKey): EditedTrigger | null;
  calendar(name: string): EditedCalendar | null;
  jobsIn(isSelected: (group: string) => boolean): readonly JobKey[];
  triggersIn(isSelected: (group: string) => boolean): readonly EditedTrigger[];
  triggersOf(job: JobKey): readonly TriggerKey[];
  usersOf(calendar: string): readonly EditedTrigger[];
  /** Returns the waiting runs of earlier occurrences, by original trigger. Call this method only if the changes delete or rename triggers. */
  runsByOrigin(): RunsByOrigin;
  /** Returns all AFTER triggers. Call this method only if the changes store such a trigger. */
  links(): readonly ChainLink[];
  transitionContextOf(group: string, job: JobKey): TransitionContext;

  /** Replaces any job stored under the same key. */
  putJob(job: JobDetail): void;
  /** The job's triggers must already be removed. */
  removeJob(key: JobKey): void;
  /** Replaces any trigger stored under the same key. The trigger's job must be stored. */
  putTrigger(trigger: Trigger, state: TriggerState): void;
  removeTrigger(key: TriggerKey): void;
  /** Marks a waiting run as deleted, so that the store records its end. */
  endRun(run: DeletedRun): void;
  /** Marks a due fire time that no longer fires, so that the store records it. */
  missFireTime(missed: MissedFireTime): void;
  putCalendar(name: string, data: CalendarData, calendar: Calendar): void;
  removeCalendar(name: string): void;
  pauseGroup(group: string): void;
  /** Moves the reason, author and end of a trigger's pause to another key. */
  movePause(from: TriggerKey, to: TriggerKey): void;
  /** Deletes everything except jobs, triggers and declarations: calendars, paused groups, pause reasons and ongoing occurrences. */
  clearRest(): void;

  declaration(target: DeclarationTarget): Declaration | null;
  /** Stores a declaration. Null deletes the stored one. */
  declare(target: DeclarationTarget, declaration: Declaration | null): void;
  forgetDeclarations(isSelected: (declared: DeclaredKeys) => boolean): void;
}

/** Empty array that all outcomes share, so that it is copied between threads only once. */
const NONE: readonly never[] = Object.freeze([]);

/** Creates an outcome. Default: no deleted objects, and no next fire time. */
export function outcome(
  status: ScheduleOutcome['status'],
  details?: Partial<Omit<ScheduleOutcome, 'status'>>,
): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: NONE, deletedJobs: NONE, ...details };
}

/** Returns the calendar of a stored trigger; null if it has none, or if this node cannot read it. */
function storedCalendarOf(
  schedule: EditableSchedule,
  { calendarName }: Trigger,
  { rules }: Pick<ChangeContext, 'rules'>,
): Calendar | null {
  const stored = calendarName === null ? null : schedule.calendar(calendarName);
  if (stored === null || stored.data === null) return null;
  return stored.calendar ?? calendarFrom(stored.data, rules);
}

/** An unreadable trigger becomes the requested one in state COMPLETE with the stored previous fire time, so that no fire time repeats. */
export function registrationOf(
  schedule: EditableSchedule,
  { trigger, state, previousFireTime }: EditedTrigger,
  requested: Trigger,
  at: ChangeContext,
): StoredRegistration {
  if (trigger !== null) return { trigger, state, calendar: () => storedCalendarOf(schedule, trigger, at) };
  return { trigger: { ...requested, nextFireTime: null, previousFireTime }, state: 'COMPLETE', calendar: () => null };
}

/** Returns the calendar of a trigger, or null if the trigger has none. Throws CALENDAR_NOT_FOUND or INVALID_CALENDAR. */
export function calendarOf(
  schedule: EditableSchedule,
  { key, calendarName }: Trigger,
  { rules }: Pick<ChangeContext, 'rules'>,
): Calendar | null {
  if (calendarName === null) return null;
  const stored = schedule.calendar(calendarName);
  // Throws INVALID_CALENDAR for a calendar that only Java can read, because its excluded times are unknown to this node.
  if (stored !== null) return stored.calendar ?? calendarFrom(stored.data, rules);
  throw new SchedulerError(
    'CALENDAR_NOT_FOUND',
    `Expected the calendar '${calendarName}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the calendar first.',
  );
}

/** Returns the stored job of a trigger. Throws JOB_NOT_FOUND. */
export function jobOf(schedule: EditableSchedule, { key, jobKey }: Trigger): EditedJob {
  const job = schedule.job(jobKey);
  if (job !== null) return job;
  throw new SchedulerError(
    'JOB_NOT_FOUND',
    `Expected the job '${formatKey(jobKey)}' of the trigger '${formatKey(key)}' to be stored, found none. ` +
      'Store the job first, or schedule both together.',
  );
}

/**
 * Sets the next fire time to the result of `timeOf`, which applies the new calendar. If it is null, the trigger becomes COMPLETE, unless it is paused:
 * it then keeps its pause. A trigger that its calendar had ended waits again, or is blocked or paused like a new one.
 */
export function reschedule(
  schedule: EditableSchedule,
  { trigger: before, state }: EditedTrigger,
  timeOf: (trigger: Trigger) => EpochMs | null,
): void {
  // A trigger that its job has ended stays COMPLETE; it still has a next fire time.
  if (before === null || before.kind === 'AFTER' || (state === 'COMPLETE' && before.nextFireTime !== null)) return;
  const trigger = { ...before, nextFireTime: timeOf(before) };
  if (trigger.nextFireTime === before.nextFireTime) return;
  if (trigger.nextFireTime === null) schedule.putTrigger(trigger, isPaused(state) ? state : 'COMPLETE');
  else if (state === 'COMPLETE')
    schedule.putTrigger(trigger, restingState(schedule.transitionContextOf(trigger.key.group, trigger.jobKey)));
  // An acquired trigger returns to WAITING, because it was acquired for its old fire time.
  else schedule.putTrigger(trigger, state === 'ACQUIRED' ? 'WAITING' : state);
}

/** Moves the trigger's own pause to its new key. Returns true if the trigger is paused by itself, not by its group. */
export function movePause(schedule: EditableSchedule, { key, jobKey, state }: EditedTrigger, to: TriggerKey): boolean {
  const isGroupPaused = ({ group }: TriggerKey) => schedule.transitionContextOf(group, jobKey).groupPaused;
  const isHeld = isPaused(state) && !isGroupPaused(key);
  if (isHeld || (isPaused(state) && isGroupPaused(to))) schedule.movePause(key, to);
  return isHeld;
}

/** Throws INVALID_JOB_DATA if this node cannot read the job. */
export function refuseUnreadable({ key, detail }: EditedJob): void {
  if (detail !== null) return;
  throw new SchedulerError(
    'INVALID_JOB_DATA',
    `Expected readable data in the job '${formatKey(key)}', found data that this node cannot read (listUnreadable() gives the cause). ` +
      'The job cannot run here: store it again with addJob and replace, or trigger it on a node that can read its data.',
  );
}
