import type { EpochMs } from '../base/clock';
import type { BatchLimits } from '../domain/acquisition';
import type { ActionPage, ActionQuery, ActionRecord } from '../domain/action';
import type { CalendarData } from '../domain/calendars/calendar';
import type { CheckpointKey, SavedCheckpoint } from '../domain/checkpoint';
import type { Completion } from '../domain/completion';
import type { ConsoleSession } from '../domain/console-session';
import type { DeclarationTarget, StoredDeclaration } from '../domain/declaration';
import type { Expectation } from '../domain/expectation';
import type { AcquiredTrigger, FireResult, TriggerFiring } from '../domain/firing';
import type { GroupLimits } from '../domain/group-limits';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from '../domain/keys';
import type { Author } from '../domain/override';
import type { ExplainedPause, PausedTrigger, PauseExplanation, PauseTarget } from '../domain/pause';
import type { PlannedChange } from '../domain/plan-changes';
import type { ClockChanges, Rules, SchedulerRules } from '../domain/rules';
import type { RunCursor, RunName, RunPage, RunQuery, RunRecord, RunRetention } from '../domain/run';
import type { ChangeSet, Outcomes } from '../domain/schedule-change';
import type { UnreadableRow } from '../domain/scheduler-event';
import type { RunsPerSlot } from '../domain/slot-sharing';
import type { SpreadOccurrence } from '../domain/spread-occurrence';
import type { SimpleTrigger, Trigger } from '../domain/trigger';
import type { TriggerState } from '../domain/trigger-state';

/*
 * Port that every store implements. Each method is one atomic transaction, unless its comment says otherwise. Arguments and results are
 * plain data, so that a store can run in another thread. No signature contains a connection.
 */

export interface ApplyOptions {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  /** Rules of the scheduler, which the store sets. */
  readonly rules?: Rules;
  /** Clock changes of cron triggers that are stored without their own, which the store sets. */
  readonly clockChanges?: ClockChanges;
  /** Author of changes made by a person; absent for changes made by a program. */
  readonly author?: Author;
}

export interface ResumeOptions extends ApplyOptions {
  /** Set if explained pauses of narrower targets stay, see `staysWhenResumed`. Absent: they end with the pause of their group or job. */
  readonly keepsSingle?: true;
}

/** Limits on the triggers that a store may fire in the transaction that stores them. */
export interface FireNow {
  readonly maxCount: number;
  readonly jobTypes: readonly string[];
  /** Job groups that must not fire in this transaction. The node limits their concurrent runs and acquires their triggers itself. */
  readonly exceptGroups?: readonly string[];
}

export interface ApplyScheduleOptions extends ApplyOptions {
  readonly fireNow?: FireNow | null;
}

/** Result of `applySchedule`. `fired` is empty without `fireNow`. */
export interface AppliedSchedule {
  readonly outcomes: Outcomes;
  readonly fired: readonly FireResult[];
  /** Occurrences that ended because their last parts (shards) were deleted; absent if there are none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** Deleted waiting runs that were recorded as dead letters; absent if there are none. */
  readonly endedRuns?: readonly RunName[];
}

export type Which<Key> = GroupMatcher | readonly Key[];

export function isKeys<Key>(which: Which<Key>): which is readonly Key[] {
  return Array.isArray(which);
}

/**
 * Writes to the schedule. Pausing, resuming and resetting return the names of the affected groups, sorted. For a matcher, these are the
 * matching groups; for keys, the groups of the stored keys. For a single key, an empty result means that the key is not stored and nothing
 * was changed.
 */
