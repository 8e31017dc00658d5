import type { EpochMs } from '../../../base/clock';
import { takeBatch } from '../../../domain/acquisition';
import { BatchLimiter } from '../../../domain/batch-limiter';
import { demandOf } from '../../../domain/limit-claims';
import type { AcquireResult } from '../../job-store';
import type { NodeTransactions } from '../rows/node-transaction';
import type { ReadTrigger } from '../rows/read-rows';
import type { SqlNode } from '../rows/sql-node';
import { ScriptRefused } from '../runtime/script';
import { candidatesAmong, presentTime, type TimedRequest } from './due-batch';
import { planFiringOf } from './firings';
import type { ScanMemory } from './scan-memory';
import { type LedRequest, TrainReader } from './train-reader';
import type { DueRow, Reading } from './train-reading';
import { sendTrain, type TrainFiring } from './train-script';

/** Number of trains in a row that may fire nothing because others were faster. The next batch is decided under the lock. */
const MAX_VAIN = 2;

/** Answer of a train that leaves the decision to a transaction with the lock. `pollAgainAt`: time at which this node reads again, if that finds nothing. */
interface LockNeeded {
  readonly needsLock: true;
  readonly pollAgainAt: EpochMs | undefined;
}

/**
 * Trains of one node. A train fires due triggers that no other trigger decides: they are read without the lock; then the lock, the writes and the
 * commit are sent at once. The server holds the lock for its own time only, however far away the node is. The first write inserts the fired
 * rows of those triggers that are still as they were read, and every later write requires its fired row. So a trigger that another node has fired
 * changes nothing. See ADR 0066.
 */
export class Trains {
  #number = 0;
  readonly #reader = new TrainReader();
  #isLockFirst = false;
  #isInUse = false;

  /** True if the lock decided the last batch. It then probably decides the next one, too, and a reading before would be vain. */
  get isLockFirst(): boolean {
    return this.#isLockFirst;
  }

  /** Must be called for each batch that was read under the lock. */
  learn(due: readonly ReadTrigger[], node: SqlNode): void {
    this.#isLockFirst = !due.every((read) => isAlone(read, node));
  }

  /** Time at which this node reads for a trigger that is due at `time`. */
  readAt(time: EpochMs, now: EpochMs): EpochMs {
    return this.#isInUse ? this.#reader.readAt(time, now) : time;
  }

  /** Must be called after a change by this node. */
  changedHere(): void {
    this.#reader.changedHere();
  }

  /** Fires due triggers. Null if some triggers must be read under the lock. */
  async fire(
    transactions: NodeTransactions,
    request: TimedRequest,
    memory: ScanMemory,
  ): Promise<AcquireResult | LockNeeded | null> {
    const { node } = transactions;
    const { fireWithin } = request;
    const epoch = node.incarnation?.epoch ?? null;
    this.#isInUse = epoch !== null && fireWithin !== null && isReadable(node, request);
    if (epoch === null || fireWithin === null || !this.#isInUse) return null;
    const led = this.#reader.led({ ...request, fireWithin, epoch });
    for (let vain = 0; vain < MAX_VAIN; vain++) {
      const reading = await this.#reader.read(transactions, led, memory);
      if (reading === null) return null;
      const result = await this.#fireRead(transactions, led, reading);
      if (result !== null) return result;
    }
    return { needsLock: true, pollAgainAt: request.now };
  }

  /** Fires the triggers of a reading. Returns null if no firing was stored. */
  async #fireRead(
    transactions: NodeTransactions,
    request: LedRequest & { readonly epoch: string },
    reading: Reading,
  ): Promise<AcquireResult | LockNeeded | null> {
    const { node } = transactions;
    const { maxCount, epoch, lead } = request;
    const { version, next } = reading;
    const now = presentTime(node, request);
    const { due, left } = divide(reading, { ...request, now });
    const later = [...left.map(({ time }) => time), ...(next === null ? [] : [next])];
    const pollAgainAt = this.#reader.readAgainAt(later, now, lead);
    if (due.length === 0) return { acquired: [], fired: [], ...(pollAgainAt !== undefined && { pollAgainAt }) };
    const planned = due.every(({ read }) => isAlone(read, node)) ? plan(node, due, { ...request, now }) : null;
    if (planned === null) return { needsLock: true, pollAgainAt };
    const [first] = planned;
    if (first === undefined) return { acquired: [], fired: [] };
    const terms = { now, epoch, version, train: ++this.#number };
    const won = await sendTrain(transactions, planned, terms).catch(whereRefused);
    if (won === null) return { needsLock: true, pollAgainAt };
    this.#reader.learn(node, now, {
      first: first.firing.scheduledFireTime,
      planned: planned.length,
      won: won.size,
      tookMs: node.clock.monotonic() - request.requestedAt,
      rest: planned.length < maxCount ? null : lateRest(reading, planned, now),
    });
    if (won.size === 0) return null;
    const fired = planned.flatMap(({ firing }) =>
      won.has(firing.runId) ? [{ status: 'fired' as const, firing }] : [],
    );
    if (won.size < planned.length || planned.length >= maxCount) return { acquired: [], fired, pollAgainAt: now };
    if (pollAgainAt === undefined) return { acquired: [], fired };
    const again = fired.map(({ firing }) => firing.trigger.nextFireTime).filter((time) => time !== null);
    const ofFired = this.#reader.readAgainAt(again, now, lead) ?? pollAgainAt;
    return { acquired: [], fired, pollAgainAt: Math.min(pollAgainAt, ofFired) };
  }
}

