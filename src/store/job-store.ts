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
  /** Who makes the changes by hand; absent: a program. */
  readonly author?: Author;
}

/** What may be fired as it is stored: at most so many triggers, of jobs of these types. */
export interface FireNow {
  readonly maxCount: number;
  readonly jobTypes: readonly string[];
  /** Jobs of these groups are not meant: the node limits how many of their runs execute on it, and asks for them itself. */
  readonly exceptGroups?: readonly string[];
}

export interface ApplyScheduleOptions extends ApplyOptions {
  readonly fireNow?: FireNow | null;
}

/** `fired` is empty where `fireNow` was not given. */
export interface AppliedSchedule {
  /** One per change. */
  readonly outcomes: readonly ScheduleOutcome[];
  readonly fired: readonly FireResult[];
  /** The occurrences of which the last parts were deleted; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
  /** The dead letters of waiting runs that were deleted; absent: none. */
  readonly endedRuns?: readonly RunName[];
}

/** Which triggers (or jobs): a group matcher, or keys. */
export type Which<Key> = GroupMatcher | readonly Key[];

export function isKeys<Key>(which: Which<Key>): which is readonly Key[] {
  return Array.isArray(which);
}

/**
 * Writes to the schedule. What pauses, resumes or resets returns the groups it touched, sorted: those that a matcher matches, or those of
 * the keys that are stored. Of a single key, none says that there is no such trigger or job, and that nothing was changed.
 */
export interface ScheduleStore {
  /**
   * Applies the changes in order, all or none; one outcome per change. Rejects with OBJECT_ALREADY_EXISTS,
   * JOB_NOT_FOUND, CALENDAR_NOT_FOUND, CALENDAR_IN_USE, INVALID_CALENDAR, INVALID_TRIGGER (it would never fire) or
   * INVALID_ARGUMENT (a non-durable job without a trigger). Replacing a trigger ends its reservation and leaves its
   * executions; deleting leaves executions too, and a job stored again under the key waits for them. A waiting run of an occurrence that had
   * begun and is deleted becomes a dead letter, and what waits for the failure of its job starts; only `clear` records nothing.
   * With `fireNow`, triggers that it adds and that are due may be fired in the same transaction, which saves the way to the disk of
   * a second one. A store may fire fewer, or none: whatever it leaves is acquired as usual.
   */
  applySchedule(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule>;
  /** What `applySchedule` would do; writes nothing, and rejects as it does. */
  planSchedule(changes: readonly ScheduleChange[], options: ApplyOptions): Promise<readonly PlannedChange[]>;
  /**
   * Pauses triggers. A matcher also pauses the groups it matches: triggers added to them later start paused; `equals`
   * remembers its group even when it has no trigger yet, and `any` every future group. Ends reservations.
   * What is said of it is kept until it is resumed, deleted, or paused again, in whose place nothing need be said.
   * Very many triggers of groups and jobs are paused and resumed in portions, with time between them for whatever else writes; what is added
   * meanwhile starts as the group says.
   */
  pauseTriggers(which: Which<TriggerKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  /**
   * Undoes pauseTriggers; what was missed meanwhile is decided by the misfire instruction. Only `any` ends the pause of
   * future groups, and what was said of every pause.
   */
  resumeTriggers(which: Which<TriggerKey>, options: ApplyOptions): Promise<readonly string[]>;
  /** Pauses every trigger of the jobs. Job groups are not remembered. */
  pauseJobs(which: Which<JobKey>, explanation?: PauseExplanation): Promise<readonly string[]>;
  resumeJobs(which: Which<JobKey>, options: ApplyOptions): Promise<readonly string[]>;
  /**
   * Resumes what was paused until a time that is over now, except for triggers that another pause holds: one that was explained, or one of
   * their group. On one node of a cluster. Very many end in portions, with time between them for whatever else writes; a pause ends when the
   * last of its triggers has been resumed.
   */
  endPauses(options: ApplyOptions): Promise<EndedPauses>;
  /** ERROR → WAITING, or PAUSED in a paused group, or BLOCKED while the job runs. Other states stay. */
  resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]>;
}

export interface EndedPauses {
  readonly ended: readonly ExplainedPause[];
  /** When the next pause ends by itself; null: none will. */
  readonly nextEnd: EpochMs | null;
}

export interface AcquireRequest {
  readonly now: EpochMs;
  /** Only triggers whose next fire time is at or before this. */
  readonly noLaterThan: EpochMs;
  readonly maxCount: number;
  /** The batch may span this many milliseconds after the later of its first fire time and now. */
  readonly timeWindow: number;
  /** Older triggers are left to `recoverMisfires`, unless they ignore misfires. */
  readonly misfireThreshold: number;
  /** Only these can run here; others stay WAITING and delay nothing. */
  readonly jobTypes: readonly string[];
  /** Fire in the same transaction when the first of the batch is due within so many milliseconds; null: only reserve. */
  readonly fireWithin: number | null;
  /** How many more jobs of these groups may run here; further triggers of theirs stay WAITING and delay nothing. Absent: no group has a limit. */
  readonly groupRoom?: GroupLimits;
}

/** Either `acquired` or `fired` is empty. */
export interface AcquireResult {
  readonly acquired: readonly AcquiredTrigger[];
  readonly fired: readonly FireResult[];
  /** When something due that prefers other nodes may be acquired here; absent: not known, or nothing does. */
  readonly pollAgainAt?: EpochMs;
  /** The window of the batch, where another one than was asked for. Milliseconds. */
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
  /** Those that will not fire again and are COMPLETE now. */
  readonly finalized: readonly Trigger[];
  readonly earliestNextFireTime: EpochMs | null;
  /** More than `maxCount` were waiting. */
  readonly more: boolean;
}

/**
 * What one completion did. `fenced`: the firing was no longer ours, so nothing was changed. `failed`: the store could not take
 * this one and has reported why; nothing was changed, and it may be tried again later.
 */
export interface CompletionOutcome {
  readonly status: 'completed' | 'fenced' | 'failed';
  readonly deletedTrigger: boolean;
  readonly deletedJob: boolean;
  /** The triggers of `Completion.further` that were not stored, because their job is gone; absent: none. */
  readonly notStored?: readonly TriggerKey[];
  /** The occurrences of which this was the last part to end, or took away the last; absent: none. */
  readonly endedOccurrences?: readonly SpreadOccurrence[];
}

/** The life of a firing. */
export interface FiringStore {
  /**
   * Reserves due triggers in the order of fire time, descending priority and key: at most one of each job that disallows
   * concurrent execution, and none while such a job executes.
   */
  acquireTriggers(request: AcquireRequest): Promise<AcquireResult>;
  /** Puts back what was acquired and not fired. A reservation that is no longer ours is left alone. */
  releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void>;
  /** One result per acquired trigger, in the same order. */
  fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]>;
  /**
   * One outcome per completion, in the same order. What it does to triggers, `planCompletion` decides. Its run and its retry are stored
   * with it, or not at all: the retry PAUSED in a paused group, BLOCKED where its job runs and must not run twice.
   */
  completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]>;
  /** Firings were ended by a transaction of this node beside the store; `earliest`: the fire time that came within reach by it, if any. */
  haveEnded(ended: readonly TriggerFiring[], earliest: EpochMs | undefined): Promise<void>;
  /**
   * Applies the misfire instruction of the longest waiting misfired triggers, of every job type. Where the policy asks for history, a
   * fire time that is passed over (`passesOver`) is recorded as `misfired`.
   */
  recoverMisfires(request: MisfireRequest): Promise<MisfireSweep>;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** All that match, not only this page. */
  readonly total: number;
}

