import { ClockWatch, type EpochMs } from '../base/clock';
import type { Gate } from '../base/gate';
import type { RandomSource } from '../base/ids';
import { type Backoff, retry } from '../base/retry';
import { sleepFor } from '../base/sleep';
import type { WakeSignal } from '../base/wake-signal';
import { TimeSlice, yieldToEventLoop } from '../base/yield-to-event-loop';
import { BatchPace, type BatchPaceOptions } from '../domain/acquisition';
import type { AcquiredTrigger, FireResult } from '../domain/firing';
import { SharedErrorThrottle, type SharedErrorThrottleParts } from '../events/error-throttle';
import type { EventBus } from '../events/event-bus';
import type { AcquireResult, FireNow, FiringStore } from '../store/job-store';
import { type WorkerPool, WorkerReservations } from '../workers/worker-pool';
import type { CompletionQueue } from './completion-queue';
import type { FiringDispatch } from './firing-dispatch';
import type { GroupSlots } from './group-slots';
import { StallWatch, type StallWatchOptions, type StallWatchParts, YIELD_MS } from './stall-watch';

export interface TriggerLoopParts extends SharedErrorThrottleParts, StallWatchParts {
  readonly store: Pick<FiringStore, 'acquireTriggers' | 'fireTriggers' | 'releaseTriggers'>;
  readonly wake: WakeSignal;
  readonly random: RandomSource;
  readonly bus: EventBus;
  readonly completions: Pick<CompletionQueue, 'hasCapacity' | 'whenCapacity'>;
  readonly workers: WorkerPool;
  readonly dispatch: FiringDispatch;
  readonly jobTypes: () => readonly string[];
  /** Remaining capacity of the groups with a limit on this node; null if no group has a limit. */
  readonly slots: GroupSlots | null;
  /** Gate that is closed while this node may not fire. */
  readonly gate: Pick<Gate, 'isOpen' | 'whenOpen'>;
  /** Called when triggers may have misfired: the loop woke or got a worker later than expected by more than the misfire threshold. */
  readonly onStall: () => void;
}

/** Settings of the trigger loop. Durations are in milliseconds. */
export interface TriggerLoopOptions extends BatchPaceOptions, StallWatchOptions {
  readonly idleWaitTime: number;
  readonly misfireThreshold: number;
  /** Maximum delay before a failed request to the store is retried. */
  readonly retryInterval: number;
}

const FIRST_RETRY_DELAY_MS = 100;
/** Maximum number of attempts to release triggers while the loop is stopping. */
const LAST_ATTEMPTS = 3;
/** If the fire time is nearer than this, waiting costs less than releasing and acquiring again. Same value as in Quartz's memory store. */
const TOO_LATE_TO_RELEASE_MS = 7;

/**
 * Acquires due triggers, waits for their fire time, fires them, and dispatches each firing to a worker.
 *
 * Two kinds of request fire triggers. Both end in `FiringDispatch.dispatch`, and use workers that `WorkerReservations`
 * has reserved:
 *
 *   iteration of the loop  #acquire, which fires triggers due now or soon → otherwise wait for the fire time → #fire
 *   schedule change        offer → the store fires in the transaction of the change → dispatchReserved
 *
 * A schedule change fires its new triggers that are already due, without waiting for the loop. It uses only workers
 * that the loop has not reserved.
 */
export class TriggerLoop {
  /** Decides which triggers this node may acquire after its event loop was blocked. */
  readonly stalls: StallWatch;
  readonly #parts: TriggerLoopParts;
  readonly #options: TriggerLoopOptions;
  readonly #slice: TimeSlice;
  readonly #clockWatch: ClockWatch;
  readonly #pace: BatchPace;
  readonly #dispatch: FiringDispatch;
  readonly #reservations: WorkerReservations;
  readonly #errors: SharedErrorThrottle;
  readonly #backoff: Backoff;
  #isAsleep = true;
  #isFiring = false;
  /** True if the last acquisition found triggers that the other nodes had left waiting. */
  #hasLeftovers = false;
  #acquisitions = 0;
  #emptyAcquisitions = 0;
  #stopped = AbortSignal.abort();

