import { type EpochMs, earliestOf } from '../../base/clock';
import { completesWithin, sleepFor } from '../../base/sleep';
import type { ScheduleChange } from '../../domain/schedule-change';
import type { UnreadableRow } from '../../domain/scheduler-event';
import { type FiringFence, NO_FENCE } from '../cluster-store';
import type { AcquireRequest, AcquireResult, AppliedSchedule, ApplyScheduleOptions, JobStore } from '../job-store';
import { acquire, whereFenced } from './operations/acquire';
import { listActions, pruneActions, recordAction } from './operations/actions';
import { applySchedule, planSchedule, rowsIn } from './operations/apply-schedule';
import { pruneCheckpoints, readCheckpoint, saveCheckpoint } from './operations/checkpoints';
import { complete } from './operations/complete';
import { selectDeclarations, selectDeclaredSets, selectOverrides } from './operations/declarations';
import { type EndedPortion, type EndingPauses, endInPortions, endPauses } from './operations/end-pauses';
import { examineSchedule, listUnreadable } from './operations/examine-schedule';
import { listOverdue, nextDueTime, takeOverdue } from './operations/expectations';
import type { IndirectEnds } from './operations/extension';
import { findRunEnd } from './operations/find-run-end';
import { fire } from './operations/fire';
import { pageJobs, pageTriggers } from './operations/list-pages';
import { listRuns } from './operations/list-runs';
import { endAbandoned, findAbandoned } from './operations/lost-parts';
import { MAX_OCCURRENCES, selectOccurrences } from './operations/parts';
import type { GroupsTouched } from './operations/pause-and-resume';
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
  queryJobs,
  queryTriggers,
  selectVersionKey,
  storeVersionKey,
} from './operations/read-schedule';
import { sweepMisfires } from './operations/recover-misfires';
import { release } from './operations/refused-triggers';
import { resetTriggersFromError } from './operations/reset-triggers';
import { ScanMemory } from './operations/scan-memory';
import { moveInPortions, type PortionedMoves } from './operations/trigger-portions';
import { insertRuns, pruneRuns, type ResolvedFailedRuns, resolveFailedRuns } from './operations/write-runs';
import { inPresentIncarnation, type SqlNode } from './rows/sql-node';
import { CommitTokens } from './runtime/commit-tokens';
import { mayBeOfFiring } from './runtime/retry-rules';
import { type Transactions, WITHOUT_LOCK, type Work } from './runtime/transactions';

/** Delay before rows that another session had locked are read again, in milliseconds. */
const LOCKED_DELAY_MS = 1_000;

/** The schedule in a database that several nodes may share. Most methods run one operation of `operations/` in one transaction. */
export class SqlJobStore implements JobStore {
  readonly description: JobStore['description'];

  readonly #transactions: Transactions;
  readonly #commitTokens: CommitTokens;
  readonly #node: SqlNode;
  readonly #fence: FiringFence;
  readonly #scanMemory: ScanMemory;
  readonly #closing = new AbortController();
  #onScheduleChanged: ((earliest: EpochMs | null) => void) | null = null;
  #willReadAgain = false;

  constructor(transactions: Transactions, node: SqlNode, name: string, scanMemory = new ScanMemory(node)) {
    this.description = { name, persistent: true, clustered: true };
    this.#transactions = transactions;
    this.#commitTokens = new CommitTokens(transactions, node.schedName);
    this.#node = node;
    this.#fence = node.fence ?? NO_FENCE;
    this.#scanMemory = scanMemory;
  }

  readonly open: JobStore['open'] = async (onScheduleChanged) => {
    this.#onScheduleChanged = onScheduleChanged;
    await this.#transactions.createLockRows();
  };

