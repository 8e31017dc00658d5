import type { Clock, EpochMs } from '../../base/clock';
import type { Steps } from '../../base/steps';
import type { ActionPage, ActionQuery, ActionRecord } from '../../domain/action';
import type { CalendarData } from '../../domain/calendars/calendar';
import { type CheckpointKey, checkpointKeyText, type SavedCheckpoint } from '../../domain/checkpoint';
import type { Completion } from '../../domain/completion';
import { compareTargets, type DeclarationTarget, type StoredDeclaration } from '../../domain/declaration';
import { DEFAULT_POLICY, policyOf, type WholePolicy } from '../../domain/execution-policy';
import type { Expectation } from '../../domain/expectation';
import type { AcquiredTrigger, FireResult } from '../../domain/firing';
import type { JobDetail } from '../../domain/job-detail';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { MisfireClock } from '../../domain/misfire';
import type { ExplainedPause, PausedTrigger, PauseExplanation } from '../../domain/pause';
import { type NodeScope, scopeOfNode } from '../../domain/placement';
import type { PlannedChange } from '../../domain/plan-changes';
import { misfiredRun, type RunPage, type RunQuery, type RunRecord, type RunRetention } from '../../domain/run';
import type { ScheduleChange } from '../../domain/schedule-change';
import type { SpreadOccurrence } from '../../domain/spread-occurrence';
import type {
  AcquireRequest,
  AcquireResult,
  AppliedSchedule,
  ApplyOptions,
  CompletionOutcome,
  EndedPauses,
  FailedRunResolution,
  JobPageQuery,
  JobQuery,
  JobStore,
  KeyPage,
  MisfireRequest,
  MisfireSweep,
  NamePageQuery,
  OccurrenceSweep,
  OccurrenceSweepRequest,
  Page,
  StoredTrigger,
  TargetPageQuery,
  TriggerPageQuery,
  TriggerPlace,
  TriggerQuery,
  Which,
} from '../job-store';
import { applySchedule, planSchedule } from './change-schedule';
import { pruneCheckpoints, saveCheckpoint } from './checkpoints';
import { listOverdue, nextDueTime, takeOverdue } from './expectations';
import {
  acquireTriggers,
  completeTrigger,
  endOccurrences,
  fireTriggers,
  type MissedTime,
  type RecoveryClock,
  recoverMisfires,
  releaseTriggers,
  resolveFailedRuns,
} from './firings';
import { pageCalendars, pageJobs, pagePauses, pageTriggers, selectPauses } from './list-pages';
import { MemoryTables } from './memory-tables';
import {
  endPauses,
  pauseJobs,
  pauseTriggers,
  resetTriggersFromError,
  resumeJobs,
  resumeTriggers,
} from './pause-and-resume';
import { queryJobs, queryTriggers, toStoredTrigger } from './read-schedule';
import { Turns } from './turns';

export interface MemoryStoreOptions {
  /** Policy of jobs and triggers without their own policy: the history to record, and limits on the concurrent runs of job groups. */
  readonly policy?: WholePolicy;
  /** Node name in the recorded runs. Default: `NON_CLUSTERED`. */
  readonly instanceId?: string;
  /** Labels and priorities of the triggers that the node may fire. Default: triggers of any priority that need no label except the node's own. */
  readonly scope?: NodeScope;
  /** Clock that measures how long operations block the event loop. Absent: operations never yield to the event loop. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** Tables to use. Tests pass tables to inspect them. */
  readonly tables?: MemoryTables;
}

/**
 * Stores the schedule in this process. All data is lost when the process ends. Each operation runs in one turn of the event loop and is therefore a
 * transaction. Only pausing and resuming very many triggers takes several turns.
 */
export class MemoryJobStore implements JobStore {
  readonly description = { name: 'memory', persistent: false, clustered: false } as const;

  readonly #newRunId: () => string;
  readonly #tables: MemoryTables;
  readonly #policy: WholePolicy;
  readonly #instanceId: string;
  readonly #turns: Turns;
  #onScheduleChanged: ((earliest: EpochMs | null) => void) | null = null;

