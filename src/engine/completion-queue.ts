import { setMaxListeners } from 'node:events';
import type { Availability } from '../base/availability';
import type { Clock } from '../base/clock';
import type { RandomSource } from '../base/ids';
import { PendingCount } from '../base/pending-count';
import { type Backoff, backoffDelay } from '../base/retry';
import { settlesWithin, sleepFor } from '../base/sleep';
import { concernsOthers } from '../domain/completion';
import type { EventBus } from '../events/event-bus';
import { SharedErrorThrottle } from '../events/shared-error-throttle';
import type { CompletionOutcome, FiringStore } from '../store/job-store';
import { type EndedFiring, hasListeners, tellOfCompletion } from './tell-of-completion';

export interface CompletionQueueParts {
  readonly store: Pick<FiringStore, 'completeTriggers'>;
  readonly clock: Clock;
  readonly bus: EventBus;
  readonly random: RandomSource;
  /** Of the store. */
  readonly availability: Availability;
}

export interface CompletionQueueOptions {
  /**
   * How long a write waits for more, counted from the one before; 0 where a write costs next to nothing. Milliseconds. What
   * ends by itself, or is waited for by others, is written at once.
   */
  readonly flushInterval: number;
  /** The longest pause after the store failed. Milliseconds. */
  readonly retryInterval: number;
}

/** The most completions written in one transaction. */
const MAX_BATCH = 500;
/** With so many waiting, waiting for more saves nothing. */
const FULL_WRITE = 400;
/** With more than this waiting, nothing new is acquired: a store that is down must not fill the memory. */
const MAX_WAITING = 2_000;
const FIRST_RETRY_DELAY = 50;

/** Brings completions to the store in batches, at once when none is on its way, and again until the store accepts them. */
export class CompletionQueue {
  readonly #parts: CompletionQueueParts;
  readonly #options: CompletionQueueOptions;
  readonly #backoff: Backoff;
  readonly #errors: SharedErrorThrottle;
  readonly #pending = new PendingCount();
  readonly #closed = new AbortController();
  /** How often the store refused one by itself. */
  readonly #refusals = new WeakMap<EndedFiring, number>();
  #waiting: EndedFiring[] = [];
  #batchSize = MAX_BATCH;
  #isFlushing = false;
  #isClosing = false;
  #roomWanted: (() => void) | null = null;
  /** When the last write began, by the monotonic clock. */
  #lastWrite = Number.NEGATIVE_INFINITY;
  #waitingForMore: AbortController | null = null;

  constructor(parts: CompletionQueueParts, options: CompletionQueueOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#backoff = { firstDelay: FIRST_RETRY_DELAY, longestDelay: options.retryInterval, random: parts.random };
    setMaxListeners(0, this.#closed.signal); // one of each completion that the store refuses
    this.#errors = new SharedErrorThrottle(parts.clock, parts.bus, parts.availability);
  }

  /** Completions the store has not accepted yet. */
  get pending(): number {
    return this.#pending.count;
  }

  /** Never fails; after `close` it does nothing, and the firing is left to recovery. */
  enqueue(ended: EndedFiring): void {
    if (this.#closed.signal.aborted) return;
    this.#pending.begin();
    this.#waiting.push(ended);
    if (this.#isFlushing) this.#flushFor(ended);
    else this.#begin();
  }

  hasRoom(): boolean {
    return this.#pending.count <= MAX_WAITING;
  }

  /** Resolves when there is room for more work, or when `signal` aborts. One caller at a time: the trigger loop. */
  whenRoom(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        signal.removeEventListener('abort', finish);
        this.#roomWanted = null;
        resolve();
      };
      if (signal.aborted || this.hasRoom()) return resolve();
      this.#roomWanted = finish;
      signal.addEventListener('abort', finish);
    });
  }

  whenIdle(): Promise<void> {
    return this.#pending.whenNone();
  }

  /** Whether the store has refused the last write. */
  get isFailing(): boolean {
    return this.#errors.isOn;
  }

