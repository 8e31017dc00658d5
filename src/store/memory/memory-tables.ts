import { systemRandom } from '../../base/ids';
import type { Moving, Waiting } from '../../domain/batch-limiter';
import { type Declaration, type DeclarationTarget, sameDeclaration, targetText } from '../../domain/declaration';
import type { WholePolicy } from '../../domain/execution-policy';
import { type FiringTerms, type StoredCalendar, stateAfterFiring, type TriggerFiring } from '../../domain/firing';
import { heldBy } from '../../domain/freed-limits';
import type { GroupLimits } from '../../domain/group-limits';
import type { JobDetail } from '../../domain/job-detail';
import { type JobKey, keyText, type TriggerKey } from '../../domain/keys';
import { demandOf } from '../../domain/limit-claims';
import { deferredTriggerKey } from '../../domain/occurrence';
import { type ExplainedPause, type PauseExplanation, type PauseTarget, pauseText } from '../../domain/pause';
import { type NodeScope, scopeOfNode } from '../../domain/placement';
import { DEFAULT_RULES, type Rules } from '../../domain/rules';
import type { SpreadOccurrence } from '../../domain/spread-occurrence';
import type { Trigger } from '../../domain/trigger';
import { nextState, type TriggerState, type TriggerTransition } from '../../domain/trigger-state';
import { ALL_GROUPS_PAUSED } from '../job-store';
import { ActionList } from './action-list';
import { DueQueue } from './due-queue';
import {
  type CalendarEntry,
  type Execution,
  isQueuedAnew,
  JobEntry,
  type StoredCheckpoint,
  type StoredExpectation,
  stateOf,
  TriggerEntry,
  toOwnState,
} from './entries';
import { Followers } from './followers';
import { GroupIndex } from './indexed-set';
import { LimitQueues, mayFire } from './limit-queues';
import { turnOf } from './rate-lines';
import { type RunBound, RunList } from './run-list';
import { UndoLog } from './undo-log';

/** All state of the memory store. Only this class changes it: it keeps all indexes consistent and, inside `atomically`, records each undo. */
export class MemoryTables {
  readonly jobs = new Map<string, JobEntry>();
  readonly triggers = new Map<string, TriggerEntry>();
  readonly jobGroups = new GroupIndex<JobEntry>();
  readonly triggerGroups = new GroupIndex<TriggerEntry>();
  readonly calendars = new Map<string, CalendarEntry>();
  readonly pausedGroups = new Set<string>();
  readonly declared = new Map<string, { readonly target: DeclarationTarget; readonly declaration: Declaration }>();
  /** Explanations of pauses, by the target in the form of `pauseText`. */
  readonly pauses = new Map<string, ExplainedPause>();
  /** Firings that have not been completed, by run id. */
  readonly executions = new Map<string, Execution>();
  /** Triggers in state COMPLETE without a further fire time. Those whose own schedule has ended are deleted when their last firing has ended. */
  readonly ended = new Set<TriggerEntry>();
  readonly due: DueQueue;
  readonly groupLimits: GroupLimits | undefined;
  readonly rules: Rules;
  readonly followers = new Followers();
  readonly limits = new LimitQueues(
    (runId) => this.executions.has(runId) || mayFire(this.trigger(deferredTriggerKey(runId))),
    (occurrenceId) => this.occurrences.has(occurrenceId),
    (key, runId) => turnOf(this.trigger(key), this.executions.has(runId)),
  );
  /** Ended runs. Changes to the schedule do not modify these records, so the records need no undo. */
  readonly runs: RunList;
  readonly actions = new ActionList();
  readonly versionKey = systemRandom.token(50);
  /** Checkpoints of occurrences in progress, by key as a string. They need no undo, because changes to the schedule do not modify them. */
  readonly checkpoints = new Map<string, StoredCheckpoint>();
  /** Expectations (`mustSucceedWithin`) by job or trigger. The expectation of a deleted owner is removed when it becomes overdue. */
  readonly expectations = new Map<string, StoredExpectation>();

