import type { Clock, EpochMs } from './clock';
import { SchedulerError } from './errors';

interface Sleeper {
  readonly time: EpochMs;
  wake(): void;
}

/** A clock that tests move by hand. Nothing happens by itself; who sleeps is woken in the order of the times asked for. */
export class ManualClock implements Clock {
  #now: EpochMs;
  #monotonic = 0;
  /** By time, then in the order of arrival. */
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

  /** When the first of those who sleep wants to be woken; null when nobody sleeps. */
  get nextWakeTime(): EpochMs | null {
    return this.#sleepers[0]?.time ?? null;
  }

  /** When those who sleep want to be woken, ascending. */
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
   * Lets time pass: moves both clocks to `time` and wakes everyone due by then. They go on when the caller awaits.
   * Throws INVALID_ARGUMENT when `time` lies in the past.
   */
  advanceTo(time: Date | EpochMs): void {
    const target = this.checkAhead(time);
    this.#monotonic += target - this.#now;
    this.#now = target;
    this.#wakeDue();
  }

  /** The time as epoch milliseconds. Throws INVALID_ARGUMENT when it lies in the past, or is none. */
  checkAhead(time: Date | EpochMs): EpochMs {
    const target = toTime(time);
    if (target >= this.#now) return target;
    const found = `${new Date(target).toISOString()}; the clock is at ${new Date(this.#now).toISOString()}`;
    throw new SchedulerError(
      'INVALID_ARGUMENT',
      `Expected a time in the future, found ${found}. Use stepTo to set the clock back.`,
    );
  }

  /** Lets `milliseconds` pass. */
  advanceBy(milliseconds: number): void {
    this.advanceTo(this.#now + milliseconds);
  }

  /** Sets the wall clock, forward or back, without time passing. Everyone is woken to look at it again. */
  stepTo(time: Date | EpochMs): void {
    this.#now = toTime(time);
    for (const sleeper of this.#sleepers) sleeper.wake();
  }

  #wakeDue(): void {
    for (const sleeper of this.#sleepers) {
      if (sleeper.time > this.#now) return;
      sleeper.wake();
    }
  }
}

function toTime(time: Date | EpochMs): EpochMs {
  const milliseconds = time instanceof Date ? time.getTime() : time;
  if (Number.isFinite(milliseconds)) return milliseconds;
  throw new SchedulerError('INVALID_ARGUMENT', `Expected a valid Date or milliseconds, found ${String(time)}.`);
}