/** Divides a reading into the triggers of one batch window, and the others. */
function divide({ rows }: Reading, { now, fireWithin, timeWindow }: LedRequest) {
  const first = rows[0]?.time ?? Number.POSITIVE_INFINITY;
  const end = first > now + fireWithin ? Number.NEGATIVE_INFINITY : Math.max(first, now) + timeWindow;
  return { due: rows.filter(({ time }) => time <= end), left: rows.filter(({ time }) => time > end) };
}

/** Plans the firings of one batch. Null if one of them cannot be computed. */
function plan(node: SqlNode, due: readonly DueRow[], request: TimedRequest): readonly TrainFiring[] | null {
  const { now, fireWithin, maxCount } = request;
  const limiter = new BatchLimiter(null, now + (fireWithin ?? 0), node.policy.groupLimits);
  const checksums = new Map(due.map(({ read, asRead }) => [read, asRead]));
  const batch = takeBatch(candidatesAmong([...checksums.keys()], limiter, null, maxCount), request);
  const planned = batch.flatMap((read) => {
    const firing = planFiringOf(read, node.newRunId(), node, { now, terms: null });
    return firing === null ? [] : [{ ...firing, asRead: checksums.get(read) as number }];
  });
  return planned.length < batch.length ? null : planned;
}

/** Returns what a full batch leaves of a reading in which all triggers are late; null if nothing. */
function lateRest(reading: Reading, planned: readonly TrainFiring[], now: EpochMs): Reading | null {
  if ((reading.rows.at(-1)?.time ?? now) >= now) return null;
  const fired = new Set(planned.map(({ read }) => read));
  const rows = reading.rows.filter(({ read }) => !fired.has(read));
  return rows.length === 0 ? null : { ...reading, rows };
}

function whereRefused(error: unknown): null {
  if (error instanceof ScriptRefused) return null;
  throw error;
}

/** True if every due trigger can be read without the lock: no Java node lives, no rows are unreadable, no group has a limit on this node, no deferred turn is due. */
function isReadable({ unreadable, turns, fence }: SqlNode, { groupCapacity, now }: TimedRequest): boolean {
  const isFree = groupCapacity === undefined && unreadable.hasNoTrigger && turns.openAt(now) === null;
  return isFree && fence?.hasJavaPeer !== true;
}

/** True if no other trigger decides whether this one fires, and no row changes that a train does not write. */
function isAlone(read: ReadTrigger, { policy, scope }: SqlNode): boolean {
  const { trigger, jobDetail, row } = read;
  if (scope.ageing !== null || trigger.kind === 'AFTER' || row.FIRST_DUE_TIME !== null) return false;
  if (trigger.policy?.spread !== undefined || jobDetail.policy?.spread !== undefined) return false;
  // The end of another run may store data that this reading has not seen.
  if (jobDetail.persistJobDataAfterExecution && !jobDetail.disallowConcurrentExecution) return false;
  return demandOf(read, policy.groupLimits) === null;
}
