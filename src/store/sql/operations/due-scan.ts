import type { EpochMs } from '../../../base/clock';
import { addAll } from '../../../base/lists';
import { compareDue } from '../../../domain/acquisition';
import { GroupCapacity } from '../../../domain/group-limits';
import { keyText, type TriggerKey } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { type ReadTrigger, readTrigger, type TriggerRecord, toTriggerRow } from '../rows/read-rows';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import { type SqlNode, scopeParams } from '../rows/sql-node';
import type { SqlParams } from '../runtime/sql-driver';
import { readDueByPriority } from './due-by-priority';
import { ripenTurns } from './rates';
import { withoutLocked } from './refused-triggers';
import { fullGroupsOf, MAX_ROWS, READ_AGAIN, type Scan, type ScanMemory } from './scan-memory';
import { selectTriggerRows, type TriggerName } from './select-definitions';

interface DueScanParts {
  readonly tx: NodeTransaction;
  readonly request: AcquireRequest;
  /** Current time. May be later than `request.now`, because the request waited for the lock. */
  readonly now: EpochMs;
  readonly memory: ScanMemory;
}

interface DueReading {
  readonly scan: Scan;
  /** Due triggers, in firing order. */
  readonly due: readonly ReadTrigger[];
  /** Lower bound of the fire times of triggers that the request may acquire; null if unknown. */
  readonly first: EpochMs | null;
}

/** A scanned row. `read` is null if this node cannot fire the trigger now, for example because the node cannot read the row. */
interface ScannedRow {
  readonly time: EpochMs | null;
  readonly read: ReadTrigger | null;
  readonly isUnreadable: boolean;
}

/**
 * Returns the triggers that may be acquired, as stored under the lock: enough for `maxCount`, or all if there are fewer. First resets firings that a
 * rate limit had deferred until now to their original due times. Reads by priority if priorities decide the order. Otherwise reads by keys if
 * unreadable triggers may come first, and by rows if not.
 */
export async function readDueTriggers(parts: DueScanParts): Promise<DueReading> {
  const { tx, request, memory } = parts;
  const { node } = tx;
  const ripe = await ripenTurns(tx, request.now);
  if (ripe !== null) memory.reset(ripe);
  const scan = memory.begin(request, fullGroupsOf(request));
  if (node.scope.ageing !== null) return readByPriority(parts, scan, node.scope.ageing);
  if (scan.until === null && !node.unreadable.hasNoTrigger) return readByKeys(parts, scan);
  return readByRows(parts, scan);
}

async function readByPriority(parts: DueScanParts, scan: Scan, ageing: number): Promise<DueReading> {
  const { tx, request, now } = parts;
  const readRows = (rows: readonly TriggerRow[]) => readFree(parts, rows);
  return { scan, ...(await readDueByPriority(tx, { request, now, ageing, from: scan.from, readRows })) };
}

