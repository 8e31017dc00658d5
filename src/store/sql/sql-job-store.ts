import { type EpochMs, earliestOf } from '../../base/clock';
import { completesWithin } from '../../base/sleep';
import type { ChangeSet } from '../../domain/schedule-change';
import { type FiringFence, NO_FENCE } from '../cluster-store';
import type { AcquireRequest, AcquireResult, AppliedSchedule, ApplyScheduleOptions, JobStore } from '../job-store';
import { acquire, whereFenced } from './operations/acquire';
import { type AcquireMemory, newAcquireMemory } from './operations/acquire-memory';
import { listActions, pruneActions, recordAction } from './operations/actions';
import { planSchedule, rowsIn } from './operations/apply-schedule';
import { watchJavaNodes } from './operations/beside-java';
import { replaceRules } from './operations/check-in';
import { pruneCheckpoints, readCheckpoint, saveCheckpoint } from './operations/checkpoints';
import { complete } from './operations/complete';
import { selectDeclarations, selectDeclaredSets, selectOverrides } from './operations/declarations';
import { type EndingPauses, endInPortions, endPauses } from './operations/end-pauses';
import { examineSchedule, listUnreadable } from './operations/examine-schedule';
import { listOverdue, nextDueTime, takeOverdue } from './operations/expectations';
import { fire } from './operations/fire';
import { pageJobs, pageTriggers } from './operations/list-pages';
import { findRunEnd, listRuns } from './operations/list-runs';
import { endAbandoned, findAbandoned } from './operations/lost-parts';
import { MAX_OCCURRENCES, selectOccurrences } from './operations/parts';
import { pausingJobs, pausingTriggers, resumingJobs, resumingTriggers } from './operations/pause-moves';
import {
  EVERY_GROUP,
  selectJobGroups,
  selectPausedGroups,
  selectTriggerGroups,
  selectTriggerGroupsFrom,
} from './operations/paused-groups';
import { pagePauses, selectElapsedPauses, selectPauses, selectPausesOf } from './operations/pauses';
import {
  findLargeJobs,
  getCalendar,
  getCalendarNames,
  getJobs,
  getTriggers,
  pageCalendars,
  selectVersionKey,
  storeVersionKey,
} from './operations/read-schedule';
import { sweepMisfires } from './operations/recover-misfires';
import { release } from './operations/refused-triggers';
import { RepeatedWakes } from './operations/repeated-wakes';
import { resetTriggersFromError } from './operations/reset-triggers';
import { selectRules, storeRules } from './operations/rules';
import { advancingVersion, startVersion } from './operations/schedule-version';
import { beginSession, endSession, findSession } from './operations/sessions';
import { SharedChanges } from './operations/shared-changes';
import { moveInPortions, type PortionedMoves } from './operations/trigger-portions';
import { insertRuns, pruneRuns, resolveFailedRuns } from './operations/write-runs';
import type { NodeTransaction, NodeTransactions, NodeWork } from './rows/node-transaction';
import { ReadAgain } from './rows/skipped-triggers';
import { inPresentIncarnation, type SqlNode } from './rows/sql-node';
import { CommitTokens } from './runtime/commit-tokens';
import { mayBeOfFiring } from './runtime/retry-rules';
import { repeat, WITHOUT_LOCK } from './runtime/transactions';
import { type Notice, WakeUps } from './wake-ups';

type Operation<Args extends readonly unknown[], T> = (tx: NodeTransaction, ...args: Args) => Promise<T>;

/** The schedule in a database that several nodes may share. Most methods run one operation of `operations/` in one transaction. */
export class SqlJobStore implements JobStore {
  readonly description: JobStore['description'];

  readonly #transactions: NodeTransactions;
  readonly #commitTokens: CommitTokens;
  readonly #changes: SharedChanges;
  readonly #node: SqlNode;
  readonly #fence: FiringFence;
  readonly #memory: AcquireMemory;
  readonly #wakeUps: WakeUps;
  readonly #wakes: RepeatedWakes;
  readonly #readAgain: ReadAgain;
  readonly #closing = new AbortController();
  #onScheduleChanged: ((earliest: EpochMs | null) => void) | null = null;

  constructor(transactions: NodeTransactions, name: string, memory = newAcquireMemory(transactions)) {
    this.description = { name, persistent: true, clustered: true };
    this.#transactions = transactions;
    this.#commitTokens = new CommitTokens(transactions.plain);
    this.#node = transactions.node;
    this.#fence = transactions.node.fence ?? NO_FENCE;
    this.#memory = memory;
    this.#wakeUps = new WakeUps(transactions);
    this.#wakes = new RepeatedWakes(transactions, (earliest) => this.#announce(earliest));
    this.#readAgain = new ReadAgain(this.#node.clock, this.#closing.signal, () => this.#announce(null));
    this.#changes = new SharedChanges(this.#commitTokens, this.#wakeUps);
  }