export interface JobQuery {
  readonly group?: GroupMatcher;
  readonly jobType?: string;
  /** Part of the key's text, `group/name`, upper and lower case alike. */
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
  /** Those that wait for the end of this job. */
  readonly after?: JobKey;
  readonly states?: readonly TriggerState[];
  readonly calendarName?: string;
  /** Part of the key's text, `group/name`, upper and lower case alike. */
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

/** A part of a list that is read on by key: reading on costs the same however much was read before. */
export interface KeyPage<T, Place> {
  /** May be fewer than were asked for, or none, although there are more: what no index leads to is searched in parts. */
  readonly items: readonly T[];
  /** Behind which the list goes on; null: it is over. */
  readonly next: Place | null;
  /**
   * How many match; only of the first page, and null where it is omitted or only a part was searched. `isExact`: false where there are more than `MAX_COUNT`, which is
   * as far as it counts.
   */
  readonly total: { readonly count: number; readonly isExact: boolean } | null;
}

/** How far a list is counted. */
export const MAX_COUNT = 1_000;

/** Which jobs, by name and group. */
export interface JobPageQuery {
  readonly group?: string;
  readonly jobType?: string;
  /** Part of the key's text, `group/name`, upper and lower case alike. */
  readonly search?: string;
  /** Those behind this key; absent: from the first one on. */
  readonly after?: JobKey;
  readonly take: number;
}

/** A place in a list of triggers: what it is sorted by, of the last one that was read. */
export interface TriggerPlace extends Pick<Trigger, 'key' | 'kind' | 'nextFireTime' | 'priority'> {
  /** See `isDormant` of a state. */
  readonly isDormant: boolean;
}

/** Which triggers, by name and group or by next fire time. */
export interface TriggerPageQuery {
  readonly group?: string;
  readonly jobKey?: JobKey;
  readonly states?: readonly TriggerState[];
  readonly calendarName?: string;
  /** Part of the key's text, `group/name`, upper and lower case alike. */
  readonly search?: string;
  /**
   * `nextFireTime`: triggers that will fire, equal times by priority, group and name, then those that wait for other jobs; then dormant ones
   * (paused, in ERROR) in the same order; then those that never fire again.
   */
  readonly sort: 'key' | 'nextFireTime';
  /** Those behind this place; absent: from the first one on. */
  readonly after?: TriggerPlace;
  readonly take: number;
  /** Nothing is counted: no more is read than is answered. */
  readonly omitTotal?: boolean;
}

export interface TargetPageQuery {
  /** Those behind this one; absent: from the first one on. */
  readonly after?: PauseTarget;
  readonly take: number;
}

export interface NamePageQuery {
  /** Those behind this one; absent: from the first one on. */
  readonly after?: string;
  readonly take: number;
}

export interface NamedCalendar {
  readonly name: string;
  /** Null: it cannot be read here. */
  readonly data: CalendarData | null;
}

/** Reads; every answer is consistent in itself. Missing keys are left out; what cannot be read is shown as `unreadable`. */
export interface ScheduleReader {
  getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]>;
  getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]>;
  /** The jobs with more triggers than that. */
  findLargeJobs(keys: readonly JobKey[], moreThan: number): Promise<readonly JobKey[]>;
  queryJobs(query: JobQuery): Promise<Page<JobDetail>>;
  queryTriggers(query: TriggerQuery): Promise<Page<StoredTrigger>>;
  pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>>;
  pageTriggers(query: TriggerPageQuery): Promise<KeyPage<StoredTrigger, TriggerPlace>>;
  getJobGroupNames(): Promise<readonly string[]>;
  /** `prefix`: only those that begin so, in order. */
  getTriggerGroupNames(prefix?: string): Promise<readonly string[]>;
  /** May hold `ALL_GROUPS_PAUSED`. */
  getPausedTriggerGroups(): Promise<readonly string[]>;
  /** The pauses of which something was said, in no order. `of`: those of others than these triggers, or their jobs or groups, may be missing. */
  getPauses(of?: readonly PausedTrigger[]): Promise<readonly ExplainedPause[]>;
  /** In the order of their targets. */
  pagePauses(query: TargetPageQuery): Promise<Pick<KeyPage<ExplainedPause, PauseTarget>, 'items' | 'next'>>;
  getCalendar(name: string): Promise<CalendarData | null>;
  /** By name. */
  pageCalendars(query: NamePageQuery): Promise<Pick<KeyPage<NamedCalendar, string>, 'items' | 'next'>>;
  getCalendarNames(): Promise<readonly string[]>;
  /** The stored rows that this node has met and cannot understand; none where nobody else writes. */
  getUnreadableRows(): Promise<readonly UnreadableRow[]>;
  /** What was declared as part of the sets, whether or not it is stored still. */
  getDeclaredSets(sets: readonly string[]): Promise<readonly (Subject & { readonly set: string })[]>;
  /** Who declared the subjects, and what was edited of them; of what has no record there is none. */
  getDeclarations(subjects: readonly Subject[]): Promise<readonly StoredDeclaration[]>;
  /** What was edited of what is declared, in the order of the subjects; `after`: behind this one. */
  pageOverrides(query: {
    readonly after: Subject | null;
    readonly take: number;
  }): Promise<readonly StoredDeclaration[]>;
}

