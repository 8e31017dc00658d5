import type { EpochMs } from '../base/clock';
import type { CalendarData } from './calendars/calendar';
import type { JobDetail } from './job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from './keys';
import type { Trigger } from './trigger';

/** What to do when the key is taken: refuse the whole change set, put the new one in its place, or leave the old one. */
export type IfExists = 'fail' | 'replace' | 'keep';

/** One step of a change set. Steps are applied in order; the first that cannot be done undoes all. */
export type ScheduleChange =
  /** `requireTrigger`: refuse a non-durable job that has no trigger once the whole set is applied. */
  | {
      readonly type: 'storeJob';
      readonly job: JobDetail;
      readonly ifExists: IfExists;
      readonly requireTrigger: boolean;
    }
  /**
   * Computes the first fire time. On `replace`, what the stored trigger already fired is kept: an unchanged schedule
   * keeps its next and previous fire times, a changed one never fires at or before the previous one.
   * `startTimeDefaulted`: the caller named no start time, so the stored one stays.
   * `needsReadableJob`: refuse a job whose stored data this node cannot read.
   */
  | {
      readonly type: 'storeTrigger';
      readonly trigger: Trigger;
      readonly ifExists: IfExists;
      readonly startTimeDefaulted: boolean;
      readonly needsReadableJob?: boolean;
    }
  /** Quartz's rescheduleJob: the trigger `key` gives way to `trigger` (same job, possibly another key). */
  | {
      readonly type: 'replaceTrigger';
      readonly key: TriggerKey;
      readonly trigger: Trigger;
      readonly startTimeDefaulted: boolean;
    }
  /** Also deletes a non-durable job left without triggers. */
  | { readonly type: 'deleteTrigger'; readonly key: TriggerKey }
  /** Also deletes all its triggers. */
  | { readonly type: 'deleteJob'; readonly key: JobKey }
  /** `updateTriggers`: recompute the next fire times of the triggers that refer to it. */
  | {
      readonly type: 'storeCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly ifExists: IfExists;
      readonly updateTriggers: boolean;
    }
  /** Deletes every job of the matched groups, except in `exceptGroups`. */
  | { readonly type: 'deleteJobsInGroup'; readonly group: GroupMatcher; readonly exceptGroups: readonly string[] }
  | { readonly type: 'deleteTriggersInGroup'; readonly group: GroupMatcher; readonly exceptGroups: readonly string[] }
  | { readonly type: 'deleteCalendar'; readonly name: string }
  /** Deletes every job, trigger and calendar, and forgets paused groups. */
  | { readonly type: 'clear' };

/** What one step did. `nextFireTime` is that of a stored trigger; null for everything else. */
export interface ScheduleOutcome {
  readonly status: 'created' | 'replaced' | 'unchanged' | 'kept' | 'deleted' | 'notFound';
  readonly nextFireTime: EpochMs | null;
  /** Jobs and triggers this step deleted, by itself or in its wake (the triggers of a job, an orphaned job). */
  readonly deletedTriggers: readonly TriggerKey[];
  readonly deletedJobs: readonly JobKey[];
}