  readonly close: JobStore['close'] = async (timeoutMs = Number.POSITIVE_INFINITY) => {
    this.#onScheduleChanged = null;
    const closed = this.#closeInOrder();
    if (timeoutMs === Number.POSITIVE_INFINITY || (await completesWithin(this.#node.clock, timeoutMs, closed)))
      return closed;
    this.#transactions.abort();
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
    this.#move(pausingTriggers(this.#node, which, explanation ?? null));
  readonly pauseJobs: JobStore['pauseJobs'] = (which, explanation) =>
    this.#move(pausingJobs(this.#node, which, explanation ?? null));
  readonly resumeTriggers: JobStore['resumeTriggers'] = (which, options) =>
    this.#move(resumingTriggers(this.#node, which, options));
  readonly resumeJobs: JobStore['resumeJobs'] = (which, options) =>
    this.#move(resumingJobs(this.#node, which, options));

  /** Ends elapsed pauses. Takes the cluster-wide lock only if there is a pause to end. */
  readonly endPauses: JobStore['endPauses'] = async (options) => {
    const { over, nextEnd } = await this.#read((tx) => selectElapsedPauses(tx, this.#node, options.now));
    if (over.length === 0) return { ended: [], nextEnd };
    const end = async (ending: EndingPauses) => {
      const work: Work<EndedPortion> = (tx) => endPauses(tx, this.#node, ending, options);
      const portion = await this.#commitTokens.run(work);
      this.#announce(portion.earliest);
      return portion;
    };
    return { ended: await endInPortions(over, end, this.#node.clock, this.#closing.signal), nextEnd };
  };

  readonly resetTriggersFromError: JobStore['resetTriggersFromError'] = (keys) =>
    this.#touch((tx) => resetTriggersFromError(tx, this.#node, keys));

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
    await release(this.#transactions, this.#node, acquired);
    this.#scanMemory.reset(earliestOf(acquired.map(({ trigger }) => trigger.nextFireTime)) ?? null);
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
      fired: await fire(this.#transactions, inPresentIncarnation(this.#node), acquired, now),
    }));
    return fired;
  };

  readonly completeTriggers: JobStore['completeTriggers'] = async (completions) => {
    if (completions.length === 0) return [];
    const { outcomes, earliest } = await complete(this.#transactions, this.#node, completions);
    this.#announce(earliest);
    for (const [index, { firing }] of completions.entries()) {
      this.#fence.release(firing.runId, outcomes[index]?.status !== 'failed');
    }
    return outcomes;
  };

  readonly haveEnded: JobStore['haveEnded'] = async (ended, earliest) => {
    this.#announce(earliest);
    for (const { runId } of ended) this.#fence.release(runId, true);
  };

  readonly recoverMisfires: JobStore['recoverMisfires'] = async (request) => {
    const sweep = await sweepMisfires(this.#transactions, this.#node, request);
    this.#announce(sweep.earliestNextFireTime ?? undefined);
    return sweep;
  };

  readonly getJobs: JobStore['getJobs'] = (keys) => this.#read((tx) => getJobs(tx, this.#node, keys));
  readonly getTriggers: JobStore['getTriggers'] = (keys) => this.#read((tx) => getTriggers(tx, this.#node, keys));
  readonly findLargeJobs: JobStore['findLargeJobs'] = (keys, moreThan) =>
    this.#read((tx) => findLargeJobs(tx, this.#node, keys, moreThan));
  readonly queryJobs: JobStore['queryJobs'] = (query) => this.#read((tx) => queryJobs(tx, this.#node, query));
  readonly queryTriggers: JobStore['queryTriggers'] = (query) =>
    this.#read((tx) => queryTriggers(tx, this.#node, query));
  readonly pageJobs: JobStore['pageJobs'] = (query) => this.#read((tx) => pageJobs(tx, this.#node, query));
  readonly pageTriggers: JobStore['pageTriggers'] = (query) => this.#read((tx) => pageTriggers(tx, this.#node, query));
  readonly getJobGroupNames: JobStore['getJobGroupNames'] = () =>
    this.#read((tx) => selectJobGroups(tx, this.#node, EVERY_GROUP));
  readonly getTriggerGroupNames: JobStore['getTriggerGroupNames'] = (prefix) =>
    this.#read((tx) =>
      prefix === undefined
        ? selectTriggerGroups(tx, this.#node, EVERY_GROUP)
        : selectTriggerGroupsFrom(tx, this.#node, prefix),
    );
  readonly getPausedTriggerGroups: JobStore['getPausedTriggerGroups'] = async () =>
    [...(await this.#read((tx) => selectPausedGroups(tx, this.#node)))].sort();
  readonly getPauses: JobStore['getPauses'] = (of) =>
    this.#read((tx) => (of === undefined ? selectPauses(tx, this.#node) : selectPausesOf(tx, this.#node, of)));
  readonly pagePauses: JobStore['pagePauses'] = (query) => this.#read((tx) => pagePauses(tx, this.#node, query));
  readonly pageCalendars: JobStore['pageCalendars'] = (query) =>
    this.#read((tx) => pageCalendars(tx, this.#node, query));
  readonly getCalendar: JobStore['getCalendar'] = (name) => this.#read((tx) => getCalendar(tx, this.#node, name));
  readonly getCalendarNames: JobStore['getCalendarNames'] = () => this.#read((tx) => getCalendarNames(tx, this.#node));
  readonly getUnreadableRows: JobStore['getUnreadableRows'] = () => this.#read((tx) => listUnreadable(tx, this.#node));
  readonly getDeclaredSets: JobStore['getDeclaredSets'] = (sets) =>
    this.#read((tx) => selectDeclaredSets(tx, this.#node, sets));

  readonly getDeclarations: JobStore['getDeclarations'] = (targets) =>
    this.#read((tx) => selectDeclarations(tx, this.#node, targets));

  readonly pageOverrides: JobStore['pageOverrides'] = (query) =>
    this.#read((tx) => selectOverrides(tx, this.#node, query));

  readonly listRuns: JobStore['listRuns'] = (query) => this.#read((tx) => listRuns(tx, this.#node, query));

  readonly recordRuns: JobStore['recordRuns'] = async (runs) => {
    if (runs.length > 0) await this.#transactions.run(null, (tx) => insertRuns(tx, this.#node, runs), WITHOUT_LOCK);
  };

  readonly resolveFailedRuns: JobStore['resolveFailedRuns'] = async (resolutions) => {
    if (resolutions.length === 0) return [];
    const work: Work<ResolvedFailedRuns> = (tx) => resolveFailedRuns(tx, this.#node, resolutions);
    const { answers, earliest } = await this.#commitTokens.run(work);
    this.#announce(earliest);
    return answers;
  };

  readonly findRunEnd: JobStore['findRunEnd'] = (newer) => findRunEnd((work) => this.#read(work), this.#node, newer);

  readonly pruneRuns: JobStore['pruneRuns'] = (retention) =>
    this.#transactions.run(null, (tx) => pruneRuns(tx, this.#node, retention), WITHOUT_LOCK);

  readonly readCheckpoint: JobStore['readCheckpoint'] = (key) =>
    this.#read((tx) => readCheckpoint(tx, this.#node, key));

  /** Saves a checkpoint. The transaction may safely run twice, because a run saves one value at a time. */
  readonly saveCheckpoint: JobStore['saveCheckpoint'] = (saved, now) =>
    this.#transactions.run(null, (tx) => saveCheckpoint(tx, this.#node, saved, now), WITHOUT_LOCK);

  readonly pruneCheckpoints: JobStore['pruneCheckpoints'] = (before, maxCount) =>
    this.#transactions.run(null, (tx) => pruneCheckpoints(tx, this.#node, before, maxCount), WITHOUT_LOCK);

  readonly readVersionKey: JobStore['readVersionKey'] = async () =>
    (await this.#read((tx) => selectVersionKey(tx, this.#node))) ??
    this.#transactions.run(null, (tx) => storeVersionKey(tx, this.#node), WITHOUT_LOCK);

  readonly recordAction: JobStore['recordAction'] = (action) =>
    this.#transactions.run(null, (tx) => recordAction(tx, this.#node, action), WITHOUT_LOCK);

  readonly listActions: JobStore['listActions'] = (query) => this.#read((tx) => listActions(tx, this.#node, query));

  readonly pruneActions: JobStore['pruneActions'] = (before, maxCount) =>
    this.#transactions.run(null, (tx) => pruneActions(tx, this.#node, before, maxCount), WITHOUT_LOCK);

  readonly getOccurrences: JobStore['getOccurrences'] = () =>
    this.#read((tx) => selectOccurrences(tx, this.#node, { after: null, maxCount: MAX_OCCURRENCES }));

  /** Ends occurrences without remaining parts (shards). Takes the cluster-wide lock only if there is an occurrence to end. */
  readonly endOccurrences: JobStore['endOccurrences'] = async (request) => {
    const { page, abandoned } = await this.#read(async (tx) => {
      const found = await selectOccurrences(tx, this.#node, request);
      return { page: found, abandoned: await findAbandoned(tx, this.#node, found) };
    });
    const next = page.length < request.maxCount ? null : (page.at(-1)?.id ?? null);
    if (abandoned.length === 0) return { ended: [], next };
    const work: Work<IndirectEnds> = (tx) => endAbandoned(tx, this.#node, abandoned, request.now);
    const { ended, earliest } = await this.#commitTokens.run(work);
    this.#announce(earliest);
    return { ended, next };
  };

  readonly nextDueTime: JobStore['nextDueTime'] = () => this.#read((tx) => nextDueTime(tx, this.#node));
  readonly takeOverdue: JobStore['takeOverdue'] = (now) =>
    this.#commitTokens.run((tx) => takeOverdue(tx, this.#node, now));
  readonly listOverdue: JobStore['listOverdue'] = (now, maxCount) =>
    this.#read((tx) => listOverdue(tx, this.#node, now, maxCount));

  /** Returns the changes that `applySchedule` would make. Writes nothing, takes no lock, and rejects for the same reasons. */
  readonly planSchedule: JobStore['planSchedule'] = (changes, options) =>
    this.#read((tx) => planSchedule(tx, this.#node, changes, options));

  /** Like `getUnreadableRows`, but reads every stored row, not only the rows that this node has already tried to read. */
  readonly examineSchedule = (): Promise<readonly UnreadableRow[]> =>
    this.#read((tx) => examineSchedule(tx, this.#node));

  async #closeInOrder(): Promise<void> {
    this.#closing.abort();
    const ended = this.#commitTokens.end();
    await this.#transactions.close();
    await ended;
  }

  async #acquire(request: AcquireRequest): Promise<AcquireResult> {
    const before = this.#node.lockedRows.skipCount;
    const node = inPresentIncarnation(this.#node);
    const result = await acquire(this.#transactions, node, request, this.#scanMemory).catch(whereFenced);
    if (this.#node.lockedRows.skipCount > before) void this.#readAgainLater();
    return result;
  }

  async #apply(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule> {
    const node = inPresentIncarnation(this.#node);
    const { fired, earliest, ...applied } = await applySchedule(this.#commitTokens, node, changes, options);
    this.#announce(this.#node.unreadable.changed(() => rowsIn(changes)) ? null : earliest);
    return { ...applied, fired: fired.map((firing) => ({ status: 'fired', firing })) };
  }

  async #touch(work: Work<GroupsTouched>): Promise<readonly string[]> {
    const { groups, earliest } = await this.#commitTokens.run(work);
    this.#announce(earliest);
    return groups;
  }

  #move(moves: PortionedMoves): Promise<readonly string[]> {
    return moveInPortions(moves, {
      write: (work, options) => this.#commitTokens.run(work, options),
      announce: (earliest) => this.#announce(earliest),
      clock: this.#node.clock,
      closing: this.#closing.signal,
    });
  }

  #read<T>(work: Work<T>): Promise<T> {
    return this.#transactions.read(work);
  }

  /** Triggers another poll after a second, because no event reports when another program unlocks a row. */
  async #readAgainLater(): Promise<void> {
    if (this.#willReadAgain) return;
    this.#willReadAgain = true;
    await sleepFor(this.#node.clock, LOCKED_DELAY_MS, this.#closing.signal);
    this.#willReadAgain = false;
    this.#announce(null);
  }

  /** Reports a change after its commit. `earliest`: earliest fire time that became possible; null if unknown, undefined if there is none. */
  #announce(earliest: EpochMs | null | undefined): void {
    if (earliest === undefined) return;
    this.#scanMemory.reset(earliest);
    this.#onScheduleChanged?.(earliest);
  }
}
