import type { EpochMs } from '../../base/clock';
import { settlesWithin, sleepFor } from '../../base/sleep';
import type { CalendarData } from '../../domain/calendars/calendar';
import type { Completion } from '../../domain/completion';
import type { AcquiredTrigger, FireResult } from '../../domain/firing';
import type { JobDetail } from '../../domain/job-detail';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { ScheduleChange } from '../../domain/schedule-change';
import type { UnreadableRow } from '../../domain/unreadable-row';
import type { FiringFence } from '../cluster-store';
import {
  type AcquireRequest,
  type AcquireResult,
  type AppliedSchedule,
  type ApplyOptions,
  type ApplyScheduleOptions,
  type CompletionOutcome,
  isKeys,
  type JobQuery,
  type JobStore,
  type MisfireRequest,
  type MisfireSweep,
  type Page,
  type StoredTrigger,
  type TriggerQuery,
  type Which,
} from '../job-store';
import { acquire } from './operations/acquire';
import { BacklogCursor } from './operations/backlog-cursor';
import { complete } from './operations/complete';
import { examineSchedule } from './operations/examine-schedule';
import { fire } from './operations/fire';
import { listUnreadable } from './operations/list-unreadable';
import {
  pauseJobs,
  pauseTriggers,
  resetTriggersFromError,
  resumeJobs,
  resumeTriggers,
} from './operations/pause-and-resume';
import { EVERY_GROUP, selectJobGroups, selectPausedGroups, selectTriggerGroups } from './operations/paused-groups';
import {
  getCalendar,
  getCalendarNames,
  getJobs,
  getTriggers,
  queryJobs,
  queryTriggers,
} from './operations/read-schedule';
import { sweepMisfires } from './operations/recover-misfires';
import { release } from './operations/release';
import { MANY, rowsIn, runChanges } from './operations/run-changes';
import { selectDeclaredSet } from './operations/schedule-draft/declared-draft';
import { earliestOf } from './rows/earliest';
import { inPresentLife, type SqlNode } from './rows/sql-node';
import { CommitTokens } from './runtime/commit-tokens';
import { mayBeOfFiring } from './runtime/retry-rules';
import type { Transactions, Work } from './runtime/transactions';

/** Milliseconds until what another session held is looked for again. */
const LOCKED_DELAY = 1_000;

const NO_FENCE: FiringFence = { mayFire: true, hasJavaPeer: false, handOut: (work) => work(), letGo: () => undefined };

/** The schedule in a database that several nodes may share: the table of contents of `operations/`, one transaction each. */
export class SqlJobStore implements JobStore {
  readonly description: JobStore['description'];

  readonly #transactions: Transactions;
  readonly #commitTokens: CommitTokens;
  readonly #node: SqlNode;
  readonly #fence: FiringFence;
  readonly #cursor: BacklogCursor;
  readonly #closing = new AbortController();
  #onScheduleChanged: ((earliest: EpochMs | null) => void) | null = null;
  #isToLook = false;

  constructor(transactions: Transactions, node: SqlNode, name: string, cursor = new BacklogCursor(node)) {
    this.description = { name, persistent: true, clustered: true };
    this.#transactions = transactions;
    this.#commitTokens = new CommitTokens(transactions, node.schedName);
    this.#node = node;
    this.#fence = node.fence ?? NO_FENCE;
    this.#cursor = cursor;
  }

  async open(onScheduleChanged: (earliest: EpochMs | null) => void): Promise<void> {
    this.#onScheduleChanged = onScheduleChanged;
    await this.#transactions.createLockRows();
  }