/** A dead letter to discard, or a run that failed for good to rerun. */
export interface FailedRunResolution extends RunCursor {
  /** Runs its occurrence again; null: it is discarded. */
  readonly rerun: SimpleTrigger | null;
  /** That goes with what is discarded; absent: none. A rerun finds it. */
  readonly checkpoint?: CheckpointKey;
}

/**
 * What was recorded of the runs that have ended. Completions record theirs; see `Completion.run`. No change of the schedule deletes any:
 * runs outlive their jobs and triggers, also those that `clear` deletes.
 */
export interface RunStore {
  listRuns(query: RunQuery): Promise<RunPage>;
  /** Records runs that no completion ends. One that is recorded already stays as it is. */
  recordRuns(runs: readonly RunRecord[]): Promise<void>;
  /**
   * Reruns or discards runs that failed for good. One answer per run, in the same order. False: it is no dead letter (any more) and, for a rerun, not `isRerunnable` either, or its job is gone;
   * nothing was changed for it. The runs stay recorded. The trigger of a rerun is stored as that of a retry is.
   */
  resolveFailedRuns(resolutions: readonly FailedRunResolution[]): Promise<readonly boolean[]>;
  /** When the run ended that `newer` newer ones stand before; null: there are not so many. */
  findRunEnd(newer: number): Promise<EpochMs | null>;
  /** Deletes the oldest runs that are no longer kept; how many: fewer than `maxCount` when none is left. */
  pruneRuns(retention: RunRetention): Promise<number>;
}