  /** Occurrences that run in parts (shards), by id. Only `clearOccurrences` needs an undo, because completions are not undone. */
  readonly occurrences = new Map<string, SpreadOccurrence>();

  /** Deleted jobs that are still running, by key. If a job is stored again under the same key, these runs block it. */
  readonly #departed = new Map<string, JobEntry>();
  readonly #undo = new UndoLog();

  /** The scheduler's policy gives the limits of whole job groups, and the rules. */
  constructor(
    scope: NodeScope = scopeOfNode('NON_CLUSTERED'),
    { groupLimits, rules }: Partial<WholePolicy> = {},
    runBound?: RunBound,
  ) {
    this.due = new DueQueue(scope, ({ keyText: text }) => this.limits.dueOf(text));
    this.groupLimits = groupLimits;
    this.rules = rules ?? DEFAULT_RULES;
    this.runs = new RunList(runBound);
  }

  /** Runs `work`. If `work` throws, undoes all changes and rethrows the error. */
  atomically<T>(work: () => T): T {
    return this.#undo.atomically(work);
  }

  job(key: JobKey): JobEntry | null {
    return this.jobs.get(keyText(key)) ?? null;
  }

  trigger(key: TriggerKey): TriggerEntry | null {
    return this.triggers.get(keyText(key)) ?? null;
  }

  /** True if triggers added to the group start paused. */
  isGroupPaused(group: string): boolean {
    return this.pausedGroups.has(group) || this.pausedGroups.has(ALL_GROUPS_PAUSED);
  }

  contextOf(group: string, job: JobEntry): { readonly jobExecuting: boolean; readonly groupPaused: boolean } {
    return { jobExecuting: job.isBlocked, groupPaused: this.isGroupPaused(group) };
  }

  insertJob(detail: JobDetail): JobEntry {
    const text = keyText(detail.key);
    const job = this.#departed.get(text) ?? new JobEntry(text, detail);
    job.detail = detail;
    this.#link(job);
    this.#undo.push(() => this.removeJob(job));
    return job;
  }

  replaceJob(job: JobEntry, detail: JobDetail): void {
    const before = job.detail;
    const isRequeued = isQueuedAnew(before, detail);
    if (isRequeued) this.due.close(job);
    job.detail = detail;
    if (isRequeued) this.due.open(job);
    if (job.isBlocked) this.#block(job);
    this.#undo.push(() => this.replaceJob(job, before));
  }

