import { sleepFor } from '../../../base/sleep';
import { misfireTime } from '../../../domain/misfire';
import type { AcquireRequest, AcquireResult } from '../../job-store';
import type { ReadTrigger } from '../read-rows';
import { isStoreDown } from '../restart-rules';
import type { SqlTransaction } from '../sql-driver';
import { inPresentLife, type SqlNode } from '../sql-node';
import type { CommitResolution, Transactions } from '../transactions';
import { acquireTriggers, readDue, type TimedRequest, takeDue } from './acquire-triggers';
import type { DueScan } from './due-scan';
import { resolveAcquisition } from './resolve-unknown';
import { runAcquisition } from './run-acquisition';
import { giveBackOwed } from './run-firings';

/** Milliseconds for which what was read waits for its request, the lock held. */
const PATIENCE = 3;

/** An acquisition that began before it was asked for. */
interface Begun {
  /** In which it began; null: there are none. */
  readonly epoch: string | null;
  readonly answer: (request: TimedRequest | null) => void;
  /** Null: no request came in time, or the database refused it. Rejects when the store as a whole fails. */
  readonly result: Promise<AcquireResult | null>;
}

/**
 * Acquires batch after batch. A full one is followed by another, so while it is handed on to the workers the lock is taken
 * again and the next one is read; what is written waits for the request, which says how many workers are free. All of it is
 * one transaction under the lock, as without. Only while requests do come at once, and where others can write meanwhile.
 */
export class EagerAcquisition {
  readonly #transactions: Transactions;
  readonly #node: SqlNode;
  readonly #scan: DueScan;
  #begun: Begun | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #hasEnded = false;

  constructor(transactions: Transactions, node: SqlNode, scan: DueScan) {
    this.#transactions = transactions;
    this.#node = node;
    this.#scan = scan;
  }

  async run(asked: AcquireRequest): Promise<AcquireResult> {
    const { clock } = this.#node;
    const request = { ...asked, askedAt: clock.monotonic() };
    const node = inPresentLife(this.#node);
    const isPrompt = clock.monotonic() - this.#answeredAt < PATIENCE;
    const result =
      (await this.#goOn(node, request)) ?? (await runAcquisition(this.#transactions, node, request, this.#scan));
    const isFull = request.maxCount > 0 && result.fired.length >= request.maxCount;
    const isFollowed = isFull && isPrompt && !this.#hasEnded;
    if (isFollowed && this.#transactions.locksRows) this.#begun = this.#begin(request);
    this.#answeredAt = clock.monotonic();
    return result;
  }

  /** Others need the lock: what has begun and was not asked for yet ends without having done anything. */
  giveWay(): void {
    this.#begun?.answer(null);
  }

  /** Resolves when nothing is under way any more that was not asked for, and nothing will be. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.giveWay();
    await this.#begun?.result.catch(() => undefined);
  }

  /** What began in an earlier life is not asked for in this one. */
  async #goOn(node: SqlNode, request: TimedRequest): Promise<AcquireResult | null> {
    const begun = this.#begun;
    this.#begun = null;
    begun?.answer(begun.epoch === epochOf(node) ? request : null);
    return begun?.result ?? null;
  }

  #begin(last: AcquireRequest): Begun {
    const node = inPresentLife(this.#node);
    let answer: Begun['answer'] = () => {};
    const asked = new Promise<TimedRequest | null>((resolve) => {
      answer = resolve;
    });
    const whenAsked = () => {
      // Runs out by itself: aborting it costs more than everything else here.
      const { signal } = new AbortController();
      void sleepFor(this.#node.clock, PATIENCE, signal).then(() => answer(null));
      return asked;
    };
    const result = this.#acquire(node, last, whenAsked).catch((error: unknown) => {
      if (isStoreDown(error)) throw error;
      return null; // what one row may be to blame for, the request meets again, and sets it aside
    });
    result.catch(() => undefined); // whoever asks is told; if nobody does, nothing was lost
    return { epoch: epochOf(node), answer, result };
  }

  async #acquire(
    node: SqlNode,
    last: AcquireRequest,
    whenAsked: () => Promise<TimedRequest | null>,
  ): Promise<AcquireResult | null> {
    const [transactions, scan] = [this.#transactions, this.#scan];
    await giveBackOwed(transactions, node);
    const work = async (tx: SqlTransaction) => {
      const { due, observed } = await readDue(tx, node, last, scan);
      const [request] = await Promise.all([whenAsked(), observed]);
      if (request === null) return null;
      return isAnswer(due, last, request) ? takeDue(tx, node, request, due) : acquireTriggers(tx, node, request, scan);
    };
    const resolveUnknown = async (
      tx: SqlTransaction,
      result: AcquireResult | null,
    ): Promise<CommitResolution<AcquireResult | null>> =>
      result === null ? { status: 'committed', result } : resolveAcquisition(tx, node, result);
    return transactions.run('TRIGGER_ACCESS', work, { startsAtOnce: true, isSplit: true, resolveUnknown });
  }
}

/** Whether what was read for the last request will do for this one: enough of its job types, and none has misfired since. */
function isAnswer(due: readonly ReadTrigger[], last: AcquireRequest, request: AcquireRequest): boolean {
  if (due.length < request.maxCount || !haveSameTypes(request, last)) return false;
  const [before, after] = [misfireTime(last), misfireTime(request)];
  return !due.some(({ trigger: { nextFireTime } }) => {
    return nextFireTime !== null && nextFireTime >= before && nextFireTime < after;
  });
}

function epochOf({ life }: SqlNode): string | null {
  return life?.epoch ?? null;
}

function haveSameTypes({ jobTypes }: AcquireRequest, last: AcquireRequest): boolean {
  return jobTypes.length === last.jobTypes.length && jobTypes.every((type, index) => type === last.jobTypes[index]);
}
