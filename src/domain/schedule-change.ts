import type { EpochMs } from '../base/clock';
import type { CalendarData } from './calendars/calendar';
import type { JobDetail } from './job-detail';
import { type GroupMatcher, type JobKey, keyText, matchesGroup, type TriggerKey } from './keys';
import type { Declarer } from './override';
import type { Trigger } from './trigger';

/** What to do when the key is taken: refuse the whole change set, put the new one in its place, or leave the old one. */
export type IfExists = 'fail' | 'replace' | 'keep';

/** One step of a change set. Steps are applied in order; the first that cannot be done undoes all. */
export type ScheduleChange =
  /**
   * `requireTrigger`: refuse a job that is not durable and has no trigger once the whole set is applied. `registeredLater`: no node
   * need have its type yet.
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
   * Computes the first fire time. On `replace`, what the stored trigger already fired is kept: an unchanged schedule
   * keeps its next and previous fire times, a changed one never fires at or before the previous one.
   * `startTimeDefaulted`: the caller named no start time, so the stored one stays; `timeZoneDefaulted`: the same of the zone.
   * `declared`: it is declared again at every start, as part of a set (null: of none). A trigger that was declared the same before and
   * has come to its end since is left alone then; `deleteTrigger`, `deleteJob` and their like forget that.
   * `needsReadableJob`: refuse a job whose stored data this node cannot read. `onlyIfStored`: nothing is stored where nothing was.
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
  /** Quartz's rescheduleJob: the trigger `key` gives way to `trigger` (same job, possibly another key). */
  | {
      readonly type: 'replaceTrigger';
      readonly key: TriggerKey;
      readonly trigger: Trigger;
      readonly startTimeDefaulted: boolean;
      readonly timeZoneDefaulted?: boolean;
    }
  /**
   * Also deletes its waiting runs of earlier occurrences, and a non-durable job left without triggers. `declaredIn`: only while the trigger
   * belongs to that declared set. `unfired`: only while it has a fire time left.
   */
  | { readonly type: 'deleteTrigger'; readonly key: TriggerKey; readonly declaredIn?: string; readonly unfired?: true }
  /** Also deletes all its triggers, and with them its waiting runs. */
  | { readonly type: 'deleteJob'; readonly key: JobKey }
  /** `updateTriggers`: recompute the next fire times of the triggers that refer to it. */
  | {
      readonly type: 'storeCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly ifExists: IfExists;
      readonly updateTriggers: boolean;
      readonly declared?: Declarer;
    }
  /** Deletes every job, or every trigger, of the matched groups, except in `exceptGroups`. `unfired`: no trigger that has no fire time left. */
  | {
      readonly type: 'deleteJobsInGroup' | 'deleteTriggersInGroup';
      readonly group: GroupMatcher;
      readonly exceptGroups: readonly string[];
      readonly unfired?: true;
    }
  /**
   * Moves triggers that refer to a calendar on to what it makes of their next fire times, if it is still stored as `calendar`; `kept` if not.
   * `nextFireTime` holds for a trigger that is as it was read; for another one it is computed anew.
   */
  | {
      readonly type: 'followCalendar';
      readonly name: string;
      readonly calendar: CalendarData;
      readonly triggers: readonly { readonly read: Trigger; readonly nextFireTime: EpochMs | null }[];
    }
  | { readonly type: 'deleteCalendar'; readonly name: string }
  /** Stores nothing: refuses the whole set unless the definition that is stored has this version; see `definition-version.ts`. */
  | ({ readonly type: 'expect'; readonly version: string; readonly versionKey: string } & ExpectedDefinition)
  /** Deletes every job, trigger and calendar, and forgets paused groups. The recorded runs stay: they are the past. */
  | { readonly type: 'clear' };

/** Whose version is compared. */
export type ExpectedDefinition =
  | { readonly what: 'job'; readonly key: JobKey }
  | { readonly what: 'trigger'; readonly key: TriggerKey }
  | { readonly what: 'calendar'; readonly name: string };

/** The change of one type. */
export type ChangeOf<Type extends ScheduleChange['type']> = Extract<ScheduleChange, { readonly type: Type }>;

/** Whether a change of whole groups concerns a group. */
export function groupsOf(
  change: Extract<ScheduleChange, { readonly exceptGroups: readonly string[] }>,
): (group: string) => boolean {
  return (group) => matchesGroup(change.group, group) && !change.exceptGroups.includes(group);
}

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
  /** A new trigger that starts paused, because its group is paused; absent: it does not. */
  readonly startsPaused?: true;
  /** Jobs and triggers this step deleted, by itself or in its wake (the triggers of a job, an orphaned job). */
  readonly deletedTriggers: readonly TriggerKey[];
  /** Jobs that went with their last trigger. */
  readonly deletedJobs: readonly JobKey[];
  /** Which fields of something declared, or edited by hand, were changed; absent: none, or it was not looked at. */
  readonly changedFields?: readonly string[];
  /** The fields that an override keeps as somebody edited them; empty: it was deleted by hand, or has ended. Absent: nothing is overridden. */
  readonly overridden?: readonly string[];
  /** The overridden fields that are declared otherwise than before. */
  readonly conflicts?: readonly string[];
  /** The overridden fields that do not fit what is declared now, and end; absent: none. */
  readonly dropped?: readonly string[];
  /** An override of it ended. */
  readonly overrideEnded?: true;
}

/** The jobs, by the texts of their keys, of declared triggers that have come to their end before: nothing needs such a job. */
export function jobsOfFinished(
  changes: readonly ScheduleChange[],
  outcomes: readonly ScheduleOutcome[],
): ReadonlySet<string> {
  const jobs = changes.flatMap((change, index) =>
    change.type === 'storeTrigger' && outcomes[index]?.status === 'finished' ? [keyText(change.trigger.jobKey)] : [],
  );
  return new Set(jobs);
}
