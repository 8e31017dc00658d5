import type { LimitClaim } from '../../domain/limit-claims';
import { DueList } from './due-list';
import type { TriggerEntry } from './entries';

/** What executes under one key, and what waits for it. */
interface LimitQueue {
  held: number;
  readonly waiting: DueList<TriggerEntry>;
}

/** Limits of concurrent firings. A trigger that finds its key full leaves the queue of what is due, until something of the key has ended. */
export class LimitQueues {
  readonly #queues = new Map<string, LimitQueue>();
  #waiting = 0;

  /** Whether anything waits at all. */
  get hasWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** How much of the key executes. */
  heldOf(key: string): number {
    return this.#queues.get(key)?.held ?? 0;
  }

  hasRoom({ key, limit }: LimitClaim): boolean {
    return this.heldOf(key) < limit;
  }

  hold(key: string): void {
    this.#queue(key).held++;
  }

  /** Ends what was held. */
  release(key: string): void {
    this.#queue(key).held--;
    this.#forgetIfUnused(key);
  }

  /** Lets the trigger wait for the key. It must be in no other queue. */
  park(entry: TriggerEntry, key: string): void {
    entry.waitsFor = key;
    this.#queue(key).waiting.add(entry);
    this.#waiting++;
  }

  /** Before a trigger that waits changes. */
  unpark(entry: TriggerEntry): void {
    const key = entry.waitsFor;
    if (key === null) return;
    entry.waitsFor = null;
    if (this.#queue(key).waiting.delete(entry)) this.#waiting--;
    this.#forgetIfUnused(key);
  }

  /** Takes out the trigger that has waited for the key longest; null: none does. */
  takeNext(key: string): TriggerEntry | null {
    const next = this.#queues.get(key)?.waiting.first() ?? null;
    if (next !== null) this.unpark(next);
    return next;
  }

  #queue(key: string): LimitQueue {
    const queue = this.#queues.get(key) ?? { held: 0, waiting: new DueList<TriggerEntry>() };
    this.#queues.set(key, queue);
    return queue;
  }

  #forgetIfUnused(key: string): void {
    const queue = this.#queues.get(key);
    if (queue?.held === 0 && queue.waiting.isEmpty) this.#queues.delete(key);
  }
}