  async close(patience = Number.POSITIVE_INFINITY): Promise<void> {
    this.#onScheduleChanged = null;
    const closed = this.#closeInOrder();
    const isPatient = patience === Number.POSITIVE_INFINITY;
    if (isPatient || (await settlesWithin(this.#node.clock, patience, closed))) return closed;
    this.#transactions.cut();
    closed.catch(() => undefined); // what was not committed is recovered by another node
  }

  async #closeInOrder(): Promise<void> {
    this.#closing.abort();
    const ended = this.#commitTokens.end();
    await this.#transactions.close();
    await ended;
  }

  /** While the node may not fire, and if firing is what fails, the changes are applied without it. */
  async applySchedule(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule> {
    const withoutFiring = { ...options, fireNow: null };
    if (!options.fireNow || !this.#fence.mayFire) return this.#apply(changes, withoutFiring);
    try {
      return await this.#fence.handOut(() => this.#apply(changes, options));
    } catch (error) {
      if (!mayBeOfFiring(error)) throw error;
      return this.#apply(changes, withoutFiring);
    }
  }

  async pauseTriggers(which: Which<TriggerKey>): Promise<readonly string[]> {
    return this.#change(which, (tx) => pauseTriggers(tx, this.#node, which));
  }

  async resumeTriggers(which: Which<TriggerKey>, options: ApplyOptions): Promise<readonly string[]> {
    const { groups, earliest } = await this.#change(which, (tx) => resumeTriggers(tx, this.#node, which, options));
    this.#announce(earliest);
    return groups;
  }

  async pauseJobs(which: Which<JobKey>): Promise<readonly string[]> {
    return this.#change(which, (tx) => pauseJobs(tx, this.#node, which));
  }

  async resumeJobs(which: Which<JobKey>, options: ApplyOptions): Promise<readonly string[]> {
    const { groups, earliest } = await this.#change(which, (tx) => resumeJobs(tx, this.#node, which, options));
    this.#announce(earliest);
    return groups;
  }

  async resetTriggersFromError(keys: readonly TriggerKey[]): Promise<readonly string[]> {
    const { groups, earliest } = await this.#change(keys, (tx) => resetTriggersFromError(tx, this.#node, keys));
    this.#announce(earliest);
    return groups;
  }

  /** Beside Java nodes nothing is fired ahead of its time: by setting blocked triggers to waiting, they may begin such a job meanwhile. */
  async acquireTriggers(request: AcquireRequest): Promise<AcquireResult> {
    const { mayFire, hasJavaPeer } = this.#fence;
    if (!mayFire) return { acquired: [], fired: [] };
    if (!hasJavaPeer) return this.#fence.handOut(() => this.#acquire(request));
    const fireWithin = request.fireWithin === null ? null : 0;
    const result = await this.#fence.handOut(() => this.#acquire({ ...request, timeWindow: 0, fireWithin }));
    return { ...result, timeWindow: 0 };
  }

  async #acquire(request: AcquireRequest): Promise<AcquireResult> {
    const { lockedRows } = this.#node;
    const before = lockedRows.passedOver;
    const result = await acquire(this.#transactions, inPresentLife(this.#node), request, this.#cursor);
    if (lockedRows.passedOver > before) void this.#lookAgain();
    return result;
  }

  async releaseTriggers(acquired: readonly AcquiredTrigger[]): Promise<void> {
    if (acquired.length === 0) return;
    await release(this.#transactions, this.#node, acquired);
    this.#cursor.reset(earliestOf(acquired.map(({ trigger }) => trigger.nextFireTime)) ?? null);
    for (const { fireInstanceId } of acquired) this.#fence.letGo(fireInstanceId, true);
  }

  /** Gives back what the node may not fire any more. */
  async fireTriggers(acquired: readonly AcquiredTrigger[], now: EpochMs): Promise<readonly FireResult[]> {
    if (acquired.length === 0) return [];
    if (!this.#fence.mayFire) {
      await this.releaseTriggers(acquired);
      return acquired.map((each) => ({ status: 'notFired', acquired: each, reason: 'lost' }));
    }
    const { fired } = await this.#fence.handOut(async () => ({
      fired: await fire(this.#transactions, inPresentLife(this.#node), acquired, now),
    }));
    return fired;
  }

  async completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]> {
    if (completions.length === 0) return [];
    const { outcomes, earliest } = await complete(this.#transactions, this.#node, completions);
    this.#announce(earliest);
    for (const [index, { firing }] of completions.entries()) {
      this.#fence.letGo(firing.fireInstanceId, outcomes[index]?.status !== 'failed');
    }
    return outcomes;
  }

  async recoverMisfires(request: MisfireRequest): Promise<MisfireSweep> {
    const sweep = await sweepMisfires(this.#transactions, this.#node, request);
    this.#announce(sweep.earliestNextFireTime ?? undefined);
    return sweep;
  }

  async getJobs(keys: readonly JobKey[]): Promise<readonly JobDetail[]> {
    return this.#read((tx) => getJobs(tx, this.#node, keys));
  }

  async getTriggers(keys: readonly TriggerKey[]): Promise<readonly StoredTrigger[]> {
    return this.#read((tx) => getTriggers(tx, this.#node, keys));
  }

  async queryJobs(query: JobQuery): Promise<Page<JobDetail>> {
    return this.#read((tx) => queryJobs(tx, this.#node, query));
  }

  async queryTriggers(query: TriggerQuery): Promise<Page<StoredTrigger>> {
    return this.#read((tx) => queryTriggers(tx, this.#node, query));
  }

  async getJobGroupNames(): Promise<readonly string[]> {
    return this.#read((tx) => selectJobGroups(tx, this.#node, EVERY_GROUP));
  }

  async getTriggerGroupNames(): Promise<readonly string[]> {
    return this.#read((tx) => selectTriggerGroups(tx, this.#node, EVERY_GROUP));
  }

  async getPausedTriggerGroups(): Promise<readonly string[]> {
    return [...(await this.#read((tx) => selectPausedGroups(tx, this.#node)))].sort();
  }

  async getCalendar(name: string): Promise<CalendarData | null> {
    return this.#read((tx) => getCalendar(tx, this.#node, name));
  }

  async getCalendarNames(): Promise<readonly string[]> {
    return this.#read((tx) => getCalendarNames(tx, this.#node));
  }

  async getUnreadableRows(): Promise<readonly UnreadableRow[]> {
    return this.#read((tx) => listUnreadable(tx, this.#node));
  }

  async getDeclaredTriggers(set: string): Promise<readonly TriggerKey[]> {
    return this.#read((tx) => selectDeclaredSet(tx, this.#node, set));
  }

  /** As `getUnreadableRows`, of every row there is, whether or not it was met. */
  async examineSchedule(): Promise<readonly UnreadableRow[]> {
    return this.#read((tx) => examineSchedule(tx, this.#node));
  }

  async #apply(changes: readonly ScheduleChange[], options: ApplyScheduleOptions): Promise<AppliedSchedule> {
    const node = inPresentLife(this.#node);
    const { outcomes, fired, earliest } = await runChanges(this.#commitTokens, node, changes, options);
    const isMended = this.#node.unreadable.changed(() => rowsIn(changes));
    this.#announce(isMended ? null : earliest);
    return { outcomes, fired: fired.map((firing) => ({ status: 'fired', firing })) };
  }

  /** A group may hold very many. */
  #change<T>(which: Which<TriggerKey | JobKey>, work: Work<T>): Promise<T> {
    return this.#commitTokens.run(work, { pausesLong: !isKeys(which) || which.length > MANY });
  }

  #read<T>(work: Work<T>): Promise<T> {
    return this.#transactions.read(work);
  }

  /** Nobody tells when a stranger lets go of a row. */
  async #lookAgain(): Promise<void> {
    if (this.#isToLook) return;
    this.#isToLook = true;
    await sleepFor(this.#node.clock, LOCKED_DELAY, this.#closing.signal);
    this.#isToLook = false;
    this.#announce(null);
  }

  /** After the commit. Null: something came within reach, and it is not known when it fires. */
  #announce(earliest: EpochMs | null | undefined): void {
    if (earliest === undefined) return;
    this.#cursor.reset(earliest);
    this.#onScheduleChanged?.(earliest);
  }
}
