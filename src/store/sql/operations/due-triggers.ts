import type { EpochMs } from '../../../base/clock';
import { compareDue, type DueTriggers } from '../../../domain/acquisition';
import { keyText } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import { type ReadTrigger, readTrigger } from '../rows/read-rows';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { type TriggerRecord, toTriggerRow } from '../rows/trigger-record';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { BacklogCursor } from './backlog-cursor';
import { withoutLocked } from './locked-triggers';
import { readWithoutUnreadable } from './unreadable-triggers';

/** So many are read at once at the most: a row may have 130 kB. */
const LARGEST_PAGE = 200;

/** What a reading of the due triggers found. */
export interface DueReading {
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
export async function readDueTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: AcquireRequest,
  cursor: BacklogCursor,
): Promise<DueReading> {
  const end = cursor.unreadableToCheck(request);
  const checked = end === null ? null : await readAmongUnreadable(tx, node, request, end);
  if (checked !== null) cursor.passUnreadable(request, checked.end, checked.tookMs);
  const { scanned, isFull } = await scanDueTriggers(tx, node, request, cursor.startFor(request));
  const unreadableEnd = endOfUnreadable(scanned);
  if (checked === null && unreadableEnd !== null) cursor.passUnreadable(request, unreadableEnd);
  const due = inFiringOrder(scanned);
  const from = due[0]?.trigger.nextFireTime ?? (isFull ? null : request.noLaterThan);
  return { due: checked === null ? due : [...checked.due, ...due], from };
}

/**
 * The rows that may be due, in the order of their fire times. Reads on past those that are of no use here (unreadable, rejected, held
 * by another session, or of a job that executes although its trigger is not blocked: Java may leave such), which would otherwise
 * keep everything behind them from firing.
 */
async function scanDueTriggers(tx: SqlTransaction, node: SqlNode, request: AcquireRequest, from: EpochMs) {
  const params = {
    schedName: node.schedName,
    rows: JSON.stringify(request.jobTypes),
    from,
    noLaterThan: request.noLaterThan + request.timeWindow,
    misfireTime: misfireTime(request),
  };
  const scanned: ScannedRow[] = [];
  let useful = 0;
  let limit = request.maxCount;
  for (let skip = 0; ; ) {
    const rows = (await tx.all<TriggerRecord>('selectDueTriggers', { ...params, limit, skip })).map(toTriggerRow);
    const free = await withoutLocked(tx, node, rows);
    for (const row of rows) {
      const each = scan(row, node, free === rows || free.includes(row));
      if (each.read !== null) useful++;
      scanned.push(each);
    }
    const isFull = rows.length === limit;
    if (!isFull || useful >= request.maxCount || isBeyondWindow(scanned, request)) return { scanned, isFull };
    skip += limit;
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
  const params = { rows: JSON.stringify(request.jobTypes), misfireTime: misfireTime(request), end };
  const { rows, next } = await readWithoutUnreadable(
    tx,
    node,
    { statement: 'selectDueKeys', params },
    request.maxCount,
  );
  const free = await withoutLocked(tx, node, rows);
  const due = inFiringOrder(free.map((row) => scan(row, node, true)));
  return { due, end: next ?? end, tookMs: node.clock.monotonic() - start };
}

/** Hands out due triggers in order, at most one of each job that disallows concurrent execution. */
export class DueOrder implements DueTriggers<ReadTrigger> {
  readonly #due: readonly ReadTrigger[];
  readonly #taken = new Set<string>();
  #next = 0;

  constructor(due: readonly ReadTrigger[]) {
    this.#due = due;
  }

  takeDueBy(time: number): ReadTrigger | null {
    for (; this.#next < this.#due.length; this.#next++) {
      const candidate = this.#due[this.#next] as ReadTrigger;
      if ((candidate.trigger.nextFireTime ?? Number.POSITIVE_INFINITY) > time) return null;
      const { key, disallowConcurrentExecution } = candidate.jobDetail;
      if (disallowConcurrentExecution && this.#taken.has(keyText(key))) continue;
      if (disallowConcurrentExecution) this.#taken.add(keyText(key));
      this.#next++;
      return candidate;
    }
    return null;
  }
}
