import type { EpochMs } from '../../../base/clock';
import { type DueTriggers, isDue, takeBatch } from '../../../domain/acquisition';
import { BatchLimiter } from '../../../domain/batch-limiter';
import type { FireResult, FiringTerms } from '../../../domain/firing';
import { GroupCapacity } from '../../../domain/group-limits';
import { keyText } from '../../../domain/keys';
import type { AcquireRequest, AcquireResult } from '../../job-store';
import type { ReadTrigger } from '../rows/read-rows';
import { fromTime, keyList } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { isFencing } from '../runtime/retry-rules';
import { writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { CommitResolution, Transactions } from '../runtime/transactions';
import { readDueTriggers } from './due-scan';
import { selectFiredTriggers } from './fired-triggers';
import {
  type FiredRows,
  firingFlags,
  planFiringOf,
  type RefusedTrigger,
  readCapacityFor,
  refuse,
  saveFirings,
  saveTurns,
  writeFired,
} from './firings';
import { type FoundBatch, isolateFoundFailures, reject, releasePending } from './refused-triggers';
import type { ScanMemory } from './scan-memory';

/** A request with the time it arrived, because it may wait long for the lock. */
export interface TimedRequest extends AcquireRequest {
  /** Milliseconds by the node's monotonic clock. */
  readonly askedAt: number;
}

/** A trigger chosen for a batch, with the id of its fired trigger. */
interface Taken {
  readonly read: ReadTrigger;
  readonly runId: string;
  readonly terms: FiringTerms | null;
}

/** Returns an empty result if the node was fenced, and rethrows any other error. A fenced node requests triggers again after it has joined. */
export function whereFenced(error: unknown): AcquireResult {
  if (!isFencing(error)) throw error;
  return { acquired: [], fired: [] };
}

/**
 * Acquires due triggers. A trigger that the database rejects is skipped, and the others are acquired. Each layer around the transaction
 * handles one kind of failure, from the outside to the inside:
 *
 * 1. `FiringFence` (the caller) discards firings if the node's lease has expired, and retries nothing.
 * 2. `whereFenced` (the caller) returns nothing if another node has recovered this one; the node must join again first.
 * 3. `releasePending` first returns reservations whose earlier release failed. It has its own transaction, so another failure does not fail
 *    the acquisition.
 * 4. The loop repeats if limits refused every trigger found. The refused triggers now wait, so the next scan finds the ones after them.
 * 5. `isolateFoundFailures` runs the first trigger alone if one row may be the cause, because the same batch would fail again.
 * 6. `Transactions.run` retries after a conflict or a lost connection, and looks up the outcome of a commit without an answer. It is the
 *    innermost layer: each attempt takes the lock and reads again, so no decision is based on stale data.
 */
export async function acquire(
  transactions: Transactions,
  node: SqlNode,
  request: AcquireRequest,
  memory: ScanMemory,
): Promise<AcquireResult> {
  const timed = { ...request, askedAt: node.clock.monotonic() };
  await releasePending(transactions, node);
  const run = (batch: FoundBatch) =>
    transactions.run('TRIGGER_ACCESS', (tx) => acquireTriggers(tx, node, { ...timed, ...batch }, memory), {
      isSplit: batch.maxCount > 1,
      resolveUnknown: (tx, result) => resolveUnknown(tx, node, result),
    });
  for (;;) {
    const { refused, ...result } = await isolateFoundFailures(request.maxCount, run, (key, error) =>
      reject(node, key, 'firing', error),
    );
    if (refused === 0 || result.acquired.length + result.fired.length > 0) return result;
  }
}

/** An acquisition and the number of due triggers refused because their limits are reached. */
type Acquisition = AcquireResult & { readonly refused: number };

/**
 * Reserves the triggers of one batch, or fires them in the same transaction if they are due and the request allows it. Must run under
 * TRIGGER_ACCESS. Writes the fired triggers first: they are the compare-and-set, and the token for every later write.
 */
export async function acquireTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  memory: ScanMemory,
): Promise<Acquisition> {
  if (request.maxCount <= 0 || request.jobTypes.length === 0) return { acquired: [], fired: [], refused: 0 };
  const reading = await readDueTriggers({ tx, node, request, now: presentTime(node, request), memory });
  const [result] = await Promise.all([
    takeDue(tx, node, request, reading.due),
    memory.rememberBacklog(tx, reading.scan, reading.first, request.now),
  ]);
  return result;
}

/** Current time, in ms: the time of the request plus the time spent since then, during which further triggers may have become due. */
function presentTime(node: SqlNode, { now, askedAt }: TimedRequest): EpochMs {
  return now + Math.floor(node.clock.monotonic() - askedAt);
}

/** Triggers that a batch may take, and the ones that their limits refused. */
interface Candidates extends DueTriggers<ReadTrigger> {
  readonly refused: readonly RefusedTrigger[];
  readonly termsOf: (read: ReadTrigger) => FiringTerms | null;
}

/**
 * Offers due triggers in firing order: at most one of each non-concurrent job, and as many as limits and group capacity allow. `groups` is null
 * if this node limits no group.
 */
