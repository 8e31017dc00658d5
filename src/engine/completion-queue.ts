import { setMaxListeners } from 'node:events';
import type { EpochMs } from '../base/clock';
import { Gate } from '../base/gate';
import type { RandomSource } from '../base/ids';
import { addAll } from '../base/lists';
import { PendingCount } from '../base/pending-count';
import { type Backoff, backoffDelay } from '../base/retry';
import { completesWithin, sleepFor } from '../base/sleep';
import { type Completion, concernsOthers } from '../domain/completion';
import { sameKey } from '../domain/keys';
import type { LoadCounts } from '../domain/load-counts';
import { occurrenceOf, RETRYING_JOBS } from '../domain/occurrence';
import { handOversOf } from '../domain/recovery';
import { completedOccurrence } from '../domain/shards';
import { isEndedByCalendar } from '../domain/trigger-end';
import { SharedErrorThrottle, type SharedErrorThrottleParts } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { CompletionOutcome, FiringStore } from '../store/job-store';

interface CompletionQueueParts extends SharedErrorThrottleParts {
  readonly store: Pick<FiringStore, 'completeTriggers'>;
  readonly bus: EventBus;
  readonly random: RandomSource;
  readonly load: Pick<LoadCounts, 'ended'>;
}

/** Settings of a completion queue, in milliseconds. */
interface CompletionQueueOptions {
  /**
   * Minimum time between the starts of two writes; 0 to write immediately. Three kinds of write never wait: full
   * batches, the last completions before shutdown, and completions on which triggers or other nodes depend.
   */
  readonly flushInterval: number;
  /** Maximum delay before a failed write is retried. */
  readonly retryInterval: number;
}

/** Completion of an ended firing, with the data of the events that are published once the store has accepted it. */
interface EndedFiring {
  readonly completion: Completion;
  /** Duration of the job in milliseconds; -1 if the job did not run. */
  readonly jobRunTime: number;
  readonly error: Error | null;
}

/** Maximum number of completions per transaction. */
const MAX_BATCH = 500;
/** Events of a completion. */
const ENDS = ['triggerCompleted', 'triggerFinalized', 'triggerEndedByCalendar', 'jobDeleted'] as const;
/** Number of pending completions at which a write starts immediately. A larger batch would cost as much per completion. */
const FULL_WRITE = 400;
/** Maximum number of pending completions. Above it, the trigger loop stops acquiring, so that a store outage does not exhaust the memory. */
const MAX_WAITING = 2_000;
const FIRST_RETRY_DELAY_MS = 50;

/**
 * Writes completions to the store in batches, one batch at a time. Batches are at least `flushInterval` apart unless a
 * write must not wait. Retries a failed write until the store accepts it or the queue is closed.
 */
export class CompletionQueue {
  readonly #parts: CompletionQueueParts;
  readonly #flushIntervalMs: number;
  readonly #backoff: Backoff;
  readonly #errors: SharedErrorThrottle;
  readonly #pending = new PendingCount();
  readonly #closed = new AbortController();
  /** Number of times that the store has rejected a completion alone while it accepted others of the batch. */
  readonly #refusals = new WeakMap<EndedFiring, number>();
  /** Keys of the limits that runs took over from later firings of their slots, by run id. */
  readonly #passedTo = new Map<string, readonly string[]>();
  #waiting: EndedFiring[] = [];
  #batchSize = MAX_BATCH;
  #isFlushing = false;
  #isClosing = false;
  /** Closed while too many completions are pending. */
  readonly #capacity = new Gate();
  /** Start of the last write, in monotonic time. */
  #lastWrite = Number.NEGATIVE_INFINITY;
  #waitForMore: AbortController | null = null;

