import { uptime } from 'node:os';

/** An instant: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** Where time comes from. Everything that waits or asks the time is given one. */
export interface Clock {
  /** Wall-clock time; may step in both directions. */
  now(): EpochMs;
  /**
   * Resolves when the wall clock reads `time`, as soon as `signal` aborts, or within a second of the wall clock being
   * stepped in either direction: look at the time again (or use `sleepFor`). Never rejects.
   */
  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void>;
  /** Milliseconds that only move forward; for leases and durations. */
  monotonic(): number;
}

/**
 * The longest single timer. Short enough to notice a stepped wall clock within a second (timers run on the monotonic
 * clock), and far below 2^31 - 1 ms, beyond which Node fires a timer at once.
 */
const LONGEST_TIMER = 1_000;

/** Wall and monotonic clock may drift apart this far during one sleep (NTP slews at most 0.5 ms a second). */
const STEP_TOLERANCE = 500;

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
    return new Promise((resolve) => {
      const offset = Date.now() - performance.now();
      let timer: NodeJS.Timeout | undefined;
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const step = () => {
        const now = Date.now();
        const stepped = Math.abs(now - performance.now() - offset) > STEP_TOLERANCE;
        if (now >= time || stepped) return finish();
        timer = setTimeout(step, Math.min(time - now, LONGEST_TIMER));
        if (!this.#keepsAlive) timer.unref();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', finish);
      step();
    });
  }
}

/**
 * For how long this machine has been suspended since it was booted: what its monotonic clock does not count. Only Linux tells; 0
 * elsewhere. Milliseconds, plus a constant.
 */
export function suspendedTime(): number {
  return process.platform === 'linux' ? uptime() * 1_000 - performance.now() : 0;
}