  constructor(parts: TriggerLoopParts, options: TriggerLoopOptions) {
    this.#parts = parts;
    this.#options = options;
    this.stalls = new StallWatch(parts, options);
    this.#slice = new TimeSlice(parts.clock);
    this.#clockWatch = new ClockWatch(parts.clock);
    this.#pace = new BatchPace(options);
    this.#dispatch = parts.dispatch;
    this.#reservations = new WorkerReservations(parts.workers);
    this.#backoff = { firstDelay: FIRST_RETRY_DELAY_MS, maxDelay: options.retryInterval, random: parts.random };
    this.#errors = new SharedErrorThrottle(parts, this.#backoff);
  }

  /** True while the loop waits for a time, a worker, or a change. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** `requested`: number of acquisitions since construction. `empty`: number of acquisitions that found no trigger. */
  get acquisitions(): { readonly requested: number; readonly empty: number } {
    return { requested: this.#acquisitions, empty: this.#emptyAcquisitions };
  }

  /** Calls `runOnce` repeatedly until `signal` aborts. Never rejects: an error of the store ends only the current iteration. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isAsleep = false;
    this.#isFiring = true;
    this.#stopped = signal;
    const watching = this.stalls.run(signal);
    while (!signal.aborted) {
      try {
        await this.runOnce(signal);
        this.#errors.end();
      } catch (error) {
        await this.#pauseAfter(error, signal);
      }
      if (this.#slice.isOver()) await this.#breathe();
    }
    await watching;
    this.#isFiring = false;
    this.#isAsleep = true;
    await this.#reservations.whenTheseEnd(); // schedule changes in progress may still fire triggers
    await this.#dispatch.whenHeldHaveStarted();
  }

  /** Waits until this node may fire and a worker is free, then acquires and fires one batch. Rejects with the store's error. */
  async runOnce(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const workers = await this.#whenReady(signal);
    if (workers <= 0) return;
    const { fired, pollAgainAt } = await this.#fill(workers, signal).finally(() => this.#reservations.keepForLoop(0));
    const end = fired.length === 0 ? null : (pollAgainAt ?? this.#pace.restUntil(fired, workers));
    if (end !== null && end > clock.now()) await this.#sleepUntil(end, signal);
  }

  /** Waits until this node may fire and a worker is free. Returns the number of workers that a batch may use; 0: none now. */
  async #whenReady(signal: AbortSignal): Promise<number> {
    const { clock, gate } = this.#parts;
    if (!gate.isOpen) await this.#asleep(gate.whenOpen(signal));
    if (this.stalls.takes() !== 'all' && !this.#hasLeftovers) await this.#asleep(sleepFor(clock, YIELD_MS, signal));
    await this.#dispatch.whenNoneWaits();
    const free = await this.#gathered(await this.#whenFree(signal), signal);
    // The gate may have closed during the waits. Once it is closed, no further request may be sent to the store.
    return signal.aborted || !gate.isOpen ? 0 : this.#pace.maxCount(free);
  }

  /** Acquires and fires one batch. If no trigger is due, waits until a trigger may be due. */
  async #fill(workers: number, signal: AbortSignal): Promise<Omit<AcquireResult, 'acquired'>> {
    this.#reservations.keepForLoop(workers);
    if (this.stalls.takes() !== 'all') return { fired: await this.#fireLeftovers(workers, signal) };
    const { acquired, fired, pollAgainAt } = await this.#acquire(workers, this.#options.idleWaitTime);
    this.#dispatch.dispatch(fired); // triggers that are due now or soon
    if (fired.length > 0) return { fired, ...(pollAgainAt !== undefined && { pollAgainAt }) };
    this.#reservations.keepForLoop(acquired.length);
    const nextPoll = this.#parts.clock.now() + this.#options.idleWaitTime;
    if (acquired.length === 0) await this.#sleepUntil(Math.min(nextPoll, pollAgainAt ?? nextPoll), signal);
    else if (await this.#waitForFireTime(acquired, signal)) return { fired: await this.#fire(acquired, signal) };
    else await this.#release(acquired, signal);
    return { fired: [] };
  }

  /** While this node holds back, fires one batch of due triggers that the other nodes have left waiting. */
  async #fireLeftovers(maxCount: number, signal: AbortSignal): Promise<readonly FireResult[]> {
    this.#hasLeftovers = false;
    if (this.stalls.takes() === 'nothing') return [];
    const { acquired, fired } = await this.#acquire(maxCount, -YIELD_MS, 0);
    this.#dispatch.dispatch(fired);
    this.#hasLeftovers = acquired.length + fired.length > 0;
    return acquired.length === 0 ? fired : [...fired, ...(await this.#fire(acquired, signal))];
  }

  /**
   * Reserves workers for `count` triggers that a schedule change may fire immediately. Returns null, and leaves them to the loop, if this node may
   * not fire now, too few workers are free, or too many completions are pending. Any other result must be passed to `dispatchReserved`.
   */
  offer(count: number): FireNow | null {
    const { gate, completions, jobTypes, slots } = this.#parts;
    const hasCapacity = completions.hasCapacity() && count > 0 && count <= this.#reservations.spare;
    const isReady = hasCapacity && this.#dispatch.whenNoneWaits() === undefined;
    if (!this.#isFiring || !gate.isOpen || !isReady || this.stalls.takes() !== 'all') return null;
    const offer = { maxCount: count, jobTypes: jobTypes(), ...(slots !== null && { exceptGroups: slots.groups }) };
    this.#reservations.begin(offer);
    return offer;
  }

  /** Dispatches the triggers that a schedule change has fired, if any, and ends the reservation. */
  dispatchReserved(offer: FireNow, fired: readonly FireResult[]): void {
    this.#dispatch.publishAcquired(fired.length);
    this.#dispatch.dispatch(fired);
    this.#reservations.end(offer);
  }

  /**
   * Drops firings that wait on this node for their fire time, because another node may have recovered them. Also
   * releases them in the store: a firing that no node has recovered is then recovered like a firing of a failed node.
   */
  dropHeld(): void {
    // Copies only `trigger` and `runId`: given a whole firing, the store's thread would expect a completion.
    const dropped = this.#dispatch.dropHeld().map(({ trigger, runId }) => ({ trigger, runId }));
    if (dropped.length > 0) void this.#release(dropped, this.#stopped).catch(() => undefined);
  }

  /** Resolves when every firing stored before the call was dispatched, and has reached its fire time or was dropped. */
  async whenDispatched(): Promise<void> {
    await this.#reservations.whenTheseEnd();
    await yieldToEventLoop(); // lets the current iteration of the loop continue first
    await this.#dispatch.whenHeldHaveStarted();
  }

  /** For tests. Fires one batch of due triggers without waiting. Returns their number. Rejects with the store's error. */
  async fireDue(): Promise<number> {
    const { workers } = this.#parts;
    const free = this.#pace.maxCount(workers.size - workers.running);
    const { acquired, fired } = await this.#acquire(free, 0, 0);
    this.#dispatch.dispatch(fired);
    if (acquired.length > 0) await this.#release(acquired, AbortSignal.abort());
    return fired.length;
  }

  async #whenFree(signal: AbortSignal): Promise<number> {
    const { clock, completions, workers, onStall } = this.#parts;
    if (completions.hasCapacity() && this.#reservations.free > 0) return this.#reservations.free;
    const since = clock.monotonic();
    await this.#asleep(completions.whenCapacity(signal));
    await this.#asleep(workers.whenFree(signal));
    while (!signal.aborted && this.#reservations.free <= 0) {
      await this.#asleep(this.#reservations.whenOneEnds());
      await this.#asleep(workers.whenFree(signal));
    }
    if (clock.monotonic() - since > this.#options.misfireThreshold) onStall();
    return this.#reservations.free;
  }

  async #gathered(free: number, signal: AbortSignal): Promise<number> {
    const { clock, workers } = this.#parts;
    const duration = this.#pace.gatheringTime(free, workers.size);
    if (duration === 0) return free;
    await this.#asleep(sleepFor(clock, duration, signal));
    return this.#reservations.free;
  }

  async #acquire(
    maxCount: number,
    lookAhead: number,
    timeWindow = this.#options.batchTimeWindow,
  ): Promise<AcquireResult> {
    const { misfireThreshold } = this.#options;
    const { store, clock, wake, jobTypes, slots } = this.#parts;
    const since = clock.monotonic();
    const now = clock.now();
    // Cleared before the request, so that a trigger that is scheduled during the request ends the next sleep.
    wake.clear();
    const groupCapacity = slots?.available();
    const { runsPerSlot } = this.#dispatch;
    const request = store.acquireTriggers({
      now,
      noLaterThan: now + lookAhead,
      maxCount,
      timeWindow,
      misfireThreshold,
      jobTypes: jobTypes(),
      fireWithin: this.#pace.fireWithin(timeWindow),
      ...(groupCapacity !== undefined && { groupCapacity }),
      ...(Object.keys(runsPerSlot).length > 0 && { runsPerSlot }),
    });
    const result = await this.#reservations.ofLoop(request);
    if (groupCapacity !== undefined) slots?.answered(groupCapacity, result);
    const count = result.acquired.length + result.fired.length;
    this.#acquisitions++;
    if (count === 0) this.#emptyAcquisitions++;
    const tookMs = clock.monotonic() - since;
    this.#pace.acquired({ count, maxCount, tookMs, timeWindow: result.timeWindow ?? timeWindow });
    this.#dispatch.publishAcquired(count);
    return result;
  }

  /**
   * Waits for the fire time of acquired triggers, and returns true shortly before it. Returns false if the loop stops, the gate closes or the node
   * holds back. Also returns false if an earlier trigger was scheduled or the clock was set back.
   */
  async #waitForFireTime(acquired: readonly AcquiredTrigger[], signal: AbortSignal): Promise<boolean> {
    const { clock, wake, gate } = this.#parts;
    const fireTime = (acquired[0]?.trigger.nextFireTime ?? 0) - this.#pace.lead;
    for (;;) {
      const remaining = fireTime - clock.now();
      if (signal.aborted || !gate.isOpen || remaining > this.#options.idleWaitTime) return false;
      if (this.stalls.takes() !== 'all') return false;
      if (remaining <= 0) return true;
      const change = wake.earliestChange();
      if (change === null || change >= fireTime) await this.#sleepUntil(fireTime, signal);
      else if (remaining > TOO_LATE_TO_RELEASE_MS) return false;
      else await this.#asleep(clock.sleepUntil(fireTime, signal));
    }
  }

  async #fire(acquired: readonly AcquiredTrigger[], signal: AbortSignal): Promise<readonly FireResult[]> {
    const { store, clock, slots, gate } = this.#parts;
    const { within = acquired, beyond = [] } = slots?.divide(acquired) ?? {};
    if (beyond.length > 0) await this.#release(beyond, signal);
    if (!gate.isOpen) {
      await this.#release(within, signal);
      return [];
    }
    try {
      const results = await this.#reservations.ofLoop(store.fireTriggers(within, clock.now()));
      this.#dispatch.dispatch(results);
      return results;
    } catch (error) {
      // The store may have fired the triggers despite the error. Releasing is safe, because it only affects triggers still reserved for this node.
      await this.#release(within, signal);
      throw error;
    }
  }

  /** Releases acquired triggers, with retries. A trigger that has already fired stays unchanged in the store, and is no longer in flight here. */
  async #release(acquired: readonly AcquiredTrigger[], signal: AbortSignal): Promise<void> {
    const { store, availability } = this.#parts;
    await retry(() => store.releaseTriggers(acquired), {
      ...this.#backoff,
      availability,
      signal,
      lastAttempts: LAST_ATTEMPTS,
      onFailure: (error) => this.#errors.report(`releasing acquired triggers (${acquired.length})`, error),
    });
    this.#errors.resetPauses(); // so that the failed releases do not lengthen the next pause of the loop
  }

  async #sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    const { clock, wake, onStall } = this.#parts;
    await this.#asleep(wake.waitUntil(time, signal));
    this.#slice.begin();
    this.#checkClock();
    if (clock.now() - time > this.#options.misfireThreshold) onStall();
  }

  async #asleep<T>(wait: T | Promise<T>): Promise<T> {
    this.#isAsleep = true;
    const answer = await wait;
    this.#isAsleep = false;
    return answer;
  }

  async #breathe(): Promise<void> {
    await yieldToEventLoop();
    this.#slice.begin();
    this.#checkClock();
  }

  #checkClock(): void {
    const { bus, clock } = this.#parts;
    const stepMs = this.#clockWatch.check();
    if (stepMs !== 0) bus.publish({ type: 'clockStepped', at: clock.now(), stepMs });
  }

  #pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    this.#errors.report('acquiring and firing triggers', error);
    return this.#asleep(this.#errors.pause(signal));
  }
}
