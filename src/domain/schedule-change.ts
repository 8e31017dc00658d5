import type { EpochMs } from '../base/clock';
import type { CalendarData } from './calendars/calendar';
import type { JobDetail } from './job-detail';
import { type GroupMatcher, type JobKey, matchesGroup, type TriggerKey } from './keys';
import type { Declarer } from './override';
import type { Trigger } from './trigger';

/** Behaviour if the key exists. `fail`: the whole set fails. `replace`: the stored object is replaced. `keep`: the stored object remains. */
export type IfExists = 'fail' | 'replace' | 'keep';

/** One change in a set of changes. The changes are applied in order. If one of them cannot be applied, the whole set is rolled back. */
export type ScheduleChange =
  /**
   * Stores a job.
   * `requireTrigger`: fail if the job is neither durable nor has a trigger after the whole set is applied.
   * `registeredLater`: accept a job type that no node has registered yet.
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
   * Stores a trigger and computes its first fire time. With `replace`, an unchanged schedule keeps its next and previous fire times, and a changed
   * schedule never fires at or before the previous fire time.
   * `startTimeDefaulted`: the caller set no start time, so the stored start time remains. `timeZoneDefaulted`: the same for the time zone.
   * `declared`: the trigger is declared again at every start. If the trigger of the same declaration has already ended, nothing is stored until
   * `deleteTrigger`, `deleteJob` or a similar change deletes the declaration.
   * `needsReadableJob`: fail if this node cannot read the stored data of the job. `onlyIfStored`: store nothing unless the key exists.
   * `keepsFireTime`: other nodes have newer time zone data, so an unchanged schedule keeps its next fire time, whatever this node computes.
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
      readonly keepsFireTime?: boolean;
    }
  /** Replaces the trigger stored under `key` by `trigger`, which runs the same job and may have another key (Quartz: rescheduleJob). */
  | {
      readonly type: 'replaceTrigger';
      readonly key: TriggerKey;
      readonly trigger: Trigger;
      readonly startTimeDefaulted: boolean;
      readonly timeZoneDefaulted?: boolean;
    }
  /**
   * Deletes a trigger, the waiting runs of its earlier occurrences, and its job if the job is not durable and has no other triggers.
   * `declaredIn`: delete only if the trigger belongs to this declared set. `unfired`: delete only if the trigger has a fire time left.
   */
  | { readonly type: 'deleteTrigger'; readonly key: TriggerKey; readonly declaredIn?: string; readonly unfired?: true }
  /** Deletes a job with all its triggers and their waiting runs. */
  | { readonly type: 'deleteJob'; readonly key: JobKey }
  /**
   * Stores a calendar. `updateTriggers`: also recalculate the next fire times of the triggers that use the calendar. A trigger that its calendar has
   * ended, or (safe rules) whose next fire time the calendar excludes, always gets a new fire time if the new calendar leaves one. The set fails
   * with CALENDAR_ENDS_TRIGGERS if a trigger would never fire again, unless `allowEnding` is set. `usersLater`: the caller checks the triggers
   * before, and recalculates their fire times later (`followCalendar`).
   */
  | {
      readonly type: 'storeCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly ifExists: IfExists;
      readonly updateTriggers: boolean;
      readonly allowEnding?: boolean;
      readonly usersLater?: true;
      readonly declared?: Declarer;
    }
  /** Deletes all jobs or triggers in the groups that match `group`, except `exceptGroups`. `unfired`: only triggers that have a fire time left. */
  | {
      readonly type: 'deleteJobsInGroup' | 'deleteTriggersInGroup';
      readonly group: GroupMatcher;
      readonly exceptGroups: readonly string[];
      readonly unfired?: true;
    }
  /**
   * Recalculates the next fire times of triggers that use a calendar. Changes nothing (status `kept`) unless the stored calendar equals `calendar`.
   * If a trigger is unchanged since it was read, sets its given `nextFireTime`; otherwise calculates its next fire time again.
   */
  | {
      readonly type: 'followCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly triggers: readonly { readonly read: Trigger; readonly nextFireTime: EpochMs | null }[];
    }
  /**
   * Sets a next fire time that was computed by newer time zone data. Changes nothing (status `kept`) if the trigger or its calendar has changed since it
   * was read, or if its fire time has come. `calendar`: its calendar as it was read; null if it has none.
   */
  | {
      readonly type: 'setFireTime';
      readonly read: Trigger;
      readonly calendar: CalendarData | null;
      readonly nextFireTime: EpochMs;
    }
  | { readonly type: 'deleteCalendar'; readonly name: string }
  /** Stores nothing. The whole set fails with CHANGED_MEANWHILE unless the stored definition has this version (see `definition-version.ts`). */
  | ({ readonly type: 'expect'; readonly version: string; readonly versionKey: string } & ExpectedDefinition)
  /** Deletes all jobs, triggers, calendars, declarations, paused groups, pause reasons and ongoing occurrences. The run history remains. */
  | { readonly type: 'clear' };

