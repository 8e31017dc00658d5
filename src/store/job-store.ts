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
 * The port every store implements. One method is one transaction: all of it happens, or nothing. Plural in, plural out;
 * plain data only, so that a store can live in another thread; no connection in any signature.
 */

export interface ApplyOptions {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  /** Author of changes made by hand; absent: a program. */
  readonly author?: Author;
}

/** Limits for triggers that may be fired as they are stored: their number and their job types. */
export interface FireNow {
  readonly maxCount: number;
  readonly jobTypes: readonly string[];
  /** Excludes jobs of these groups. The node limits how many of their runs it executes, and acquires them itself. */
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
  /** The occurrences that lost their last parts; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** The dead letters of waiting runs that were deleted; absent: none. */
  readonly endedRuns?: readonly RunName[];
}

/** Selects triggers (or jobs) by a group matcher or by keys. */
export type Which<Key> = GroupMatcher | readonly Key[];

export function isKeys<Key>(which: Which<Key>): which is readonly Key[] {
  return Array.isArray(which);
}

/**
 * Writes to the schedule. Pausing, resuming and resetting return the affected groups, sorted: those that a matcher matches, or those of the
 * keys that are stored. For a single key, an empty answer means that there is no such trigger or job, and that nothing was changed.
 */
export interface ScheduleStore {
  /**
   * Applies the changes in order, all or none; one outcome per change. Rejects with OBJECT_ALREADY_EXISTS, JOB_NOT_FOUND,
   * CALENDAR_NOT_FOUND, CALENDAR_IN_USE, INVALID_CALENDAR, INVALID_TRIGGER (it would never fire) or INVALID_ARGUMENT (a non-durable job
   * without a trigger).
   * Replacing a trigger ends its reservation and leaves its executions. Deleting leaves executions too, and a job stored again under the
   * key waits for them. A deleted waiting run of an occurrence that had begun becomes a dead letter, and triggers that wait for the failure
   * of its job start. Only `clear` records nothing.
   * With `fireNow`, due triggers that it adds may be fired in the same transaction, which saves a second flush to disk. A store may fire
   * fewer, or none: the rest is acquired as usual.
   */
  applySchedule(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule>;
  /** Plans the changes as `applySchedule` would make them. Writes nothing, and rejects as it does. */
  planSchedule(changes: readonly ScheduleChange[], options: ApplyOptions): Promise<readonly PlannedChange[]>;
  /**
   * Pauses triggers and ends their reservations. A matcher also pauses the groups it matches, so triggers added to them later start paused.
   * `equals` remembers its group even when it has no trigger yet, and `any` every future group.
   * The explanation is kept until the pause is resumed, deleted, or replaced by another pause, with or without an explanation.
   * Very many triggers of groups and jobs are paused and resumed in portions, with time for other writers in between. Triggers added during
   * this time start in the state of their group.
   */
  pauseTriggers(which: Which<TriggerKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  /**
   * Undoes `pauseTriggers`; the misfire instruction decides about missed fire times. Only `any` ends the pause of future groups, and
   * deletes all explanations.
   */
  resumeTriggers(which: Which<TriggerKey>, options: ApplyOptions): Promise<readonly string[]>;
  /** Pauses every trigger of the jobs. Job groups are not remembered. */
  pauseJobs(which: Which<JobKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  resumeJobs(which: Which<JobKey>, options: ApplyOptions): Promise<readonly string[]>;
  /**
   * Ends the pauses whose end time has passed, on one node of a cluster. Triggers that another pause holds stay paused: one with an
   * explanation, or one of their group. Very many are resumed in portions, with time for other writers in between; a pause ends when the
   * last of its triggers has been resumed.
   */
  endPauses(options: ApplyOptions): Promise<EndedPauses>;
  /** ERROR → WAITING, or PAUSED in a paused group, or BLOCKED while the job runs. Other states stay. */
  resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]>;
}

export interface EndedPauses {
  readonly ended: readonly ExplainedPause[];
  /** Time at which the next pause ends by itself; null: none will. */
  readonly nextEnd: EpochMs | null;
}

export interface AcquireRequest {
  readonly now: EpochMs;
  /** Only triggers whose next fire time is at or before this. */
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** Length of the batch in milliseconds, from the later of its first fire time and now. */
  readonly timeWindow: number;
  /** Older triggers are left to `recoverMisfires`, unless they ignore misfires. Milliseconds. */
  readonly misfireThreshold: number;
  /** Job types that can run here; triggers of others stay WAITING and delay nothing. */
  readonly jobTypes: readonly string[];
  /** Fires in the same transaction if the first of the batch is due within this many milliseconds; null: only reserves. */
  readonly fireWithin: number | null;
  /**
   * Number of further jobs of these groups that may run here. Triggers beyond it stay WAITING and delay nothing. Absent: no group has a
   * limit.
   */
  readonly groupRoom?: GroupLimits;
}

/** Either `acquired` or `fired` is empty. */
export interface AcquireResult {
  readonly acquired: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
  /** Time at which a due trigger that prefers other nodes may be acquired here; absent: not known, or there is none. */
  readonly pollAgainAt?: EpochMs;
  /** The window of the batch, if it differs from the requested one. Milliseconds. */
  readonly timeWindow?: number;
}

export interface MisfireRequest {
  readonly now: EpochMs;
  readonly misfireThreshold: number;
  readonly maxCount: number;
}

export interface MisfireSweep {
  /** As they were when they misfired. */
  readonly misfired: readonly Trigger[];
  /** Triggers that will not fire again and are COMPLETE now. */
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
  /** The triggers of `Completion.further` that were not stored because their job is gone; absent: none. */
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
  /** Releases reservations that were not fired. A reservation that another node holds by now is left alone. */
  releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void>;
  /** One result per acquired trigger, in the same order. */
  fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]>;
  /**
   * Ends firings; one outcome per completion, in the same order. `planCompletion` decides what it does to triggers. Its run and its retry
   * are stored with it, or not at all. The retry is PAUSED in a paused group, and BLOCKED while its non-concurrent job runs.
   */
  completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]>;
  /**
   * Reports firings that another transaction of this node has ended. `earliest`: the fire time that came within reach because of it, if
   * any.
   */
  haveEnded(ended: readonly TriggerFiring[], earliest: EpochMs | undefined): Promise<void>;
  /**
   * Applies the misfire instruction of the longest waiting misfired triggers, of every job type. Where the policy requests history, a
   * skipped fire time (`passesOver`) is recorded as `misfired`.
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
  /** Part of the key's text, `group/name`, ignoring case. */
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
  /** Part of the key's text, `group/name`, ignoring case. */
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

/** A page of a list that continues from a key: the next page costs the same however many were read before. */
export interface KeyPage<T, Place> {
  /** May be fewer than requested, or empty, although there are more: filters that no index supports are searched in parts. */
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
  /** Part of the key's text, `group/name`, ignoring case. */
  readonly search?: string;
  /** Key after which to continue; absent: from the first one on. */
  readonly after?: JobKey;
  readonly take: number;
}

/** A place in a list of triggers: the sort values of the last trigger that was read. */
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
  /** Part of the key's text, `group/name`, ignoring case. */
  readonly search?: string;
  /**
   * `nextFireTime` lists triggers that will fire, equal times by priority, group and name, then those that wait for other jobs. Dormant
   * ones (paused, in ERROR) follow in the same order, then those that never fire again.
   */
  readonly sort: 'key' | 'nextFireTime';
  /** Place after which to continue; absent: from the first one on. */
  readonly after?: TriggerPlace;
  readonly take: number;
  /** True to count nothing, so that no more is read than is returned. */
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
  /** Null: it cannot be read here. */
  readonly data: CalendarData | null;
}

