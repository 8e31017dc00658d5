import { setMaxListeners } from 'node:events';
import type { EpochMs } from '../base/clock';
import type { RandomSource } from '../base/ids';
import { addAll } from '../base/lists';
import { PendingCount } from '../base/pending-count';
import { type Backoff, backoffDelay } from '../base/retry';
import { settlesWithin, sleepFor } from '../base/sleep';
import { type Completion, concernsOthers } from '../domain/completion';
import { sameKey } from '../domain/keys';
import type { LoadCounts } from '../domain/load-counts';
import { occurrenceOf, RETRYING_JOBS } from '../domain/occurrence';
import { completedOccurrence } from '../domain/shards';
import { SharedErrorThrottle, type SharedErrorThrottleParts } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { CompletionOutcome, FiringStore } from '../store/job-store';

export interface CompletionQueueParts extends SharedErrorThrottleParts {
  readonly store: Pick<FiringStore, 'completeTriggers'>;
  readonly bus: EventBus;
  readonly random: RandomSource;
  readonly load: Pick<LoadCounts, 'ended'>;
}

/** Milliseconds. */
export interface CompletionQueueOptions {
  /**
   * The shortest time between the beginnings of two writes; 0 where a write costs next to nothing. Completions that others wait for,
   * full batches and the last ones are written at once.
   */
  readonly flushInterval: number;
  /** The longest pause after the store failed. */
  readonly retryInterval: number;
}

/** A firing that has ended, and what to publish about it once the store has accepted its completion. */
export interface EndedFiring {
  readonly completion: Completion;
  /** Milliseconds. */
  readonly jobRunTime: number;
  readonly error: Error | null;
}

/** The most completions written in one transaction. */
const MAX_BATCH = 500;
/** With so many waiting, waiting for more saves nothing. */
const FULL_WRITE = 400;
/** With more than this waiting, nothing new is acquired: a store that is down must not fill the memory. */
const MAX_WAITING = 2_000;
const FIRST_RETRY_DELAY_MS = 50;

/** Brings completions to the store in batches, at once when none is on its way, and again until the store accepts them. */
export class CompletionQueue {
  readonly #parts: CompletionQueueParts;
  readonly #flushIntervalMs: number;
  readonly #backoff: Backoff;
  readonly #errors: SharedErrorThrottle;
  readonly #pending = new PendingCount();
  readonly #closed = new AbortController();
  /** How often the store has refused one by itself. */
  readonly #refusals = new WeakMap<EndedFiring, number>();
  #waiting: EndedFiring[] = [];
  #batchSize = MAX_BATCH;
  #isFlushing = false;
  #isClosing = false;
  #onRoom: (() => void) | null = null;
  /** When the last write began, by the monotonic clock. */
  #lastWrite = Number.NEGATIVE_INFINITY;
  #waitForMore: AbortController | null = null;

  constructor(parts: CompletionQueueParts, { flushInterval, retryInterval }: CompletionQueueOptions) {
    this.#parts = parts;
    this.#flushIntervalMs = flushInterval;
    this.#backoff = { firstDelay: FIRST_RETRY_DELAY_MS, longestDelay: retryInterval, random: parts.random };
    this.#errors = new SharedErrorThrottle(parts, this.#backoff);
    setMaxListeners(0, this.#closed.signal); // one of each completion that the store refuses
  }

  /** Completions the store has not accepted yet. */
  get pending(): number {
    return this.#pending.count;
  }

  /** Whether the store has refused the last write. */
  get isFailing(): boolean {
    return this.#errors.isFailing;
  }

  /** Never fails; after `close` it does nothing, and the firing is left to recovery. */
  enqueue(ended: EndedFiring): void {
    if (this.#closed.signal.aborted) return;
    this.#pending.begin();
    this.#waiting.push(ended);
    if (!this.#isFlushing) this.#begin();
    else if (this.#hasEnough || isAwaited(ended)) this.#waitForMore?.abort();
  }

  /** Publishes what the store has accepted in another way. */
  announce(ended: EndedFiring, outcome: CompletionOutcome): void {
    this.#count(ended, this.#parts.clock.now());
    this.#publish(ended, outcome);
    this.#publishEnd(outcome);
  }

  hasRoom(): boolean {
    return this.#pending.count <= MAX_WAITING;
  }

  /** Resolves when there is room for more work, or when `signal` aborts. One caller at a time: the trigger loop. */
  whenRoom(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        signal.removeEventListener('abort', finish);
        this.#onRoom = null;
        resolve();
      };
      if (signal.aborted || this.hasRoom()) return resolve();
      this.#onRoom = finish;
      signal.addEventListener('abort', finish);
    });
  }

  whenIdle(): Promise<void> {
    return this.#pending.whenNone();
  }

  /** Waits at most `timeoutMs` for the store, then gives up. Resolves to the number of completions that it has not accepted. */
  async close(timeoutMs: number): Promise<number> {
    this.#isClosing = true;
    this.#waitForMore?.abort();
    if (this.pending > 0) await settlesWithin(this.#parts.clock, timeoutMs, this.whenIdle());
    this.#closed.abort();
    return this.pending;
  }

  /** What was vetoed or passed over has run for no time; a job that could not be made has failed. */
  #count({ jobRunTime, error }: EndedFiring, now: EpochMs): void {
    if (jobRunTime >= 0 || error !== null) this.#parts.load.ended(now, error !== null);
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
      await this.#gather();
      await this.#write(this.#takeBatch());
    }
    this.#isFlushing = false;
  }