  readonly open: JobStore['open'] = async (onScheduleChanged) => {
    this.#onScheduleChanged = onScheduleChanged;
    await this.#transactions.plain.createLockRows();
    if (this.#transactions.plain.runsScripts) await startVersion(this.#transactions);
  };

  readonly close: JobStore['close'] = async (timeoutMs = Number.POSITIVE_INFINITY) => {
    this.#onScheduleChanged = null;
    const closed = this.#closeInOrder();
    if (timeoutMs === Number.POSITIVE_INFINITY || (await completesWithin(this.#node.clock, timeoutMs, closed)))
      return closed;
    this.#transactions.plain.abort();
    closed.catch(() => undefined); // another node recovers firings whose ends were not stored
  };

  /** Applies the changes. Does not fire if the node may not fire, or if firing in the same transaction fails. */
  readonly applySchedule: JobStore['applySchedule'] = async (changes, options) => {
    const withoutFiring = { ...options, fireNow: null };
    if (!options.fireNow || !this.#fence.mayFire) return this.#apply(changes, withoutFiring);
    try {
      return await this.#fence.dispatch(() => this.#apply(changes, options));
    } catch (error) {
      if (!mayBeOfFiring(error)) throw error;
      return this.#apply(changes, withoutFiring);
    }
  };

  readonly pauseTriggers: JobStore['pauseTriggers'] = (which, explanation) =>
    this.#move(pausingTriggers(which, explanation ?? null));
  readonly pauseJobs: JobStore['pauseJobs'] = (which, explanation) =>
    this.#move(pausingJobs(which, explanation ?? null));
  readonly resumeTriggers: JobStore['resumeTriggers'] = (which, options) =>
    this.#move(resumingTriggers(which, options));
  readonly resumeJobs: JobStore['resumeJobs'] = (which, options) => this.#move(resumingJobs(which, options));

  /** Ends elapsed pauses. Takes the cluster-wide lock only if there is a pause to end. */
  readonly endPauses: JobStore['endPauses'] = async (options) => {
    const { over, nextEnd } = await selectElapsedPauses(this.#transactions, options.now);
    if (over.length === 0) return { ended: [], nextEnd };
    const end = (ending: EndingPauses) => this.#change((tx) => endPauses(tx, ending, options));
    return { ended: await endInPortions(over, end, this.#node.clock, this.#closing.signal), nextEnd };
  };

  readonly resetTriggersFromError: JobStore['resetTriggersFromError'] = async (keys) => {
    const { groups } = await this.#change((tx) => resetTriggersFromError(tx, keys));
    return groups;
  };

  /** With Java nodes, fires no trigger before its fire time: they set blocked triggers to WAITING, and could start a non-concurrent job twice. */
  readonly acquireTriggers: JobStore['acquireTriggers'] = async (request) => {
    const { mayFire, hasJavaPeer } = this.#fence;
    if (!mayFire) return { acquired: [], fired: [] };
    if (!hasJavaPeer) return this.#fence.dispatch(() => this.#acquire(request));
    const fireWithin = request.fireWithin === null ? null : 0;
    const result = await this.#fence.dispatch(() => this.#acquire({ ...request, timeWindow: 0, fireWithin }));
    return { ...result, timeWindow: 0 };
  };

  readonly releaseTriggers: JobStore['releaseTriggers'] = async (acquired) => {
    if (acquired.length === 0) return;
    await release(this.#transactions, acquired);
    const earliest = earliestOf(acquired.map(({ trigger }) => trigger.nextFireTime)) ?? null;
    this.#memory.scan.reset(earliest);
    this.#wakeUps.scheduleChanged(earliest);
    for (const { runId } of acquired) this.#fence.release(runId, true);
  };

  /** Fires the triggers. If the node may no longer fire, releases them and returns them as not fired, with the reason `lost`. */
  readonly fireTriggers: JobStore['fireTriggers'] = async (acquired, now) => {
    if (acquired.length === 0) return [];
    if (!this.#fence.mayFire) {
      await this.releaseTriggers(acquired);
      return acquired.map((each) => ({ status: 'notFired', acquired: each, reason: 'lost' }));
    }
    const { fired } = await this.#fence.dispatch(async () => ({
      fired: await fire(this.#transactions.inPresentIncarnation(), acquired, now),
    }));
    await this.#wakes.missed();
    return fired;
  };

  readonly completeTriggers: JobStore['completeTriggers'] = async (completions) => {
    if (completions.length === 0) return [];
    const { outcomes, earliest, earliestHere } = await complete(this.#transactions, completions);
    this.#announce(earliest);
    this.#announce(earliestHere, 'here');
    this.#wakes.again();
    for (const [index, { firing }] of completions.entries()) {
      this.#fence.release(firing.runId, outcomes[index]?.status !== 'failed');
    }
    return outcomes;
  };

  readonly changedElsewhere: JobStore['changedElsewhere'] = async (ended, earliest) => {
    this.#announce(earliest);
    for (const { runId } of ended) this.#fence.release(runId, true);
  };

  readonly recoverMisfires: JobStore['recoverMisfires'] = async (request) => {
    const sweep = await sweepMisfires(this.#transactions, request);
    this.#announce(sweep.earliestNextFireTime ?? undefined);
    return sweep;
  };

  readonly getJobs = this.#reading(getJobs);
  readonly getTriggers = this.#reading(getTriggers);
  readonly findLargeJobs = this.#reading(findLargeJobs);
  readonly pageJobs = this.#reading(pageJobs);
  readonly pageTriggers = this.#reading(pageTriggers);
  readonly getJobGroupNames: JobStore['getJobGroupNames'] = () =>
    this.#transactions.read((tx) => selectJobGroups(tx, EVERY_GROUP));
  readonly getTriggerGroupNames: JobStore['getTriggerGroupNames'] = (prefix) =>
    this.#transactions.read((tx) =>
      prefix === undefined ? selectTriggerGroups(tx, EVERY_GROUP) : selectTriggerGroupsFrom(tx, prefix),
    );
  readonly getPausedTriggerGroups: JobStore['getPausedTriggerGroups'] = async () =>
    [...(await this.#transactions.read(selectPausedGroups))].sort();
  readonly getPauses: JobStore['getPauses'] = (of) =>
    this.#transactions.read((tx) => (of === undefined ? selectPauses(tx) : selectPausesOf(tx, of)));
  readonly pagePauses = this.#reading(pagePauses);
  readonly pageCalendars = this.#reading(pageCalendars);
  readonly getCalendar = this.#reading(getCalendar);
  readonly getCalendarNames = this.#reading(getCalendarNames);
  readonly getUnreadableRows = this.#reading(listUnreadable);
  readonly getDeclaredSets = this.#reading(selectDeclaredSets);
  readonly getDeclarations = this.#reading(selectDeclarations);
  readonly pageOverrides = this.#reading(selectOverrides);
  readonly listRuns = this.#reading(listRuns);

  readonly recordRuns: JobStore['recordRuns'] = async (runs) => {
    if (runs.length > 0) await this.#transactions.run(null, (tx) => insertRuns(tx, runs), WITHOUT_LOCK);
  };

  readonly resolveFailedRuns: JobStore['resolveFailedRuns'] = async (resolutions) => {
    if (resolutions.length === 0) return [];
    const { answers } = await this.#change((tx) => resolveFailedRuns(tx, resolutions));
    return answers;
  };

  readonly findRunEnd: JobStore['findRunEnd'] = (newer) => findRunEnd((work) => this.#transactions.read(work), newer);
  readonly pruneRuns = this.#writing(pruneRuns);

  readonly readCheckpoint = this.#reading(readCheckpoint);
  /** Saves a checkpoint. The transaction may safely run twice, because a run saves one value at a time. */
  readonly saveCheckpoint = this.#writing(saveCheckpoint);
  readonly pruneCheckpoints = this.#writing(pruneCheckpoints);

  readonly readVersionKey: JobStore['readVersionKey'] = async () =>
    (await this.#transactions.read(selectVersionKey)) ?? this.#transactions.run(null, storeVersionKey, WITHOUT_LOCK);

  readonly ensureRules: JobStore['ensureRules'] = async (rules) =>
    (await this.readRules()) ?? this.#transactions.run(null, (tx) => storeRules(tx, rules), WITHOUT_LOCK);
  readonly readRules: JobStore['readRules'] = () => this.#transactions.read(selectRules);
  readonly setRules: JobStore['setRules'] = (rules) =>
    this.#transactions.run('STATE_ACCESS', (tx) => replaceRules(tx, rules), { resolveUnknown: repeat });

  readonly recordAction = this.#writing(recordAction);
  readonly listActions = this.#reading(listActions);
  readonly pruneActions = this.#writing(pruneActions);

  readonly beginSession = this.#writing(beginSession);
  readonly findSession = this.#reading(findSession);
  readonly endSession = this.#writing(endSession);

  readonly getOccurrences: JobStore['getOccurrences'] = () =>
    selectOccurrences(this.#transactions, { after: null, maxCount: MAX_OCCURRENCES });

  /** Ends occurrences without remaining parts (shards). Takes the cluster-wide lock only if there is an occurrence to end. */
  readonly endOccurrences: JobStore['endOccurrences'] = async (request) => {
    const page = await selectOccurrences(this.#transactions, request);
    const abandoned = await findAbandoned(this.#transactions, page);
    const next = page.length < request.maxCount ? null : (page.at(-1)?.id ?? null);
    if (abandoned.length === 0) return { ended: [], next };
    const { ended } = await this.#change((tx) => endAbandoned(tx, abandoned, request.now));
    return { ended, next };
  };

  readonly nextDueTime: JobStore['nextDueTime'] = () => nextDueTime(this.#transactions);
  readonly takeOverdue: JobStore['takeOverdue'] = (now) => this.#write((tx) => takeOverdue(tx, now));
  readonly listOverdue = this.#reading(listOverdue);

  /** Returns the changes that `applySchedule` would make. Writes nothing, takes no lock, and rejects for the same reasons. */
  readonly planSchedule = this.#reading(planSchedule);

  /** Like `getUnreadableRows`, but reads every stored row, not only the rows that this node has already tried to read. */
  readonly examineSchedule = this.#reading(examineSchedule);

  async #closeInOrder(): Promise<void> {
    this.#closing.abort();
    await this.#transactions.plain.drain();
    await this.#wakeUps.end();
    await this.#commitTokens.end();
    await this.#transactions.plain.close();
  }

  async #acquire(request: AcquireRequest): Promise<AcquireResult> {
    const before = this.#node.lockedRows.skipCount;
    const requestedAt = this.#node.clock.monotonic();
    const transactions = this.#transactions.inPresentIncarnation();
    const result = await acquire(transactions, request, this.#memory)
      .catch(whereFenced)
      .finally(() => this.#wakes.again());
    if (this.#node.lockedRows.skipCount > before) void this.#readAgain.later();
    const count = result.acquired.length + result.fired.length;
    this.#memory.scan.acquired(count);
    if (count < request.maxCount) this.#wakeUps.firedAllSince(requestedAt);
    await this.#wakes.missed();
    return result;
  }

  async #apply(changes: ChangeSet, options: ApplyScheduleOptions): Promise<AppliedSchedule> {
    await watchJavaNodes(this.#transactions);
    const applied = await this.#changes.apply(inPresentIncarnation(this.#node), changes, options);
    const { outcomes, fired, earliest, hasRung, endedOccurrences, endedRuns } = applied;
    const isUnknown = this.#node.unreadable.changed(() => rowsIn(changes));
    this.#announce(isUnknown ? null : earliest, hasRung ? 'rung' : 'ring');
    return { outcomes, endedOccurrences, endedRuns, fired: fired.map((firing) => ({ status: 'fired', firing })) };
  }

  /** Runs a change of the schedule exactly once, and reports it after the commit. */
  async #change<T extends { readonly earliest: EpochMs | null | undefined }>(work: NodeWork<T>): Promise<T> {
    const changed = await this.#write(work);
    this.#announce(changed.earliest);
    return changed;
  }

  #move(moves: PortionedMoves): Promise<readonly string[]> {
    return moveInPortions(moves, {
      write: (work, options) => this.#write(work, options),
      announce: (earliest) => this.#announce(earliest),
      clock: this.#node.clock,
      closing: this.#closing.signal,
    });
  }

  /** Runs a change of the schedule exactly once; see `CommitTokens`. */
  #write<T>(work: NodeWork<T>, options?: { readonly pausesLong: boolean }): Promise<T> {
    return this.#commitTokens.run(advancingVersion(this.#node, work), options);
  }

  /** Returns a method that runs an operation in a transaction that only reads. */
  #reading<Args extends readonly unknown[], T>(operation: Operation<Args, T>) {
    return (...args: Args): Promise<T> => this.#transactions.read((tx) => operation(tx, ...args));
  }

  /** Returns a method that runs an operation which needs no lock of the schedule, and may safely run twice. */
  #writing<Args extends readonly unknown[], T>(operation: Operation<Args, T>) {
    return (...args: Args): Promise<T> => this.#transactions.run(null, (tx) => operation(tx, ...args), WITHOUT_LOCK);
  }

  /** Reports a change after its commit. `earliest`: earliest fire time that became possible; null if unknown, undefined if there is none. */
  #announce(earliest: EpochMs | null | undefined, notice: Notice = 'ring'): void {
    if (earliest === undefined) return;
    if (earliest === null || earliest <= this.#node.clock.now()) this.#memory.trains?.changedHere();
    this.#memory.scan.reset(earliest);
    this.#onScheduleChanged?.(earliest);
    this.#wakeUps.changed(earliest, notice);
  }
}
