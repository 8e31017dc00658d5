import type { Clock, EpochMs } from '../../base/clock';
import type { Steps } from '../../base/steps';
import type { ActionQuery, ActionRecord } from '../../domain/action';
import { type CheckpointKey, checkpointKeyText } from '../../domain/checkpoint';
import type { Completion } from '../../domain/completion';
import type { ConsoleSession } from '../../domain/console-session';
import { compareTargets, type DeclarationTarget, type StoredDeclaration } from '../../domain/declaration';
import type { MissedFireTime } from '../../domain/editable-schedule';
import { DEFAULT_POLICY, policyOf, type WholePolicy } from '../../domain/execution-policy';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { MisfireClock } from '../../domain/misfire';
import type { PauseExplanation } from '../../domain/pause';
import { type NodeScope, scopeOfNode } from '../../domain/placement';
import { rulesIn, type SchedulerRules } from '../../domain/rules';
import { misfiredRun, type RunQuery, type RunRecord, type RunRetention } from '../../domain/run';
import type { ChangeSet } from '../../domain/schedule-change';
import type {
  AcquireRequest,
  ApplyOptions,
  FailedRunResolution,
  JobStore,
  MisfireRequest,
  ResumeOptions,
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
import { toStoredTrigger } from './read-schedule';
import { type RecoveryClock, recoverMisfires } from './recover-misfires';
import type { RunBound } from './run-list';
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
  /** Limit on the recorded runs. Default: their number only. */
  readonly runBound?: RunBound;
  /** Tables to use. Tests pass tables to inspect them. */
  readonly tables?: MemoryTables;
}

type Operation<Args extends readonly unknown[], T> = (tables: MemoryTables, ...args: Args) => T;

/**
 * Stores the schedule in this process. All data is lost when the process ends. Each operation runs in one turn of the event loop and is therefore a
 * transaction. Only pausing and resuming very many triggers takes several turns.
 */
export class MemoryJobStore implements JobStore {
  readonly description = { name: 'memory', persistent: false, clustered: false } as const;

  readonly #newRunId: () => string;
  #storedRules: SchedulerRules | null = null;
  readonly #tables: MemoryTables;
  readonly #policy: WholePolicy;
  readonly #instanceId: string;
  readonly #turns: Turns;
  /** Login sessions of consoles, by the hash of their id. */
  readonly #sessions = new Map<string, ConsoleSession>();
  #onScheduleChanged: ((earliest: EpochMs | null) => void) | null = null;

  constructor(newRunId: () => string, options: MemoryStoreOptions = {}) {
    this.#newRunId = newRunId;
    this.#instanceId = options.instanceId ?? 'NON_CLUSTERED';
    this.#policy = options.policy ?? DEFAULT_POLICY;
    this.#turns = new Turns(options.clock);
    const { scope = scopeOfNode(this.#instanceId) } = options;
    this.#tables = options.tables ?? new MemoryTables(scope, this.#policy, options.runBound);
  }

  async open(onScheduleChanged: (earliest: EpochMs | null) => void) {
    this.#onScheduleChanged = onScheduleChanged;
  }

  async close() {
    this.#onScheduleChanged = null;
  }

  async applySchedule(changes: ChangeSet, options: ApplyOptions) {
    await this.#turns.begin();
    const onMissed = (missed: MissedFireTime) => this.#recordMissed(missed, options.now);
    const recording = { newRunId: this.#newRunId, instanceId: this.#instanceId, onMissed };
    return this.#announcing(() => applySchedule(this.#tables, changes, { ...this.#withRules(options), ...recording }));
  }

  readonly planSchedule = this.#inTurn((tables, changes: ChangeSet, options: ApplyOptions) =>
    planSchedule(tables, changes, this.#withRules(options)),
  );

  async pauseTriggers(which: Which<TriggerKey>, explanation?: PauseExplanation) {
    return this.#inSteps(pauseTriggers(this.#tables, which, explanation ?? null));
  }

  async resumeTriggers(which: Which<TriggerKey>, options: ResumeOptions) {
    return this.#inSteps(resumeTriggers(this.#tables, which, this.#recovering(options)));
  }

  async pauseJobs(which: Which<JobKey>, explanation?: PauseExplanation) {
    return this.#inSteps(pauseJobs(this.#tables, which, explanation ?? null));
  }

  async resumeJobs(which: Which<JobKey>, options: ResumeOptions) {
    return this.#inSteps(resumeJobs(this.#tables, which, this.#recovering(options)));
  }

  async endPauses(options: ApplyOptions) {
    await this.#turns.begin();
    return this.#announcing(() => endPauses(this.#tables, this.#recovering(options)));
  }

  readonly getPauses = this.#inTurn(selectPauses);

  readonly pagePauses = this.#inTurn(pagePauses);

  readonly pageCalendars = this.#inTurn(pageCalendars);

  readonly resetTriggersFromError = this.#announced(resetTriggersFromError);

  async acquireTriggers(request: AcquireRequest) {
    return acquireTriggers(this.#tables, request, this.#newRunId);
  }

  readonly releaseTriggers = this.#atOnce(releaseTriggers);

  readonly fireTriggers = this.#atOnce(fireTriggers);

  readonly completeTriggers = this.#announced((tables, completions: readonly Completion[]) =>
    completions.map((completion) => completeTrigger(tables, completion)),
  );

  /** Does nothing: in memory, no other transaction ends firings. */
  async changedElsewhere() {}

  async recoverMisfires(request: MisfireRequest) {
    return this.#announcing(() => recoverMisfires(this.#tables, this.#recovering(request)));
  }

  readonly findLargeJobs = this.#inTurn((tables, keys: readonly JobKey[], moreThan: number) =>
    keys.filter((key) => (tables.job(key)?.triggers.size ?? 0) > moreThan),
  );

  readonly getJobs = this.#inTurn((tables, keys: readonly JobKey[]) =>
    keys.flatMap((key) => tables.job(key)?.detail ?? []),
  );

  readonly getTriggers = this.#inTurn((tables, keys: readonly TriggerKey[]) =>
    keys
      .map((key) => tables.trigger(key))
      .filter((entry) => entry !== null)
      .map(toStoredTrigger),
  );

