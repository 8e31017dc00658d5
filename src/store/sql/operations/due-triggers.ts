import type { EpochMs } from '../../../base/clock';
import { compareDue, type DueTriggers } from '../../../domain/acquisition';
import { keyText, type TriggerKey } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import { type ReadTrigger, readTrigger } from '../rows/read-rows';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { type TriggerRecord, toTriggerRow } from '../rows/trigger-record';
import type { SqlTransaction } from '../runtime/sql-driver';
import { lockedAmong, reportLocked } from './skip-locked';

/** What a reading of the due triggers found. */
export interface DueReading {
  readonly due: readonly ReadTrigger[];
  /** There may be more than were asked for. */
  readonly isFull: boolean;
  /** All that was read before this fire time is unreadable here; null: nothing is. */
  readonly unreadableUntil: EpochMs | null;
}

/** So many are read at once at the most: a row may have 130 kB. */
const LARGEST_PAGE = 200;

/**
 * The triggers that may be acquired, in the order they fire; `maxCount` of them where there are as many. Reads on past rows
 * that are of no use here (unreadable, set aside, held by another session, or of a job that executes although its trigger is not
 * blocked: Java may leave such), which would otherwise keep everything behind them from firing.
 */
export async function readDueTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: AcquireRequest,
  from: number,
): Promise<DueReading> {
  const due: ReadTrigger[] = [];
  const unreadable = new UnreadableStretch();
  let limit = request.maxCount;
  for (let skip = 0; ; ) {
    const rows = await tx.all<TriggerRecord>('selectDueTriggers', {
      schedName: node.schedName,
      rows: JSON.stringify(request.jobTypes),
      from,
      noLaterThan: request.noLaterThan + request.timeWindow,
      misfireTime: misfireTime(request),
      limit,
      skip,
    });
    const found = rows.map(toTriggerRow);
    const locked = await lockedAmong(tx, node, found.map(triggerKeyOf));
    const isLocked = (key: TriggerKey) => locked.size > 0 && locked.has(keyText(key));
    for (const row of found) {
      if (!isLocked(triggerKeyOf(row))) readInto(due, row, node, unreadable);
      else unreadable.add(row, false);
    }
    reportLocked(node, found.map(triggerKeyOf).filter(isLocked));
    const isFull = rows.length === limit;
    if (!isFull || due.length >= request.maxCount || isBeyond(unreadable.reached, due, request)) {
      return { due: due.sort((a, b) => compareDue(a.trigger, b.trigger)), isFull, unreadableUntil: unreadable.end };
    }
    skip += limit;
    limit = Math.min(2 * limit, LARGEST_PAGE);
  }
}

/** Those of the rows that may be acquired, in the order they fire. */
export function acquirable(rows: readonly TriggerRow[], node: SqlNode): readonly ReadTrigger[] {
  const due: ReadTrigger[] = [];
  for (const row of rows) readInto(due, row, node, null);
  return due.sort((a, b) => compareDue(a.trigger, b.trigger));
}

/** Whether what comes later than `time` is too late for the batch that begins with the first of `due`. */
function isBeyond(time: EpochMs, due: readonly ReadTrigger[], { now, timeWindow }: AcquireRequest): boolean {
  const first = Math.min(...due.map(({ trigger }) => trigger.nextFireTime ?? now));
  return due.length > 0 && time > Math.max(first, now) + timeWindow;
}

/** The rows with which a scan in the order of fire times begins, as long as they are unreadable. */
class UnreadableStretch {
  #last: EpochMs | null = null;
  #next: EpochMs | null = null;
  /** The fire time of the last row. */
  reached = Number.NEGATIVE_INFINITY;

  add({ NEXT_FIRE_TIME: time }: TriggerRow, isUnreadable: boolean): void {
    this.reached = time ?? this.reached;
    if (isUnreadable && this.#next === null) this.#last = time;
    else this.#next ??= time;
  }

  /** Where it ends: before the first row that is not, or behind the last of all. */
  get end(): EpochMs | null {
    return this.#last === null ? null : (this.#next ?? this.#last + 1);
  }
}

function readInto(due: ReadTrigger[], row: TriggerRow, node: SqlNode, unreadable: UnreadableStretch | null): void {
  const isBusy = row.JOB_EXECUTING === 1 || node.rejectedTriggers.has(triggerKeyOf(row));
  const read = isBusy ? null : readTrigger(row, node);
  unreadable?.add(row, !isBusy && read === null);
  if (read !== null) due.push(read);
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
