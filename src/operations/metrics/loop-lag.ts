import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from './metric-registry';

/** Timer lateness of this process for one reader of metrics. Each reader gets the time since its own last read. */
export class LoopLag {
  #readDelay: (() => EventLoopDelay) | null = null;

  /** Into each of the registries, to be read at once: others who look set the same metric. */
  setIn(registries: readonly MetricRegistry[]): void {
    // Measured from the first question on: without one it would cost a timer for nothing.
    this.#readDelay ??= watchEventLoopDelay();
    const { p50, p99, max } = this.#readDelay();
    for (const registry of registries) {
      registry.set('quartz_event_loop_lag_seconds', p50, ['50']);
      registry.set('quartz_event_loop_lag_seconds', p99, ['99']);
      registry.set('quartz_event_loop_lag_seconds', max, ['100']);
    }
  }
}

/** Timer lateness of this process. Seconds. */
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
