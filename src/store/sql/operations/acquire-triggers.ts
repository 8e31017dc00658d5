import type { EpochMs } from '../../../base/clock';
import { isDue, takeBatch } from '../../../domain/acquisition';
import type { AcquireRequest, AcquireResult } from '../../job-store';
import type { ReadTrigger } from '../rows/read-rows';
import { fromTime, keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { FoundBatch } from '../runtime/bisect-batch';
import { writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { BacklogCursor } from './backlog-cursor';
import { acquirable, DueOrder, readDueTriggers } from './due-triggers';
import { readDueRemaining } from './passed-over';
import {
  type FiredRows,
  firingFlags,
  planFirings,
  type Reserved,
  saveFirings,
  toAcquired,
  toFireResult,
  writeFired,
} from './plan-firings';
import { unlocked } from './skip-locked';

/** A request, and when it came: it may wait long for the lock. */
export interface TimedRequest extends AcquireRequest {
  /** By the node's monotonic clock. */
  readonly askedAt: number;
}

const NOTHING: AcquireResult = { acquired: [], fired: [] };

/**
 * Reserves the triggers of one batch; when they are due and that was asked for, fires them in the same transaction. To be
 * run under TRIGGER_ACCESS. The fired rows come first: they are the compare-and-set, and the token for all that follows.
 */
export async function acquireTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  scan: BacklogCursor,
): Promise<AcquireResult> {
  if (request.maxCount <= 0 || request.jobTypes.length === 0) return NOTHING;
  const { due, observed } = await readDue(tx, node, request, scan);
  const [result] = await Promise.all([takeDue(tx, node, request, due), observed]);
  return result;
}

/** What may be acquired, as it stands under the lock. */
interface DueTriggersRead {
  readonly due: readonly ReadTrigger[];
  /** What the scan still asks for its own use; to be awaited before the transaction ends, and by nobody who holds others up. */
  readonly observed: Promise<void>;
}

/** Reads what may be acquired. */
async function readDue(
  tx: SqlTransaction,
  node: SqlNode,
  request: AcquireRequest,
  scan: BacklogCursor,
): Promise<DueTriggersRead> {
  const overdue = await readAmongUnreadable(tx, node, request, scan);
  const { due, isFull, unreadableUntil } = await readDueTriggers(tx, node, request, scan.startFor(request));
  if (unreadableUntil !== null && overdue === null) scan.passUnreadable(request, unreadableUntil);
  const [earliest] = due;
  const observed = scan.observe(tx, request, earliest?.trigger.nextFireTime ?? (isFull ? null : request.noLaterThan));
  return { due: overdue === null ? due : [...overdue, ...due], observed };
}

/** What can be acquired among triggers that could not be read before; null: they are not to be looked at now. */
async function readAmongUnreadable(
  tx: SqlTransaction,
  node: SqlNode,
  request: AcquireRequest,
  scan: BacklogCursor,
): Promise<readonly ReadTrigger[] | null> {
  const end = scan.unreadableToLookAt(request);
  if (end === null) return null;
  const start = node.clock.monotonic();
  const { rows, next } = await readDueRemaining(tx, node, request, end);
  const due = acquirable(await unlocked(tx, node, rows), node);
  scan.passUnreadableAgain(request, next ?? end, node.clock.monotonic() - start);
  return due;
}

/** Reserves or fires the batch that the request asks for, of what was read in the same transaction. */
async function takeDue(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  due: readonly ReadTrigger[],
): Promise<AcquireResult> {
  const now = timeOf(request, node);
  const reserved = takeBatch(new DueOrder(due), { ...request, now }).map((read) => ({
    read,
    fireInstanceId: node.newFireInstanceId(),
  }));
  const [first] = reserved;
  if (first === undefined) return NOTHING;
  request.onBatch?.(reserved.map(({ read }) => read.trigger.key));
  return request.fireWithin !== null && isDue(first.read.trigger, now, request.fireWithin)
    ? { acquired: [], fired: await fireAtOnce(tx, node, now, reserved) }
    : { acquired: await reserve(tx, node, now, reserved), fired: [] };
}

/** The request's own time, and what has passed since: in the queue for the lock and on the way, triggers have become due. */
function timeOf({ now, askedAt }: TimedRequest, { clock }: SqlNode): EpochMs {
  return now + Math.floor(clock.monotonic() - askedAt);
}

async function reserve(tx: SqlTransaction, node: SqlNode, now: EpochMs, reserved: readonly Reserved[]) {
  const fired: FiredRows = { statement: 'insertReservations', now, rows: reserved.map(reservationRow) };
  await writeFired(tx, node, fired, () => [
    writeEveryRow(tx, 'markAcquired', { schedName: node.schedName }, reserved.map(comparedRow)),
  ]);
  return reserved.map(toAcquired);
}

function comparedRow({ read: { trigger } }: Reserved) {
  return [...keyList(trigger.key), fromTime(trigger.nextFireTime)];
}

async function fireAtOnce(tx: SqlTransaction, node: SqlNode, now: EpochMs, reserved: readonly Reserved[]) {
  const planned = planFirings(reserved, node, now);
  const rows = planned.flatMap((each) =>
    each.firing === null ? [] : [[...reservationRow(each), ...firingFlags(each.firing)]],
  );
  await saveFirings(tx, node, planned, { statement: 'insertFirings', now, rows });
  return planned.map(toFireResult);
}

/** For insertReservations, and the beginning of a row for insertFirings. */
function reservationRow({ read: { trigger }, fireInstanceId }: Reserved) {
  return [...keyList(trigger.key), fireInstanceId, fromTime(trigger.nextFireTime), trigger.priority] as const;
}