export interface ScheduleStore {
  /**
   * Applies the changes in order, all or none. Returns one outcome per change. Rejects with OBJECT_ALREADY_EXISTS, JOB_NOT_FOUND, CALENDAR_NOT_FOUND,
   * CALENDAR_IN_USE or INVALID_CALENDAR, with INVALID_TRIGGER if a trigger would never fire, or with INVALID_ARGUMENT for a non-durable job without a
   * trigger.
   * Replacing a trigger ends its reservation. Replacing or deleting a job or trigger does not stop running jobs. If a deleted job is stored again
   * under the same key, it waits for its earlier runs. If a trigger that waits to retry or recover a run is deleted, the run becomes a dead letter,
   * and triggers that wait for a failure of its job start. `clear` records no dead letters.
   * With `fireNow`, the store may fire some of the due triggers among the changes in the same transaction, which saves a second flush to disk. The
   * usual acquisition fires the rest.
   */
  applySchedule(changes: ChangeSet, options: ApplyScheduleOptions): Promise<AppliedSchedule>;
  /** Returns the changes that `applySchedule` would make. Writes nothing, and rejects for the same reasons. */
  planSchedule(changes: ChangeSet, options: ApplyOptions): Promise<readonly PlannedChange[]>;
  /**
   * Pauses triggers and ends their reservations. A matcher also pauses the groups that match, so triggers added to them later start paused.
   * `equals` pauses its group even if the group has no trigger yet; `any` also pauses every future group.
   * The store keeps the explanation until the pause is resumed, deleted or replaced by another pause.
   * Many triggers of groups or jobs are paused and resumed in several transactions, so that other writers are not blocked. Triggers added
   * between these transactions start in the state of their group.
   */
  pauseTriggers(which: Which<TriggerKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  /**
   * Resumes triggers that `pauseTriggers` paused. Missed fire times follow each trigger's misfire instruction. Only the matcher `any` ends
   * the pause of future groups; without `keepsSingle` it also deletes all explanations.
   */
  resumeTriggers(which: Which<TriggerKey>, options: ResumeOptions): Promise<readonly string[]>;
  /** Pauses every current trigger of the jobs. Triggers added to the jobs later are not paused. */
  pauseJobs(which: Which<JobKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  resumeJobs(which: Which<JobKey>, options: ResumeOptions): Promise<readonly string[]>;
  /**
   * Ends the pauses whose end time has passed. In a cluster, one node ends each pause. A trigger stays paused if its group is paused, or if
   * another pause with an explanation covers it. Many triggers are resumed in several transactions. A pause ends with its last trigger.
   */
  endPauses(options: ApplyOptions): Promise<EndedPauses>;
  /** Moves triggers from ERROR to WAITING, to PAUSED in a paused group, or to BLOCKED while their non-concurrent job runs. Ignores other states. */
  resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]>;
}

export interface EndedPauses {
  readonly ended: readonly ExplainedPause[];
  /** Time at which the next pause ends automatically; null if no pause has an end time. */
  readonly nextEnd: EpochMs | null;
}

export interface AcquireRequest extends BatchLimits {
  /** Lateness in milliseconds above which triggers are left to `recoverMisfires`, unless they ignore misfires. */
  readonly misfireThreshold: number;
  /** Job types that this node can run. Triggers of other types stay WAITING and delay no other trigger. */
  readonly jobTypes: readonly string[];
  /** Fires the batch in the same transaction if its first trigger is due within this number of milliseconds. Null: only reserves the triggers. */
  readonly fireWithin: number | null;
  /** Number of further jobs of each group that may run on this node. Other triggers stay WAITING and delay none. Absent if no group has a limit. */
  readonly groupCapacity?: GroupLimits;
  /** Number of short runs that may share a slot of a scarce limit, by job type. Absent: none. A store need not support it. */
  readonly runsPerSlot?: RunsPerSlot;
}

/** Result of an acquisition. At most one of `acquired` and `fired` is non-empty. */
export interface AcquireResult {
  readonly acquired: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
  /**
   * Time from which this node may acquire a further trigger: one that is not due yet, or that prefers other nodes. At most the time of the request if more
   * may be due now. Absent if there is none, or if the time is unknown.
   */
  readonly pollAgainAt?: EpochMs;
  /** Batch window that was used, in milliseconds, if it differs from the requested one. */
  readonly timeWindow?: number;
}

export interface MisfireRequest {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  readonly maxCount: number;
}

export interface MisfireSweep {
  /** Misfired triggers, each as it was before its misfire instruction was applied. */
  readonly misfired: readonly Trigger[];
  /** Triggers whose schedule has ended. They are deleted, unless they are executing or a Java node is in the cluster; they are COMPLETE then. */
  readonly finalized: readonly Trigger[];
  /** Triggers that only their calendars leave without a fire time. They are now COMPLETE. */
  readonly endedByCalendar: readonly Trigger[];
  /** Non-durable jobs that were deleted with their last trigger. */
  readonly deletedJobs: readonly JobKey[];
  readonly earliestNextFireTime: EpochMs | null;
  readonly more: boolean;
}

/**
 * Outcome of one completion. `fenced`: the firing no longer belonged to this node, and nothing was changed. `failed`: the store rejected
 * this completion and reported the reason. Nothing was changed; the completion may be retried.
 */
export interface CompletionOutcome {
  readonly status: 'completed' | 'fenced' | 'failed';
  readonly deletedTrigger: boolean;
  readonly deletedJob: boolean;
  /** Triggers of `Completion.further` that were not stored because their job was deleted; absent if there are none. */
  readonly notStored?: readonly TriggerKey[];
  /** Occurrences whose last part (shard) ended with this completion or was deleted; absent if there are none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
}

export interface FiringStore {
  /**
   * Reserves or fires due triggers: of a non-concurrent job at most one, and none while the job runs. The batch is ordered by fire time, descending priority
   * and key. Another node may commit a later batch earlier, unless `acquireOrder` is `priority`.
   */
  acquireTriggers(request: AcquireRequest): Promise<AcquireResult>;
  /** Releases reservations that were not fired. Does not change reservations that now belong to another node. */
  releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void>;
  /** Fires acquired triggers. Returns one result per trigger, in the same order. */
  fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]>;
  /**
   * Ends firings. Returns one outcome per completion, in the same order. `planCompletion` decides the effects on triggers. The run record and retry
   * of a completion are stored in the same transaction. A retry is stored as PAUSED in a paused group, and as BLOCKED while its non-concurrent job
   * runs.
   */
  completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]>;
  /**
   * Must be called after a transaction outside of the store has ended firings of this node, or before one that adds triggers is committed.
   * `earliest`: earliest fire time that becomes possible; undefined if none. Wakes this node and the others.
   */
  changedElsewhere(ended: readonly TriggerFiring[], earliest: EpochMs | undefined): Promise<void>;
  /**
   * Applies the misfire instructions of misfired triggers, for all job types, the longest overdue first. Records a `misfired` run for each trigger
   * whose instruction skips a fire time, unless the policy disables the history.
   */
  recoverMisfires(request: MisfireRequest): Promise<MisfireSweep>;
}

