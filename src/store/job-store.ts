import type { EpochMs } from '../base/clock';
import type { ActionPage, ActionQuery, ActionRecord } from '../domain/action';
import type { CalendarData } from '../domain/calendars/calendar';
import type { CheckpointKey, SavedCheckpoint } from '../domain/checkpoint';
import type { Completion } from '../domain/completion';
import type { StoredDeclaration, Subject } from '../domain/declaration';
import type { Expectation } from '../domain/expectation';
import type { AcquiredTrigger, FireResult, TriggerFiring } from '../domain/firing';
import type { GroupLimits } from '../domain/group-limits';
import type { JobDetail } from '../domain/job-detail';
import type { GroupMatcher, JobKey, TriggerKey } from '../domain/keys';
import type { Author } from '../domain/override';
import type { ExplainedPause, PausedTrigger, PauseExplanation, PauseTarget } from '../domain/pause';
import type { PlannedChange } from '../domain/plan-changes';
import type { RunCursor, RunName, RunPage, RunQuery, RunRecord, RunRetention } from '../domain/run';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { UnreadableRow } from '../domain/scheduler-event';
import type { SpreadOccurrence } from '../domain/spread-occurrence';
import type { SimpleTrigger, Trigger } from '../domain/trigger';
import type { TriggerState } from '../domain/trigger-state';

/*
 * The port that every store implements. One method is one transaction, which happens as a whole or not at all. Methods take and return
 * lists of plain data, so that a store can live in another thread. No signature contains a connection.
 */

export interface ApplyOptions {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  /** Author of changes made by a person; absent: a program made them. */
  readonly author?: Author;
}

/** Limits for triggers that a store may fire while it stores them: their number and their job types. */
export interface FireNow {
  readonly maxCount: number;
  readonly jobTypes: readonly string[];
  /** Excludes jobs of these groups. The node limits how many of their runs it executes, and acquires their triggers itself. */
  readonly exceptGroups?: readonly string[];
}

export interface ApplyScheduleOptions extends ApplyOptions {
  readonly fireNow?: FireNow | null;
}

/** `fired` is empty without `fireNow`. */
export interface AppliedSchedule {
  /** One per change. */
  readonly outcomes: readonly ScheduleOutcome[];
  readonly fired: readonly FireResult[];
  /** Occurrences that lost their last parts; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** Dead letters of waiting runs that were deleted; absent: none. */
  readonly endedRuns?: readonly RunName[];
}

/** Selects triggers (or jobs) by a group matcher or by keys. */
export type Which<Key> = GroupMatcher | readonly Key[];

export function isKeys<Key>(which: Which<Key>): which is readonly Key[] {
  return Array.isArray(which);
}

/**
 * Writes to the schedule. Pausing, resuming and resetting return the affected groups, sorted. These are the groups that a matcher matches,
 * or the groups of the stored keys. For a single key, an empty answer means that it is not stored and that nothing was changed.
 */
