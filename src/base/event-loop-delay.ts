import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the timers of this process were. Seconds. */
export interface EventLoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Measures from now on; each call of the function tells of the time since the one before. Keeps no process alive. */
export function watchEventLoopDelay(): () => EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // A timer that was on time counts with the resolution.
  const seconds = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NS_PER_SECOND - RESOLUTION_MS / 1_000) : 0;
  return () => {
    const isEmpty = histogram.count === 0;
    const delay = isEmpty
      ? { p50: 0, p99: 0, max: 0 }
      : {
          p50: seconds(histogram.percentile(50)),
          p99: seconds(histogram.percentile(99)),
          max: seconds(histogram.max),
        };
    histogram.reset();
    return delay;
  };
}
