import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from './metric-registry';

/** Event loop lag of this process since the previous read. Each reader of metrics needs its own instance. */
export class LoopLag {
  #readDelay: (() => EventLoopDelay) | null = null;

  /** Sets the metric in each registry. Export the registries immediately afterwards, because another reader may overwrite the metric. */
  setIn(registries: readonly MetricRegistry[]): void {
    // Measuring begins with the first call, so that a process without metrics needs no timer.
    this.#readDelay ??= watchEventLoopDelay();
    const { p50, p99, max } = this.#readDelay();
    for (const registry of registries) {
      registry.set('quartz_event_loop_lag_seconds', p50, ['50']);
      registry.set('quartz_event_loop_lag_seconds', p99, ['99']);
      registry.set('quartz_event_loop_lag_seconds', max, ['100']);
    }
  }
}

/** Event loop lag in seconds, since the previous read. */
export interface EventLoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Starts measuring. Returns a function that returns the lag since its previous call. Does not keep the process alive. */
export function watchEventLoopDelay(): () => EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // The histogram records the intervals between ticks of a timer. Without lag, an interval is RESOLUTION_MS.
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
