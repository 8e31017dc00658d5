import type { EpochMs } from '../base/clock';
import type { Calendar, CalendarData } from './calendars/calendar';
import type { Declaration, DeclaredKeys } from './declaration';
import type { JobDetail } from './job-detail';
import type { JobKey, TriggerKey } from './keys';
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
  jobsIn(isMeant: (group: string) => boolean): readonly JobKey[];
  triggersIn(isMeant: (group: string) => boolean): readonly EditedTrigger[];
  triggersOf(job: JobKey): readonly TriggerKey[];
  /** The triggers that refer to the calendar. */
  usersOf(calendar: string): readonly EditedTrigger[];
  /** What decides the state of a trigger of this group and job. */
  transitionContextOf(group: string, job: JobKey): TransitionContext;

  /** Puts a job under its key, in place of what is there. */
  putJob(job: JobDetail): void;
  /** Its triggers must be gone. */
  removeJob(key: JobKey): void;
  /** Puts a trigger under its key, in place of what is there. Its job is stored. */
  putTrigger(trigger: Trigger, state: TriggerState): void;
  removeTrigger(key: TriggerKey): void;
  putCalendar(name: string, data: CalendarData, calendar: Calendar): void;
  removeCalendar(name: string): void;
  pauseGroup(group: string): void;
  /** Removes every calendar, and forgets paused groups. */
  clearRest(): void;

  declaration(key: TriggerKey): Declaration | null;
  /** Null: the trigger is not declared any more. */
  declare(key: TriggerKey, declaration: Declaration | null): void;
  forgetDeclarations(isMeant: (declared: DeclaredKeys) => boolean): void;
}

/** Shared by all outcomes: it crosses between the threads once. */
const NONE: readonly never[] = Object.freeze([]);

/** What one step did; by default nothing was deleted and there is no fire time. */
export function outcome(
  status: ScheduleOutcome['status'],
  details?: Partial<Omit<ScheduleOutcome, 'status'>>,
): ScheduleOutcome {
  return { status, nextFireTime: null, deletedTriggers: NONE, deletedJobs: NONE, ...details };
}