  /** A transaction for each few costs the database twice as much as one for many. */
  async #gather(): Promise<void> {
    const { clock } = this.#parts;
    const left = this.#lastWrite + this.#flushIntervalMs - clock.monotonic();
    if (left > 0 && !this.#isClosing && !this.#hasEnough && !this.#waiting.some(isAwaited)) {
      this.#waitForMore = new AbortController();
      await sleepFor(clock, left, this.#waitForMore.signal);
      this.#waitForMore = null;
    }
    this.#lastWrite = clock.monotonic();
  }

  get #hasEnough(): boolean {
    return this.#waiting.length >= Math.min(FULL_WRITE, this.#batchSize);
  }

  #takeBatch(): readonly EndedFiring[] {
    const all = this.#waiting;
    this.#waiting = all.slice(this.#batchSize);
    return all.slice(0, this.#batchSize);
  }

  async #write(batch: readonly EndedFiring[]): Promise<void> {
    let outcomes: readonly CompletionOutcome[];
    try {
      outcomes = await this.#parts.store.completeTriggers(batch.map(({ completion }) => completion));
    } catch (error) {
      // Smaller batches, and at the end of the line: one completion the store cannot take must not hold up the others.
      addAll(this.#waiting, batch);
      this.#batchSize = Math.max(1, Math.floor(batch.length / 2));
      this.#errors.report(`storing ${batch.length} completions`, error);
      await this.#errors.pause(this.#closed.signal);
      return;
    }
    this.#errors.end();
    this.#batchSize = MAX_BATCH;
    this.#finish(batch, outcomes);
  }

  #finish(batch: readonly EndedFiring[], outcomes: readonly CompletionOutcome[]): void {
    const { bus, clock } = this.#parts;
    const now = clock.now(); // once for all of them
    const hasSubscribers = bus.has('triggerCompleted') || bus.has('triggerFinalized') || bus.has('jobDeleted');
    batch.forEach((ended, index) => {
      const outcome = outcomes[index];
      if (outcome?.status === 'failed') {
        void this.#retryLater(ended);
        return;
      }
      if (outcome?.status !== 'fenced') this.#count(ended, now);
      if (hasSubscribers || isWorthTelling(ended) || outcome?.status === 'fenced') this.#publish(ended, outcome);
      this.#publishEnd(outcome);
      this.#pending.end();
    });
    if (this.#onRoom !== null && this.hasRoom()) this.#onRoom();
  }

  /** What the store could not take waits by itself, each time longer: in every batch it would cost the others a detour. */
  async #retryLater(refused: EndedFiring): Promise<void> {
    const refusals = (this.#refusals.get(refused) ?? 0) + 1;
    this.#refusals.set(refused, refusals);
    await this.#parts.availability.pause(backoffDelay(refusals, this.#backoff), this.#closed.signal);
    this.#waiting.push(refused);
    this.#begin();
  }

  #publish({ completion, jobRunTime, error }: EndedFiring, outcome: CompletionOutcome | undefined): void {
    const { bus, clock } = this.#parts;
    const { firing, instruction } = completion;
    const { trigger, jobDetail } = firing;
    const at = clock.now();
    if (outcome?.status === 'fenced') {
      bus.publish({ type: 'completionFenced', at, firing });
      return;
    }
    bus.publish({ type: 'triggerCompleted', at, firing, instruction, jobRunTime, error });
    if (error !== null && isWorthTelling({ completion })) this.#publishRetry(completion, error, outcome);
    const isFinal = trigger.nextFireTime === null && (outcome?.deletedTrigger || instruction !== 'DELETE_TRIGGER');
    if (isFinal) bus.publish({ type: 'triggerFinalized', at, trigger });
    if (outcome?.deletedJob) bus.publish({ type: 'jobDeleted', at, jobKey: jobDetail.key });
  }

  /** The end of occurrences with the last of their parts. */
  #publishEnd({ endedOccurrences = [] }: Partial<CompletionOutcome> = {}): void {
    const { bus, clock } = this.#parts;
    for (const ended of endedOccurrences) bus.publish({ at: clock.now(), ...completedOccurrence(ended) });
  }

  /** A retry whose job is gone was not stored, and nothing follows. */
  #publishRetry({ firing, further, run }: Completion, error: Error, outcome: CompletionOutcome | undefined): void {
    const { bus, clock } = this.#parts;
    const at = clock.now();
    const occurrence = occurrenceOf(firing);
    const trigger = further?.find(({ key }) => key.group === RETRYING_JOBS);
    if (trigger !== undefined && outcome?.notStored?.some((key) => sameKey(key, trigger.key))) return;
    if (trigger === undefined) {
      if (run?.isDeadLetter) bus.publish({ type: 'retriesExhausted', at, firing, occurrence, error });
    } else bus.publish({ type: 'retryScheduled', at, firing, occurrence, trigger, error });
  }
}

/** Whether something follows from a failure, or nothing does any more. */
function isWorthTelling({ completion: { further, run } }: Pick<EndedFiring, 'completion'>): boolean {
  return further !== undefined || run?.isDeadLetter === true;
}

function isAwaited({ completion }: EndedFiring): boolean {
  return completion.parts !== undefined || concernsOthers(completion);
}
