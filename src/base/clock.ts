import { uptime } from 'node:os';

/** A point in time in milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** Returns the earliest of the times, ignoring null; undefined if there is none. */
export function earliestOf(times: Iterable<EpochMs | null>): EpochMs | undefined {
  let earliest: EpochMs | undefined;
  for (const time of times) if (time !== null && (earliest === undefined || time < earliest)) earliest = time;
  return earliest;
}

/** Source of time. All code that waits or reads the time receives a clock. */
export interface Clock {
  /** Returns the wall-clock time, which may step in both directions. */
  now(): EpochMs;
  /**
   * Resolves when the wall clock reaches `time`, when `signal` aborts, or within a second after the wall clock was
   * stepped. Never rejects.
   */
  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void>;
  /**
   * Resolves after `duration` milliseconds of monotonic time, or when `signal` aborts. Never rejects. Default: the
   * function `sleepFor`.
   */
  sleepFor?(duration: number, signal: AbortSignal): Promise<void>;
  /** Returns monotonic time in milliseconds, for leases and durations. */
  monotonic(): number;
}

/**
 * Maximum length of a timer while waiting for a wall-clock time. Timers use the monotonic clock, and a step of the wall
 * clock must be noticed within a second.
 */
const MAX_TIMER_MS = 1_000;

/** Maximum delay of a timer: for longer delays, Node fires it immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Drift between wall and monotonic clock that is tolerated between two comparisons (NTP corrects at most 0.5 ms per
 * second). A larger difference is a step.
 */
const STEP_TOLERANCE_MS = 500;

export interface SystemClockOptions {
  /** True if sleeping keeps the process alive. Default: true. */
  readonly keepsAlive?: boolean;
}

/** The machine's clock. No other code reads the system time or sets timers. */
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

  /** Sleeps until `left` returns 0 or less. `left` returns the milliseconds until it must be called again. */
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

/**
 * Returns for how many milliseconds this machine has been suspended since boot, plus a constant. Only Linux reports
 * this; 0 elsewhere.
 */
export function suspendedTime(): number {
  return process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0;
}

/** Detects steps of the wall clock by comparing it with the monotonic clock. */
export class ClockWatch {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#read();
  }

  /** Returns by how many milliseconds the wall clock was stepped since the last call; 0 if it was not. */
  check(): number {
    const offset = this.#read();
    const step = Math.round(offset - this.#offset);
    this.#offset = offset;
    return Math.abs(step) > STEP_TOLERANCE_MS ? step : 0;
  }

  #read(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
