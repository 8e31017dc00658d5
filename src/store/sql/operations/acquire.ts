import type { EpochMs } from '../../../base/clock';
import { compareDue, type DueTriggers, isDue, takeBatch } from '../../../domain/acquisition';
import { BatchLimiter } from '../../../domain/batch-limiter';
import type { FireResult, FiringTerms } from '../../../domain/firing';
import { GroupRoom } from '../../../domain/group-limits';
import { keyText } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest, AcquireResult } from '../../job-store';
import { type ReadTrigger, readTrigger } from '../rows/read-rows';
import { fromTime, keyList, type TriggerRow, triggerKeyOf } from '../rows/rows';
import { type SqlNode, scopeParams } from '../rows/sql-node';
import { bisectFoundBatch, type FoundBatch } from '../runtime/rejected-triggers';
import { isFencing } from '../runtime/retry-rules';
import { writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { CommitResolution, Transactions } from '../runtime/transactions';
import type { BacklogCursor } from './backlog-cursor';
import { readDueByPriority } from './due-by-priority';
import { DuePages, type ScanStart } from './due-pages';
import { selectFiredTriggers } from './fired-triggers';
import { fullGroupsOf } from './group-backlog';
import { makeWait, type RefusedTrigger, readRoom } from './limits';
import { reject, withoutLocked } from './locked-triggers';
import { ripenTurns, writeRates } from './rates';
import { releasePending } from './release';
import { readWithoutUnreadable } from './unreadable-triggers';
import { type FiredRows, firingFlags, planFiringOf, saveFirings, writeFired } from './write-firings';

/** So many are read at once at the most: a row may have 130 kB. */
const LARGEST_PAGE = 200;

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

/** As a node answers that must not fire; it is asked again when it may. */
export function whereFenced(error: unknown): AcquireResult {
  if (!isFencing(error)) throw error;
  return { acquired: [], fired: [] };
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
  for (;;) {
    const { refused, ...result } = await bisectFoundBatch(request.maxCount, run, (key, error) =>
      reject(node, key, 'firing', error),
    );
    // What was refused waits elsewhere now, and hides nothing behind it.
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
  cursor: BacklogCursor,
): Promise<Acquisition> {
  if (request.maxCount <= 0 || request.jobTypes.length === 0) return { acquired: [], fired: [], refused: 0 };
  const ripe = await ripenTurns(tx, node, request.now);
  if (ripe !== null) cursor.reset(ripe);
  const { due, from } = await readDueTriggers(tx, node, request, cursor);
  const [, result] = await Promise.all([cursor.observe(tx, request, from), takeDue(tx, node, request, due)]);
  return result;
}

/** What a reading of the due triggers found. */
interface DueReading {
  /** In the order they fire. */
  readonly due: readonly ReadTrigger[];
  /** Nothing acquirable comes before this fire time; null: not known. */
  readonly from: EpochMs | null;
}

/** A row of the scan; `read` null: it is of no use here, perhaps because this node cannot read it. */
interface ScannedRow {
  readonly time: EpochMs | null;
  readonly read: ReadTrigger | null;
  readonly isUnreadable: boolean;
}

/** The triggers that may be acquired, as they stand under the lock; `maxCount` of them where there are as many. */
async function readDueTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: TimedRequest,
  cursor: BacklogCursor,
): Promise<DueReading> {
  const { ageing } = node.scope;
  if (ageing !== null) {
    const from = cursor.startFor(request);
    const readRows = (rows: readonly TriggerRow[]) => readFree(tx, node, rows);
    return readDueByPriority(tx, node, { request, now: momentOf(node, request), ageing, from, readRows });
  }
  const end = cursor.unreadableToCheck(request);
  const checked = end === null ? null : await readAmongUnreadable(tx, node, request, end);
  if (checked !== null) cursor.passUnreadable(request, checked.end, checked.tookMs);
  const start = { from: cursor.startFor(request), backlog: cursor.groups };
  const { scanned, isFull } = await scanDueTriggers(tx, node, request, start);
  const isWhole = fullGroupsOf(request).length === 0;
  const unreadableEnd = isWhole ? endOfUnreadable(scanned) : null;
  if (checked === null && unreadableEnd !== null) cursor.passUnreadable(request, unreadableEnd);
  const due = inFiringOrder(scanned);
  const from = due[0]?.trigger.nextFireTime ?? (isFull ? null : request.noLaterThan);
  return { due: checked === null ? due : [...checked.due, ...due], from: isWhole ? from : null };
}

/**
 * The rows that may be due, in the order of their fire times. Reads on past those that are of no use here (unreadable, rejected, held
 * by another session, or of a job that executes although its trigger is not blocked: Java may leave such), which would otherwise
 * keep everything behind them from firing.
 */
async function scanDueTriggers(tx: SqlTransaction, node: SqlNode, request: AcquireRequest, start: ScanStart) {
  const pages = new DuePages(tx, node, request, start);
  const scanned: ScannedRow[] = [];
  let useful = 0;
  let limit = request.maxCount;
  for (;;) {
    const { rows, isFull } = await pages.next(limit);
    const free = await withoutLocked(tx, node, rows);
    for (const row of rows) {
      const each = scan(row, node, free === rows || free.includes(row));
      if (each.read !== null && pages.counts(row)) useful++;
      scanned.push(each);
    }
    if (!isFull || useful >= request.maxCount || isBeyondWindow(scanned, request)) return { scanned, isFull };
    limit = Math.min(2 * limit, LARGEST_PAGE);
  }
}

function scan(row: TriggerRow, node: SqlNode, isFree: boolean): ScannedRow {
  const isBusy = !isFree || row.JOB_EXECUTING === 1 || node.rejectedTriggers.has(triggerKeyOf(row));
  const read = isBusy ? null : readTrigger(row, node);
  return { time: row.NEXT_FIRE_TIME, read, isUnreadable: !isBusy && read === null };
}

/** Whether what comes later is too late for the batch that begins with the first useful row. */
function isBeyondWindow(scanned: readonly ScannedRow[], { now, timeWindow }: AcquireRequest): boolean {
  const first = scanned.find(({ read }) => read !== null);
  const last = scanned.at(-1)?.time ?? now;
  return first !== undefined && last > Math.max(first.time ?? now, now) + timeWindow;
}

/** Before this fire time, everything that was scanned is unreadable here; null: the first row is not. */
function endOfUnreadable(scanned: readonly ScannedRow[]): EpochMs | null {
  if (scanned[0]?.isUnreadable !== true) return null;
  const next = scanned.find(({ isUnreadable }) => !isUnreadable);
  return next === undefined ? (scanned.at(-1)?.time ?? 0) + 1 : next.time;
}

function inFiringOrder(scanned: readonly ScannedRow[]): readonly ReadTrigger[] {
  const due = scanned.map(({ read }) => read).filter((read) => read !== null);
  return due.sort((a, b) => compareDue(a.trigger, b.trigger));
}

/** What can be acquired before `end`, where nearly everything could not be read before; and up to where that was read. */
async function readAmongUnreadable(tx: SqlTransaction, node: SqlNode, request: AcquireRequest, end: EpochMs) {
  const start = node.clock.monotonic();
  const rows = JSON.stringify(request.jobTypes);
  const fullGroups = JSON.stringify(fullGroupsOf(request));
  const params = { ...scopeParams(node, request), rows, misfireTime: misfireTime(request), end, fullGroups };
  const query = { statement: 'selectDueKeys', params } as const;
  const { rows: read, next } = await readWithoutUnreadable(tx, node, query, request.maxCount);
  const due = await readFree(tx, node, read);
  return { due, end: next ?? end, tookMs: node.clock.monotonic() - start };
}

/** Those of the rows that this node can fire now. */
async function readFree(tx: SqlTransaction, node: SqlNode, rows: readonly TriggerRow[]) {
  const free = await withoutLocked(tx, node, rows);
  return inFiringOrder(free.map((row) => scan(row, node, true)));
}

/** The present one: in the queue for the lock and on the way, triggers have become due. */
function momentOf(node: SqlNode, { now, askedAt }: TimedRequest): EpochMs {
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
  const now = momentOf(node, request);
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