/** Reads; every answer is consistent in itself. Missing keys are left out; rows that cannot be read are shown as `unreadable`. */
export interface ScheduleReader {
  getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]>;
  /** The jobs with more triggers than `moreThan`. */
  findLargeJobs(keys: readonly JobKey[], moreThan: number): Promise<readonly JobKey[]>;
  queryJobs(query: JobQuery): Promise<Page<JobDetail>>;
  queryTriggers(query: TriggerQuery): Promise<Page<StoredTrigger>>;
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>>;
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<StoredTrigger, TriggerPlace>>;
  getJobGroupNames(): Promise<readonly string[]>;
  /** In order. `prefix`: only groups that begin with it. */
  getTriggerGroupNames(prefix?: string): Promise<readonly string[]>;
  /** May hold `ALL_GROUPS_PAUSED`. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /**
   * The pauses with a reason, author or end time, in no order. `of`: pauses that concern other triggers, jobs or groups than theirs may be
   * missing.
   */
  getPauses(of?: readonly PausedTrigger[]): Promise<readonly ExplainedPause[]>;
  /** In the order of their targets. */
  pagePauses(query: TargetPageQuery): Promise<Pick<KeyPage<ExplainedPause, PauseTarget>, 'items' | 'next'>>;
  getCalendar(name: string): Promise<CalendarData | null>;
  /** By name. */
  pageCalendars(query: NamePageQuery): Promise<Pick<KeyPage<NamedCalendar, string>, 'items' | 'next'>>;
  getCalendarNames(): Promise<readonly string[]>;
  /** The stored rows that this node has found unreadable; none where no other program writes. */
  getUnreadableRows(): Promise<readonly UnreadableRow[]>;
  /** Subjects that were declared as part of the sets, whether or not they are still stored. */
  getDeclaredSets(sets: readonly string[]): Promise<readonly (Subject & { readonly set: string })[]>;
  /** Declarations of the subjects, and edits of them; subjects without a record are left out. */
  getDeclarations(subjects: readonly Subject[]): Promise<readonly StoredDeclaration[]>;
  /** Edits of declared subjects, in the order of the subjects; `after`: behind this one. */
  pageOverrides(query: {
    readonly after: Subject | null;
    readonly take: number;
  }): Promise<readonly StoredDeclaration[]>;
}