export interface ScheduleStore {
  /**
   * Applies the changes in order, all or none; one outcome per change. Rejects with OBJECT_ALREADY_EXISTS, JOB_NOT_FOUND,
   * CALENDAR_NOT_FOUND, CALENDAR_IN_USE, INVALID_CALENDAR, INVALID_TRIGGER (it would never fire) or INVALID_ARGUMENT (a non-durable job
   * without a trigger).
   * Replacing a trigger ends its reservation and leaves its executions. Deleting leaves executions too, and a job stored again under the
   * key waits for them. A deleted waiting run of an occurrence that had begun becomes a dead letter, and triggers that wait for the failure
   * of its job start. Only `clear` records nothing.
   * With `fireNow`, due triggers that the changes add may be fired in the same transaction, which saves a second flush to disk. A store may
   * fire fewer, or none; the rest is acquired as usual.
   */
  applySchedule(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule>;
  /** Plans the changes that `applySchedule` would make. Writes nothing, and rejects for the same reasons. */
  planSchedule(changes: readonly ScheduleChange[], options: ApplyOptions): Promise<readonly PlannedChange[]>;
  /**
   * Pauses triggers and ends their reservations. A matcher also pauses the groups that it matches, so triggers added to them later start
   * paused. `equals` remembers its group even if the group has no trigger yet; `any` covers every future group.
   * The explanation is kept until the pause is resumed, deleted, or replaced by another pause, with or without an explanation.
   * Large numbers of triggers of groups and jobs are paused and resumed in portions, with time for other writers in between. Triggers added
   * during this time start in the state of their group.
   */
  pauseTriggers(which: Which<TriggerKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  /**
   * Undoes `pauseTriggers`. Missed fire times follow each trigger's misfire instruction. Only `any` ends the pause of future groups, and it
   * deletes all explanations.
   */
  resumeTriggers(which: Which<TriggerKey>, options: ApplyOptions): Promise<readonly string[]>;
  /** Pauses every trigger that the jobs have now. Job groups are not remembered. */
  pauseJobs(which: Which<JobKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  resumeJobs(which: Which<JobKey>, options: ApplyOptions): Promise<readonly string[]>;
  /**
   * Ends the pauses whose end time has passed, on one node of a cluster. Triggers held by another pause stay paused: one with an
   * explanation, or one of their group. Large numbers are resumed in portions, with time for other writers in between. A pause ends when
   * the last of its triggers has been resumed.
   */
  endPauses(options: ApplyOptions): Promise<EndedPauses>;
  /** Moves triggers from ERROR to WAITING, to PAUSED in a paused group, or to BLOCKED while the job runs. Other states stay. */
  resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]>;
}

export interface EndedPauses {
  readonly ended: readonly ExplainedPause[];
  /** Time at which the next pause ends by itself; null if none will. */
  readonly nextEnd: EpochMs | null;
}

export interface AcquireRequest {
  readonly now: EpochMs;
  /** Latest next fire time of triggers to acquire. */
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** Length of the batch in milliseconds, from the later of its first fire time and now. */
  readonly timeWindow: number;
  /** Triggers that are late by more than this are left to `recoverMisfires`, unless they ignore misfires. Milliseconds. */
  readonly misfireThreshold: number;
  /** Job types that can run here. Triggers of others stay WAITING and delay nothing. */
  readonly jobTypes: readonly string[];
  /** Fires in the same transaction if the first trigger of the batch is due within this many milliseconds; null: only reserves. */
  readonly fireWithin: number | null;
  /**
   * Number of further jobs of these groups that may run here. Triggers beyond it stay WAITING and delay nothing. Absent: no group has a
   * limit.
   */
  readonly groupCapacity?: GroupLimits;
}

/** Either `acquired` or `fired` is empty. */
export interface AcquireResult {
  readonly acquired: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
  /** Time at which a due trigger that prefers other nodes may be acquired here; absent if unknown or if there is none. */
  readonly pollAgainAt?: EpochMs;
  /** Window of the batch, if it differs from the requested one. Milliseconds. */
  readonly timeWindow?: number;
}

export interface MisfireRequest {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  readonly maxCount: number;
}

export interface MisfireSweep {
  /** Triggers in their state at the time of the misfire. */
  readonly misfired: readonly Trigger[];
  /** Triggers that will not fire again and are now COMPLETE. */
  readonly finalized: readonly Trigger[];
  readonly earliestNextFireTime: EpochMs | null;
  /** True if more than `maxCount` were waiting. */
  readonly more: boolean;
}

/**
 * Outcome of one completion. `fenced`: the firing no longer belonged to this node, so nothing was changed. `failed`: the store rejected
 * this completion and has reported why. Nothing was changed, and it may be retried later.
 */
export interface CompletionOutcome {
  readonly status: 'completed' | 'fenced' | 'failed';
  readonly deletedTrigger: boolean;
  readonly deletedJob: boolean;
  /** Triggers of `Completion.further` that were not stored because their job is gone; absent: none. */
  readonly notStored?: readonly TriggerKey[];
  /** Occurrences whose last part ended, or was deleted, with this completion; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
}

/** Acquisition, firing and completion. */
export interface FiringStore {
  /**
   * Reserves due triggers in the order of fire time, descending priority and key. Of each job that disallows concurrent execution it
   * reserves at most one, and none while such a job executes.
   */
  acquireTriggers(request: AcquireRequest): Promise<AcquireResult>;
  /** Releases reservations that were not fired. Leaves reservations alone that another node holds by now. */
  releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void>;
  /** Fires acquired triggers. Returns one result per trigger, in the same order. */
  fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]>;
  /**
   * Ends firings; one outcome per completion, in the same order. `planCompletion` decides the effects on triggers. A completion's run and
   * retry are stored with it, or not at all. The retry is PAUSED in a paused group, and BLOCKED while its non-concurrent job runs.
   */
  completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]>;
  /** Reports firings that another transaction of this node has ended. `earliest`: the earliest fire time that this made possible, if any. */
  haveEnded(ended: readonly TriggerFiring[], earliest: EpochMs | undefined): Promise<void>;
  /**
   * Applies the misfire instruction of misfired triggers of every job type, the longest waiting first. If the policy requests history,
   * records a skipped fire time (`passesOver`) as `misfired`.
   */
  recoverMisfires(request: MisfireRequest): Promise<MisfireSweep>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Number of all matches, not only on this page. */
  readonly total: number;
}

export interface JobQuery {
  readonly group?: GroupMatcher;
  readonly jobType?: string;
  /** Part of the key's text `group/name`, ignoring case. */
  readonly search?: string;
  readonly sort?: 'key' | 'jobType';
  readonly descending?: boolean;
  readonly skip: number;
  readonly take: number;
}

export interface TriggerQuery {
  readonly group?: GroupMatcher;
  readonly jobKey?: JobKey;
  readonly jobGroup?: GroupMatcher;
  /** Selects triggers that wait for the end of this job. */
  readonly after?: JobKey;
  readonly states?: readonly TriggerState[];
  readonly calendarName?: string;
  /** Part of the key's text `group/name`, ignoring case. */
  readonly search?: string;
  /** Default `key`; null fire times come last in both directions. */
  readonly sort?: 'key' | 'nextFireTime' | 'previousFireTime' | 'priority';
  readonly descending?: boolean;
  readonly skip: number;
  readonly take: number;
}

export interface StoredTrigger {
  readonly trigger: Trigger;
  readonly state: TriggerState;
}

/** A page of a list that continues from a key. A page costs the same regardless of how many were read before. */
export interface KeyPage<T, Place> {
  /** May be fewer than requested, or empty, although there are more. Filters that no index supports are searched in parts. */
  readonly items: readonly T[];
  /** Key after which the list continues; null at the end. */
  readonly next: Place | null;
  /**
   * Number of matches, on the first page only; null if omitted or if only a part was searched. `isExact` is false if there are more than
   * `MAX_COUNT`, where counting stops.
   */
  readonly total: { readonly count: number; readonly isExact: boolean } | null;
}

/** Number of matches at which counting stops. */
export const MAX_COUNT = 1_000;

/** Selects jobs by name and group. */
export interface JobPageQuery {
  readonly group?: string;
  readonly jobType?: string;
  /** Part of the key's text `group/name`, ignoring case. */
  readonly search?: string;
  /** Key after which to continue; absent: from the first one on. */
  readonly after?: JobKey;
  readonly take: number;
}

/** A position in a list of triggers: the sort values of the last trigger on the page. */
export interface TriggerPlace extends Pick<Trigger, 'key' | 'kind' | 'nextFireTime' | 'priority'> {
  /** See `isDormant` of a state. */
  readonly isDormant: boolean;
}

/** Selects triggers, sorted by name and group or by next fire time. */
export interface TriggerPageQuery {
  readonly group?: string;
  readonly jobKey?: JobKey;
  readonly states?: readonly TriggerState[];
  readonly calendarName?: string;
  /** Part of the key's text `group/name`, ignoring case. */
  readonly search?: string;
  /**
   * `nextFireTime` lists triggers that will fire, equal times by priority, group and name, then triggers that wait for other jobs. Dormant
   * triggers (paused, in ERROR) follow in the same order, then triggers that never fire again.
   */
  readonly sort: 'key' | 'nextFireTime';
  /** Position after which to continue; absent: from the first one on. */
  readonly after?: TriggerPlace;
  readonly take: number;
  /** True to skip counting, so that the store reads no more than it returns. */
  readonly omitTotal?: boolean;
}

export interface TargetPageQuery {
  /** Target after which to continue; absent: from the first one on. */
  readonly after?: PauseTarget;
  readonly take: number;
}

export interface NamePageQuery {
  /** Name after which to continue; absent: from the first one on. */
  readonly after?: string;
  readonly take: number;
}

export interface NamedCalendar {
  readonly name: string;
  /** Null if it cannot be read here. */
  readonly data: CalendarData | null;
}

/**
 * Reads of the schedule. Every answer is consistent in itself. Missing keys are left out; rows that cannot be read are shown as
 * `unreadable`.
 */
export interface ScheduleReader {
  getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]>;
  /** Returns the jobs with more than `moreThan` triggers. */
  findLargeJobs(keys: readonly JobKey[], moreThan: number): Promise<readonly JobKey[]>;
  queryJobs(query: JobQuery): Promise<Page<JobDetail>>;
  queryTriggers(query: TriggerQuery): Promise<Page<StoredTrigger>>;
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>>;
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<StoredTrigger, TriggerPlace>>;
  getJobGroupNames(): Promise<readonly string[]>;
  /** Returns the group names in order. `prefix`: only groups that begin with it. */
  getTriggerGroupNames(prefix?: string): Promise<readonly string[]>;
  /** Returns the paused groups, which may include `ALL_GROUPS_PAUSED`. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /**
   * Returns the pauses with a reason, author or end time, in no order. With `of`, pauses that concern none of these triggers may be
   * missing.
   */
  getPauses(of?: readonly PausedTrigger[]): Promise<readonly ExplainedPause[]>;
  /** Returns a page of the pauses, in the order of their targets. */
  pagePauses(query: TargetPageQuery): Promise<Pick<KeyPage<ExplainedPause, PauseTarget>, 'items' | 'next'>>;
  getCalendar(name: string): Promise<CalendarData | null>;
  /** Returns a page of the calendars, by name. */
  pageCalendars(query: NamePageQuery): Promise<Pick<KeyPage<NamedCalendar, string>, 'items' | 'next'>>;
  getCalendarNames(): Promise<readonly string[]>;
  /** Returns the stored rows that this node has found unreadable. There are none if no other program writes. */
  getUnreadableRows(): Promise<readonly UnreadableRow[]>;
  /** Returns the subjects that were declared as part of the sets, whether or not they are still stored. */
  getDeclaredSets(sets: readonly string[]): Promise<readonly (Subject & { readonly set: string })[]>;
  /** Returns the declarations of the subjects, and edits of them. Subjects without a record are left out. */
  getDeclarations(subjects: readonly Subject[]): Promise<readonly StoredDeclaration[]>;
  /** Returns a page of the edits of declared subjects, in the order of the subjects. `after`: the last subject of the previous page. */
  pageOverrides(query: {
    readonly after: Subject | null;
    readonly take: number;
  }): Promise<readonly StoredDeclaration[]>;
}