function candidatesAmong(due: readonly ReadTrigger[], limiter: BatchLimiter, groups: GroupCapacity | null): Candidates {
  const jobs = new Set<string>();
  const refused: RefusedTrigger[] = [];
  const terms = new Map<ReadTrigger, FiringTerms>();
  let next = 0;
  return {
    refused,
    termsOf: (read) => terms.get(read) ?? null,
    takeDueBy(time) {
      for (;;) {
        const read = due[next];
        if (read === undefined || (read.trigger.nextFireTime ?? Number.POSITIVE_INFINITY) > time) return null;
        next++;
        const job = read.jobDetail.disallowConcurrentExecution ? keyText(read.jobDetail.key) : null;
        if (job !== null && jobs.has(job)) continue;
        if (groups?.hasCapacity(read.jobDetail.key.group) === false) continue;
        const verdict = limiter.judge(read);
        if (verdict.status === 'endsBatch') return null;
        if (verdict.status !== 'taken') {
          refused.push({ row: read.row, verdict });
          continue;
        }
        if (verdict.terms !== null) terms.set(read, verdict.terms);
        if (job !== null) jobs.add(job);
        groups?.take(read.jobDetail.key.group);
        return read;
      }
    },
  };
}

/** Reserves or fires a batch of the triggers that this transaction has read. */
async function takeDue(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  due: readonly ReadTrigger[],
): Promise<Acquisition> {
  const now = presentTime(node, request);
  const fireBy = request.fireWithin === null ? Number.NEGATIVE_INFINITY : now + request.fireWithin;
  const mayFire = due.filter(({ trigger }) => (trigger.nextFireTime ?? now) <= fireBy);
  const capacity = await readCapacityFor({ tx, node, now }, mayFire);
  const limiter = new BatchLimiter(capacity, fireBy, node.policy.groupLimits);
  const groups = request.groupCapacity === undefined ? null : new GroupCapacity(request.groupCapacity);
  const candidates = candidatesAmong(due, limiter, groups);
  const batch = takeBatch(candidates, { ...request, now });
  const taken = batch.map((read) => ({
    read,
    runId: node.newRunId(),
    terms: candidates.termsOf(read),
  }));
  const { refused } = candidates;
  await refuse(tx, node, refused);
  const [first] = taken;
  if (first !== undefined) request.onBatch?.(taken.map(({ read }) => read.trigger.key));
  const isFired = first !== undefined && isDue(first.read.trigger, fireBy, 0);
  const fired = isFired ? await fire(tx, node, now, taken) : [];
  const acquired = isFired || first === undefined ? [] : await reserve(tx, node, now, taken);
  // Written after the batch, because it may change fire times. The batch's own triggers are matched by the fire time that was read.
  await saveTurns(tx, node, capacity);
  return { acquired, fired, refused: refused.length };
}

async function reserve(tx: SqlTransaction, node: SqlNode, now: number, taken: readonly Taken[]) {
  const asRead = taken.map(({ read: { trigger } }) => [...keyList(trigger.key), fromTime(trigger.nextFireTime)]);
  const fired: FiredRows = { statement: 'insertReservations', now, rows: taken.map(reservationRow) };
  await writeFired(tx, node, fired, () => [writeEveryRow(tx, 'markAcquired', { schedName: node.schedName }, asRead)]);
  return taken.map(toAcquired);
}

async function fire(tx: SqlTransaction, node: SqlNode, now: number, taken: readonly Taken[]) {
  const plans = taken.map(({ read, runId, terms }) => planFiringOf(read, runId, node, { now, terms }));
  const planned = plans.filter((plan) => plan !== null);
  const rows = planned.map(({ read, firing }) => {
    const { runId } = firing;
    return [...reservationRow({ read, runId }), ...firingFlags(firing)];
  });
  await saveFirings(tx, node, planned, { statement: 'insertFirings', now, rows });
  return plans.map((plan, index): FireResult => {
    if (plan !== null) return { status: 'fired', firing: plan.firing };
    return { status: 'notFired', acquired: toAcquired(taken[index] as Taken), reason: 'invalid' };
  });
}

function toAcquired({ read, runId }: Taken) {
  return { trigger: read.trigger, runId };
}

/** Columns of insertReservations, which are also the first columns of insertFirings. */
function reservationRow({ read: { trigger }, runId }: Omit<Taken, 'terms'>) {
  return [...keyList(trigger.key), runId, fromTime(trigger.nextFireTime), trigger.priority] as const;
}

/**
 * Finds out whether a commit without an answer took effect. `notCommitted` repeats the acquisition, which may then find other triggers. A
 * batch without fired triggers left no row to look for, so it is repeated too.
 */
async function resolveUnknown(
  tx: SqlTransaction,
  node: SqlNode,
  result: Acquisition,
): Promise<CommitResolution<Acquisition>> {
  const reserved = result.acquired.map(({ runId }) => runId);
  const fired = result.fired.flatMap((each) => (each.status === 'fired' ? [each.firing.runId] : []));
  const stored = [
    ...(await selectFiredTriggers(tx, node, reserved, 'ACQUIRED')),
    ...(await selectFiredTriggers(tx, node, fired, 'EXECUTING')),
  ];
  return stored.length > 0 ? { status: 'committed', result } : { status: 'notCommitted' };
}
