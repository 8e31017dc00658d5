import type { EpochMs } from '../base/clock';
import type { ManualClock } from '../base/manual-clock';
import { yieldToEventLoop } from '../base/yield-to-event-loop';
import type { SchedulerRuntime } from './wire-scheduler';

/** Turns of the event loop in which nothing happens but waiting for the clock. */
const QUIET_TURNS = 3;

/** A sleeper of more than a year waits for something else, and sleeps only so as not to wait for ever. */
const FAR_AWAY_MS = 366 * 24 * 3_600_000;

/** Triggers read at once. */
const PAGE = 100;

/**
 * Lets time pass for a scheduler that does nothing by itself: from one moment at which something is due to the next, so
 * that everything happens at its own time and in order, however far time moves.
 */
export class Stepper {
  readonly #runtime: SchedulerRuntime;
  readonly #clock: ManualClock;
  /** Those who sleep while no job runs: plugins, a delayed start. */
  #idleSleepers = 0;

  constructor(runtime: SchedulerRuntime, clock: ManualClock) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** Runs what is due, moment by moment up to `target`. Resolves when all jobs have ended or sleep beyond it. */
  async advanceTo(time: Date | EpochMs): Promise<void> {
    const target = this.#clock.checkAhead(time);
    for (;;) {
      await this.runDue();
      const next = await this.#nextMoment();
      if (next === null || next > target) break;
      this.#clock.advanceTo(next);
    }
    this.#clock.advanceTo(target);
  }

  /** Runs what is due now. Resolves when all jobs have ended or sleep. */
  async runDue(): Promise<void> {
    const { engine, lifecycle, workers } = this.#runtime;
    // Those who were just woken go on first: it was their turn before.
    await yieldToEventLoop();
    if (workers.running === 0) this.#idleSleepers = this.#sleepers();
    const work = lifecycle.state === 'started' ? engine.runOnce() : engine.whenQuiet();
    const ended = new AbortController();
    await Promise.race([work.finally(() => ended.abort()), this.#whenAllSleep(ended.signal)]);
  }

  /** Resolves when every running job waits for the clock, which is ours to move. */
  async #whenAllSleep(signal: AbortSignal): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS && !signal.aborted; turns = this.#allSleep() ? turns + 1 : 0) {
      await yieldToEventLoop();
    }
  }

  #allSleep(): boolean {
    const { running } = this.#runtime.workers;
    return running > 0 && this.#sleepers() - this.#idleSleepers >= running;
  }

  #sleepers(): number {
    const now = this.#clock.now();
    return this.#clock.wakeTimes.filter((time) => time < now + FAR_AWAY_MS).length;
  }

  async #nextMoment(): Promise<EpochMs | null> {
    const fireTime = this.#runtime.lifecycle.state === 'started' ? await this.#nextFireTime() : null;
    const wakeTime = this.#clock.nextWakeTime;
    return fireTime === null || wakeTime === null ? (fireTime ?? wakeTime) : Math.min(fireTime, wakeTime);
  }

  /** The first fire time to come. What is due and did not fire waits for something else than time. */
  async #nextFireTime(): Promise<EpochMs | null> {
    const { store } = this.#runtime;
    const now = this.#clock.now();
    for (let skip = 0; ; skip += PAGE) {
      const { items } = await store.queryTriggers({ states: ['WAITING'], sort: 'nextFireTime', skip, take: PAGE });
      const next = items.map(({ trigger }) => trigger.nextFireTime).find((time) => time === null || time > now);
      if (next !== undefined) return next;
      if (items.length < PAGE) return null;
    }
  }
}
