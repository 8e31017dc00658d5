import type { Clock, EpochMs } from './clock';
import { badArgument } from './errors';

interface Sleeper {
  readonly time: EpochMs;
  wake(): void;
}

/** Clock for tests that moves only when the test moves it. Wakes sleepers in the order of their times. */
export class ManualClock implements Clock {
  #now: EpochMs;
  #monotonic = 0;
  /** Sorted by wake time, then in the order in which the sleepers were added. */
  #sleepers: readonly Sleeper[] = [];

  /** Throws INVALID_ARGUMENT for an invalid Date. */
  constructor(start: Date | EpochMs = 0) {
    this.#now = toTime(start);
  }

  now(): EpochMs {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Time of the next sleeper, or null if there is none. */
  get nextWakeTime(): EpochMs | null {
    return this.#sleepers[0]?.time ?? null;
  }

  /** Times of all sleepers, in ascending order. */
  get wakeTimes(): readonly EpochMs[] {
    return this.#sleepers.map(({ time }) => time);
  }

  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    if (time <= this.#now || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        time,
        wake: () => {
          signal.removeEventListener('abort', sleeper.wake);
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          resolve();
        },
      };
      signal.addEventListener('abort', sleeper.wake);
      const after = this.#sleepers.findIndex((other) => other.time > time);
      this.#sleepers = this.#sleepers.toSpliced(after === -1 ? this.#sleepers.length : after, 0, sleeper);
    });
  }

  /**
   * Moves the wall clock and the monotonic clock forward to `time`. Wakes all sleepers that are due by then; their code continues when the caller
   * awaits. Throws INVALID_ARGUMENT if `time` is in the past.
   */
  advanceTo(time: Date | EpochMs): void {
    const target = this.checkAhead(time);
    this.#monotonic += target - this.#now;
    this.#now = target;
    for (const sleeper of this.#sleepers) {
      if (sleeper.time > target) return;
      sleeper.wake();
    }
  }

  /** Returns `time` in epoch milliseconds. Throws INVALID_ARGUMENT if it is invalid or in the past. */
  checkAhead(time: Date | EpochMs): EpochMs {
    const target = toTime(time);
    if (target >= this.#now) return target;
    const found = `${new Date(target).toISOString()}; the clock is at ${new Date(this.#now).toISOString()}`;
    throw badArgument(`Expected a time in the future, found ${found}. Use stepTo to set the clock back.`);
  }

  /** Moves both clocks forward by `milliseconds`. Throws INVALID_ARGUMENT for a negative number. */
  advanceBy(milliseconds: number): void {
    this.advanceTo(this.#now + milliseconds);
  }

  /** Sets the wall clock forward or back, without moving the monotonic clock. Wakes all sleepers, so that they read the new time. */
  stepTo(time: Date | EpochMs): void {
    this.#now = toTime(time);
    for (const sleeper of this.#sleepers) sleeper.wake();
  }
}

function toTime(time: Date | EpochMs): EpochMs {
  const milliseconds = time instanceof Date ? time.getTime() : time;
  if (Number.isFinite(milliseconds)) return milliseconds;
  throw badArgument(`Expected a valid Date or milliseconds, found ${String(time)}.`);
}
