import type { Clock, EpochMs } from '../base/clock';
import { PortionBreaks } from '../base/portion-breaks';
import { PortionSize } from '../base/portion-size';
import { NEVER } from '../base/sleep';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { SchedulerConfig } from '../config/scheduler-config';
import { hasOwnData, versionOfBoth, withVersion } from '../domain/data-version';
import { declares } from '../domain/declaration';
import { shortestExpectation } from '../domain/expectation';
import type { FireResult } from '../domain/firing';
import { mergeJobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, keyText } from '../domain/keys';
import { isGroupOfFurtherRuns } from '../domain/occurrence';
import type { Author } from '../domain/override';
import { isDivisible, MAX_PORTION, Portions, partlyApplied } from '../domain/portions';
import type { ChangeSet, Outcomes, ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import { completedOccurrence } from '../domain/shards';
import type { Trigger } from '../domain/trigger';
import type { Engine } from '../engine/engine';
import { currentData, type JobDataRules } from '../engine/job-data-rules';
import type { JobRegistry } from '../engine/job-registry';
import type { AppliedSchedule, ApplyOptions, JobStore } from '../store/job-store';
import type { TransactionStore } from '../store/transaction-store';
import { afterCommit } from './after-commit';
import type { CalendarFollowers } from './calendar-followers';
import { checkChanges } from './checked-changes';
import type { KnownJobTypes } from './job-types';
import { type LargeJobs, outcomesOfGiven } from './large-jobs';
import type { Lifecycle } from './lifecycle';
import {
  atomicWarning,
  changeSetEvents,
  deletedRunEvents,
  type EventInput,
  eventsOf,
  startingPaused,
} from './schedule-events';
import { storeTraced, type TracingPlace } from './tracing';

export interface ScheduleWriterParts {
  readonly store: Pick<JobStore, 'applySchedule' | 'changedElsewhere' | 'getJobs'>;
  /** Fires new triggers in the transaction that stores them. Null for a memory store, which would not benefit. */
  readonly promptFiring: Pick<Engine, 'offer' | 'dispatchReserved'> | null;
  readonly clock: Clock;
  /** Time after which a late trigger counts as misfired, in milliseconds. */
  readonly misfireThreshold: number;
  readonly jobTypes: Pick<KnownJobTypes, 'unregisteredOf' | 'assertRunElsewhere'>;
  readonly registry: Pick<JobRegistry, 'hasRules' | 'rulesOf'>;
  readonly tracing: TracingPlace;
  readonly declaring: Pick<SchedulerConfig, 'onDeclaredEdit' | 'programVersion'>;
  readonly announce: (event: EventInput) => void;
  /** Resolves with true if a trigger of the cluster is due within a second, which a large portion would delay. Null if the store is not shared. */
  readonly firesSoon: (() => Promise<boolean>) | null;
  /** Reschedules the triggers of replaced calendars in further transactions. If null, the transaction that stores a calendar reschedules them. */
  readonly followers: CalendarFollowers | null;
  /** Deletes many triggers of deleted jobs in separate transactions. If null, the transaction that deletes a job deletes them. */
  readonly largeJobs: LargeJobs | null;
  /** Called with the earliest time at which a stored expectation (`mustSucceedWithin`) may become overdue. */
  readonly onExpected: (time: EpochMs) => void;
  /** Resolves when no job of a deleted trigger, and no deleted job, can begin any more; at the latest after 5 s. Null if the caller does not wait. */
  readonly whenDeletedHaveStarted: ((changes: ChangeSet, outcomes: Outcomes) => Promise<void>) | null;
  /** True if other nodes have newer time zone data. Null if no other node shares the store. */
  readonly hasOlderData: (() => Promise<boolean>) | null;
  readonly lifecycle: Pick<Lifecycle, 'assertUsable' | 'scheduled'>;
}

interface ApplyChangesOptions {
  /** Registry of job types that the caller registers after the changes are applied. Null if there are none. */
  readonly alsoRunnable?: JobRegistry | null;
  /** True to apply all changes in one transaction, even if there are many. Default: false. */
  readonly atomic?: boolean;
  /** Author of changes that were made manually. Absent if a program made them. */
  readonly author?: Author | undefined;
}

/** Maximum number of triggers to fire in the transaction that stores them. For more triggers, acquisition by the trigger loop is just as fast. */
const MAX_PROMPT_FIRINGS = 10;

/** Applies changes to the schedule: checks them, stores them in transactions, and publishes their events. */
export class ScheduleWriter {
  readonly #parts: ScheduleWriterParts;

  constructor(parts: ScheduleWriterParts) {
    this.#parts = parts;
  }

  /**
   * Applies changes and returns one outcome per change. Applies all or none, except that without `atomic` a large set is split into portions, so that
   * other transactions can acquire the lock between two portions. Resolves when no job of a deleted trigger or deleted job can begin any more, after
   * 5 s at most.
   *
   * Rejects with the error of the first portion that fails. The message contains the number of changes applied before it.
   */
  async apply(
    changes: ChangeSet,
    { alsoRunnable = null, atomic = false, author }: ApplyChangesOptions = {},
  ): Promise<Outcomes> {
    const mayDivide = !atomic && isDivisible(changes);
    const [given, isQuiet] = await Promise.all([this.check(changes, alsoRunnable), mayDivide && this.#isQuiet()]);
    const followers = atomic ? null : this.#parts.followers;
    const withoutMany = (await followers?.withoutMany(given)) ?? given;
    const checked = (await (atomic ? null : this.#parts.largeJobs)?.withTriggers(withoutMany)) ?? withoutMany;
    const isWhole = atomic || !isDivisible(checked) || (isQuiet && checked.length <= MAX_PORTION);
    if (isWhole && checked.length > MAX_PORTION) this.#parts.announce(atomicWarning(checked.length));
    const stored = isWhole ? await this.#storeTraced(checked, author) : await this.#storeInPortions(checked, author);
    if (isWhole) this.#report(checked, stored, author);
    const outcomes = outcomesOfGiven(withoutMany, checked, stored);
    if (withoutMany !== given) await followers?.follow(given, withoutMany, outcomes);
    if (checked.some((change) => 'trigger' in change)) this.#parts.lifecycle.scheduled();
    await this.#parts.whenDeletedHaveStarted?.(withoutMany, outcomes);
    return outcomes;
  }

  async #storeInPortions(changes: ChangeSet, author?: Author): Promise<Outcomes> {
    const { clock, firesSoon } = this.#parts;
    const portions = new Portions(changes);
    const size = new PortionSize(clock);
    const breaks = new PortionBreaks(clock);
    const outcomes = new Array<ScheduleOutcome | undefined>(changes.length);
    for (let applied = 0; applied < changes.length; ) {
      if (applied > 0) await (firesSoon === null ? yieldToEventLoop() : breaks.end(NEVER));
      const portion = portions.next((await this.#isQuiet()) ? MAX_PORTION : size.size);
      breaks.begin();
      try {
        const some = portion.map((index) => changes[index] as ScheduleChange);
        const store = async () => ({ answers: await this.#storeTraced(some, author), done: some.length });
        const { answers } = await size.measure(store);
        for (const [at, index] of portion.entries()) outcomes[index] = answers[at] as ScheduleOutcome;
      } catch (error) {
        this.#report(changes, outcomes, author);
        throw partlyApplied(error, applied, changes.length);
      }
      applied += portion.length;
    }
    this.#report(changes, outcomes, author);
    return outcomes as Outcomes;
  }

  /** Publishes the events of the whole set, even if stored in several transactions. The outcome of a change that was not applied is undefined. */
  #report(changes: ChangeSet, outcomes: readonly (ScheduleOutcome | undefined)[], author: Author | undefined): void {
    const { announce } = this.#parts;
    const applied = changes.filter((_, index) => outcomes[index] !== undefined);
    const ofApplied = outcomes.filter((each) => each !== undefined);
    afterCommit(announce, 'reporting triggers that start paused', () =>
      startingPaused(applied, ofApplied).forEach(announce),
    );
    afterCommit(announce, 'reporting a set of changes', () =>
      changeSetEvents(applied, ofApplied, author ?? null).forEach(announce),
    );
  }

  /** Returns true if the store is shared and no trigger of the cluster is due within the next second, so that a large portion may be stored. */
  async #isQuiet(): Promise<boolean> {
    const { firesSoon } = this.#parts;
    return firesSoon !== null && !(await firesSoon());
  }

  #storeTraced(changes: ChangeSet, author?: Author): Promise<Outcomes> {
    return storeTraced(this.#parts.tracing, changes, (traced) => this.#store(traced, author));
  }

  async #store(checked: ChangeSet, author?: Author): Promise<Outcomes> {
    const { store, promptFiring } = this.#parts;
    const options = { ...this.options(), ...(author !== undefined && { author }) };
    const due = countDue(checked, options.now);
    const fireNow = due <= MAX_PROMPT_FIRINGS ? (promptFiring?.offer(due) ?? null) : null;
    let fired: readonly FireResult[] = [];
    try {
      const applied = await store.applySchedule(checked, { ...options, fireNow });
      fired = applied.fired;
      this.#afterCommit(checked, applied, options);
      return applied.outcomes;
    } finally {
      if (fireNow !== null) promptFiring?.dispatchReserved(fireNow, fired);
    }
  }

  /** Publishes the events and records the expectations of a commit, each step separately, so that a failed step does not prevent the next ones. */
  #afterCommit(changes: ChangeSet, applied: AppliedSchedule, { now }: Pick<ApplyOptions, 'now'>): void {
    const { announce } = this.#parts;
    changes.forEach((change, index) => {
      const outcome = applied.outcomes[index];
      if (outcome === undefined) return;
      afterCommit(announce, 'reporting a change of the schedule', () => eventsOf(change, outcome).forEach(announce));
    });
    for (const ended of applied.endedOccurrences ?? [])
      afterCommit(announce, 'reporting the end of an occurrence', () => announce(completedOccurrence(ended)));
    afterCommit(announce, 'reporting deleted waiting runs', () =>
      deletedRunEvents(applied.endedRuns ?? []).forEach(announce),
    );
    afterCommit(announce, 'recording expectations (mustSucceedWithin)', () => this.#expect(changes, now));
  }

  /** Returns the changes as they will be applied. Rejects with UNKNOWN_JOB_TYPE, INVALID_JOB_DATA, or any error found without the stored schedule. */
  async check(changes: ChangeSet, alsoRunnable: JobRegistry | null = null): Promise<ChangeSet> {
    const { lifecycle, jobTypes, registry, clock } = this.#parts;
    lifecycle.assertUsable();
    const own = (await checkChanges(changes, clock)).map((change) => this.#declared(change));
    const checked = own.some(mayCorrect) && (await this.#parts.hasOlderData?.()) ? own.map(keepingFireTime) : own;
    const strangers = jobTypes.unregisteredOf(jobsOf(checked), alsoRunnable?.types() ?? []);
    if (strangers.length > 0) await jobTypes.assertRunElsewhere(strangers);
    return registry.hasRules || alsoRunnable?.hasRules ? this.#checkData(checked, alsoRunnable) : checked;
  }

  #declared(change: ScheduleChange): ScheduleChange {
    if (!declares(change)) return change;
    const { onDeclaredEdit: onEdit, programVersion: version } = this.#parts.declaring;
    return { ...change, declared: { onEdit, ...(version !== undefined && { version }), ...change.declared } };
  }

  /** Returns a writer for the caller's own transaction. The writer fires no triggers and publishes no events, because the caller may roll back. */
  within(transactions: TransactionStore, connection: unknown): ScheduleWriter {
    const { store: shared } = this.#parts;
    const store: ScheduleWriterParts['store'] = {
      changedElsewhere: (...change) => shared.changedElsewhere(...change),
      async applySchedule(changes, options) {
        const outcomes = await transactions.addWithin(connection, changes, options);
        // The caller has yet to commit. Nodes that are woken now poll more often, and so notice the commit soon.
        await shared.changedElsewhere([], options.now);
        return { outcomes, fired: [] };
      },
      getJobs: (keys) => transactions.findJobsWithin(connection, keys),
    };
    const silent = { promptFiring: null, announce: () => undefined, whenDeletedHaveStarted: null };
    const inOneTransaction = { followers: null, largeJobs: null, firesSoon: null };
    return new ScheduleWriter({ ...this.#parts, store, ...silent, ...inOneTransaction });
  }

  async applyOne(change: ScheduleChange, author?: Author): Promise<ScheduleOutcome> {
    const [outcome] = await this.apply([change], { author });
    return outcome as ScheduleOutcome;
  }

  /**
   * Adds the job type's version to the data of jobs and triggers. Rejects with INVALID_JOB_DATA if the merged data of a trigger and its job does not
   * match the job type's schema. Skips job types whose schema is not registered on this node.
   *
   * Does not check a job without triggers, because later triggers may supply missing data. Does not check retries and reruns again, because the
   * schema may have changed since their first run.
   */
  async #checkData(given: ChangeSet, alsoRunnable: JobRegistry | null): Promise<ScheduleChange[]> {
    const rulesOf = (type: string) => alsoRunnable?.rulesOf(type) ?? this.#parts.registry.rulesOf(type);
    const jobs = await this.#jobsOf(given);
    const changes = given.map((change) => withVersions(change, jobs, rulesOf));
    for (const change of changes) if (change.type === 'storeJob') jobs.set(keyText(change.job.key), change.job);
    for (const trigger of triggersOf(changes)) {
      const job = jobs.get(keyText(trigger.jobKey));
      const rules = job === undefined || job.unreadable !== undefined ? null : rulesOf(job.jobType);
      if (job === undefined || rules === null) continue;
      const stored = versionOfBoth(job.data, trigger.data);
      const owner = `job '${formatKey(job.key)}' with trigger '${formatKey(trigger.key)}'`;
      await currentData(rules, { found: mergeJobData(job.data, trigger.data), stored }, owner);
    }
    return changes;
  }

  /** Returns the jobs of the triggers to store, from the changes themselves or from the store. */
  async #jobsOf(changes: ChangeSet): Promise<Map<string, JobDetail>> {
    const jobs = new Map<string, JobDetail>();
    const add = (job: JobDetail) => jobs.set(keyText(job.key), job);
    for (const change of changes) if (change.type === 'storeJob') add(change.job);
    const others = changes.flatMap((change) =>
      'trigger' in change && !jobs.has(keyText(change.trigger.jobKey)) ? [change.trigger.jobKey] : [],
    );
    if (others.length > 0) (await this.#parts.store.getJobs(others)).forEach(add);
    return jobs;
  }

  #expect(changes: ChangeSet, now: EpochMs): void {
    const within = shortestExpectation(changes.map(storedBy));
    if (within !== null) this.#parts.onExpected(now + within);
  }

  options(): ApplyOptions {
    return { now: this.#parts.clock.now(), misfireThreshold: this.#parts.misfireThreshold };
  }
}

/** True for a change that corrects a stored fire time which its unchanged schedule does not have (`planRegistration`). */
function mayCorrect(change: ScheduleChange): boolean {
  if (change.type !== 'storeTrigger' || change.ifExists !== 'replace') return false;
  return change.trigger.kind === 'CRON' || change.trigger.kind === 'CAL_INT';
}

function keepingFireTime(change: ScheduleChange): ScheduleChange {
  return change.type === 'storeTrigger' ? { ...change, keepsFireTime: true } : change;
}

function storedBy(change: ScheduleChange): JobDetail | Trigger | null {
  if ('job' in change) return change.job;
  return 'trigger' in change ? change.trigger : null;
}

/** Returns the triggers whose data is checked: all except retries, recoveries, reruns and deferred runs. */
function triggersOf(changes: ChangeSet): readonly Trigger[] {
  return changes
    .filter((change) => change.type === 'storeTrigger')
    .map(({ trigger }) => trigger)
    .filter(({ key }) => !isGroupOfFurtherRuns(key.group));
}

/** Adds this node's version of the job type to the data, unless it is 1. The data of retries and reruns keeps its original version. */
function withVersions(
  change: ScheduleChange,
  jobs: ReadonlyMap<string, JobDetail>,
  rulesOf: (jobType: string) => JobDataRules | null,
): ScheduleChange {
  if (change.type === 'storeJob') {
    const { job } = change;
    return { ...change, job: { ...job, data: withVersion(job.data, rulesOf(job.jobType)?.version ?? 1) } };
  }
  if (!('trigger' in change)) return change;
  const { trigger } = change;
  const job = jobs.get(keyText(trigger.jobKey));
  if (job === undefined || !hasOwnData(trigger.data) || isGroupOfFurtherRuns(trigger.key.group)) return change;
  return { ...change, trigger: { ...trigger, data: withVersion(trigger.data, rulesOf(job.jobType)?.version ?? 1) } };
}

function countDue(changes: ChangeSet, now: EpochMs): number {
  return changes.filter((change) => change.type === 'storeTrigger' && change.trigger.startTime <= now).length;
}

/** Returns the jobs to store whose job type must already be known. */
function jobsOf(changes: ChangeSet): readonly JobDetail[] {
  return changes.flatMap((change) =>
    change.type === 'storeJob' && change.registeredLater !== true ? [change.job] : [],
  );
}
