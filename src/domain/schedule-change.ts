import type { EpochMs } from '../base/clock';
import type { CalendarData } from './calendars/calendar';
import type { JobDetail } from './job-detail';
import { type GroupMatcher, type JobKey, keyText, matchesGroup, type TriggerKey } from './keys';
import type { Declarer } from './override';
import type { Trigger } from './trigger';

/** Behaviour if the key already exists: refuse the whole change set, replace the stored object, or keep it. */
export type IfExists = 'fail' | 'replace' | 'keep';

/** One step of a change set. Steps are applied in order. If one cannot be applied, all of them are undone. */
export type ScheduleChange =
  /**
   * Stores a job. `requireTrigger`: refuse a job that is not durable and has no trigger once the whole set is applied. `registeredLater`:
   * accept a type that no node has yet.
   */
  | {
      readonly type: 'storeJob';
      readonly job: JobDetail;
      readonly ifExists: IfExists;
      readonly requireTrigger: boolean;
      readonly registeredLater?: boolean;
      readonly declared?: Declarer;
    }
  /**
   * Computes the first fire time. On `replace`, the progress of the stored trigger is kept: an unchanged schedule keeps its next and previous fire
   * times, a changed one never fires at or before the previous one.
   * `startTimeDefaulted`: the caller named no start time, so the stored one stays. `timeZoneDefaulted`: the same for the zone.
   * `declared`: the trigger is declared again at every start, as part of a set (null: no set). If the same declaration has ended before, it is left
   * alone; `deleteTrigger`, `deleteJob` and similar changes reset that.
   * `needsReadableJob`: refuse a job whose stored data this node cannot read. `onlyIfStored`: store nothing if nothing was stored.
   */
  | {
      readonly type: 'storeTrigger';
      readonly trigger: Trigger;
      readonly ifExists: IfExists;
      readonly startTimeDefaulted: boolean;
      readonly timeZoneDefaulted?: boolean;
      readonly declared?: Declarer;
      readonly needsReadableJob?: boolean;
      readonly onlyIfStored?: boolean;
    }
  /** Quartz's rescheduleJob: replaces the trigger `key` with `trigger`, which has the same job and possibly another key. */
  | {
      readonly type: 'replaceTrigger';
      readonly key: TriggerKey;
      readonly trigger: Trigger;
      readonly startTimeDefaulted: boolean;
      readonly timeZoneDefaulted?: boolean;
    }
  /**
   * Deletes a trigger, its waiting runs of earlier occurrences, and a non-durable job left without triggers. `declaredIn`: only if the trigger
   * belongs to that declared set. `unfired`: only if it has a fire time left.
   */
  | { readonly type: 'deleteTrigger'; readonly key: TriggerKey; readonly declaredIn?: string; readonly unfired?: true }
  /** Deletes a job with all its triggers and waiting runs. */
  | { readonly type: 'deleteJob'; readonly key: JobKey }
  /** Stores a calendar. `updateTriggers`: recompute the next fire times of the triggers that refer to it. */
  | {
      readonly type: 'storeCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly ifExists: IfExists;
      readonly updateTriggers: boolean;
      readonly declared?: Declarer;
    }
  /** Deletes every job or every trigger of the matched groups, except in `exceptGroups`. `unfired`: only triggers with a fire time left. */
  | {
      readonly type: 'deleteJobsInGroup' | 'deleteTriggersInGroup';
      readonly group: GroupMatcher;
      readonly exceptGroups: readonly string[];
      readonly unfired?: true;
    }
  /**
   * Moves triggers that refer to a calendar to their new next fire times, if it is still stored as `calendar`; otherwise `kept`.
   * `nextFireTime` applies to a trigger that is unchanged since it was read; for a changed one it is computed again.
   */
  | {
      readonly type: 'followCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly triggers: readonly { readonly read: Trigger; readonly nextFireTime: EpochMs | null }[];
    }
  | { readonly type: 'deleteCalendar'; readonly name: string }
  /** Stores nothing. Refuses the whole set unless the stored definition has this version; see `definition-version.ts`. */
  | ({ readonly type: 'expect'; readonly version: string; readonly versionKey: string } & ExpectedDefinition)
  /** Deletes every job, trigger and calendar, and forgets paused groups. The recorded runs are kept, because they are history. */
  | { readonly type: 'clear' };

/** Object whose version is compared. */
export type ExpectedDefinition =
  | { readonly what: 'job'; readonly key: JobKey }
  | { readonly what: 'trigger'; readonly key: TriggerKey }
  | { readonly what: 'calendar'; readonly name: string };

/** The change of one type. */
export type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Returns a predicate for the groups to which a change of whole groups applies. */
export function groupsOf(
  change: Extract<ScheduleChange, { readonly exceptGroups: readonly string[] }>,
): (group: string) => boolean {
  return (group) => matchesGroup(change.group, group) && !change.exceptGroups.includes(group);
}

/**
 * Result of one step. `finished`: the declared trigger has ended before, so it and a job needed only for it are left alone. `nextFireTime` belongs to
 * a stored trigger; null otherwise.
 */
export interface ScheduleOutcome {
  /** Outcome of the change. */
  readonly status: 'created' | 'replaced' | 'unchanged' | 'kept' | 'finished' | 'deleted' | 'notFound';
  /** Next fire time of the stored trigger, in epoch milliseconds; null if it never fires, or if this is no trigger. */
  readonly nextFireTime: EpochMs | null;
  /** Zone of the stored trigger, if it is kept instead of a different default. */
  readonly keptTimeZone?: string;
  /** True for a new trigger that starts paused, because its group is paused; otherwise absent. */
  readonly startsPaused?: true;
  /** Triggers that this step deleted, directly or as a consequence (the triggers of a deleted job). `deletedJobs` includes orphaned jobs. */
  readonly deletedTriggers: readonly TriggerKey[];
  /** Jobs that were deleted with their last trigger. */
  readonly deletedJobs: readonly JobKey[];
  /** Changed fields of an object that was declared or manually edited. Absent if there are none, or if they were not compared. */
  readonly changedFields?: readonly string[];
  /** Manually edited fields that an override keeps. Empty if the object was manually deleted, or has ended. Absent: there is no override. */
  readonly overridden?: readonly string[];
  /** Overridden fields whose declaration has changed. */
  readonly conflicts?: readonly string[];
  /** Overridden fields that do not fit the new declaration and end; absent: none. */
  readonly dropped?: readonly string[];
  /** True if an override of the object ended. */
  readonly overrideEnded?: true;
}

/** Returns the jobs, by the texts of their keys, of declared triggers that have ended before. These triggers no longer need their jobs. */
export function jobsOfFinished(
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): ReadonlySet<string> {
  const jobs = changes.flatMap((change, index) =>
    change.type === 'storeTrigger' && outcomes[index]?.status === 'finished' ? [keyText(change.trigger.jobKey)] : [],
  );
  return new Set(jobs);
}