  constructor(newRunId: () => string, options: MemoryStoreOptions = {}) {
    this.#newRunId = newRunId;
    this.#instanceId = options.instanceId ?? 'NON_CLUSTERED';
    this.#policy = options.policy ?? DEFAULT_POLICY;
    this.#turns = new Turns(options.clock);
    const { scope = scopeOfNode(this.#instanceId) } = options;
    this.#tables = options.tables ?? new MemoryTables(scope, this.#policy.groupLimits);
  }

  async open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void> {
    this.#onScheduleChanged = onScheduleChanged;
  }

  async close(): Promise<void> {
    this.#onScheduleChanged = null;
  }

  async applySchedule(changes: readonly ScheduleChange[], options: ApplyOptions): Promise<AppliedSchedule> {
    await this.#turns.begin();
    const recording = { newRunId: this.#newRunId, instanceId: this.#instanceId };
    return this.#announcing(() => applySchedule(this.#tables, changes, { ...options, ...recording }));
  }

  async planSchedule(changes: readonly ScheduleChange[], options: ApplyOptions): Promise<readonly PlannedChange[]> {
    await this.#turns.begin();
    return planSchedule(this.#tables, changes, options);
  }

  async pauseTriggers(which: Which<TriggerKey>, explanation?: PauseExplanation): Promise<readonly string[]> {
    return this.#inSteps(pauseTriggers(this.#tables, which, explanation ?? null));
  }

  async resumeTriggers(which: Which<TriggerKey>, options: ApplyOptions): Promise<readonly string[]> {
    return this.#inSteps(resumeTriggers(this.#tables, which, this.#recovering(options)));
  }

  async pauseJobs(which: Which<JobKey>, explanation?: PauseExplanation): Promise<readonly string[]> {
    return this.#inSteps(pauseJobs(this.#tables, which, explanation ?? null));
  }

  async resumeJobs(which: Which<JobKey>, options: ApplyOptions): Promise<readonly string[]> {
    return this.#inSteps(resumeJobs(this.#tables, which, this.#recovering(options)));
  }

  async endPauses(options: ApplyOptions): Promise<EndedPauses> {
    await this.#turns.begin();
    return this.#announcing(() => endPauses(this.#tables, this.#recovering(options)));
  }

  async getPauses(of?: readonly PausedTrigger[]): Promise<readonly ExplainedPause[]> {
    await this.#turns.begin();
    return selectPauses(this.#tables, of);
  }

  async pagePauses(query: TargetPageQuery) {
    await this.#turns.begin();
    return pagePauses(this.#tables, query);
  }

  async pageCalendars(query: NamePageQuery) {
    await this.#turns.begin();
    return pageCalendars(this.#tables, query);
  }

  async resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]> {
    return this.#announcing(() => resetTriggersFromError(this.#tables, keys));
  }

  async acquireTriggers(request: AcquireRequest): Promise<AcquireResult> {
    return acquireTriggers(this.#tables, request, this.#newRunId);
  }

  async releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void> {
    releaseTriggers(this.#tables, acquired);
  }

  async fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]> {
    return fireTriggers(this.#tables, acquired, now);
  }

  async completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]> {
    return this.#announcing(() => completions.map((completion) => completeTrigger(this.#tables, completion)));
  }

  /** Does nothing: in memory, no other transaction ends firings. */
  async haveEnded(): Promise<void> {}

  async recoverMisfires(request: MisfireRequest): Promise<MisfireSweep> {
    return this.#announcing(() => recoverMisfires(this.#tables, this.#recovering(request)));
  }

  async findLargeJobs(keys: readonly JobKey[], moreThan: number): Promise<readonly JobKey[]> {
    await this.#turns.begin();
    return keys.filter((key) => (this.#tables.job(key)?.triggers.size ?? 0) > moreThan);
  }

  async getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]> {
    await this.#turns.begin();
    return keys.flatMap((key) => this.#tables.job(key)?.detail ?? []);
  }

  async getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]> {
    await this.#turns.begin();
    const entries = keys.map((key) => this.#tables.trigger(key));
    return entries.filter((entry) => entry !== null).map(toStoredTrigger);
  }

  async queryJobs(query: JobQuery): Promise<Page<JobDetail>> {
    await this.#turns.begin();
    return queryJobs(this.#tables, query);
  }

  async pageJobs(query: JobPageQuery): Promise<KeyPage<JobDetail, JobKey>> {
    await this.#turns.begin();
    return pageJobs(this.#tables, query);
  }

  async pageTriggers(query: TriggerPageQuery): Promise<KeyPage<StoredTrigger, TriggerPlace>> {
    await this.#turns.begin();
    return pageTriggers(this.#tables, query);
  }

  async queryTriggers(query: TriggerQuery): Promise<Page<StoredTrigger>> {
    await this.#turns.begin();
    return queryTriggers(this.#tables, query);
  }

  async getJobGroupNames(): Promise<readonly string[]> {
    return this.#tables.jobGroups.names();
  }

  async getTriggerGroupNames(prefix = ''): Promise<readonly string[]> {
    const names = this.#tables.triggerGroups.names();
    return prefix === '' ? names : names.filter((name) => name.startsWith(prefix)).sort();
  }

  async getPausedTriggerGroups(): Promise<readonly string[]> {
    return [...this.#tables.pausedGroups].sort();
  }

  async getCalendar(name: string): Promise<CalendarData | null> {
    return this.#tables.calendars.get(name)?.data ?? null;
  }

  async getCalendarNames(): Promise<readonly string[]> {
    return [...this.#tables.calendars.keys()].sort();
  }

  /** Always empty: every stored object was checked in this process. */
  async getUnreadableRows(): Promise<readonly never[]> {
    return [];
  }

  async getDeclaredSets(sets: readonly string[]): Promise<readonly (DeclarationTarget & { readonly set: string })[]> {
    await this.#turns.begin();
    const isSelected = ({ set }: StoredDeclaration) => set !== null && sets.includes(set);
    return this.#declarations(isSelected).map(({ target, set }) => ({ ...target, set: set ?? '' }));
  }

  async getDeclarations(targets: readonly DeclarationTarget[]): Promise<readonly StoredDeclaration[]> {
    return targets.flatMap((target) => {
      const declaration = this.#tables.declarationOf(target);
      return declaration === null ? [] : [{ ...declaration, target }];
    });
  }

  async pageOverrides({ after, take }: { readonly after: DeclarationTarget | null; readonly take: number }) {
    await this.#turns.begin();
    const edited = this.#declarations(({ override }) => override !== null);
    const sorted = edited.sort((a, b) => compareTargets(a.target, b.target));
    return sorted.filter(({ target }) => after === null || compareTargets(target, after) > 0).slice(0, take);
  }

  #declarations(isSelected: (declaration: StoredDeclaration) => boolean): StoredDeclaration[] {
    const all = [...this.#tables.declared.values()].map(({ target, declaration }) => ({ ...declaration, target }));
    return all.filter(isSelected);
  }

  async getOccurrences(): Promise<readonly SpreadOccurrence[]> {
    await this.#turns.begin();
    return [...this.#tables.occurrences.values()];
  }

  async endOccurrences(request: OccurrenceSweepRequest): Promise<OccurrenceSweep> {
    return this.#announcing(() => endOccurrences(this.#tables, request));
  }

  async listRuns(query: RunQuery): Promise<RunPage> {
    await this.#turns.begin();
    return this.#tables.runs.query(query);
  }

  async recordRuns(runs: readonly RunRecord[]): Promise<void> {
    for (const run of runs) this.#tables.runs.add(run);
  }

  async resolveFailedRuns(resolutions: readonly FailedRunResolution[]): Promise<readonly boolean[]> {
    await this.#turns.begin();
    return this.#announcing(() => resolveFailedRuns(this.#tables, resolutions));
  }

  async findRunEnd(newer: number): Promise<EpochMs | null> {
    return this.#tables.runs.endOf(newer);
  }

  async pruneRuns(retention: RunRetention): Promise<number> {
    return this.#tables.runs.prune(retention);
  }

  #recovering<Clock extends MisfireClock>(clock: Clock): Clock & RecoveryClock {
    return { ...clock, onSkipped: (missed) => this.#recordMissed(missed, clock.now) };
  }

  async readCheckpoint(key: CheckpointKey): Promise<string | null> {
    return this.#tables.checkpoints.get(checkpointKeyText(key))?.value ?? null;
  }

  async saveCheckpoint(saved: SavedCheckpoint, now: EpochMs): Promise<boolean> {
    return saveCheckpoint(this.#tables, saved, now);
  }

  async nextDueTime(): Promise<EpochMs | null> {
    return nextDueTime(this.#tables);
  }

  async takeOverdue(now: EpochMs): Promise<readonly Expectation[]> {
    return takeOverdue(this.#tables, now);
  }

  async listOverdue(now: EpochMs, maxCount: number): Promise<readonly Expectation[]> {
    await this.#turns.begin();
    return listOverdue(this.#tables, now, maxCount);
  }

  async pruneCheckpoints(before: EpochMs, maxCount: number): Promise<number> {
    return pruneCheckpoints(this.#tables, before, maxCount);
  }

  async readVersionKey(): Promise<string> {
    return this.#tables.versionKey;
  }

  async recordAction(action: ActionRecord): Promise<void> {
    this.#tables.actions.add(action);
  }

  async listActions(query: ActionQuery): Promise<ActionPage> {
    await this.#turns.begin();
    return this.#tables.actions.query(query);
  }

  async pruneActions(before: EpochMs, maxCount: number): Promise<number> {
    return this.#tables.actions.prune(before, maxCount);
  }

  #recordMissed(missed: MissedTime, now: EpochMs): void {
    if (policyOf(missed, this.#policy).history === 'none') return;
    const at = { instanceId: this.#instanceId, now };
    this.#tables.runs.add(misfiredRun(this.#newRunId(), missed, at));
  }

  #inSteps<T>(steps: Steps<T>): Promise<T> {
    return this.#turns.take(steps, (step) => this.#announcing(step));
  }

  /** Runs an operation, then reports the earliest fire time that it made possible, if any. */
  #announcing<T>(operation: () => T): T {
    const { due } = this.#tables;
    due.takeEarliestOffered();
    const result = operation();
    const earliest = due.takeEarliestOffered();
    if (earliest !== null) this.#onScheduleChanged?.(earliest);
    return result;
  }
}