export interface StoredTrigger {
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

/** A page of a list. The next page continues after the last key, so the cost of a page does not depend on its position in the list. */
export interface KeyPage<T, Place> {
  /** Matches on this page. May be fewer than requested even if more follow: without a fitting index, each call searches only part of the list. */
  readonly items: readonly T[];
  /** Key after which the next page starts; null if this page is the last. */
  readonly next: Place | null;
  /** Number of matches, on the first page only. Null if omitted, or if only part of the list was searched. `isExact`: at most `MAX_COUNT` matches. */
  readonly total: { readonly count: number; readonly isExact: boolean } | null;
}

/** Number of matches at which counting stops. */
export const MAX_COUNT = 1_000;

/** Filter for a page of jobs, sorted by name and group. */
export interface JobPageQuery {
  readonly group?: GroupMatcher;
  readonly jobType?: string;
  /** Substring of the key `group/name`, ignoring case. */
  readonly search?: string;
  /** Last key of the previous page; absent for the first page. */
  readonly after?: JobKey;
  readonly take: number;
  /** True to skip counting, so that the store reads only the rows that it returns. */
  readonly omitTotal?: boolean;
}

/** Position in a list of triggers: the sort values of the last trigger on a page. */
export interface TriggerPlace extends Pick<Trigger, 'key' | 'kind' | 'nextFireTime' | 'priority'> {
  /** See `isDormant` in `trigger-state.ts`. */
  readonly isDormant: boolean;
}

/** Filter for a page of triggers. */
export interface TriggerPageQuery {
  readonly group?: GroupMatcher;
  readonly jobKey?: JobKey;
  /** Only triggers that wait for this job to end. */
  readonly waitsFor?: JobKey;
  readonly states?: readonly TriggerState[];
  readonly calendarName?: string;
  /** Substring of the key `group/name`, ignoring case. */
  readonly search?: string;
  /**
   * `nextFireTime` first lists triggers that will fire; equal times are sorted by priority, group and name. Next come triggers that wait
   * for other jobs, then dormant triggers (paused or in ERROR) in the same order. Triggers that will never fire again come last.
   */
  readonly sort: 'key' | 'nextFireTime';
  /** Position of the last trigger on the previous page; absent for the first page. */
  readonly after?: TriggerPlace;
  readonly take: number;
  /** True to skip counting, so that the store reads only the rows that it returns. */
  readonly omitTotal?: boolean;
}

interface PageQuery<Place> {
  readonly after?: Place;
  readonly take: number;
}

export type TargetPageQuery = PageQuery<PauseTarget>;
export type NamePageQuery = PageQuery<string>;

export interface NamedCalendar {
  readonly name: string;
  /** Null if this node cannot read the calendar. */
  readonly data: CalendarData | null;
}

/** Reads of the schedule, each from one snapshot. Keys that are not stored are omitted; rows that cannot be read are returned as `unreadable`. */
export interface ScheduleReader {
  getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]>;
  findLargeJobs(keys: readonly JobKey[], moreThan: number): Promise<readonly JobKey[]>;
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>>;
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<StoredTrigger, TriggerPlace>>;
  getJobGroupNames(): Promise<readonly string[]>;
  /** Returns the group names, sorted. With `prefix`, returns only names that begin with the prefix. */
  getTriggerGroupNames(prefix?: string): Promise<readonly string[]>;
  /** Returns the paused groups, which may include `ALL_GROUPS_PAUSED`. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /** Returns the pauses with a reason, author or end time, in no order. With `of`, may omit pauses that affect none of these triggers. */
  getPauses(of?: readonly PausedTrigger[]): Promise<readonly ExplainedPause[]>;
  /** Returns a page of the pauses, sorted by target. */
  pagePauses(query: TargetPageQuery): Promise<Pick<KeyPage<ExplainedPause, PauseTarget>, 'items' | 'next'>>;
  getCalendar(name: string): Promise<CalendarData | null>;
  /** Returns a page of the calendars, sorted by name. */
  pageCalendars(query: NamePageQuery): Promise<Pick<KeyPage<NamedCalendar, string>, 'items' | 'next'>>;
  getCalendarNames(): Promise<readonly string[]>;
  /** Returns the stored rows that this node has found unreadable. Empty unless other programs write to the tables. */
  getUnreadableRows(): Promise<readonly UnreadableRow[]>;
  /** Returns the targets that were declared in these sets, including targets that have been deleted since. */
  getDeclaredSets(sets: readonly string[]): Promise<readonly (DeclarationTarget & { readonly set: string })[]>;
  /** Returns the declarations of the targets, with manual edits. Omits targets that were never declared. */
  getDeclarations(targets: readonly DeclarationTarget[]): Promise<readonly StoredDeclaration[]>;
  /** Returns a page of the edited declarations, sorted by target. `after`: last target of the previous page; null for the first page. */
  pageOverrides(query: {
    readonly after: DeclarationTarget | null;
    readonly take: number;
  }): Promise<readonly StoredDeclaration[]>;
}

