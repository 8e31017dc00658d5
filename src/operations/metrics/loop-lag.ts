import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from './metric-registry';

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Event loop lag of this process since the previous read. Each reader of metrics needs its own instance. */
export class LoopLag {
  #histogram: IntervalHistogram | null = null;

  /** Sets the metric in each registry. Export the registries immediately afterwards, because another reader may overwrite the metric. */
  setIn(registries: readonly MetricRegistry[]): void {
    // Measuring begins with the first call, so that a process without metrics needs no timer. It does not keep the process alive.
    this.#histogram ??= startedHistogram();
    for (const percentile of [50, 99, 100]) {
      const lag = lagAt(percentile, this.#histogram);
      for (const registry of registries) registry.set('quartz_event_loop_lag_seconds', lag, [String(percentile)]);
    }
    this.#histogram.reset();
  }
}

function startedHistogram(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

/** Returns the lag in seconds. The histogram records the intervals between ticks of a timer. Without lag, an interval is `RESOLUTION_MS`. */
function lagAt(percentile: number, histogram: IntervalHistogram): number {
  const interval = percentile === 100 ? histogram.max : histogram.percentile(percentile);
  if (histogram.count === 0 || !Number.isFinite(interval)) return 0;
  return Math.max(0, interval / NS_PER_SECOND - RESOLUTION_MS / 1_000);
}
