import { compareDue, type DueTriggers } from '../../../domain/acquisition';
import type { FiringParts } from '../../../domain/firing';
import { formatKey, keyText } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import { readable, type TriggerRow, toFiringParts, triggerKeyOf } from '../rows';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import { toTriggerRow, type WholeTrigger } from '../whole-trigger';
import { lockedAmong, reportLocked } from './skip-locked';

/** A trigger that was read with everything its firing needs. */
export interface ReadTrigger extends FiringParts {
  readonly row: TriggerRow;
}

/** A row as it was read; null when this node cannot read it. */
export function readTrigger(row: TriggerRow, node: SqlNode): ReadTrigger | null {
  const subject = { what: 'trigger', name: formatKey(triggerKeyOf(row)) } as const;
  return readable(node, subject, () => {
    const { trigger, jobDetail, calendar } = toFiringParts(row, node);
    return { trigger, jobDetail, calendar, row };
  });
}

/** What a reading of the due triggers found. */
export interface DueReading {
  readonly due: readonly ReadTrigger[];
  /** There may be more than were asked for. */
  readonly isFull: boolean;
}

/**
 * The triggers that may be acquired, in the order they fire; `maxCount` of them where there are as many. Reads on past rows
 * that are of no use here (unreadable, set aside, held by another session, or of a job that executes although its trigger is not blocked: Java may leave
 * such), which would otherwise keep everything behind them from firing.
 */
export async function readDueTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  request: AcquireRequest,
  from: number,
): Promise<DueReading> {
  const limit = request.maxCount;
  const due: ReadTrigger[] = [];
  for (let skip = 0; ; skip += limit) {
    const rows = await tx.all<WholeTrigger>('selectDueTriggers', {
      schedName: node.schedName,
      rows: JSON.stringify(request.jobTypes),
      from,
      noLaterThan: request.noLaterThan,
      misfireTime: misfireTime(request),
      limit,
      skip,
    });
    const found = rows.map(toTriggerRow);
    const free = node.lockedRows.areSuspected ? await unlocked(tx, node, found) : found;
    for (const row of free) readInto(due, row, node);
    const isFull = rows.length === limit;
    if (!isFull || due.length >= limit) return { due: due.sort((a, b) => compareDue(a.trigger, b.trigger)), isFull };
  }
}

/** Without those that another session holds, which is told. */
export async function unlocked(
  tx: SqlTransaction,
  node: SqlNode,
  rows: readonly TriggerRow[],
): Promise<readonly TriggerRow[]> {
  const keys = rows.map(triggerKeyOf);
  const locked = await lockedAmong(tx, node, keys);
  for (const key of keys) if (locked.has(keyText(key))) reportLocked(node, key);
  return rows.filter((row) => !locked.has(keyText(triggerKeyOf(row))));
}

function readInto(due: ReadTrigger[], row: TriggerRow, node: SqlNode): void {
  if (row.JOB_EXECUTING === 1 || node.setAside.has(triggerKeyOf(row))) return;
  const read = readTrigger(row, node);
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
