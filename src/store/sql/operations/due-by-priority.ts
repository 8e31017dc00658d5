import type { EpochMs } from '../../../base/clock';
import { addAll, minOf } from '../../../base/lists';
import { type DuePlace, dueOrder, duePlaces } from '../../../domain/acquisition';
import type { TriggerKey } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import type { ReadTrigger } from '../rows/read-rows';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import { type SqlNode, scopeParams } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import { fullGroupsOf, MAX_ROWS, READ_AGAIN } from './scan-memory';
import { selectTriggerRows } from './select-triggers';

/** Maximum number of distinct priorities to read, each of which costs two index reads. Lower priorities are read once fewer are waiting. */
const MAX_PRIORITIES = 256;

/** Number of priorities whose keys are read in one round trip. */
const AT_ONCE = 8;

/** Maximum number of keys of one priority to read at once. */
const MAX_KEYS = 1_000;

/** Priority of a trigger whose row has none. */
const DEFAULT_PRIORITY = 5;

/** A request, the current time, and what is already known about due triggers. */
export interface PriorityReading {
  readonly request: AcquireRequest;
  /** Triggers that are due by this time are ordered by priority. */
  readonly now: EpochMs;
  readonly ageing: number;
  /** Earliest fire time to read. */
  readonly from: EpochMs;
  /** Reads the rows that this node can fire. */
  readonly readRows: (rows: readonly TriggerRow[]) => Promise<readonly ReadTrigger[]>;
}

interface DueKey extends DuePlace {
  readonly key: TriggerKey;
}

/**
 * Reads the triggers that may be acquired, if the priority decides which fires first. The index orders the triggers of one priority, so only
 * the first keys of each priority are read and merged. Full rows are read for the first `maxCount` triggers. `first`: lower bound of the fire
 * times of triggers that may be acquired; null if unknown.
 */
export async function readDueByPriority(
  tx: SqlTransaction,
  node: SqlNode,
  reading: PriorityReading,
): Promise<{ readonly due: readonly ReadTrigger[]; readonly first: EpochMs | null }> {
  const { maxCount } = reading.request;
  const queues = await PriorityQueues.open(tx, node, reading);
  const due: ReadTrigger[] = [];
  while (due.length < maxCount) {
    const keys = await queues.take(Math.min(maxCount - due.length, MAX_ROWS));
    const again = due.length === 0 ? node.unreadable.oldest(queues.takePassedOver(), READ_AGAIN) : [];
    if (keys.length + again.length === 0) break;
    const rows = await selectTriggerRows(tx, node, [...keys, ...again]);
    addAll(due, await reading.readRows(rows.filter(({ TRIGGER_STATE }) => TRIGGER_STATE === 'WAITING')));
  }
  const order = dueOrder(reading.ageing, reading.now);
  due.sort((a, b) => order(a.trigger, b.trigger));
  return { due, first: queues.isComplete ? earliestOf(due, queues.nextTime ?? reading.request.noLaterThan) : null };
}

function earliestOf(due: readonly ReadTrigger[], next: EpochMs): EpochMs {
  return due.reduce((earliest, { trigger }) => Math.min(earliest, trigger.nextFireTime ?? earliest), next);
}

/** Waiting triggers of one priority, by fire time. */
class PriorityQueue {
  readonly priority: number;
  /** Priority as stored. */
  readonly stored: number | null;
  readonly keys: DueKey[] = [];
  /** Number of rows read. */
  read = 0;
  isRead = false;
  /** Earliest fire time that an unread trigger can have. */
  readUntil: EpochMs;

  constructor(stored: number | null, firstTime: EpochMs) {
    this.stored = stored;
    this.priority = stored ?? DEFAULT_PRIORITY;
    this.readUntil = firstTime;
  }

  /** Position of its first trigger, or the earliest position an unread trigger can have; null if none is left. */
  get place(): DuePlace | null {
    const [first] = this.keys;
    if (first !== undefined) return first;
    return this.isRead ? null : { nextFireTime: this.readUntil, priority: this.priority };
  }
}

/** Waiting triggers of all priorities, merged into one order. */
class PriorityQueues {
  readonly #tx: SqlTransaction;
  readonly #node: SqlNode;
  readonly #reading: PriorityReading;
  readonly #queues: readonly PriorityQueue[];
  readonly #compare: (a: DuePlace, b: DuePlace) => number;
  #passedOver: TriggerKey[] = [];