  constructor(parts: CompletionQueueParts, { flushInterval, retryInterval }: CompletionQueueOptions) {
    this.#parts = parts;
    this.#capacity.open();
    this.#flushIntervalMs = flushInterval;
    this.#backoff = { firstDelay: FIRST_RETRY_DELAY_MS, maxDelay: retryInterval, random: parts.random };
    this.#errors = new SharedErrorThrottle(parts, this.#backoff);
    setMaxListeners(0, this.#closed.signal); // each completion that the store rejects adds a listener while it waits for its retry
  }

  get pending(): number {
    return this.#pending.count;
  }

  get isFailing(): boolean {
    return this.#errors.isFailing;
  }

  /** Adds a completion. Never throws. After `close`, drops the completion, and the firing is recovered later. */
  enqueue(ended: EndedFiring): void {
    if (this.#closed.signal.aborted) return;
    this.#pending.begin();
    if (this.#pending.count > MAX_WAITING) this.#capacity.close();
    this.#waiting.push(this.#withLimits(ended));
    if (!this.#isFlushing) this.#begin();
    else if (this.#hasEnough || isAwaited(ended)) this.#waitForMore?.abort();
  }

  /** Counts a completion that a job's own transaction has stored, and publishes its events. */
  announce(ended: EndedFiring, outcome: CompletionOutcome): void {
    this.#passedTo.delete(ended.completion.firing.runId);
    this.#count(ended, this.#parts.clock.now());
    this.#publish(ended, outcome);
    this.#publishEnd(outcome);
  }

  hasCapacity(): boolean {
    return this.#capacity.isOpen;
  }

  /** Resolves when `hasCapacity` is true or `signal` aborts. */
  whenCapacity(signal: AbortSignal): Promise<void> {
    return this.#capacity.whenOpen(signal);
  }

  whenIdle(): Promise<void> {
    return this.#pending.whenNone();
  }

  /** Closes the queue once the store has accepted all completions, or after `timeoutMs`. Resolves to the number that was not stored. */
  async close(timeoutMs: number): Promise<number> {
    this.#isClosing = true;
    this.#waitForMore?.abort();
    if (this.pending > 0) await completesWithin(this.#parts.clock, timeoutMs, this.whenIdle());
    this.#closed.abort();
    return this.pending;
  }

  /** Adds an ended run to the load counts of the node. A firing whose job did not run is counted only if it failed. */
  #count({ jobRunTime, error }: EndedFiring, now: EpochMs): void {
    if (jobRunTime >= 0 || error !== null) this.#parts.load.ended(now, error !== null);
  }

  /** Adds the limits that a run took over. Notes those that a firing passes to a run. */
  #withLimits(ended: EndedFiring): EndedFiring {
    const { completion } = ended;
    const { runId, holds = [] } = completion.firing;
    if (completion.passesTo !== undefined) this.#passedTo.set(completion.passesTo, holds);
    const tookOver = this.#passedTo.size === 0 ? undefined : this.#passedTo.get(runId);
    if (tookOver === undefined) return ended;
    this.#passedTo.delete(runId);
    return { ...ended, completion: { ...completion, tookOver } };
  }

  #begin(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void this.#flush();
  }

  async #flush(): Promise<void> {
    // Waits one microtask, so that other jobs that end in the same turn of the event loop join the batch.
    await undefined;
    while (this.#waiting.length > 0 && !this.#closed.signal.aborted) {
      await this.#gather();
      await this.#write(this.#takeBatch());
    }
    this.#isFlushing = false;
  }

  /** Waits until `flushInterval` has passed since the last write: many small transactions cost the database twice as much as a large one. */
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
      // The batch is retried after newer ones, at half its size, so that a completion that the store cannot accept does not block others.
      addAll(this.#waiting, batch);
      this.#batchSize = Math.max(1, Math.floor(batch.length / 2));
      this.#errors.report(`storing completions (${batch.length})`, error);
      await this.#errors.pause(this.#closed.signal);
      return;
    }
    this.#errors.end();
    this.#batchSize = MAX_BATCH;
    this.#finish(batch, outcomes);
  }

  #finish(batch: readonly EndedFiring[], outcomes: readonly CompletionOutcome[]): void {
    const { bus, clock } = this.#parts;
    const now = clock.now(); // one end time for the whole batch
    const hasSubscribers = ENDS.some((type) => bus.has(type));
    batch.forEach((ended, index) => {
      const outcome = outcomes[index];
      if (outcome?.status === 'failed') {
        void this.#retryLater(ended);
        return;
      }
      if (outcome?.status !== 'fenced') this.#count(ended, now);
      if (hasSubscribers || hasFollowUp(ended) || outcome?.status === 'fenced') this.#publish(ended, outcome);
      this.#publishEnd(outcome);
      this.#pending.end();
    });
    if (!this.hasCapacity() && this.#pending.count <= MAX_WAITING) this.#capacity.open();
  }

  /** Enqueues a rejected completion again after a pause that grows with each rejection, because an immediate retry would delay other completions. */
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
    const isHandedOver = completion.isHandedOver === true ? { isHandedOver: true as const } : {};
    bus.publish({ type: 'triggerCompleted', at, firing, instruction, jobRunTime, error, ...isHandedOver });
    if (completion.isHandedOver === true) this.#publishHandOver(completion, outcome);
    else if (error !== null && hasFollowUp({ completion })) this.#publishRetry(completion, error, outcome);
    const isFinal = trigger.nextFireTime === null && (outcome?.deletedTrigger || instruction !== 'DELETE_TRIGGER');
    const type = isEndedByCalendar(trigger, firing.fireTime) ? 'triggerEndedByCalendar' : 'triggerFinalized';
    if (isFinal) bus.publish({ type, at, trigger });
    if (outcome?.deletedJob) bus.publish({ type: 'jobDeleted', at, jobKey: jobDetail.key });
  }

  /** Publishes the end of occurrences whose last shard or broadcast run has ended. */
  #publishEnd({ endedOccurrences = [] }: Partial<CompletionOutcome> = {}): void {
    const { bus, clock } = this.#parts;
    for (const ended of endedOccurrences) bus.publish({ at: clock.now(), ...completedOccurrence(ended) });
  }

  /** Publishes `runHandedOver`, or nothing if its trigger or job was deleted, so that nothing repeats the run. */
  #publishHandOver({ firing, further = [] }: Completion, outcome: CompletionOutcome | undefined): void {
    const { bus, clock } = this.#parts;
    const [trigger] = further;
    if (trigger === undefined || (outcome?.notStored?.length ?? 0) > 0) return;
    const handOvers = handOversOf(trigger.data);
    const occurrence = occurrenceOf(firing);
    bus.publish({ type: 'runHandedOver', at: clock.now(), firing, occurrence, trigger, handOvers });
  }

  /** Publishes `retryScheduled` for a stored retry, `retriesExhausted` for a dead letter, or nothing if the retry's job was deleted. */
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

/** True if the completion stores a dead letter, or further triggers such as a retry. */
function hasFollowUp({ completion: { further, run } }: Pick<EndedFiring, 'completion'>): boolean {
  return further !== undefined || run?.isDeadLetter === true;
}

function isAwaited({ completion }: EndedFiring): boolean {
  return (
    completion.parts !== undefined ||
    completion.isRefused === true ||
    completion.firing.isAwaited === true ||
    completion.tookOver !== undefined ||
    concernsOthers(completion)
  );
}
