import { isDue, takeBatch } from '../../../domain/acquisition';
import type { FireResult } from '../../../domain/firing';
import type { AcquireRequest, AcquireResult } from '../../job-store';
import type { ReadTrigger } from '../rows/read-rows';
import { fromTime, keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { bisectFoundBatch, type FoundBatch } from '../runtime/rejected-triggers';
import { writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { CommitResolution, Transactions } from '../runtime/transactions';
import type { BacklogCursor } from './backlog-cursor';
import { DueOrder, readDueTriggers } from './due-triggers';
import { selectFiredTriggers } from './fired-triggers';
import { reject } from './locked-triggers';
import { releasePending } from './release';
import { type FiredRows, firingFlags, planFiringOf, saveFirings, writeFired } from './write-firings';

/** A request, and when it came: it may wait long for the lock. */
export interface TimedRequest extends AcquireRequest {
  /** By the node's monotonic clock. */
  readonly askedAt: number;
}

/** A trigger that may be acquired, and the entry id under which it is. */
interface Taken {
  readonly read: ReadTrigger;
  readonly fireInstanceId: string;
}

/** Acquires what is due; a trigger that the database rejects is passed over, and the others are acquired. */
export async function acquire(
  transactions: Transactions,
  node: SqlNode,
  request: AcquireRequest,
  cursor: BacklogCursor,
): Promise<AcquireResult> {
  const timed = { ...request, askedAt: node.clock.monotonic() };
  await releasePending(transactions, node);
  const run = (batch: FoundBatch) =>
    transactions.run('TRIGGER_ACCESS', (tx) => acquireTriggers(tx, node, { ...timed, ...batch }, cursor), {
      isSplit: batch.maxCount > 1,
      resolveUnknown: (tx, result) => resolveUnknown(tx, node, result),
    });
  return bisectFoundBatch(request.maxCount, run, (key, error) => reject(node, key, 'firing', error));
}

/**
 * Reserves the triggers of one batch; when they are due and that was asked for, fires them in the same transaction. To be
 * run under TRIGGER_ACCESS. The fired triggers come first: they are the compare-and-set, and the token for all that follows.
 */
export async function acquireTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  cursor: BacklogCursor,
): Promise<AcquireResult> {
  if (request.maxCount <= 0 || request.jobTypes.length === 0) return { acquired: [], fired: [] };
  const { due, from } = await readDueTriggers(tx, node, request, cursor);
  const [, result] = await Promise.all([cursor.observe(tx, request, from), takeDue(tx, node, request, due)]);
  return result;
}

/** Reserves or fires the batch that the request asks for, of what was read in the same transaction. */
async function takeDue(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  due: readonly ReadTrigger[],
): Promise<AcquireResult> {
  // In the queue for the lock and on the way, triggers have become due.
  const now = request.now + Math.floor(node.clock.monotonic() - request.askedAt);
  const batch = takeBatch(new DueOrder(due), { ...request, now });
  const taken = batch.map((read) => ({ read, fireInstanceId: node.newFireInstanceId() }));
  const [first] = taken;
  if (first === undefined) return { acquired: [], fired: [] };
  request.onBatch?.(taken.map(({ read }) => read.trigger.key));
  return request.fireWithin !== null && isDue(first.read.trigger, now, request.fireWithin)
    ? { acquired: [], fired: await fire(tx, node, now, taken) }
    : { acquired: await reserve(tx, node, now, taken), fired: [] };
}

async function reserve(tx: SqlTransaction, node: SqlNode, now: number, taken: readonly Taken[]) {
  const asRead = taken.map(({ read: { trigger } }) => [...keyList(trigger.key), fromTime(trigger.nextFireTime)]);
  const fired: FiredRows = { statement: 'insertReservations', now, rows: taken.map(reservationRow) };
  await writeFired(tx, node, fired, () => [writeEveryRow(tx, 'markAcquired', { schedName: node.schedName }, asRead)]);
  return taken.map(toAcquired);
}

async function fire(tx: SqlTransaction, node: SqlNode, now: number, taken: readonly Taken[]) {
  const plans = taken.map(({ read, fireInstanceId }) => planFiringOf(read, fireInstanceId, node, now));
  const planned = plans.filter((plan) => plan !== null);
  const rows = planned.map(({ read, firing }) => [
    ...reservationRow({ read, fireInstanceId: firing.fireInstanceId }),
    ...firingFlags(firing),
  ]);
  await saveFirings(tx, node, planned, { statement: 'insertFirings', now, rows });
  return plans.map((plan, index): FireResult => {
    if (plan !== null) return { status: 'fired', firing: plan.firing };
    return { status: 'notFired', acquired: toAcquired(taken[index] as Taken), reason: 'invalid' };
  });
}

function toAcquired({ read, fireInstanceId }: Taken) {
  return { trigger: read.trigger, fireInstanceId };
}

/** For insertReservations, and the beginning of a row for insertFirings. */
function reservationRow({ read: { trigger }, fireInstanceId }: Taken) {
  return [...keyList(trigger.key), fireInstanceId, fromTime(trigger.nextFireTime), trigger.priority] as const;
}

/**
 * Not committed: to be done again, for triggers that may be others by now. A batch that fired nothing wrote no row by which it
 * could be known; done again, it does the same.
 */
async function resolveUnknown(
  tx: SqlTransaction,
  node: SqlNode,
  result: AcquireResult,
): Promise<CommitResolution<AcquireResult>> {
  const reserved = result.acquired.map(({ fireInstanceId }) => fireInstanceId);
  const fired = result.fired.flatMap((each) => (each.status === 'fired' ? [each.firing.fireInstanceId] : []));
  const stored = [
    ...(await selectFiredTriggers(tx, node, reserved, 'ACQUIRED')),
    ...(await selectFiredTriggers(tx, node, fired, 'EXECUTING')),
  ];
  return stored.length > 0 ? { status: 'committed', result } : { status: 'notCommitted' };
}