/** Resolution of a failed run: discards a dead letter, or reruns a run that has no retries left. */
export interface FailedRunResolution extends RunCursor {
  /** Trigger that reruns the occurrence; null to discard the dead letter. */
  readonly rerun: SimpleTrigger | null;
  /** Checkpoint to delete with a discarded dead letter; absent if there is none, and for a rerun, which needs the checkpoint. */
  readonly checkpoint?: CheckpointKey;
}

/** Records of ended runs. Completions record their own runs (`Completion.run`). Changes to the schedule, even `clear`, delete no records. */
export interface RunStore {
  listRuns(query: RunQuery): Promise<RunPage>;
  /** Records runs that ended without a completion. A run that is already recorded is not changed. */
  recordRuns(runs: readonly RunRecord[]): Promise<void>;
  /**
   * Reruns or discards failed runs that have no retries left. Returns one result per run, in the same order. Discarding returns false if
   * the run is not a dead letter, or no longer is. Rerunning returns false if the run is not `isRerunnable`, or if its job was deleted.
   * False changes nothing. The runs stay recorded. A rerun's trigger is stored like a retry's trigger.
   */
  resolveFailedRuns(resolutions: readonly FailedRunResolution[]): Promise<readonly boolean[]>;
  /** Skips the `newer` most recent runs and returns the end time of the next one; null if at most `newer` runs are recorded. */
  findRunEnd(newer: number): Promise<EpochMs | null>;
  /** Deletes runs whose retention has ended, the oldest first. Returns the number deleted, which is below `maxCount` if none are left. */
  pruneRuns(retention: RunRetention): Promise<number>;
}

/** Checkpoints of occurrences. Completions delete those that are no longer needed (`RunEnd.hasCheckpoint`); changes to the schedule delete none. */
export interface CheckpointStore {
  /** Returns the value saved last, as JSON; null if none is stored. */
  readCheckpoint(key: CheckpointKey): Promise<string | null>;
  /**
   * Replaces the stored value. Returns false, and stores nothing, if the run has ended or no longer belongs to this node. If this returns true, every
   * later run of the occurrence reads this value or a newer one. `now`: time of the save, which `pruneCheckpoints` compares with its `before`.
   */
  saveCheckpoint(saved: SavedCheckpoint, now: EpochMs): Promise<boolean>;
  /**
   * Deletes checkpoints that no run will read and that have not changed since `before`. No run will read a checkpoint if the run that saved
   * it has ended and no retry or recovery of that run is stored. A save and the end of a run count as changes. Returns the number deleted,
   * which is below `maxCount` if none are left.
   */
  pruneCheckpoints(before: EpochMs, maxCount: number): Promise<number>;
}

