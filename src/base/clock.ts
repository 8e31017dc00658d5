import { uptime } from 'node:os';

/** An instant: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** The earliest of the times, ignoring null; undefined when there is none. */
export function earliestOf(times: Iterable<EpochMs | null>): EpochMs | undefined {
  let earliest: EpochMs | undefined;
  for (const time of times) if (time !== null && (earliest === undefined || time < earliest)) earliest = time;
  return earliest;
}

/** Where time comes from. Everything that waits or asks the time is given one. */
export interface Clock {
  /** Wall-clock time; may step in both directions. */
  now(): EpochMs;
  /** Resolves when the wall clock reads `time`, when `signal` aborts, or within a second of a step of the wall clock. Never rejects. */
  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void>;
  /** Resolves after `duration` milliseconds of monotonic time, or when `signal` aborts; the function `sleepFor` is the default. Never rejects. */
  sleepFor?(duration: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds that only move forward; for leases and durations. */
  monotonic(): number;
}

/** The longest timer in a wait for a wall-clock time: timers run on the monotonic clock, and a step of the wall clock is to be noticed within a second. */
const MAX_TIMER_MS = 1_000;

/** Beyond 2^31 - 1 ms Node fires a timer at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Wall and monotonic clock may drift apart this far between two comparisons (NTP slews at most 0.5 ms a second); a larger difference is a step. */
const STEP_TOLERANCE_MS = 500;

export interface SystemClockOptions {
  /** Whether sleeping keeps the process alive (default true). */
  readonly keepsAlive?: boolean;
}

/** The machine's clock. The only code that reads the system time or sets a timer. */
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

  /** `left`: milliseconds until the clock is read again, 0 or less when the sleep is over. */
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

/** Milliseconds, plus a constant, that this machine was suspended since it was booted: only Linux reports them, 0 elsewhere. */
export function suspendedTime(): number {
  return process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0;
}

/** Notices when the wall clock was stepped, by comparing it with the monotonic one. */
export class ClockWatch {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = this.#read();
  }

  /** How far the wall clock was stepped since the last call, in milliseconds; 0 when it was not. */
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
