import { type EpochMs, earliestOf } from '../../../base/clock';
import { addAll, minOf } from '../../../base/lists';
import { type DuePlace, dueOrder, duePlaces } from '../../../domain/acquisition';
import { keyText, type TriggerKey } from '../../../domain/keys';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import type { ReadTrigger } from '../rows/read-rows';
import { type TriggerRow, triggerKeyOf } from '../rows/rows';
import { scopeParams } from '../rows/sql-node';
import { fullGroupsOf, MAX_ROWS, READ_AGAIN } from './scan-memory';
import { selectTriggerRows, type TriggerName } from './select-definitions';

/** Maximum number of distinct priorities to read, each with two index reads. If triggers of more priorities wait, the lowest are read later. */
const MAX_PRIORITIES = 256;

/** Maximum number of priorities whose keys are read in one round trip. */
const AT_ONCE = 8;

/** Maximum number of keys to read per query and priority. */
const MAX_KEYS = 1_000;

const DEFAULT_PRIORITY = 5;

interface PriorityReading {
  readonly request: AcquireRequest;
  /** Current time, in milliseconds. Triggers that are due by this time are ordered by priority. */
  readonly now: EpochMs;
  readonly ageing: number;
  readonly from: EpochMs;
  /** Returns the triggers in these rows that this node can fire now. */
  readonly readRows: (rows: readonly TriggerRow[]) => Promise<readonly ReadTrigger[]>;
}

interface DueKey extends DuePlace {
  readonly key: TriggerKey;
}

/**
 * Reads the triggers that may be acquired, in priority order with ageing. The index orders the triggers of one priority by fire time. Only the
 * first keys of each priority are therefore read and merged, and full rows only for the first `maxCount` keys. A trigger whose fire time a misfire
 * has moved is also in a second queue of its priority, by the time at which it was first due. `first`: lower bound of the fire times of triggers
 * that may be acquired; null if unknown.
 */
export async function readDueByPriority(
  tx: NodeTransaction,
  reading: PriorityReading,
): Promise<{ readonly due: readonly ReadTrigger[]; readonly first: EpochMs | null }> {
  const { maxCount } = reading.request;
  const queues = await PriorityQueues.open(tx, reading);
  const due: ReadTrigger[] = [];
  while (due.length < maxCount) {
    const keys = await queues.take(Math.min(maxCount - due.length, MAX_ROWS));
    const again = due.length === 0 ? tx.node.unreadable.oldest(queues.takeSkipped(), READ_AGAIN) : [];
    if (keys.length + again.length === 0) break;
    const rows = await selectTriggerRows(tx, [...keys, ...again]);
    addAll(due, await reading.readRows(rows.filter(({ TRIGGER_STATE }) => TRIGGER_STATE === 'WAITING')));
  }
  const order = dueOrder(reading.ageing, reading.now);
  due.sort(order);
  const times = [queues.nextTime ?? reading.request.noLaterThan, ...due.map(({ trigger }) => trigger.nextFireTime)];
  return { due, first: queues.isComplete ? (earliestOf(times) ?? null) : null };
}

/** Triggers of a queue: all waiting triggers by fire time, or the due ones whose fire time misfires have moved, by their first due time. */
type QueueKind = 'waiting' | 'misfired';

/** Triggers of one priority. Places in the queue have as fire time the time from which the trigger has waited. */
class PriorityQueue {
  readonly kind: QueueKind;
  readonly priority: number;
  /** Stored priority; null if the rows have none. */
  readonly stored: number | null;
  readonly keys: DueKey[] = [];
  read = 0;
  isRead = false;
  /** Lower bound of the times of unread triggers. */
  readUntil: EpochMs;

  constructor(kind: QueueKind, stored: number | null, firstTime: EpochMs) {
    this.kind = kind;
    this.stored = stored;
    this.priority = stored ?? DEFAULT_PRIORITY;
    this.readUntil = firstTime;
  }

  /** Position of the first trigger in `keys`. If `keys` is empty, the earliest possible position of an unread trigger; null if all were read. */
  get place(): DuePlace | null {
    const [first] = this.keys;
    if (first !== undefined) return first;
    return this.isRead ? null : { nextFireTime: this.readUntil, priority: this.priority };
  }
}

/** Waiting triggers of all priorities, merged into one firing order. */
class PriorityQueues {
  readonly #tx: NodeTransaction;
  readonly #reading: PriorityReading;
  readonly #queues: readonly PriorityQueue[];
  readonly #compare: (a: DuePlace, b: DuePlace) => number;
  #skipped: TriggerKey[] = [];
  /** Keys taken so far, in the form of `keyText`, because two queues may contain a trigger. */
  readonly #taken = new Set<string>();

