import type { EpochMs } from '../base/clock';
import type { CalendarData } from './calendars/calendar';
import type { JobDetail } from './job-detail';
import { type GroupMatcher, type JobKey, sameKey, type TriggerKey } from './keys';
import type { Trigger } from './trigger';

/** What to do when the key is taken: refuse the whole change set, put the new one in its place, or leave the old one. */
export type IfExists = 'fail' | 'replace' | 'keep';

/** One step of a change set. Steps are applied in order; the first that cannot be done undoes all. */
export type ScheduleChange =
  /**
   * `requireTrigger`: refuse a non-durable job that has no trigger once the whole set is applied. `registeredLater`: no node need have
   * its type yet.
   */
  | {
      /** What is to be done. */
      readonly type: 'storeJob';
      /** The job to store. */
      readonly job: JobDetail;
      /** What to do where the key is taken. */
      readonly ifExists: IfExists;
      /** Whether a job that is not durable must have a trigger then. */
      readonly requireTrigger: boolean;
      /** Whether no node need have its type yet. */
      readonly registeredLater?: boolean;
    }
  /**
   * Computes the first fire time. On `replace`, what the stored trigger already fired is kept: an unchanged schedule
   * keeps its next and previous fire times, a changed one never fires at or before the previous one.
   * `startTimeDefaulted`: the caller named no start time, so the stored one stays; `timeZoneDefaulted`: the same of the zone.
   * `declared`: it is said again at every start, as part of a set (null: of none). What was declared the same before and has
   * come to its end since is left alone then; `deleteTrigger`, `deleteJob` and their like forget that.
   * `needsReadableJob`: refuse a job whose stored data this node cannot read.
   */
  | {
      /** What is to be done. */
      readonly type: 'storeTrigger';
      /** The trigger to store. */
      readonly trigger: Trigger;
      /** What to do where the key is taken. */
      readonly ifExists: IfExists;
      /** Whether the start time is only the moment of the call. */
      readonly startTimeDefaulted: boolean;
      /** Whether the zone is only the scheduler's. */
      readonly timeZoneDefaulted?: boolean;
      /** It is said again at every start, as part of a set; null: of none. */
      readonly declared?: { readonly set: string | null };
      /** Refuse a job whose stored data this node cannot read. */
      readonly needsReadableJob?: boolean;
    }
  /** Quartz's rescheduleJob: the trigger `key` gives way to `trigger` (same job, possibly another key). */
  | {
      /** What is to be done. */
      readonly type: 'replaceTrigger';
      /** What is meant. */
      readonly key: TriggerKey;
      /** The trigger to store. */
      readonly trigger: Trigger;
      /** Whether the start time is only the moment of the call. */
      readonly startTimeDefaulted: boolean;
      /** Whether the zone is only the scheduler's. */
      readonly timeZoneDefaulted?: boolean;
    }
  /** Also deletes a non-durable job left without triggers. */
  | { readonly type: 'deleteTrigger'; readonly key: TriggerKey }
  /** Also deletes all its triggers. */
  | { readonly type: 'deleteJob'; readonly key: JobKey }
  /** `updateTriggers`: recompute the next fire times of the triggers that refer to it. */
  | {
      /** What is to be done. */
      readonly type: 'storeCalendar';
      /** Of the calendar. */
      readonly name: string;
      /** The calendar to store. */
      readonly calendar: CalendarData;
      /** What to do where the key is taken. */
      readonly ifExists: IfExists;
      /** Whether the next fire times of its triggers are worked out anew. */
      readonly updateTriggers: boolean;
    }
  /** Deletes every job of the matched groups, except in `exceptGroups`. */
  | {
      readonly type: 'deleteJobsInGroup';
      /** The groups that are meant. */
      readonly group: GroupMatcher;
      /** Groups that are left alone. */
      readonly exceptGroups: readonly string[];
    }
  | {
      readonly type: 'deleteTriggersInGroup';
      /** The groups that are meant. */
      readonly group: GroupMatcher;
      /** Groups that are left alone. */
      readonly exceptGroups: readonly string[];
    }
  | { readonly type: 'deleteCalendar'; readonly name: string }
  /** Deletes every job, trigger and calendar, and forgets paused groups. */
  | { readonly type: 'clear' };

/**
 * What one step did. `finished`: what is declared has come to its end before, so it and a job that would be there only for it are
 * left alone. `nextFireTime` is that of a stored trigger; null for everything else.
 */
export interface ScheduleOutcome {
  /** What became of the change. */
  readonly status: 'created' | 'replaced' | 'unchanged' | 'kept' | 'finished' | 'deleted' | 'notFound';
  /** Of the trigger that was stored, in epoch milliseconds; null: never, or no trigger. */
  readonly nextFireTime: EpochMs | null;
  /** The zone of the stored trigger, where it stays in the place of another default. */
  readonly keptTimeZone?: string;
  /** Jobs and triggers this step deleted, by itself or in its wake (the triggers of a job, an orphaned job). */
  readonly deletedTriggers: readonly TriggerKey[];
  /** Jobs that went with their last trigger. */
  readonly deletedJobs: readonly JobKey[];
}

/**
 * Whether the job was stored for a declared trigger that has come to its end before: nothing is left then that needs it.
 * `outcomes` are those of the same steps.
 */
export function isJobOfFinished(
  jobKey: JobKey,
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): boolean {
  return changes.some(
    (change, index) =>
      change.type === 'storeTrigger' &&
      outcomes[index]?.status === 'finished' &&
      sameKey(change.trigger.jobKey, jobKey),
  );
}
