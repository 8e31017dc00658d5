import type { EpochMs } from '../../base/clock';
import type { NodeJobTypes } from '../../domain/job-types';
import type { RecoveryReport } from '../../domain/recovery';
import type {
  ChangeReading,
  CheckInReading,
  ClusterStore,
  FiringRecord,
  JoinResult,
  KindSweep,
  KindSweepRequest,
  LeaveReport,
  NodeIdentity,
  NodeRecord,
  NodeSignal,
  NodesReading,
  OverdueTrigger,
  ReceivedSignal,
  RecoveryOptions,
  SentSignal,
  SweepReport,
  WatchRequest,
} from '../cluster-store';
import type { BacklogCursor } from './operations/backlog-cursor';
import {
  checkIn,
  deleteCheckIn,
  endIncarnation,
  hasJoined,
  joinCluster,
  leaveCluster,
  selectNode,
  toNodesReading,
} from './operations/check-in';
import { eraseSchedule } from './operations/erase-schedule';
import { encodeJobTypes, toNodeJobTypes, toOverdueTriggers } from './operations/job-types';
import { acknowledgeSignals, sendSignal, toFiringRecords, toReceivedSignals } from './operations/node-signals';
import { recoverFirings } from './operations/recover-node';
import { failKindless, findWithoutKind } from './operations/sweep-kinds';
import { findImpossibleStates, isEverythingPossible, repairStates } from './operations/sweep-orphans';
import { type ChangeRow, overdueParams, toChangeReading } from './operations/watch-changes';
import type { SqlNode } from './rows/sql-node';
import type { SqlTransaction } from './runtime/sql-driver';
import { repeat, type Transactions, type Work } from './runtime/transactions';

const BOTH_LOCKS = ['STATE_ACCESS', 'TRIGGER_ACCESS'] as const;

/** A check-in that failed is soon followed by another: repeating it would only hold that up, but after a deadlock, where it is over at once. */
const CHECK_IN = { role: 'checkIn', attempts: 2 } as const;

type Rows<Mapper extends (rows: never, node: never) => unknown> = Parameters<Mapper>[0][number];

/** The cluster's side of a database: who lives, who takes over, who asks whom. The table of contents, as the job store beside it. */
export class SqlClusterStore implements ClusterStore {
  readonly #transactions: Transactions;
  readonly #node: SqlNode;
  readonly #cursor: BacklogCursor;

  /** `cursor`: that of the node's job store. */
  constructor(transactions: Transactions, node: SqlNode, cursor: BacklogCursor) {
    this.#transactions = transactions;
    this.#node = node;
    this.#cursor = cursor;
  }

  async readClock(): Promise<EpochMs> {
    const [row] = await this.#transactions.select<{ NOW_TIME: number }>('selectClock', {});
    return row?.NOW_TIME ?? Number.NaN;
  }