/** A resolution of a failed run: a dead letter to discard, or a run without retries left to rerun. */
export interface FailedRunResolution extends RunCursor {
  /** Trigger that reruns the occurrence; null discards the dead letter. */
  readonly rerun: SimpleTrigger | null;
  /** Checkpoint to delete with a discarded dead letter; absent: none. A rerun uses it. */
  readonly checkpoint?: CheckpointKey;
}

/**
 * Records of runs that have ended. Completions record their own runs; see `Completion.run`. No change of the schedule deletes records: they
 * outlive their jobs and triggers, even after `clear`.
 */
export interface RunStore {
  listRuns(query: RunQuery): Promise<RunPage>;
  /** Records runs that no completion ends. A run that is already recorded stays as it is. */
  recordRuns(runs: readonly RunRecord[]): Promise<void>;
  /**
   * Reruns or discards failed runs without retries left; one answer per run, in the same order. False if it is not a dead letter, or no
   * longer. For a rerun, also false if it is not `isRerunnable` or its job is gone. Nothing is changed for such a run. The runs stay
   * recorded. The trigger of a rerun is stored like that of a retry.
   */
  resolveFailedRuns(resolutions: readonly FailedRunResolution[]): Promise<readonly boolean[]>;
  /** Returns the end time of the run after the newest `newer` ones; null if there are not that many. */
  findRunEnd(newer: number): Promise<EpochMs | null>;
  /** Deletes the oldest runs beyond the retention and returns how many: fewer than `maxCount` when none is left. */
  pruneRuns(retention: RunRetention): Promise<number>;
}

