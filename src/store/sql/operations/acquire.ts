import { isDue, takeBatch } from '../../../domain/acquisition';
import { BatchLimiter } from '../../../domain/batch-limiter';
import type { FireResult, FiringTerms } from '../../../domain/firing';
import { GroupCapacity } from '../../../domain/group-limits';
import type { AcquireRequest, AcquireResult } from '../../job-store';
import type { NodeTransaction, NodeTransactions } from '../rows/node-transaction';
import type { ReadTrigger } from '../rows/read-rows';
import { fromTime, keyList } from '../rows/rows';
import { isFencing } from '../runtime/retry-rules';
import { writeEveryRow } from '../runtime/row-batches';
import type { CommitResolution } from '../runtime/transactions';
import type { AcquireMemory } from './acquire-memory';
import { candidatesAmong, presentTime, type TimedRequest } from './due-batch';
import { readDueTriggers } from './due-scan';
import { selectFiredTriggers } from './fired-triggers';
import {
  type FiredRows,
  firingFlags,
  planFiringOf,
  readCapacityFor,
  refuse,
  saveFirings,
  saveTurns,
  withSlots,
  writeFired,
} from './firings';
import { type FoundBatch, isolateFoundFailures, reject, releasePending } from './refused-triggers';
import type { ScanMemory } from './scan-memory';
import type { Trains } from './train';
import { wakeMissed } from './waiters';

/** Maximum time before a fire time at which a node reserves a trigger while the lock decides its batches, in milliseconds. */
const LOCK_FIRST_MS = 1_000;

/** Time after which a node reads again if other nodes took what it had read, in milliseconds. */
const VAIN_MS = 20;

/** A trigger chosen for a batch, with the run id of its firing. */
interface Taken {
  readonly read: ReadTrigger;
  readonly runId: string;
  readonly terms: FiringTerms | null;
}

/** Returns an empty result if another node has fenced this node. Rethrows any other error. A fenced node acquires nothing until it rejoins. */
export function whereFenced(error: unknown): AcquireResult {
  if (!isFencing(error)) throw error;
  return { acquired: [], fired: [] };
}

/**
 * Acquires due triggers. Skips a trigger that the database rejects, and acquires the rest. Each layer around the transaction covers one kind of
 * failure. From the outermost to the innermost layer:
 *
 * 1. `FiringFence` (in the caller) discards firings if the node's lease has expired. It does not retry.
 * 2. `whereFenced` (in the caller) returns an empty result if another node has recovered this node, which must rejoin first.
 * 3. `releasePending` first releases reservations whose earlier release failed. It runs in its own transaction, so its failure does not fail the
 *    acquisition.
 * 4. The loop acquires again if concurrency limits or rate limits refused every trigger found. These triggers now wait, so the next scan finds later
 *    triggers.
 * 5. `isolateFoundFailures` retries with the first trigger alone if one row may be the cause. The same batch would fail again.
 * 6. `Transactions.run` retries after a conflict or a lost connection, and checks whether a commit without an answer took effect. Each of its
 *    attempts acquires the lock and reads again, so no decision uses stale data.
 */
export async function acquire(
  transactions: NodeTransactions,
  request: AcquireRequest,
  { scan: memory, trains }: AcquireMemory,
): Promise<AcquireResult> {
  const timed = { ...request, requestedAt: transactions.node.clock.monotonic() };
  await releasePending(transactions);
  if (trains?.isLockFirst) {
    const result = await acquireSoon(LOCK_FIRST_MS, transactions, timed, { memory, trains });
    if (result.acquired.length + result.fired.length > 0) return result;
  }
  const trained = (await trains?.fire(transactions, timed, memory)) ?? null;
  if (trained === null || trains === null) return acquireLocked(transactions, timed, memory);
  if (!('needsLock' in trained)) return trained;
  const result = await acquireSoon(timed.fireWithin ?? 0, transactions, timed, { memory, trains });
  if (result.acquired.length + result.fired.length > 0) return result;
  const soon = presentTime(transactions.node, timed) + VAIN_MS;
  return { ...result, pollAgainAt: Math.min(trained.pollAgainAt ?? soon, soon) };
}

/** Acquires triggers due within `ms` milliseconds. Later ones stay WAITING: a reservation would have to be released when an earlier trigger is stored. */
function acquireSoon(
  ms: number,
  transactions: NodeTransactions,
  request: TimedRequest,
  { memory, trains }: { readonly memory: ScanMemory; readonly trains: Trains },
): Promise<AcquireResult> {
  const { node } = transactions;
  const noLaterThan = Math.min(request.noLaterThan, presentTime(node, request) + ms);
  const onRead = (due: readonly ReadTrigger[]) => trains.learn(due, node);
  return acquireLocked(transactions, { ...request, noLaterThan, onRead }, memory);
}

async function acquireLocked(
  transactions: NodeTransactions,
  request: TimedRequest,
  memory: ScanMemory,
): Promise<AcquireResult> {
  const run = (batch: FoundBatch) =>
    transactions.run('TRIGGER_ACCESS', (tx) => acquireTriggers(tx, { ...request, ...batch }, memory), {
      isSplit: batch.maxCount > 1,
      resolveUnknown: (tx, result) => resolveUnknown(tx, result),
    });
  for (;;) {
    const { refused, ...result } = await isolateFoundFailures(request.maxCount, run, (key, error) =>
      reject(transactions.node, key, 'firing', error),
    );
    if (refused === 0 || result.acquired.length + result.fired.length > 0) return result;
    await wakeMissed(transactions); // the next scan finds what it wakes
  }
}