  private constructor(tx: SqlTransaction, node: SqlNode, reading: PriorityReading, queues: readonly PriorityQueue[]) {
    this.#tx = tx;
    this.#node = node;
    this.#reading = reading;
    this.#queues = queues;
    this.#compare = duePlaces(reading.ageing, reading.now);
  }

  static async open(tx: SqlTransaction, node: SqlNode, reading: PriorityReading): Promise<PriorityQueues> {
    const { minPriority, maxPriority } = node.scope;
    const params = {
      schedName: node.schedName,
      minPriority,
      maxPriority,
      ...boundsOf(reading),
      limit: MAX_PRIORITIES,
    };
    type Row = { readonly PRIORITY: number | null; readonly FIRST_TIME: EpochMs | null };
    const rows = await tx.all<Row>('selectWaitingPriorities', params);
    const queues = rows.flatMap(({ PRIORITY, FIRST_TIME }) =>
      FIRST_TIME === null ? [] : [new PriorityQueue(PRIORITY, FIRST_TIME)],
    );
    return new PriorityQueues(tx, node, reading, queues);
  }

  /** True if every waiting priority was read. */
  get isComplete(): boolean {
    return this.#queues.length < MAX_PRIORITIES;
  }

  /** Earliest fire time of a trigger that was not taken; null if none is left. */
  get nextTime(): EpochMs | null {
    return minOf(this.#queues.flatMap(({ place }) => place?.nextFireTime ?? []));
  }

  /** Removes and returns the first `count` keys, or fewer if no more are left. */
  async take(count: number): Promise<readonly TriggerKey[]> {
    const taken: TriggerKey[] = [];
    while (taken.length < count) {
      const first = this.#first();
      if (first === null) break;
      const next = first.keys.shift();
      if (next === undefined) await this.#read();
      else taken.push(next.key);
    }
    return taken;
  }

  /** Returns the keys skipped since the last call, because this node could not read their triggers and they seem unchanged. */
  takePassedOver(): readonly TriggerKey[] {
    const passed = this.#passedOver;
    this.#passedOver = [];
    return passed;
  }

  #first(): PriorityQueue | null {
    let first: { readonly queue: PriorityQueue; readonly place: DuePlace } | null = null;
    for (const queue of this.#queues) {
      const { place } = queue;
      if (place !== null && (first === null || this.#compare(place, first.place) < 0)) first = { queue, place };
    }
    return first?.queue ?? null;
  }

  /** Reads further keys of the first priorities that have none left to take. */
  async #read(): Promise<void> {
    const empty = this.#queues.flatMap((queue) =>
      queue.keys.length > 0 || queue.place === null ? [] : { queue, place: queue.place },
    );
    empty.sort((a, b) => this.#compare(a.place, b.place));
    await Promise.all(empty.slice(0, AT_ONCE).map(({ queue }) => this.#readOn(queue)));
  }

  async #readOn(queue: PriorityQueue): Promise<void> {
    const { request } = this.#reading;
    const limit = Math.min(request.maxCount, MAX_KEYS);
    type Row = Pick<TriggerRow, 'TRIGGER_NAME' | 'TRIGGER_GROUP'> & { readonly NEXT_FIRE_TIME: EpochMs };
    const rows = await this.#tx.all<Row>('selectDueKeysOfPriority', {
      schedName: this.#node.schedName,
      ...scopeParams(this.#node, request),
      ...boundsOf(this.#reading),
      rows: JSON.stringify(request.jobTypes),
      fullGroups: JSON.stringify(fullGroupsOf(request)),
      misfireTime: misfireTime(request),
      priority: queue.stored,
      limit,
      skip: queue.read,
    });
    queue.read += rows.length;
    queue.readUntil = rows.at(-1)?.NEXT_FIRE_TIME ?? queue.readUntil;
    queue.isRead = rows.length < limit;
    for (const row of rows) {
      const key = triggerKeyOf(row);
      const isPassedOver = this.#node.unreadable.isPassedOver(key, row.NEXT_FIRE_TIME);
      if (isPassedOver) this.#passedOver.push(key);
      else queue.keys.push({ key, nextFireTime: row.NEXT_FIRE_TIME, priority: queue.priority });
    }
  }
}

function boundsOf({ request, from }: PriorityReading) {
  return { from, noLaterThan: request.noLaterThan + request.timeWindow };
}