/**
 * Checkpoints of occurrences. Completions delete checkpoints that are no longer needed (`RunEnd.hasCheckpoint`); changes of the schedule
 * delete none.
 */
export interface CheckpointStore {
  /** Returns the value saved last, as JSON; null if nothing is stored. */
  readCheckpoint(key: CheckpointKey): Promise<string | null>;
  /**
   * Replaces the previous value. False: the run has ended, or no longer belongs to this node, so nothing was stored. True: every later run
   * of the occurrence reads this value, or a later one. `now` is the time that `pruneCheckpoints` compares.
   */
  saveCheckpoint(saved: SavedCheckpoint, now: EpochMs): Promise<boolean>;
  /**
   * Deletes checkpoints that no run will read and that no save or end of a run has touched since `before`. No run will read a checkpoint if
   * the run that saved it has ended and no retry or recovery of that run is stored. Returns the number deleted, which is less than
   * `maxCount` when none is left.
   */
  pruneCheckpoints(before: EpochMs, maxCount: number): Promise<number>;
}

/** Occurrences with parts that `endOccurrences` checks: the next ones after an id. */
export interface OccurrenceSweepRequest {
  /** Null: from the first one on. */
  readonly after: string | null;
  readonly maxCount: number;
  readonly now: EpochMs;
}

