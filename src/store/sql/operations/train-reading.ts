import { type EpochMs, MAX_TIME } from '../../../base/clock';
import { compareDue } from '../../../domain/acquisition';
import { type NodePlace, ONLY_NODE, type OwnPart } from '../../../domain/beats';
import { isMisfired, misfireTime } from '../../../domain/misfire';
import type { NodeTransactions } from '../rows/node-transaction';
import { type ReadTrigger, readTrigger, type TriggerRecord, toTriggerRow } from '../rows/read-rows';
import { scopeParams } from '../rows/sql-node';
import type { TimedRequest } from './due-batch';
import { MAX_ROWS, type ScanMemory } from './scan-memory';

/** Maximum age in milliseconds of a reading whose triggers are still worth a train. */
const MAX_AGE_MS = 250;

/** A due trigger that was read without the lock. */
export interface DueRow {
  readonly read: ReadTrigger;
  readonly time: EpochMs;
  /** Checksum of what a decision depends on. */
  readonly asRead: number;
}

/** Due triggers in firing order. */
export interface Reading {
  readonly rows: readonly DueRow[];
  /** Version of the schedule. */
  readonly version: string;
  /** Earliest fire time of the triggers that are not part of it. Null if there is none, or if `rows` is empty. */
  readonly next: EpochMs | null;
  /** True if more triggers may follow. */
  readonly isFull: boolean;
  /** Monotonic time. */
  readonly readAt: number;
}

/** Every due trigger. */
export const EVERYTHING: OwnPart = {
  ...{ anyoneBefore: MAX_TIME, lateBefore: MAX_TIME, shares: 1, share: 0 },
  ...{ ownUntil: MAX_TIME, turnMs: 1, ownFirst: 0, ownLast: 0 },
};

/** Backlog in the own part: the late triggers of this node's share. */
export function backlogOfShare(part: OwnPart): OwnPart {
  return { ...part, anyoneBefore: -MAX_TIME, ownUntil: -MAX_TIME };
}

type DueRecord = TriggerRecord & {
  readonly AS_READ: number;
  readonly VERSION: string;
  readonly NEXT_TIME: EpochMs | null;
};

/** Reads at most `count` due triggers. Null if this node cannot fire one of them by a train. */
export async function readDue(
  transactions: NodeTransactions,
  request: TimedRequest,
  memory: ScanMemory,
  { count, ...part }: OwnPart & { readonly count: number },
): Promise<Reading | null> {
  const { node } = transactions;
  const limit = Math.min(count, MAX_ROWS);
  const { from } = memory.begin(request, []);
  const readAt = node.clock.monotonic();
  const records = await transactions.all<DueRecord>('selectDueForTrain', {
    ...scopeParams(node, request),
    rows: JSON.stringify(request.jobTypes),
    misfireTime: misfireTime(request),
    from,
    noLaterThan: request.noLaterThan + request.timeWindow,
    readUntil: Math.min(
      request.noLaterThan + request.timeWindow,
      Math.max(part.ownUntil, part.lateBefore, part.anyoneBefore),
    ),
    limit,
    ...part,
  });
  const rows: DueRow[] = [];
  for (const record of records) {
    const row = toTriggerRow(record);
    const read = row.JOB_EXECUTING === 1 ? null : readTrigger(row, node);
    if (read === null || node.rejectedTriggers.has(read.trigger.key)) return null;
    rows.push({ read, time: read.trigger.nextFireTime as number, asRead: Number(record.AS_READ) });
  }
  rows.sort((a, b) => compareDue(a.read.trigger, b.read.trigger));
  const { VERSION: version = '', NEXT_TIME: next = null } = records[0] ?? {};
  return { rows, version, next, isFull: records.length >= limit, readAt };
}

/** Returns what is left of an earlier reading; null if nothing is, or if other nodes have probably changed it. */
export function stillDue(reading: Reading | null, request: TimedRequest): Reading | null {
  if (reading === null || request.requestedAt - reading.readAt > MAX_AGE_MS) return null;
  const rows = reading.rows.filter(({ read }) => !isMisfired(read.trigger, request));
  return rows.length === 0 ? null : { ...reading, rows };
}

/**
 * Place of this node among the nodes that acquire triggers. Read beside the due triggers, because a check-in would tell it seconds later, and nodes with
 * outdated places choose the same triggers.
 */
export class PlaceReader {
  #place: NodePlace | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  /** Runs `work` with the last place that was read. Reads it again at the same time if it is older than `maxAgeMs`. */
  async during<T>(
    transactions: NodeTransactions,
    maxAgeMs: number,
    work: (place: NodePlace) => Promise<T>,
  ): Promise<T> {
    const isOutdated = transactions.node.clock.monotonic() - this.#readAt >= maxAgeMs;
    const reading = isOutdated ? this.#read(transactions) : undefined;
    const [result] = await Promise.all([work(this.#place ?? (await reading) ?? ONLY_NODE), reading]);
    return result;
  }

  async #read(transactions: NodeTransactions): Promise<NodePlace> {
    const { instanceId, clock } = transactions.node;
    this.#readAt = clock.monotonic();
    const rows = await transactions.all<{ readonly EARLIER: number; readonly PEERS: number }>('selectPlace', {
      instanceId,
    });
    const { EARLIER: rank = 0, PEERS: peers = 0 } = rows[0] ?? {};
    this.#place = { rank: Number(rank), of: Number(peers) + 1 };
    return this.#place;
  }
}