/** Job, trigger or calendar whose version is compared. */
export type ExpectedDefinition =
  | { readonly what: 'job'; readonly key: JobKey }
  | { readonly what: 'trigger'; readonly key: TriggerKey }
  | { readonly what: 'calendar'; readonly name: string };

/** Changes that are applied all or none, or in portions if they are many. */
export type ChangeSet = readonly ScheduleChange[];

export type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Returns a predicate for the groups that match `group` and are not in `exceptGroups`. */
export function groupsOf(
  change: Extract<ScheduleChange, { readonly exceptGroups: readonly string[] }>,
): (group: string) => boolean {
  return (group) => matchesGroup(change.group, group) && !change.exceptGroups.includes(group);
}

/** Results of a change set, one per change. */
export type Outcomes = readonly ScheduleOutcome[];

/** Numbers of objects that were created, replaced, left unchanged and deleted. */
export function countsOf(outcomes: Outcomes) {
  const count = (...statuses: readonly ScheduleOutcome['status'][]) =>
    outcomes.filter(({ status }) => statuses.includes(status)).length;
  return {
    created: count('created'),
    replaced: count('replaced'),
    unchanged: count('unchanged', 'kept', 'finished'),
    deleted: outcomes.reduce((sum, each) => sum + each.deletedJobs.length + each.deletedTriggers.length, 0),
  };
}

/** Result of one change. */
export interface ScheduleOutcome {
  /**
   * Effect of the change. `kept`: the stored object remains, because of `ifExists`, because a declared trigger was rescheduled, because the
   * calendar of `followCalendar` was changed, or because the trigger of `setFireTime` has changed or is due. `finished`: the declared trigger has
   * already ended, so neither the trigger nor a job that only this trigger needs is stored.
   */
  readonly status: 'created' | 'replaced' | 'unchanged' | 'kept' | 'finished' | 'deleted' | 'notFound';
  /** Next fire time of the stored trigger, in epoch milliseconds. Null if the trigger will not fire again, or if the change stores no trigger. */
  readonly nextFireTime: EpochMs | null;
  /** Time zone that the stored trigger keeps although the caller's default time zone differs; absent otherwise. */
  readonly keptTimeZone?: string;
  /** Set for a new trigger that starts paused because its group is paused. */
  readonly startsPaused?: true;
  /** Triggers that this change deleted, including the triggers of deleted jobs. */
  readonly deletedTriggers: readonly TriggerKey[];
  /** Jobs that this change deleted, including non-durable jobs deleted with their last trigger. */
  readonly deletedJobs: readonly JobKey[];
  /** Changed fields of an object that was declared or edited manually. Absent if no fields have changed, or if they were not compared. */
  readonly changedFields?: readonly string[];
  /** Manually edited fields that keep their edited values. Empty if the object was deleted manually or has ended. Absent if it has no override. */
  readonly overridden?: readonly string[];
  /** Manually edited fields whose declared values have changed. */
  readonly conflicts?: readonly string[];
  /** Manually edited fields whose edits were dropped, because they are incompatible with the new declaration; absent: none. */
  readonly dropped?: readonly string[];
  /** Triggers that never fire again, because the changed calendar excludes all their fire times. Absent: none. */
  readonly endedTriggers?: readonly TriggerKey[];
  /** Due fire time of the stored schedule that the new schedule does not have, so that it is recorded as misfired. Absent: none. */
  readonly droppedTime?: EpochMs;
  /** Set if the whole override of the object ended. */
  readonly overrideEnded?: true;
}