/** A dead letter to discard, or a run that failed for good to rerun. */
export interface FailedRunResolution extends RunCursor {
  /** Trigger that reruns the occurrence; null: the dead letter is discarded. */
  readonly rerun: SimpleTrigger | null;
  /** Checkpoint to delete with a discarded dead letter; absent: none. A rerun uses it. */
  readonly checkpoint?: CheckpointKey;
}

/**
 * Records of runs that have ended. Completions record theirs; see `Completion.run`. No change of the schedule deletes any: runs outlive
 * their jobs and triggers, even after `clear`.
 */
export interface RunStore {
  listRuns(query: RunQuery): Promise<RunPage>;
  /** Records runs that no completion ends. A run that is already recorded stays as it is. */
  recordRuns(runs: readonly RunRecord[]): Promise<void>;
  /**
   * Reruns or discards runs that failed for good; one answer per run, in the same order. False if it is not a dead letter (any more). For a
   * rerun, also false if it is not `isRerunnable` or its job is gone. Nothing is changed for it then. The runs stay recorded. The trigger
   * of a rerun is stored as that of a retry is.
   */
  resolveFailedRuns(resolutions: readonly FailedRunResolution[]): Promise<readonly boolean[]>;
  /** End time of the run after the newest `newer` ones; null: there are not so many. */
  findRunEnd(newer: number): Promise<EpochMs | null>;
  /** Deletes the oldest runs beyond the retention and returns how many: fewer than `maxCount` when none is left. */
  pruneRuns(retention: RunRetention): Promise<number>;
}

/**
 * Checkpoints of the jobs of occurrences. Completions delete those that are no longer needed (`RunEnd.hasCheckpoint`); changes of the
 * schedule delete none.
 */
export interface CheckpointStore {
  /** The value saved last, as JSON; null: nothing is stored. */
  readCheckpoint(key: CheckpointKey): Promise<string | null>;
  /**
   * Replaces the previous value. False: the run has ended, or no longer belongs to this node, so nothing was stored. True: it is stored,
   * and every later run of the occurrence reads it, or a later one. `now`: for `pruneCheckpoints`.
   */
  saveCheckpoint(saved: SavedCheckpoint, now: EpochMs): Promise<boolean>;
  /**
   * Deletes checkpoints that nothing will read and that were neither saved nor kept by the end of a run since `before`. Nothing will read
   * one if no run that saved it executes and no retry or recovery of that run is stored. Returns how many: fewer than `maxCount` when none
   * is left.
   */
  pruneCheckpoints(before: EpochMs, maxCount: number): Promise<number>;
}

/** Occurrences with parts that `endOccurrences` checks: the next ones behind an id. */
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
   * Ends occurrences whose remaining parts will not end by themselves, as failed in these parts. The triggers of these parts were deleted,
   * have ended, or are in ERROR.
   */
  endOccurrences(request: OccurrenceSweepRequest): Promise<OccurrenceSweep>;
}

/**
 * Jobs and triggers that must succeed within a time (`mustSucceedWithin`). `applySchedule` keeps the expectations, and completions that end
 * a success meet them. Triggers and jobs that are deleted, or no longer set it, have none.
 */
export interface ExpectationStore {
  /** Time at which the next expectation becomes overdue that has not been reported; null: none will. */
  nextDueTime(): Promise<EpochMs | null>;
  /** Expectations overdue by `now`, at most 100, the longest overdue first. Returns each lapse once, on one node of a cluster. */
  takeOverdue(now: EpochMs): Promise<readonly Expectation[]>;
  /** Expectations overdue by `now`, reported or not, the longest first, at most `maxCount`. */
  listOverdue(now: EpochMs, maxCount: number): Promise<readonly Expectation[]>;
}

/** Actions of users on the scheduler from outside. No change of the schedule deletes any. */
export interface ActionStore {
  /** Records an action. One that is already recorded stays as it is. */
  recordAction(action: ActionRecord): Promise<void>;
  listActions(query: ActionQuery): Promise<ActionPage>;
  /** Deletes the oldest actions from before a time and returns how many: fewer than `maxCount` when none is left. */
  pruneActions(before: EpochMs, maxCount: number): Promise<number>;
  /** The key of the digests that users see: random, the same on all nodes, and never shown itself. */
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
  /** For metadata: the kind's name, and whether it outlives the process or is shared with other nodes. */
  readonly description: { readonly name: string; readonly persistent: boolean; readonly clustered: boolean };
  /**
   * Opens the store. `onScheduleChanged` is called once after every change that may bring a fire time forward, with the earliest (null:
   * unknown). Such changes are those of the schedule, completions that unblock their job, and recovered misfires. Acquiring, releasing and
   * firing do not call it: their caller polls again itself.
   */
  open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void>;
  /** Closes everything in order. Aborts work that takes longer than `timeoutMs` (default: no limit). */
  close(timeoutMs?: number): Promise<void>;
}

/** Quartz's marker among the paused groups: every group, including future ones. */
export const ALL_GROUPS_PAUSED = '_$_ALL_GROUPS_PAUSED_$_';
