import type { RecoveryReport } from '../../domain/recovery';
import type { RunRetention } from '../../domain/run';
import type { ClusterStore, DataOwner, NodeIdentity, SentSignal, SweepReport, TypeRowSweep } from '../cluster-store';
import type { AcquireMemory } from './operations/acquire-memory';
import {
  checkIn,
  deleteCheckIn,
  endIncarnation,
  hasJoined,
  hasLeft,
  joinAsNew,
  joinCluster,
  leaveCluster,
  readLoads,
  readNodes,
  selectNode,
} from './operations/check-in';
import { type DeletedTriggers, deleteEndedUnlessJava, findEnded } from './operations/ended-triggers';
import { exchangeMeta, insertMeta, selectMeta } from './operations/meta';
import { findEndedProgress, findRunning, saveProgress } from './operations/progress';
import { countIdleRates } from './operations/rates';
import {
  encodeJobTypes,
  findInBacklog,
  readBacklog,
  readChanges,
  readFirings,
  readFirstToFire,
  readJobTypes,
  readNewestRun,
} from './operations/read-cluster';
import { type RecoverFiringsOptions, recoverFirings } from './operations/recover-node';
import { acknowledgeSignals, receiveSignals, sendSignal } from './operations/signals';
import { failWithoutTypeRow, findImpossibleStates, findWithoutTypeRow, repairStates } from './operations/sweep';
import { pruneRuns } from './operations/write-runs';
import type { NodeReader, NodeTransaction, NodeTransactions, NodeWork } from './rows/node-transaction';
import type { NodeIncarnation, SqlNode } from './rows/sql-node';
import type { SeenChanges } from './runtime/sql-driver';
import { STATEMENT_NAMES } from './runtime/statement-names';
import { repeat, WITHOUT_LOCK } from './runtime/transactions';

const BOTH_LOCKS = ['STATE_ACCESS', 'TRIGGER_ACCESS'] as const;

const ERASURE = STATEMENT_NAMES.filter((name) => name.startsWith('deleteAll'));

/** Number of runs that `erase` deletes in one transaction. */
const MAX_ERASED = 5_000;

/** The cluster store of a database: check-ins, recovery and signals. Each method calls one operation of `operations/`, as in `SqlJobStore`. */
export class SqlClusterStore implements ClusterStore {
  readonly #transactions: NodeTransactions;
  readonly #node: SqlNode;
  readonly #memory: AcquireMemory;
  /** Last reading of `watchChanges`; null if it did not count the backlog. */
  #seen: SeenChanges | null = null;

  constructor(transactions: NodeTransactions, memory: AcquireMemory) {
    this.#transactions = transactions;
    this.#node = transactions.node;
    this.#memory = memory;
  }

  readonly readClock: ClusterStore['readClock'] = async () => {
    const [row] = await this.#transactions.all<{ NOW_TIME: number }>('selectClock');
    return row?.NOW_TIME ?? Number.NaN;
  };

  readonly readActivity: ClusterStore['readActivity'] = async () => this.#transactions.plain.readActivity();

  readonly readNodes = this.#reading(readNodes);
  readonly readLoads = this.#reading(readLoads);
  readonly readJobTypes = this.#reading(readJobTypes);
  readonly readFirstToFire = this.#reading(readFirstToFire);
  readonly readBacklog = this.#reading(readBacklog);
  readonly getFirings = this.#reading(readFirings);
  readonly findRunning = this.#reading(findRunning);
  readonly newestRun = this.#reading(readNewestRun);
  readonly receiveSignals = this.#reading(receiveSignals);

  readonly join: ClusterStore['join'] = async (identity, previous, options) => {
    const connecting = this.#transactions.plain.connect(['scheduler', 'completions']);
    const result =
      (previous === null ? await joinAsNew(this.#transactions, identity) : null) ??
      (await this.#transactions.run(BOTH_LOCKS, (tx) => joinCluster(tx, identity, { previous, options }), {
        role: 'checkIn', // must not wait for transactions that may have kept the node from checking in
        resolveUnknown: async (tx, joined) =>
          (await hasJoined(tx, identity)) ? { status: 'committed', result: joined } : { status: 'notCommitted' },
      }));
    await connecting;
    if (result.status === 'joined') this.#begin(identity);
    return result;
  };

  readonly readTimeZoneData: ClusterStore['readTimeZoneData'] = () =>
    this.#transactions.read((tx) => selectMeta(tx, 'timeZoneData'));

  readonly ensureTimeZoneData: ClusterStore['ensureTimeZoneData'] = async (version) =>
    (await this.readTimeZoneData()) ??
    this.#transactions.run(null, (tx) => insertMeta(tx, 'timeZoneData', version), WITHOUT_LOCK);

  readonly replaceTimeZoneData: ClusterStore['replaceTimeZoneData'] = (expected, value) =>
    this.#transactions.run(null, (tx) => exchangeMeta(tx, 'timeZoneData', { expected, value }), WITHOUT_LOCK);