  /** The job must have no triggers. */
  removeJob(job: JobEntry): void {
    const { detail } = job;
    this.due.close(job);
    this.explain({ kind: 'job', key: detail.key }, null);
    this.jobs.delete(job.keyText);
    this.jobGroups.delete(job.detail.key.group, job);
    job.isStored = false;
    if (job.executing > 0) this.#departed.set(job.keyText, job);
    this.#undo.push(() => {
      // A deleted job that is running keeps its entry. A job stored again under the key uses this entry, perhaps with another definition.
      job.detail = detail;
      this.#link(job);
    });
  }

  insertTrigger(trigger: Trigger, job: JobEntry, state: TriggerState): TriggerEntry {
    const entry = new TriggerEntry(keyText(trigger.key), trigger, job, toOwnState(state));
    this.triggers.set(entry.keyText, entry);
    this.#attach(entry);
    this.#undo.push(() => this.removeTrigger(entry));
    return entry;
  }

  /** Ends the trigger's reservation. */
  replaceTrigger(entry: TriggerEntry, trigger: Trigger, job: JobEntry, state: TriggerState): void {
    const { trigger: oldTrigger, job: oldJob, state: oldState, runId } = entry;
    this.#detach(entry);
    entry.trigger = trigger;
    entry.job = job;
    entry.state = toOwnState(state);
    entry.runId = null;
    this.#attach(entry);
    this.#undo.push(() => {
      this.replaceTrigger(entry, oldTrigger, oldJob, oldState);
      if (runId !== null) this.reserve(entry, runId);
    });
  }

  removeTrigger(entry: TriggerEntry): void {
    this.#detach(entry);
    if (entry.state === 'PAUSED') this.explain({ kind: 'trigger', key: entry.trigger.key }, null);
    this.triggers.delete(entry.keyText);
    this.#undo.push(() => {
      this.triggers.set(entry.keyText, entry);
      this.#attach(entry);
    });
  }

  /** Updates the fire times and state of a trigger, but not its definition. Ends its reservation. `firstDue`: what a misfire changes; else unchanged. */
  updateTrigger(entry: TriggerEntry, trigger: Trigger, state: TriggerState, firstDue = entry.firstDue): void {
    const { trigger: oldTrigger, state: oldState, firstDue: oldFirstDue, runId } = entry;
    this.#dequeue(entry);
    entry.trigger = trigger;
    entry.state = toOwnState(state);
    entry.firstDue = firstDue;
    entry.runId = null;
    this.#enqueue(entry);
    this.#undo.push(() => {
      this.updateTrigger(entry, oldTrigger, oldState, oldFirstDue);
      if (runId !== null) this.reserve(entry, runId);
    });
  }

  move(entry: TriggerEntry, transition: TriggerTransition): void {
    const before = stateOf(entry);
    const after = nextState(before, transition, this.contextOf(entry.trigger.key.group, entry.job));
    // A pause ends the wait of a trigger.
    if (after !== before)
      this.updateTrigger(entry, entry.trigger, after, transition === 'pause' ? null : entry.firstDue);
  }

  /** Reserves a trigger. The trigger must not be in a queue. */
  reserve(entry: TriggerEntry, runId: string): void {
    entry.state = 'ACQUIRED';
    entry.runId = runId;
    entry.job.nonConcurrent?.acquired.add(entry);
  }

  /** Ends a reservation. The trigger must not be in a queue. The caller must then call `refuse`, which sets the new state. */
  endReservation(entry: TriggerEntry): void {
    entry.job.nonConcurrent?.acquired.delete(entry);
  }

  /** Makes a trigger that is in no queue wait for a limit, or for a later fire time. Others may use the capacity of its other limits. */
  refuse(entry: TriggerEntry, verdict: Waiting | Moving): void {
    entry.state = 'WAITING';
    entry.runId = null;
    if (verdict.status === 'waits') this.limits.park(entry, verdict.claim.key);
    else {
      entry.trigger = { ...entry.trigger, nextFireTime: verdict.to };
      this.#enqueue(entry);
    }
    this.#goOn(this.limits.passOn(verdict.others));
  }

  /** Advances a reserved trigger to its next fire time and records the firing. */
  startExecution(entry: TriggerEntry, firing: TriggerFiring, terms: FiringTerms): void {
    const { job } = entry;
    const { runId, holds: limitKeys = [] } = firing;
    this.limits.take(firing, terms);
    this.executions.set(runId, { entry, job, limitKeys });
    job.executing += 1;
    this.updateTrigger(entry, firing.trigger, stateAfterFiring(firing), null);
    if (job.isBlocked) this.#block(job);
  }

  endExecution(runId: string): Execution | null {
    const execution = this.executions.get(runId);
    if (execution === undefined) return null;
    this.executions.delete(runId);
    const { job, limitKeys } = execution;
    this.#goOn(this.limits.end(runId, limitKeys));
    job.executing -= 1;
    if (job.executing === 0) {
      if (!job.isStored) this.#departed.delete(job.keyText);
      this.due.refresh(job);
    }
    return execution;
  }

  putCalendar(name: string, { calendar, data }: StoredCalendar): CalendarEntry {
    const entry = { calendar, data, triggers: this.calendars.get(name)?.triggers ?? new Set<TriggerEntry>() };
    this.#undo.put(this.calendars, name, entry);
    return entry;
  }

  removeCalendar(name: string): void {
    if (this.calendars.has(name)) this.#undo.put(this.calendars, name, null);
  }

  declarationOf(target: DeclarationTarget): Declaration | null {
    return this.declared.get(targetText(target))?.declaration ?? null;
  }

  /** Stores a declaration; null deletes it. */
  declare(target: DeclarationTarget, declaration: Declaration | null): void {
    if (sameDeclaration(this.declarationOf(target), declaration)) return;
    this.#undo.put(this.declared, targetText(target), declaration === null ? null : { target, declaration });
  }

  pauseGroup(group: string): void {
    if (this.pausedGroups.has(group)) return;
    this.pausedGroups.add(group);
    this.#undo.push(() => this.pausedGroups.delete(group));
  }

  unpauseGroup(group: string): void {
    if (this.pausedGroups.delete(group)) this.#undo.push(() => this.pausedGroups.add(group));
  }

  /** Replaces the explanation of a pause; null deletes it. */
  explain(target: PauseTarget, explanation: PauseExplanation | null): void {
    if (explanation === null && (this.pauses.size === 0 || !this.pauses.has(pauseText(target)))) return;
    this.#undo.put(this.pauses, pauseText(target), explanation === null ? null : { ...explanation, target });
  }

  /** Removes an occurrence whose last part (shard) has ended, and queues the triggers that waited for the occurrence's limit. */
  endOccurrence(occurrence: SpreadOccurrence): void {
    this.occurrences.delete(occurrence.id);
    this.#goOn(this.limits.endOccurrence(heldBy(occurrence)));
  }

  clearOccurrences(): void {
    const before = [...this.occurrences];
    this.occurrences.clear();
    this.#undo.push(() => {
      for (const [id, occurrence] of before) this.occurrences.set(id, occurrence);
    });
  }

  #link(job: JobEntry): void {
    this.#departed.delete(job.keyText);
    this.jobs.set(job.keyText, job);
    this.jobGroups.add(job.detail.key.group, job);
    job.isStored = true;
    this.due.open(job);
  }

  #attach(entry: TriggerEntry): void {
    const { trigger, job } = entry;
    entry.isStored = true;
    job.triggers.add(entry);
    this.triggerGroups.add(trigger.key.group, entry);
    if (trigger.calendarName !== null) this.calendars.get(trigger.calendarName)?.triggers.add(entry);
    this.followers.add(entry);
    this.#enqueue(entry);
  }

  #detach(entry: TriggerEntry): void {
    const { trigger, job } = entry;
    this.#dequeue(entry);
    this.followers.delete(entry);
    entry.isStored = false;
    job.triggers.delete(entry);
    this.triggerGroups.delete(trigger.key.group, entry);
    if (trigger.calendarName !== null) this.calendars.get(trigger.calendarName)?.triggers.delete(entry);
  }

  #enqueue(entry: TriggerEntry): void {
    if (entry.trigger.kind === 'AFTER') return;
    if (entry.state === 'WAITING') this.due.add(entry);
    else if (entry.state === 'ACQUIRED') entry.job.nonConcurrent?.acquired.add(entry);
    else if (entry.state === 'COMPLETE' && entry.trigger.nextFireTime === null) this.ended.add(entry);
  }

  #dequeue(entry: TriggerEntry): void {
    if (entry.trigger.kind === 'AFTER') return;
    if (entry.waitsFor !== null) {
      this.limits.unpark(entry);
      return;
    }
    if (this.limits.hasWaiting) this.#passOn(entry);
    if (entry.state === 'WAITING') this.due.delete(entry);
    else if (entry.state === 'ACQUIRED') entry.job.nonConcurrent?.acquired.delete(entry);
    else if (entry.state === 'COMPLETE') this.ended.delete(entry);
  }

  /** Queues triggers that wait for the limits of this trigger, which leaves its queue without firing and may leave capacity unused. */
  #passOn({ trigger, job }: TriggerEntry): void {
    const demand = demandOf({ trigger, jobDetail: job.detail }, this.groupLimits);
    if (demand !== null) this.#goOn(this.limits.passOn(demand.claims));
  }

  #goOn(entries: readonly TriggerEntry[]): void {
    for (const entry of entries) this.#enqueue(entry);
  }

  /** Blocks a non-concurrent job that has started to run: ends its reservations and removes its triggers from the queue. */
  #block(job: JobEntry): void {
    for (const entry of job.nonConcurrent?.acquired ?? []) this.updateTrigger(entry, entry.trigger, 'BLOCKED');
    this.due.refresh(job);
  }
}