  private constructor(tx: NodeTransaction, reading: PriorityReading, queues: readonly PriorityQueue[]) {
    this.#tx = tx;
    this.#reading = reading;
    this.#queues = queues;
    this.#compare = duePlaces(reading.ageing, reading.now);
  }

  static async open(tx: NodeTransaction, reading: PriorityReading): Promise<PriorityQueues> {
    const { minPriority, maxPriority } = tx.node.scope;
    const range = { minPriority, maxPriority, ...boundsOf(reading) };
    type Row = Readonly<Record<'PRIORITY' | 'FIRST_TIME' | 'FIRST_DUE_TIME', number | null>>;
    const rows = await tx.all<Row>('selectWaitingPriorities', { ...range, limit: MAX_PRIORITIES });
    const queues = new Map<string, PriorityQueue>();
    const open = (kind: QueueKind, stored: number | null, firstTime: EpochMs) => {
      const queue = new PriorityQueue(kind, stored, firstTime);
      // Misfired triggers without a priority are in the queue of the default priority.
      queues.set(kind === 'misfired' ? `misfired ${queue.priority}` : `waiting ${stored}`, queue);
    };
    for (const { PRIORITY, FIRST_TIME, FIRST_DUE_TIME } of rows) {
      if (FIRST_TIME === null) continue;
      open('waiting', PRIORITY, FIRST_TIME);
      if (FIRST_DUE_TIME !== null) open('misfired', PRIORITY, FIRST_DUE_TIME);
    }
    return new PriorityQueues(tx, reading, [...queues.values()]);
  }

  /** True if every priority with waiting triggers was read. */
  get isComplete(): boolean {
    return this.#waiting.length < MAX_PRIORITIES;
  }

  /** Lower bound of the fire times of triggers that were not taken; null if none is left. */
  get nextTime(): EpochMs | null {
    return minOf(this.#waiting.flatMap(({ place }) => place?.nextFireTime ?? []));
  }

  get #waiting(): readonly PriorityQueue[] {
    return this.#queues.filter(({ kind }) => kind === 'waiting');
  }

  async take(count: number): Promise<readonly TriggerKey[]> {
    const taken: TriggerKey[] = [];
    while (taken.length < count) {
      const first = this.#first();
      if (first === null) break;
      const next = first.keys.shift();
      if (next === undefined) await this.#read();
      else if (this.#isNew(next)) taken.push(next.key);
    }
    return taken;
  }

  /** Marks the trigger as taken. Returns false if it was taken from another queue before. */
  #isNew({ key }: DueKey): boolean {
    const text = keyText(key);
    if (this.#taken.has(text)) return false;
    this.#taken.add(text);
    return true;
  }

  /** Returns the keys skipped since the last call, because their triggers were unreadable on this node and still have the same fire time. */
  takeSkipped(): readonly TriggerKey[] {
    const passed = this.#skipped;
    this.#skipped = [];
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

  /** Reads more keys for the priorities whose keys are used up: at most `AT_ONCE` priorities, in firing order. */
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
    type Row = TriggerName & { readonly NEXT_FIRE_TIME: EpochMs; readonly FIRST_DUE_TIME?: EpochMs };
    const isMisfired = queue.kind === 'misfired';
    const rows = await this.#tx.all<Row>(isMisfired ? 'selectMisfiredKeysOfPriority' : 'selectDueKeysOfPriority', {
      ...scopeParams(this.#tx.node, request),
      ...(isMisfired ? { dueBy: this.#reading.now } : boundsOf(this.#reading)),
      rows: JSON.stringify(request.jobTypes),
      fullGroups: JSON.stringify(fullGroupsOf(request)),
      misfireTime: misfireTime(request),
      priority: isMisfired ? queue.priority : queue.stored,
      limit,
      skip: queue.read,
    });
    queue.read += rows.length;
    const timeOf = (row: Row) => row.FIRST_DUE_TIME ?? row.NEXT_FIRE_TIME;
    const last = rows.at(-1);
    if (last !== undefined) queue.readUntil = timeOf(last);
    queue.isRead = rows.length < limit;
    for (const row of rows) {
      const key = triggerKeyOf(row);
      const isSkipped = this.#tx.node.unreadable.isSkipped(key, row.NEXT_FIRE_TIME);
      if (isSkipped) this.#skipped.push(key);
      else queue.keys.push({ key, nextFireTime: timeOf(row), priority: queue.priority });
    }
  }
}

function boundsOf({ request, from }: PriorityReading) {
  return { from, noLaterThan: request.noLaterThan + request.timeWindow };
}