  /** Waits at most `patience` milliseconds for the store, then gives up. Resolves to how many it has not accepted. */
  async close(patience: number): Promise<number> {
    this.#isClosing = true;
    this.#waitingForMore?.abort();
    if (this.pending > 0) await settlesWithin(this.#parts.clock, patience, this.whenIdle());
    this.#closed.abort();
    return this.pending;
  }

  #begin(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void this.#flush();
  }

  async #flush(): Promise<void> {
    // Lets the jobs that end in this very moment join the batch.
    await undefined;
    while (this.#waiting.length > 0 && !this.#closed.signal.aborted) {
      await this.#waitForMore();
      const batch = this.#takeBatch();
      const outcomes = await this.#write(batch);
      if (outcomes !== null) this.#accepted(batch, outcomes);
    }
    this.#isFlushing = false;
  }

  /** A transaction for each few costs the database twice as much as one for many. */
  async #waitForMore(): Promise<void> {
    const { clock } = this.#parts;
    const left = this.#lastWrite + this.#options.flushInterval - clock.monotonic();
    if (left > 0 && !this.#isClosing && !this.#hasEnough && !this.#waiting.some(isAwaited)) {
      this.#waitingForMore = new AbortController();
      await sleepFor(clock, left, this.#waitingForMore.signal);
      this.#waitingForMore = null;
    }
    this.#lastWrite = clock.monotonic();
  }

  #flushFor(ended: EndedFiring): void {
    if (this.#waitingForMore !== null && (this.#hasEnough || isAwaited(ended))) this.#waitingForMore.abort();
  }

  get #hasEnough(): boolean {
    return this.#waiting.length >= Math.min(FULL_WRITE, this.#batchSize);
  }

  #takeBatch(): readonly EndedFiring[] {
    const all = this.#waiting;
    this.#waiting = all.length > this.#batchSize ? all.slice(this.#batchSize) : [];
    return all.length > this.#batchSize ? all.slice(0, this.#batchSize) : all;
  }

  async #write(batch: readonly EndedFiring[]): Promise<readonly CompletionOutcome[] | null> {
    try {
      const outcomes = await this.#parts.store.completeTriggers(batch.map(({ completion }) => completion));
      this.#errors.end();
      this.#batchSize = MAX_BATCH;
      return outcomes;
    } catch (error) {
      await this.#keepForLater(batch, error);
      return null;
    }
  }

  /** Smaller batches, and at the end of the line: one completion the store cannot take must not hold up the others. */
  async #keepForLater(batch: readonly EndedFiring[], error: unknown): Promise<void> {
    this.#waiting.push(...batch);
    this.#batchSize = Math.max(1, Math.floor(batch.length / 2));
    this.#errors.report(`storing ${batch.length} completions`, error);
    await this.#errors.pause(this.#backoff, this.#closed.signal);
  }

  /** What the store could not take waits by itself, each time longer: in every batch it would cost the others a detour. */
  async #tryLater(refused: EndedFiring): Promise<void> {
    const refusals = (this.#refusals.get(refused) ?? 0) + 1;
    this.#refusals.set(refused, refusals);
    await this.#parts.availability.pause(backoffDelay(refusals, this.#backoff), this.#closed.signal);
    this.#waiting.push(refused);
    this.#begin();
  }

  #accepted(batch: readonly EndedFiring[], outcomes: readonly CompletionOutcome[]): void {
    const isHeard = hasListeners(this.#parts.bus);
    for (let i = 0; i < batch.length; i++) {
      const ended = batch[i] as EndedFiring;
      if (outcomes[i]?.status === 'failed') {
        void this.#tryLater(ended);
        continue;
      }
      if (isHeard || outcomes[i]?.status === 'fenced') tellOfCompletion(this.#parts, ended, outcomes[i]);
      this.#pending.end();
    }
    if (this.#roomWanted !== null && this.hasRoom()) this.#roomWanted();
  }
}

function isAwaited({ completion }: EndedFiring): boolean {
  return concernsOthers(completion);
}
