import type { EpochMs } from '../../../base/clock';
import { type DueTriggers, isDue, takeBatch } from '../../../domain/acquisition';
import { BatchLimiter } from '../../../domain/batch-limiter';
import type { FireResult, FiringTerms } from '../../../domain/firing';
import { GroupRoom } from '../../../domain/group-limits';
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
import { makeWait, type RefusedTrigger, readRoom } from './limits';
import { ripenTurns, writeRates } from './rates';
import { type FoundBatch, isolateFoundFailures, reject } from './refused-triggers';
import { releasePending } from './release';
import type { ScanMemory } from './scan-memory';
import { type FiredRows, firingFlags, planFiringOf, saveFirings, writeFired } from './write-firings';

/** A request, and when it came: it may wait long for the lock. */
export interface TimedRequest extends AcquireRequest {
  /** By the node's monotonic clock. */
  readonly askedAt: number;
}

/** A trigger that may be acquired, and the entry id under which it is. */
interface Taken {
  readonly read: ReadTrigger;
  readonly runId: string;
  readonly terms: FiringTerms | null;
}

/** Answer of a node that must not fire; it requests triggers again when it may. */
export function whereFenced(error: unknown): AcquireResult {
  if (!isFencing(error)) throw error;
  return { acquired: [], fired: [] };
}

/**
 * Acquires what is due. A trigger that the database rejects is skipped, and the others are acquired. Each layer around the transaction handles
 * one kind of failure, from the outside to the inside:
 *
 * 1. `FiringFence` (the caller) keeps what was fired only while the lease of the node holds, and repeats nothing.
 * 2. `whereFenced` (the caller) answers with nothing if the node was taken for dead; it has to join again first.
 * 3. `releasePending` first returns reservations that could not be released before, in a transaction of its own: one that fails again must not
 *    fail the acquisition.
 * 4. The loop repeats where limits refused all that was found: these triggers now wait elsewhere, and hide nothing.
 * 5. `isolateFoundFailures` runs the first trigger alone if one row may be to blame, because the same batch would fail in the same way.
 * 6. `Transactions.run` repeats after a conflict or a lost connection, and finds out what became of a commit without an answer. It is the
 *    innermost: each attempt takes the lock and reads again, so that nothing is decided by an older reading.
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

/** An acquisition, and how many due triggers were left to wait because their limits were reached. */
type Acquisition = AcquireResult & { readonly refused: number };

/**
 * Reserves the triggers of one batch; when they are due and that was asked for, fires them in the same transaction. To be
 * run under TRIGGER_ACCESS. The fired triggers come first: they are the compare-and-set, and the token for all that follows.
 */
export async function acquireTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  memory: ScanMemory,
): Promise<Acquisition> {
  if (request.maxCount <= 0 || request.jobTypes.length === 0) return { acquired: [], fired: [], refused: 0 };
  const ripe = await ripenTurns(tx, node, request.now);
  if (ripe !== null) memory.reset(ripe);
  const reading = await readDueTriggers({ tx, node, request, now: presentTime(node, request), memory });
  const [result] = await Promise.all([
    takeDue(tx, node, request, reading.due),
    memory.rememberBacklog(tx, reading.scan, reading.first, request.now),
  ]);
  return result;
}

/** The present one: in the queue for the lock and on the way, triggers have become due. */
function presentTime(node: SqlNode, { now, askedAt }: TimedRequest): EpochMs {
  return now + Math.floor(node.clock.monotonic() - askedAt);
}

/** What a batch may be taken from, and what its limits have kept out of it. */
interface Candidates extends DueTriggers<ReadTrigger> {
  readonly refused: readonly RefusedTrigger[];
  readonly termsOf: (read: ReadTrigger) => FiringTerms | null;
}

/**
 * In the order they fire, at most one of each job that disallows concurrent execution, as many as their limits let fire, and as many as
 * their groups have room for on the node; null: none is limited there.
 */
function candidatesAmong(due: readonly ReadTrigger[], limiter: BatchLimiter, room: GroupRoom | null): Candidates {
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
        if (room?.hasRoom(read.jobDetail.key.group) === false) continue;
        const verdict = limiter.judge(read);
        if (verdict.status === 'endsBatch') return null;
        if (verdict.status !== 'taken') {
          refused.push({ row: read.row, verdict });
          continue;
        }
        if (verdict.terms !== null) terms.set(read, verdict.terms);
        if (job !== null) jobs.add(job);
        room?.take(read.jobDetail.key.group);
        return read;
      }
    },
  };
}

/** Reserves or fires the batch that the request asks for, of what was read in the same transaction. */
async function takeDue(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest & Partial<FoundBatch>,
  due: readonly ReadTrigger[],
): Promise<Acquisition> {
  const now = presentTime(node, request);
  const fireBy = request.fireWithin === null ? Number.NEGATIVE_INFINITY : now + request.fireWithin;
  const mayFire = due.filter(({ trigger }) => (trigger.nextFireTime ?? now) <= fireBy);
  const limits = await readRoom({ tx, node, now }, mayFire);
  const limiter = new BatchLimiter(limits, fireBy, node.policy.groupLimits);
  const room = request.groupRoom === undefined ? null : new GroupRoom(request.groupRoom);
  const candidates = candidatesAmong(due, limiter, room);
  const batch = takeBatch(candidates, { ...request, now });
  const taken = batch.map((read) => ({
    read,
    runId: node.newRunId(),
    terms: candidates.termsOf(read),
  }));
  const { refused } = candidates;
  await makeWait(tx, node, refused);
  const [first] = taken;
  if (first !== undefined) request.onBatch?.(taken.map(({ read }) => read.trigger.key));
  const isFired = first !== undefined && isDue(first.read.trigger, fireBy, 0);
  const fired = isFired ? await fire(tx, node, now, taken) : [];
  const acquired = isFired || first === undefined ? [] : await reserve(tx, node, now, taken);
  // Behind them: a turn that moves would take from a trigger the time under which it was read.
  if (limits !== null) await writeRates(tx, node, limits.rateChanges());
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

/** For insertReservations, and the beginning of a row for insertFirings. */
function reservationRow({ read: { trigger }, runId }: Omit<Taken, 'terms'>) {
  return [...keyList(trigger.key), runId, fromTime(trigger.nextFireTime), trigger.priority] as const;
}

/**
 * Not committed: to be done again, for triggers that may be others by now. A batch that fired nothing wrote no row by which it
 * could be known; done again, it does the same.
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
