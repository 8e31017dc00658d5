import { uptime } from 'node:os';
import { minOf } from './lists';

/** Time in milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

export function earliestOf(times: Iterable<EpochMs | null>): EpochMs | undefined {
  return minOf(times) ?? undefined;
}

export const DAY_MS = 86_400_000;

/** Latest time of a Date, in the year 275760. The earliest is its negative. */
export const MAX_TIME: EpochMs = 8.64e15;

/** Source of time. All code that waits or reads the time uses a clock, so that tests can replace it. */
export interface Clock {
  /** Returns the wall-clock time. It may jump forward or back. */
  now(): EpochMs;
  /** Resolves when the wall clock reaches `time` or when `signal` aborts. Resolves early, within a second, if the wall clock jumps. Never rejects. */
  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void>;
  /**
   * Resolves after `duration` milliseconds of monotonic time, or when `signal` aborts. Never rejects. Call it through `base/sleep`, which uses
   * `sleepUntil` if a clock lacks this method.
   */
  sleepFor?(duration: number, signal: AbortSignal): Promise<void>;
  /** Returns monotonic time in milliseconds, for durations and leases. */
  monotonic(): number;
  /** Time in milliseconds by which this clock is ahead of its source, because the source was set back. Default: 0. */
  readonly ahead?: number;
}

/** Maximum duration of a timer that waits for a wall-clock time. A jump of the wall clock is noticed only when a timer ends. */
const MAX_TIMER_MS = 1_000;

/** Maximum duration of a timer. Node runs timers with longer durations immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Larger changes of the difference between wall clock and monotonic clock count as a jump. NTP corrects at most 0.5 ms per second. */
const STEP_TOLERANCE_MS = 500;

interface SystemClockOptions {
  /** True if a sleeping timer keeps the process alive. Default: true. */
  readonly keepsAlive?: boolean;
}

/** Clock of this machine. No other code reads the system time or sets timers. */
export class SystemClock implements Clock {
  readonly #keepsAlive: boolean;

  constructor({ keepsAlive = true }: SystemClockOptions = {}) {
    this.#keepsAlive = keepsAlive;
  }

  now(): EpochMs {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    const offset = Date.now() - performance.now();
    return this.#sleep(() => {
      const now = Date.now();
      const isStepped = Math.abs(now - performance.now() - offset) > STEP_TOLERANCE_MS;
      return isStepped ? 0 : Math.min(time - now, MAX_TIMER_MS);
    }, signal);
  }

  sleepFor(duration: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + duration;
    return this.#sleep(() => Math.min(end - performance.now(), MAX_TIMEOUT_MS), signal);
  }

  /** Sleeps until `left` returns 0 or less. `left` returns the number of milliseconds after which it must be called again. */
  #sleep(left: () => number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const check = () => {
        const milliseconds = left();
        if (milliseconds <= 0) return finish();
        timer = setTimeout(check, Math.ceil(milliseconds));
        if (!this.#keepsAlive) timer.unref();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', finish);
      check();
    });
  }
}

/** Milliseconds that this machine has been suspended since boot, plus an unknown constant: compare two results. 0 except on Linux. */
export function suspendedTime(): number {
  return process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0;
}

/** Detects jumps of the wall clock by comparing it with the monotonic clock. */
export class ClockWatch {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#read();
  }

  /** Returns the jump of the wall clock since the last call, in milliseconds. Negative if it was set back; 0 if it has not jumped. */
  check(): number {
    const offset = this.#read();
    const step = Math.round(offset - this.#offset);
    this.#offset = offset;
    return Math.abs(step) > STEP_TOLERANCE_MS ? step : 0;
  }

  #read(): number {
    return this.#clock.now() - this.#clock.monotonic() - (this.#clock.ahead ?? 0);
  }
}