/** Range of occurrences that one call of `endOccurrences` checks: up to `maxCount` occurrences after an id. */
export interface OccurrenceSweepRequest {
  /** Null to start with the first occurrence. */
  readonly after: string | null;
  readonly maxCount: number;
  readonly now: EpochMs;
}

export interface OccurrenceSweep {
  readonly ended: readonly SpreadOccurrence[];
  /** Last occurrence that this call checked; null if no occurrences follow. */
  readonly next: string | null;
}

/** Occurrences that run in parts (shards). Completions begin and end them; see `Completion.parts` and `Completion.end`. */
interface OccurrenceStore {
  /** Returns the occurrences that have not ended, in no order. */
  getOccurrences(): Promise<readonly SpreadOccurrence[]>;
  /** Ends occurrences whose remaining parts (shards) will never run: their triggers are deleted, COMPLETE or in ERROR. Such parts count as failed. */
  endOccurrences(request: OccurrenceSweepRequest): Promise<OccurrenceSweep>;
}

/**
 * Jobs and triggers that must succeed within a time (`mustSucceedWithin`). `applySchedule` keeps the expectations up to date, and
 * successful completions meet them. A deleted job or trigger, or one without the setting, has no expectation.
 */
export interface ExpectationStore {
  /** Returns the time at which the next unreported expectation becomes overdue; null if there is none. */
  nextDueTime(): Promise<EpochMs | null>;
  /** Marks unreported overdue expectations as reported and returns them: at most 100, the longest overdue first, and each to one node only. */
  takeOverdue(now: EpochMs): Promise<readonly Expectation[]>;
  /** Returns expectations that are overdue at `now`, reported or not, at most `maxCount`, the longest overdue first. */
  listOverdue(now: EpochMs, maxCount: number): Promise<readonly Expectation[]>;
}

/** Actions that users performed through the API, the console or the command line. Changes to the schedule delete none. */
export interface ActionStore {
  /** Records an action. An action that is already recorded is not changed. */
  recordAction(action: ActionRecord): Promise<void>;
  listActions(query: ActionQuery): Promise<ActionPage>;
  /** Deletes actions that were performed before a time, the oldest first. Returns the number deleted, which is below `maxCount` if none are left. */
  pruneActions(before: EpochMs, maxCount: number): Promise<number>;
  /** Returns the secret key for the version digests that users see. The key is random, the same on all nodes, and never shown. */
  readVersionKey(): Promise<string>;
}

/** Rules for fire times that all nodes of a scheduler share. */
export interface RulesStore {
  /** Stores the rules if none are stored. Returns the stored rules. */
  ensureRules(rules: SchedulerRules): Promise<SchedulerRules>;
  /** Returns the stored rules; null before the first node. */
  readRules(): Promise<SchedulerRules | null>;
  /** Replaces the stored rules, unless nodes of this kind live. Returns the instance ids of these nodes; empty if the rules were replaced. */
  setRules(rules: SchedulerRules): Promise<readonly string[]>;
}

/** Login sessions of consoles, which hold on every node that shares the store. */
interface SessionStore {
  /** Stores a session. Deletes ended ones. */
  beginSession(session: ConsoleSession, now: EpochMs): Promise<void>;
  /** Returns a session, ended or not. Null if there is none. */
  findSession(idHash: string): Promise<ConsoleSession | null>;
  endSession(idHash: string): Promise<void>;
}

export interface JobStore
  extends ScheduleStore,
    FiringStore,
    ScheduleReader,
    RunStore,
    CheckpointStore,
    OccurrenceStore,
    ExpectationStore,
    ActionStore,
    RulesStore,
    SessionStore {
  /** Name of the kind of store; whether its data outlives the process; and whether several nodes share it. */
  readonly description: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /**
   * Opens the store. After every change that may bring a fire time forward, the store calls `onScheduleChanged` once with the earliest fire
   * time (null if unknown). Such changes are changes to the schedule, completions that unblock a job, and recovered misfires. Acquiring,
   * releasing and firing do not call it, because their callers poll again themselves.
   */
  open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void>;
  /** Waits for running operations, then closes the store. Aborts operations that take longer than `timeoutMs` (default: no limit). */
  close(timeoutMs?: number): Promise<void>;
}

/** Quartz's marker among the paused groups. The marker pauses every group, including future ones. */
export const ALL_GROUPS_PAUSED = '_$_ALL_GROUPS_PAUSED_$_';