  readonly pageJobs = this.#inTurn(pageJobs);

  readonly pageTriggers = this.#inTurn(pageTriggers);

  readonly getJobGroupNames = this.#atOnce(({ jobGroups }) => jobGroups.names());

  async getTriggerGroupNames(prefix = '') {
    const names = this.#tables.triggerGroups.names();
    return prefix === '' ? names : names.filter((name) => name.startsWith(prefix)).sort();
  }

  readonly getPausedTriggerGroups = this.#atOnce(({ pausedGroups }) => [...pausedGroups].sort());

  readonly getCalendar = this.#atOnce(({ calendars }, name: string) => calendars.get(name)?.data ?? null);

  readonly getCalendarNames = this.#atOnce(({ calendars }) => [...calendars.keys()].sort());

  /** Always empty: every stored object was checked in this process. */
  async getUnreadableRows() {
    return [];
  }

  async getDeclaredSets(sets: readonly string[]) {
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

  readonly getOccurrences = this.#inTurn(({ occurrences }) => [...occurrences.values()]);

  readonly endOccurrences = this.#announced(endOccurrences);

  readonly listRuns = this.#inTurn(({ runs }, query: RunQuery) => runs.query(query));

  async recordRuns(runs: readonly RunRecord[]) {
    for (const run of runs) this.#tables.runs.add(run);
  }

  async resolveFailedRuns(resolutions: readonly FailedRunResolution[]) {
    await this.#turns.begin();
    return this.#announcing(() => resolveFailedRuns(this.#tables, resolutions));
  }

  readonly findRunEnd = this.#atOnce(({ runs }, newer: number) => runs.endOf(newer));

  readonly pruneRuns = this.#atOnce(({ runs }, retention: RunRetention) => runs.prune(retention));

  readonly readCheckpoint = this.#atOnce(
    ({ checkpoints }, key: CheckpointKey) => checkpoints.get(checkpointKeyText(key))?.value ?? null,
  );

  readonly saveCheckpoint = this.#atOnce(saveCheckpoint);

  readonly nextDueTime = this.#atOnce(nextDueTime);

  readonly takeOverdue = this.#atOnce(takeOverdue);

  readonly listOverdue = this.#inTurn(listOverdue);

  readonly pruneCheckpoints = this.#atOnce(pruneCheckpoints);

  readonly readVersionKey = this.#atOnce(({ versionKey }) => versionKey);

  async ensureRules(rules: SchedulerRules) {
    this.#storedRules ??= rules;
    return this.#storedRules;
  }

  async readRules() {
    return this.#storedRules;
  }

  /** No other node shares this store. */
  async setRules(rules: SchedulerRules) {
    this.#storedRules = rules;
    return [];
  }

  readonly recordAction = this.#atOnce(({ actions }, action: ActionRecord) => actions.add(action));

  readonly listActions = this.#inTurn(({ actions }, query: ActionQuery) => actions.query(query));

  readonly pruneActions = this.#atOnce(({ actions }, before: EpochMs, maxCount: number) =>
    actions.prune(before, maxCount),
  );

  async beginSession(session: ConsoleSession, now: EpochMs): Promise<void> {
    for (const { idHash, endTime } of this.#sessions.values()) if (endTime <= now) this.#sessions.delete(idHash);
    this.#sessions.set(session.idHash, session);
  }

  async findSession(idHash: string): Promise<ConsoleSession | null> {
    return this.#sessions.get(idHash) ?? null;
  }

  async endSession(idHash: string): Promise<void> {
    this.#sessions.delete(idHash);
  }

  #withRules(options: ApplyOptions) {
    return { ...options, ...rulesIn(this.#policy) };
  }

  #recovering<Clock extends MisfireClock>(clock: Clock): Clock & RecoveryClock {
    const onSkipped: RecoveryClock['onSkipped'] = (missed) => this.#recordMissed(missed, clock.now);
    return { ...clock, onSkipped, rules: this.#tables.rules };
  }

  #recordMissed(missed: Omit<MissedFireTime, 'error'> & Partial<MissedFireTime>, now: EpochMs): void {
    if (policyOf(missed, this.#policy).history === 'none') return;
    const at = { instanceId: this.#instanceId, now, error: missed.error ?? null };
    this.#tables.runs.add(misfiredRun(this.#newRunId(), missed, at));
  }

  #atOnce<Args extends readonly unknown[], T>(operation: Operation<Args, T>) {
    return async (...args: Args): Promise<T> => operation(this.#tables, ...args);
  }

  /** Returns a method that runs an operation in a turn of the event loop that is not too long already. */
  #inTurn<Args extends readonly unknown[], T>(operation: Operation<Args, T>) {
    return async (...args: Args): Promise<T> => {
      await this.#turns.begin();
      return operation(this.#tables, ...args);
    };
  }

  /** Returns a method that runs an operation and then reports the earliest fire time that it made possible. */
  #announced<Args extends readonly unknown[], T>(operation: Operation<Args, T>) {
    return async (...args: Args): Promise<T> => this.#announcing(() => operation(this.#tables, ...args));
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