  async readNodes(): Promise<NodesReading> {
    const { schedName } = this.#node;
    const rows = await this.#transactions.select<Rows<typeof toNodesReading>>('selectNodes', { schedName });
    return toNodesReading(rows, this.#node);
  }

  async join(identity: NodeIdentity, previous: NodeRecord | null, options: RecoveryOptions): Promise<JoinResult> {
    const work: Work<JoinResult> = (tx) => joinCluster(tx, this.#node, identity, { previous, options });
    const result = await this.#transactions.run(BOTH_LOCKS, work, {
      role: 'checkIn', // not behind what may have kept the node from checking in
      resolveUnknown: async (tx, joined) =>
        (await hasJoined(tx, this.#node, identity))
          ? { status: 'committed', result: joined }
          : { status: 'notCommitted' },
    });
    if (result.status === 'joined') this.#begin(identity);
    return result;
  }

  checkIn(identity: NodeIdentity, clockOffset: number): Promise<CheckInReading> {
    return this.#transactions.run(null, (tx) => checkIn(tx, this.#node, identity, clockOffset), CHECK_IN);
  }

  leave(identity: NodeIdentity): Promise<LeaveReport> {
    return this.#locked((tx) => leaveCluster(tx, this.#node, identity));
  }

  async recoverInstance(failed: NodeRecord, options: RecoveryOptions): Promise<RecoveryReport | null> {
    const { instanceId } = failed;
    const work: Work<RecoveryReport | null> = async (tx) => {
      if (!(await deleteCheckIn(tx, this.#node, instanceId, failed))) return null;
      return this.#recover(tx, instanceId, options);
    };
    return this.#transactions.run(BOTH_LOCKS, work, {
      // Either this commit arrived, or a peer's that found the same.
      resolveUnknown: async (tx, result) =>
        (await selectNode(tx, this.#node, instanceId)) === undefined
          ? { status: 'committed', result }
          : { status: 'notCommitted' },
    });
  }

  async findOrphans(): Promise<readonly string[]> {
    const { schedName } = this.#node;
    const rows = await this.#transactions.select<{ INSTANCE_NAME: string }>('selectOrphanInstances', { schedName });
    return rows.map(({ INSTANCE_NAME }) => INSTANCE_NAME);
  }

  recoverOrphan(instanceId: string, options: RecoveryOptions): Promise<RecoveryReport | null> {
    return this.#locked(async (tx) => {
      const isStored = (await selectNode(tx, this.#node, instanceId)) !== undefined;
      return isStored ? null : this.#recover(tx, instanceId, options);
    });
  }

  async findFiringsOf({ instanceId }: NodeIdentity): Promise<readonly string[]> {
    const params = { schedName: this.#node.schedName, instanceId };
    const rows = await this.#transactions.select<{ ENTRY_ID: string }>('selectEntriesOf', params);
    return rows
      .map(({ ENTRY_ID }) => ENTRY_ID)
      .filter((entryId) => !this.#node.rejectedTriggers.isPendingRelease(entryId));
  }

  recoverUnheld(
    identity: NodeIdentity,
    fireInstanceIds: readonly string[],
    options: RecoveryOptions,
  ): Promise<RecoveryReport | null> {
    const only = new Set(fireInstanceIds);
    return this.#locked(async (tx) => {
      if (!(await hasJoined(tx, this.#node, identity))) return null;
      return recoverFirings(tx, this.#node, identity.instanceId, {
        ...options,
        isMeant: (entryId) => only.has(entryId),
      });
    });
  }

  async sweep(maxCount: number): Promise<SweepReport> {
    const found = await findImpossibleStates(
      (statement, params) => this.#transactions.select(statement, params),
      this.#node,
      maxCount,
    );
    if (isEverythingPossible(found)) return { released: 0, unblocked: 0 };
    return this.#transactions.run('TRIGGER_ACCESS', (tx) => repairStates(tx, this.#node, maxCount), {
      resolveUnknown: repeat,
    });
  }

  async sweepKinds(request: KindSweepRequest): Promise<KindSweep> {
    const { withoutKind, next } = await findWithoutKind(
      (statement, params) => this.#transactions.select(statement, params),
      this.#node,
      request,
    );
    if (withoutKind.length === 0) return { failed: [], next };
    return this.#transactions.run('TRIGGER_ACCESS', (tx) => failKindless(tx, this.#node, request), {
      resolveUnknown: repeat,
    });
  }

  async watchChanges({ instanceId, epoch, lookBack, ...asked }: WatchRequest): Promise<ChangeReading> {
    const isCounted = asked.isCounted && !this.#cursor.hasJustSeenAll;
    const params = { schedName: this.#node.schedName, instanceId, epoch, lookBack, isCounted: isCounted ? 1 : 0 };
    return toChangeReading(await this.#transactions.select<ChangeRow>('selectChanges', params), isCounted);
  }

  async findOverdue(now: EpochMs): Promise<EpochMs | null> {
    const { lastRequest } = this.#cursor;
    if (lastRequest === null) return null;
    const params = overdueParams(this.#node.schedName, lastRequest, now);
    const [row] = await this.#transactions.select<{ NEXT_FIRE_TIME: number }>('selectOverdue', params);
    if (row === undefined) return null;
    this.#cursor.reset(null);
    return row.NEXT_FIRE_TIME;
  }

  sendSignal(instanceIds: readonly string[], signal: NodeSignal): Promise<readonly SentSignal[]> {
    return this.#transactions.run(null, (tx) => sendSignal(tx, this.#node, instanceIds, signal), {
      role: 'completions',
      resolveUnknown: repeat,
    });
  }

  async receiveSignals({ instanceId, epoch }: NodeIdentity, after: number): Promise<readonly ReceivedSignal[]> {
    const params = { schedName: this.#node.schedName, instanceId, epoch };
    return toReceivedSignals(
      await this.#transactions.select<{ SIGNALS: string | null }>('selectOwnSignals', params),
      after,
    );
  }

  acknowledgeSignals(identity: NodeIdentity, number: number): Promise<void> {
    return this.#transactions.run(null, (tx) => acknowledgeSignals(tx, this.#node, identity, number), {
      role: 'completions',
      resolveUnknown: repeat,
    });
  }

  async publishJobTypes(jobTypes: readonly string[]): Promise<boolean> {
    const { schedName, instanceId, life } = this.#node;
    if (life === undefined) return false;
    life.jobTypes = encodeJobTypes(jobTypes);
    if (life.epoch === null) return false;
    const params = { schedName, instanceId, epoch: life.epoch, jobTypes: life.jobTypes };
    const update: Work<boolean> = async (tx) => (await tx.run('updateJobTypes', params)).changes === 1;
    return this.#transactions.run(null, update, { role: 'completions', resolveUnknown: repeat });
  }

  async readJobTypes(): Promise<readonly NodeJobTypes[]> {
    const { schedName } = this.#node;
    return toNodeJobTypes(
      await this.#transactions.select<Rows<typeof toNodeJobTypes>>('selectJobTypes', { schedName }),
    );
  }

  async readOverdueTriggers(before: EpochMs, maxCount: number): Promise<readonly OverdueTrigger[]> {
    const params = { schedName: this.#node.schedName, before, limit: maxCount };
    return toOverdueTriggers(
      await this.#transactions.select<Rows<typeof toOverdueTriggers>>('selectOverdueTriggers', params),
    );
  }

  async getFirings(): Promise<readonly FiringRecord[]> {
    const { schedName } = this.#node;
    return toFiringRecords(
      await this.#transactions.select<Rows<typeof toFiringRecords>>('selectExecutingFirings', { schedName }),
    );
  }

  /** Deletes every row of the scheduler's name, so that nothing tells that it ever was. Nobody may work under it any more. */
  erase(): Promise<void> {
    return this.#locked((tx) => eraseSchedule(tx, this.#node));
  }

  /** What was under way in an earlier life is void, and what has waited for so long may wait for nobody. */
  #begin({ epoch }: NodeIdentity): void {
    const { life } = this.#node;
    if (life === undefined) return;
    const isFirst = life.epoch === null;
    life.epoch = epoch; // kept when the life ends: then nothing may be reserved any more
    if (!isFirst) this.#transactions.dropSilent();
  }

  async #recover(tx: SqlTransaction, instanceId: string, options: RecoveryOptions): Promise<RecoveryReport> {
    await endIncarnation(tx, this.#node, instanceId, null);
    return recoverFirings(tx, this.#node, instanceId, options);
  }

  /** Under both locks, in the order in which Java nodes take them. */
  #locked<T>(work: Work<T>): Promise<T> {
    return this.#transactions.run(BOTH_LOCKS, work, { resolveUnknown: repeat });
  }
}