/**
 * How far the jobs of occurrences have come. Completions delete what is not needed any more (`RunEnd.hasCheckpoint`), changes of the
 * schedule nothing.
 */
export interface CheckpointStore {
  /** What was saved last, as JSON; null: nothing is stored. */
  readCheckpoint(key: CheckpointKey): Promise<string | null>;
  /**
   * Puts a value in the place of the one before. False: the run has ended, or is no longer this node's, so nothing was stored. True: it is
   * stored, and every later run of the occurrence reads it, or a later one. `now`: for `pruneCheckpoints`.
   */
  saveCheckpoint(saved: SavedCheckpoint, now: EpochMs): Promise<boolean>;
  /**
   * Deletes what was neither saved nor kept by the end of a run since `before`, and nothing will read: no run that saved it executes, and
   * no retry or recovery of that run is stored. How many: fewer than `maxCount` when none is left.
   */
  pruneCheckpoints(before: EpochMs, maxCount: number): Promise<number>;
}

/** Which spread occurrences `endOccurrences` looks at: the next ones behind an id. */
export interface OccurrenceSweepRequest {
  /** Null: from the first one on. */
  readonly after: string | null;
  readonly maxCount: number;
  readonly now: EpochMs;
}

export interface OccurrenceSweep {
  readonly ended: readonly SpreadOccurrence[];
  /** The last one looked at; null: that was the end. */
  readonly next: string | null;
}

/** Occurrences that are run in parts. Completions begin and end them; see `Completion.parts` and `Completion.end`. */
export interface OccurrenceStore {
  /** Those that go on, in no order. */
  getOccurrences(): Promise<readonly SpreadOccurrence[]>;
  /**
   * Ends those whose remaining parts will not end by themselves, as failed in these parts: their triggers were deleted, have come to their
   * end, or are in ERROR.
   */
  endOccurrences(request: OccurrenceSweepRequest): Promise<OccurrenceSweep>;
}

/**
 * What must succeed within a time (`mustSucceedWithin`). What is expected is kept by `applySchedule` and met by completions that end
 * a success; of triggers and jobs that are gone, or say so no longer, nothing is expected.
 */
export interface ExpectationStore {
  /** When the next one is overdue of which nobody was told; null: none will be. */
  nextDueTime(): Promise<EpochMs | null>;
  /** What is overdue by `now`, each lapse once, on one node of a cluster: at most 100, the longest overdue first. */
  takeOverdue(now: EpochMs): Promise<readonly Expectation[]>;
  /** What is overdue by `now`, told of or not, the longest first, and at most `maxCount` of it. */
  listOverdue(now: EpochMs, maxCount: number): Promise<readonly Expectation[]>;
}

/** What people did to the scheduler from outside. No change of the schedule deletes any. */
export interface ActionStore {
  /** One that is recorded already stays as it is. */
  recordAction(action: ActionRecord): Promise<void>;
  listActions(query: ActionQuery): Promise<ActionPage>;
  /** Deletes the oldest of those from before a time; how many: fewer than `maxCount` when none is left. */
  pruneActions(before: EpochMs, maxCount: number): Promise<number>;
  /** The key of the digests that are shown to people: random, the same on all nodes, and never shown itself. */
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
   * `onScheduleChanged` is called once after every change that may bring a fire time forward, with the earliest (null:
   * unknown): of the schedule, of a completion that unblocks its job, of recovered misfires. Not by acquiring, releasing
   * and firing: who does that looks again by itself.
   */
  open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void>;
  /** In order; what does not answer for `timeoutMs` (default: however long it takes) is cut off. */
  close(timeoutMs?: number): Promise<void>;
}

/** Quartz's marker among the paused groups: every group, also those to come. */
export const ALL_GROUPS_PAUSED = '_$_ALL_GROUPS_PAUSED_$_';