/** Reads the keys of due triggers. Reads full rows only for triggers that this node may be able to read. */
async function readByKeys(parts: DueScanParts, scan: Scan): Promise<DueReading> {
  const { tx, request, memory } = parts;
  const params = { ...scanParams(parts), end: endOf(request), fullGroups: JSON.stringify(scan.exceptGroups) };
  const pages = readPastUnreadable(tx, { statement: 'selectDueKeys', params }, request.maxCount);
  const due: ReadTrigger[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for await (const { rows, unreadableBefore } of pages) {
    addAll(due, await readFree(parts, rows));
    end = unreadableBefore;
    if (due.length >= request.maxCount) break;
  }
  due.sort((a, b) => compareDue(a.trigger, b.trigger));
  memory.remember(scan, Math.min(end, due[0]?.trigger.nextFireTime ?? end));
  return { scan, due, first: null };
}

/**
 * Reads full rows in fire-time order. Continues past unusable rows, which would otherwise keep all later triggers from firing. A row is unusable
 * if it is unreadable, rejected, or locked by another session. It is also unusable if its job executes but the trigger is not blocked, which
 * Java may cause.
 */
async function readByRows(parts: DueScanParts, scan: Scan): Promise<DueReading> {
  const { request, memory } = parts;
  const { scanned, isFull } = await scanRows(parts, scan);
  const unreadableEnd = endOfUnreadable(scanned);
  if (unreadableEnd !== null) memory.remember(scan, unreadableEnd);
  const due = inFiringOrder(scanned);
  return { scan, due, first: due[0]?.trigger.nextFireTime ?? (isFull ? null : request.noLaterThan) };
}

async function scanRows(parts: DueScanParts, scan: Scan) {
  const { tx, request } = parts;
  const pages = new DuePages(parts, scan);
  const scanned: ScannedRow[] = [];
  let useful = 0;
  let limit = request.maxCount;
  for (;;) {
    const { rows, isFull } = await pages.next(limit);
    const free = await withoutLocked(tx, rows);
    for (const row of rows) {
      const each = scanRow(row, tx.node, free === rows || free.includes(row));
      if (each.read !== null && pages.counts(row)) useful++;
      scanned.push(each);
    }
    if (!isFull || useful >= request.maxCount || isBeyondWindow(scanned, request)) return { scanned, isFull };
    limit = Math.min(2 * limit, MAX_ROWS);
  }
}

/** Pages of rows that may be due. Once the rows of a limited group exhaust the group's capacity on this node, further pages omit the group. */
class DuePages {
  readonly #parts: DueScanParts;
  readonly #capacity: GroupCapacity;
  readonly #seen = new Set<string>();
  /** Current scan. Replaced when the rows read so far exhaust the capacity of more groups. */
  #scan: Scan;
  #skip = 0;

  constructor(parts: DueScanParts, scan: Scan) {
    this.#parts = parts;
    this.#capacity = new GroupCapacity(parts.request.groupCapacity ?? {});
    this.#scan = scan;
  }

  /** Returns the next page. `isFull`: there may be another page. */
  async next(limit: number): Promise<{ readonly rows: readonly TriggerRow[]; readonly isFull: boolean }> {
    const { request, memory } = this.#parts;
    const groups = this.#capacity.full;
    if (groups.length > this.#scan.exceptGroups.length) {
      this.#scan = memory.begin(request, groups);
      this.#skip = 0;
    }
    const isFirst = this.#skip === 0;
    const rows = await this.#read({ limit, skip: this.#skip });
    this.#skip += limit;
    if (isFirst && groups.length > 0) memory.remember(this.#scan, rows[0]?.NEXT_FIRE_TIME ?? endOf(request));
    return { rows: this.#unseen(rows), isFull: rows.length === limit };
  }

  /** Uses one unit of the group's capacity for the row. Returns true if the group had capacity left: the row then counts toward the batch. */
  counts({ JOB_GROUP: group }: TriggerRow): boolean {
    const hasCapacity = this.#capacity.hasCapacity(group);
    this.#capacity.take(group);
    return hasCapacity;
  }

  async #read(page: { readonly limit: number; readonly skip: number }): Promise<readonly TriggerRow[]> {
    const { tx, request } = this.#parts;
    const { from, exceptGroups } = this.#scan;
    const noLaterThan = request.noLaterThan + request.timeWindow;
    const params = { ...scanParams(this.#parts), ...page, from, noLaterThan };
    const records =
      exceptGroups.length === 0
        ? await tx.all<TriggerRecord>('selectDueTriggers', params)
        : await tx.all<TriggerRecord>('selectDueTriggersOfOtherGroups', {
            ...params,
            fullGroups: JSON.stringify(exceptGroups),
          });
    return records.map(toTriggerRow);
  }

  /** Returns the rows that no earlier page contained. Pages overlap if a new scan has replaced `#scan`. */
  #unseen(rows: readonly TriggerRow[]): readonly TriggerRow[] {
    if (this.#capacity.groups.length === 0) return rows;
    const unseen = rows.filter((row) => !this.#seen.has(keyText(triggerKeyOf(row))));
    for (const row of unseen) this.#seen.add(keyText(triggerKeyOf(row)));
    return unseen;
  }
}

function scanParams({ tx, request }: DueScanParts): SqlParams {
  return {
    ...scopeParams(tx.node, request),
    rows: JSON.stringify(request.jobTypes),
    misfireTime: misfireTime(request),
  };
}

/** Exclusive upper bound of the fire times that the request may acquire, in milliseconds. */
function endOf({ noLaterThan, timeWindow }: AcquireRequest): EpochMs {
  return noLaterThan + timeWindow + 1;
}

/** Returns the triggers that this node can fire now, in firing order. */
async function readFree({ tx }: DueScanParts, rows: readonly TriggerRow[]) {
  const free = await withoutLocked(tx, rows);
  return inFiringOrder(free.map((row) => scanRow(row, tx.node, true)));
}

function scanRow(row: TriggerRow, node: SqlNode, isFree: boolean): ScannedRow {
  const isBusy = !isFree || row.JOB_EXECUTING === 1 || node.rejectedTriggers.has(triggerKeyOf(row));
  const read = isBusy ? null : readTrigger(row, node);
  return { time: row.NEXT_FIRE_TIME, read, isUnreadable: !isBusy && read === null };
}

/** True if further rows are too late for the batch that begins with the first usable row. */
function isBeyondWindow(scanned: readonly ScannedRow[], { now, timeWindow }: AcquireRequest): boolean {
  const first = scanned.find(({ read }) => read !== null);
  const last = scanned.at(-1)?.time ?? now;
  return first !== undefined && last > Math.max(first.time ?? now, now) + timeWindow;
}

/** Returns the fire time before which this node can read none of the scanned rows; null if the first row is not unreadable. */
function endOfUnreadable(scanned: readonly ScannedRow[]): EpochMs | null {
  if (scanned[0]?.isUnreadable !== true) return null;
  const next = scanned.find(({ isUnreadable }) => !isUnreadable);
  return next === undefined ? (scanned.at(-1)?.time ?? 0) + 1 : next.time;
}

function inFiringOrder(scanned: readonly ScannedRow[]): readonly ReadTrigger[] {
  const due = scanned.map(({ read }) => read).filter((read) => read !== null);
  return due.sort((a, b) => compareDue(a.trigger, b.trigger));
}

const PAGE = 5_000;

/** Page of full rows. Every trigger found so far with a fire time before `unreadableBefore` is known to be unreadable on this node. */
interface ReadablePage {
  readonly rows: readonly TriggerRow[];
  readonly unreadableBefore: EpochMs;
}

/**
 * Reads triggers when nearly all of them are unreadable on this node. `statement` reads their keys. Full rows are read only for triggers that are not
 * known to be unreadable, and for a few known unreadable triggers that may have changed. The first page has `limit` rows, and each further page twice
 * as many, up to `MAX_ROWS`.
 */
export async function* readPastUnreadable(
  tx: NodeTransaction,
  { statement, params }: { readonly statement: 'selectDueKeys' | 'selectMisfiredKeys'; readonly params: SqlParams },
  limit: number,
): AsyncGenerator<ReadablePage, void> {
  type KeyRow = TriggerName & { readonly NEXT_FIRE_TIME: EpochMs };
  let firstOther: EpochMs | null = null;
  let size = limit;
  for (let skip = 0; ; skip += PAGE) {
    const page = await tx.all<KeyRow>(statement, { ...params, limit: PAGE, skip });
    const known: TriggerKey[] = [];
    const others: TriggerKey[] = [];
    for (const row of page) {
      const key = triggerKeyOf(row);
      const isKnown = tx.node.unreadable.isSkipped(key, row.NEXT_FIRE_TIME);
      (isKnown ? known : others).push(key);
      if (!isKnown) firstOther ??= row.NEXT_FIRE_TIME;
    }
    const last = page.at(-1)?.NEXT_FIRE_TIME;
    const unreadableBefore = firstOther ?? (last === undefined ? Number.NEGATIVE_INFINITY : last + 1);
    let again = tx.node.unreadable.oldest(known, READ_AGAIN);
    do {
      const keys = [...others.splice(0, Math.min(size, MAX_ROWS)), ...again];
      again = [];
      size *= 2;
      yield { rows: await selectTriggerRows(tx, keys), unreadableBefore };
    } while (others.length > 0);
    if (page.length < PAGE) return;
  }
}
