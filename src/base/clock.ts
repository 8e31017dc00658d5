/** An instant: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** Where time comes from. Everything that waits or asks the time is given one. */
export interface Clock {
  /** Wall-clock time; may step in both directions. */
  now(): EpochMs;
  /** Resolves at `time` on the wall clock, or as soon as `signal` aborts. Never rejects. */
  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void>;
  /** Milliseconds that only move forward; for leases and durations. */
  monotonic(): number;
}

/**
 * The longest single timer. Short enough to notice a stepped wall clock within a second (timers run on the monotonic
 * clock), and far below 2^31 - 1 ms, beyond which Node fires a timer at once.
 */
const LONGEST_TIMER = 1_000;

/** The machine's clock. The only code that reads the system time or sets a timer. */
export class SystemClock implements Clock {
  now(): EpochMs {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const step = () => {
        const remaining = time - Date.now();
        if (remaining <= 0) return finish();
        timer = setTimeout(step, Math.min(remaining, LONGEST_TIMER));
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', finish);
      step();
    });
  }
}