  readonly checkIn: ClusterStore['checkIn'] = (identity, clockOffset, load = null) =>
    checkIn(this.#transactions, identity, { clockOffset, load });

  readonly leave: ClusterStore['leave'] = (identity) => this.#locked((tx) => leaveCluster(tx, identity));

  readonly recoverInstance: ClusterStore['recoverInstance'] = (failed, options) => {
    const { instanceId, lastCheckInTime } = failed;
    const work: NodeWork<RecoveryReport | null> = async (tx) => {
      const stored = await selectNode(tx, instanceId);
      if (!(await deleteCheckIn(tx, instanceId, lastCheckInTime))) return null;
      return this.#recover(tx, instanceId, { ...options, hasLeft: hasLeft(stored) });
    };
    return this.#transactions.run(BOTH_LOCKS, work, {
      // If the node's row is missing, either this transaction was committed, or a peer made the same changes.
      resolveUnknown: async (tx, result) =>
        (await selectNode(tx, instanceId)) === undefined ? { status: 'committed', result } : { status: 'notCommitted' },
    });
  };

  readonly findOrphans: ClusterStore['findOrphans'] = async () => {
    const rows = await this.#transactions.all<{ INSTANCE_NAME: string }>('selectOrphanInstances');
    return rows.map(({ INSTANCE_NAME }) => INSTANCE_NAME);
  };

  readonly findJsonData: ClusterStore['findJsonData'] = async (limit) => {
    type Row = { readonly WHAT: DataOwner['what']; readonly NAME: string; readonly GROUP_NAME: string };
    const rows = await this.#transactions.all<Row>('selectJsonData', { limit });
    return rows.map(({ WHAT, NAME, GROUP_NAME }) => ({ what: WHAT, key: { name: NAME, group: GROUP_NAME } }));
  };

  readonly recoverOrphan: ClusterStore['recoverOrphan'] = (instanceId, options) =>
    this.#locked(async (tx) => {
      const isStored = (await selectNode(tx, instanceId)) !== undefined;
      return isStored ? null : this.#recover(tx, instanceId, options);
    });

  readonly findFiringsOf: ClusterStore['findFiringsOf'] = async ({ instanceId }) => {
    const { rejectedTriggers } = this.#node;
    const rows = await this.#transactions.all<{ ENTRY_ID: string }>('selectEntriesOf', { instanceId });
    return rows.map(({ ENTRY_ID }) => ENTRY_ID).filter((entryId) => !rejectedTriggers.isPendingRelease(entryId));
  };

  readonly recoverUnheld: ClusterStore['recoverUnheld'] = (identity, runIds, options) => {
    const unheld = new Set(runIds);
    const isSelected = (entryId: string) => unheld.has(entryId);
    return this.#locked(async (tx) => {
      if (!(await hasJoined(tx, identity))) return null;
      return recoverFirings(tx, identity.instanceId, { ...options, isSelected });
    });
  };

  readonly sweep: ClusterStore['sweep'] = async (maxCount) => {
    await this.saveProgress([], await findEndedProgress(this.#transactions, maxCount));
    const found = await findImpossibleStates(this.#transactions, maxCount);
    const { stranded, blocked, limits, ...rest } = found;
    const others = rest.stalePlaces.length + rest.staleMisfired.length + countIdleRates(rest.idleRates);
    if (stranded.length + blocked.length + limits.ended.length + limits.idle.length + others === 0)
      return { released: 0, unblocked: 0 };
    const work: NodeWork<SweepReport> = (tx) => repairStates(tx, maxCount);
    return this.#transactions.run('TRIGGER_ACCESS', work, { resolveUnknown: repeat });
  };

  readonly sweepTypeRows: ClusterStore['sweepTypeRows'] = async (request) => {
    const { missing, next } = await findWithoutTypeRow(this.#transactions, request);
    if (missing.length === 0) return { failed: [], next };
    const work: NodeWork<TypeRowSweep> = (tx) => failWithoutTypeRow(tx, request);
    return this.#transactions.run('TRIGGER_ACCESS', work, { resolveUnknown: repeat });
  };

  readonly sweepEnded: ClusterStore['sweepEnded'] = async (request) => {
    const { ended, next } = await this.#transactions.read((tx) => findEnded(tx, request));
    if (ended.length === 0) return { deletedTriggers: [], deletedJobs: [], next };
    const work: NodeWork<DeletedTriggers> = (tx) => deleteEndedUnlessJava(tx, ended, request.now);
    const deleted = await this.#transactions.run('TRIGGER_ACCESS', work, { resolveUnknown: repeat });
    return { deletedTriggers: deleted.triggers, deletedJobs: deleted.jobs, next };
  };

  readonly watchChanges: ClusterStore['watchChanges'] = async (request) => {
    const isCounted = request.isCounted && !this.#memory.scan.hasJustSeenAll;
    const { reading, seen } = await readChanges(this.#transactions, { ...request, isCounted });
    this.#seen = isCounted ? seen : null;
    this.#memory.scan.noticed(reading);
    const { trains } = this.#memory;
    const { earliest, now } = reading;
    return trains === null || earliest === null ? reading : { ...reading, earliest: trains.readAt(earliest, now) };
  };

  readonly findInBacklog: ClusterStore['findInBacklog'] = async (now) => {
    const { lastRequest } = this.#memory.scan;
    const time = lastRequest === null ? null : await findInBacklog(this.#transactions, lastRequest, now);
    if (time !== null && time <= now) this.#memory.scan.reset(null);
    return time;
  };

  readonly sendSignal: ClusterStore['sendSignal'] = async (instanceIds, signal) => {
    const work: NodeWork<readonly SentSignal[]> = (tx) => sendSignal(tx, instanceIds, signal);
    const sent = await this.#transactions.run(null, work, WITHOUT_LOCK);
    this.#transactions.plain.bell?.ring(sent.map(({ epoch }) => epoch)).catch(() => undefined);
    return sent;
  };

  readonly awaitRing: ClusterStore['awaitRing'] = async ({ epoch }, signal, polls) => {
    const { bell } = this.#transactions.plain;
    const seen = polls && bell?.canPoll ? this.#seen : null;
    const isRung = await bell?.awaitRing(epoch, signal, seen);
    if (isRung === undefined) return null;
    if (!isRung) return seen === null ? 'none' : 'unchanged';
    return this.#memory.scan.rung() ? 'acquire' : 'poll';
  };

  readonly acknowledgeSignals: ClusterStore['acknowledgeSignals'] = (identity, number) =>
    this.#transactions.run(null, (tx) => acknowledgeSignals(tx, identity, number), WITHOUT_LOCK);

  readonly publishJobTypes: ClusterStore['publishJobTypes'] = (jobTypes) =>
    this.#publish('updateJobTypes', { jobTypes: encodeJobTypes(jobTypes) });

  readonly publishDraining: ClusterStore['publishDraining'] = (isDraining) =>
    this.#publish('updateNodeStatus', { status: isDraining ? 'DRAINING' : 'MEMBER' });

  readonly saveProgress: ClusterStore['saveProgress'] = async (notes, ended) => {
    if (notes.length + ended.length === 0) return;
    await this.#transactions.run(null, (tx) => saveProgress(tx, notes, ended), WITHOUT_LOCK);
  };

  /** Deletes every row that is stored under the scheduler's name. No node may use the name at the same time. */
  readonly erase = async (): Promise<void> => {
    for (const deadLetters of [false, true]) await this.#eraseRuns(deadLetters);
    await this.#locked(async (tx) => {
      for (const statement of ERASURE) await tx.run(statement);
    });
  };

  /** Deletes the runs in several transactions. There may be millions of runs, and a single transaction would hold its locks too long. */
  async #eraseRuns(deadLetters: boolean): Promise<void> {
    const retention: RunRetention = { before: Number.MAX_SAFE_INTEGER, deadLetters, maxCount: MAX_ERASED };
    const work: NodeWork<number> = (tx) => pruneRuns(tx, retention);
    while ((await this.#transactions.run(null, work, WITHOUT_LOCK)) === MAX_ERASED);
  }

  /** Returns a method that runs an operation outside of a transaction. */
  #reading<Args extends readonly unknown[], T>(operation: (reader: NodeReader, ...args: Args) => Promise<T>) {
    return (...args: Args): Promise<T> => operation(this.#transactions, ...args);
  }

  /** Starts an incarnation. Every later one drops silent connections, which may have been lost while the node was out of contact. */
  #begin({ epoch }: NodeIdentity): void {
    const { incarnation } = this.#node;
    if (incarnation === undefined) return;
    const isFirst = incarnation.epoch === null;
    incarnation.epoch = epoch; // not reset when the incarnation ends, so that nothing can be reserved under another epoch
    if (!isFirst) this.#transactions.plain.dropSilent();
  }

  /** Changes the incarnation, and its row if the node has joined. Returns true if the row was changed. */
  async #publish(
    statement: 'updateJobTypes' | 'updateNodeStatus',
    change: Pick<NodeIncarnation, 'jobTypes'> | Pick<NodeIncarnation, 'status'>,
  ): Promise<boolean> {
    const { instanceId, incarnation } = this.#node;
    if (incarnation === undefined) return false;
    const { epoch } = Object.assign(incarnation, change);
    if (epoch === null) return false;
    const params = { instanceId, epoch, ...change };
    const update: NodeWork<boolean> = async (tx) => (await tx.run(statement, params)).changes === 1;
    return this.#transactions.run(null, update, WITHOUT_LOCK);
  }

  async #recover(tx: NodeTransaction, instanceId: string, options: RecoverFiringsOptions): Promise<RecoveryReport> {
    await endIncarnation(tx, instanceId, null);
    return recoverFirings(tx, instanceId, options);
  }

  /** Runs `work` under both locks, in the same order as Java nodes. */
  #locked<T>(work: NodeWork<T>): Promise<T> {
    return this.#transactions.run(BOTH_LOCKS, work, { resolveUnknown: repeat });
  }
}