export interface OccurrenceSweep {
  readonly ended: readonly SpreadOccurrence[];
  /** The last occurrence that was checked; null at the end. */
  readonly next: string | null;
}

/** Occurrences that are run in parts. Completions begin and end them; see `Completion.parts` and `Completion.end`. */
export interface OccurrenceStore {
  /** Occurrences that have not ended, in no order. */
  getOccurrences(): Promise<readonly SpreadOccurrence[]>;
  /**
   * Ends occurrences whose remaining parts will not end by themselves, because their triggers were deleted, have ended, or are in ERROR.
   * These parts count as failed.
   */
  endOccurrences(request: OccurrenceSweepRequest): Promise<OccurrenceSweep>;
}

/**
 * Jobs and triggers that must succeed within a time (`mustSucceedWithin`). `applySchedule` keeps the expectations up to date, and
 * successful completions meet them. Deleted owners, and owners without the setting, have none.
 */
export interface ExpectationStore {
  /** Returns the time at which the next unreported expectation becomes overdue; null if none will. */
  nextDueTime(): Promise<EpochMs | null>;
  /** Returns expectations overdue by `now`, at most 100, the longest overdue first. Returns each lapse once, on one node of a cluster. */
  takeOverdue(now: EpochMs): Promise<readonly Expectation[]>;
  /** Returns expectations overdue by `now`, reported or not, the longest overdue first, at most `maxCount`. */
  listOverdue(now: EpochMs, maxCount: number): Promise<readonly Expectation[]>;
}

/** Actions that users performed on the scheduler from outside. No change of the schedule deletes them. */
export interface ActionStore {
  /** Records an action. One that is already recorded stays as it is. */
  recordAction(action: ActionRecord): Promise<void>;
  listActions(query: ActionQuery): Promise<ActionPage>;
  /** Deletes the oldest actions from before a time. Returns the number deleted, which is less than `maxCount` when none is left. */
  pruneActions(before: EpochMs, maxCount: number): Promise<number>;
  /** Returns the secret key of the version digests that users see: random, the same on all nodes, and never shown. */
  readVersionKey(): Promise<string>;
}

export interface JobStore
  extends ScheduleStore,
    FiringStore,
    ScheduleReader,
    RunStore,
    CheckpointStore,
    OccurrenceStore,
    ExpectationStore,
    ActionStore {
  /** Metadata: the kind's name, whether it outlives the process, and whether other nodes share it. */
  readonly description: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /**
   * Opens the store. It calls `onScheduleChanged` once after every change that may bring a fire time forward, with the earliest (null:
   * unknown). Such changes are changes of the schedule, completions that unblock their job, and recovered misfires. Acquiring, releasing
   * and firing do not call it, because their caller polls again itself.
   */
  open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void>;
  /** Completes running work, then closes the store. Aborts work that takes longer than `timeoutMs` (default: no limit). */
  close(timeoutMs?: number): Promise<void>;
}

/** Quartz's marker among the paused groups, which pauses every group, including future ones. */
export const ALL_GROUPS_PAUSED = '_$_ALL_GROUPS_PAUSED_$_';