/** Result of one batch. `refused`: number of due triggers that a limit or rate refused. */
type Acquisition = AcquireResult & { readonly refused: number };

/**
 * Reserves one batch of triggers. Fires it instead if its first trigger is due within `request.fireWithin` milliseconds. Must run under
 * TRIGGER_ACCESS. Writes the fired-trigger rows first: this compare-and-set claims the batch, and every later write for a firing requires its row.
 */
export async function acquireTriggers(
  tx: NodeTransaction,
  request: TimedRequest & Partial<FoundBatch>,
  memory: ScanMemory,
): Promise<Acquisition> {
  if (request.maxCount <= 0 || request.jobTypes.length === 0) return { acquired: [], fired: [], refused: 0 };
  const reading = await readDueTriggers({ tx, request, now: presentTime(tx.node, request), memory });
  request.onRead?.(reading.due);
  const [result] = await Promise.all([
    takeDue(tx, request, reading.due),
    memory.rememberBacklog(tx, reading.scan, reading.first, request.now),
  ]);
  return result;
}

async function takeDue(
  tx: NodeTransaction,
  request: TimedRequest & Partial<FoundBatch>,
  due: readonly ReadTrigger[],
): Promise<Acquisition> {
  const now = presentTime(tx.node, request);
  const fireBy = request.fireWithin === null ? Number.NEGATIVE_INFINITY : now + request.fireWithin;
  const mayFire = due.filter(({ trigger }) => (trigger.nextFireTime ?? now) <= fireBy);
  const { maxCount, runsPerSlot } = request;
  const capacity = await readCapacityFor(tx, { now, runsPerSlot }, mayFire);
  const limiter = new BatchLimiter(capacity, fireBy, tx.node.policy.groupLimits);
  const groups = request.groupCapacity === undefined ? null : new GroupCapacity(request.groupCapacity);
  const candidates = candidatesAmong(due, limiter, groups, maxCount);
  const batch = takeBatch(candidates, { ...request, now });
  const taken = batch.map((read) => ({ read, runId: tx.node.newRunId(), terms: candidates.termsOf(read) }));
  if (capacity !== null) tx.node.limits.triggersPerSlot = capacity.runsPerSlot(maxCount);
  const { refused } = candidates;
  await refuse(tx, refused);
  const [first] = taken;
  if (first !== undefined) request.onBatch?.(taken.map(({ read }) => read.trigger.key));
  const isFired = first !== undefined && isDue(first.read.trigger, fireBy, 0);
  const fired = isFired ? await fire(tx, now, taken) : [];
  const acquired = isFired || first === undefined ? [] : await reserve(tx, now, taken);
  // Must run after the batch's own writes. These writes match each trigger by the fire time that was read, and `saveTurns` may change fire times.
  await saveTurns(tx, capacity);
  return { acquired, fired, refused: refused.length };
}

async function reserve(tx: NodeTransaction, now: number, taken: readonly Taken[]) {
  const asRead = taken.map(({ read: { trigger } }) => [...keyList(trigger.key), fromTime(trigger.nextFireTime)]);
  const fired: FiredRows = { statement: 'insertReservations', now, rows: taken.map(reservationRow) };
  await writeFired(tx, fired, () => [writeEveryRow(tx, 'markAcquired', asRead)]);
  return taken.map(toAcquired);
}

async function fire(tx: NodeTransaction, now: number, taken: readonly Taken[]) {
  const plans = taken.map(({ read, runId, terms }) => planFiringOf(read, runId, tx.node, { now, terms }));
  const planned = withSlots(plans.filter((plan) => plan !== null));
  const rows = planned.map(({ read, firing }) => {
    const { runId } = firing;
    return [...reservationRow({ read, runId }), ...firingFlags(firing)];
  });
  await saveFirings(tx, planned, { statement: 'insertFirings', now, rows });
  const firings = new Map(planned.map(({ read, firing }) => [read, firing]));
  return plans.map((plan, index): FireResult => {
    const firing = plan === null ? undefined : firings.get(plan.read);
    if (firing !== undefined) return { status: 'fired', firing };
    return { status: 'notFired', acquired: toAcquired(taken[index] as Taken), reason: 'invalid' };
  });
}

function toAcquired({ read, runId }: Taken) {
  return { trigger: read.trigger, runId };
}

/** Columns of insertReservations, in order. The first columns of insertFirings are the same. */
function reservationRow({ read: { trigger }, runId }: Omit<Taken, 'terms'>) {
  return [...keyList(trigger.key), runId, fromTime(trigger.nextFireTime), trigger.priority] as const;
}

/** Checks whether a commit without an answer took effect, by its fired triggers. Without any, the acquisition runs again and may find others. */
async function resolveUnknown(tx: NodeTransaction, result: Acquisition): Promise<CommitResolution<Acquisition>> {
  const reserved = result.acquired.map(({ runId }) => runId);
  const fired = result.fired.flatMap((each) => (each.status === 'fired' ? [each.firing.runId] : []));
  const stored = [
    ...(await selectFiredTriggers(tx, reserved, 'ACQUIRED')),
    ...(await selectFiredTriggers(tx, fired, 'EXECUTING')),
  ];
  return stored.length > 0 ? { status: 'committed', result } : { status: 'notCommitted' };
}
