import type { Clock } from '../base/clock';
import { type EventLoopDelay, watchEventLoopDelay } from '../base/event-loop-delay';
import { collectMetrics } from '../operations/metrics/collect';
import { prometheusText } from '../operations/metrics/metric-registry';
import { metricsOf } from '../operations/metrics/node-metrics';
import type { ServedScheduler } from './served-schedulers';

/** Several scrapers within this time share one answer: each costs the store some readings. */
const KEPT_MS = 1_000;

/** The metrics of all schedulers, as Prometheus reads them. Counts from the moment it is made. */
export class MetricsText {
  readonly #served: readonly ServedScheduler[];
  readonly #clock: Clock;
  #readDelay: (() => EventLoopDelay) | null = null;
  #kept: { readonly until: number; readonly text: Promise<string> } | null = null;

  constructor(served: readonly ServedScheduler[], clock: Clock) {
    this.#served = served;
    this.#clock = clock;
    for (const { scheduler } of served) metricsOf(scheduler);
  }

  /** Never rejects: what cannot be read is left out. */
  async answer(): Promise<Response> {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
    return new Response(await this.#text(), { headers });
  }

  #text(): Promise<string> {
    const now = this.#clock.monotonic();
    if (this.#kept === null || now >= this.#kept.until) this.#kept = { until: now + KEPT_MS, text: this.#read() };
    return this.#kept.text;
  }

  async #read(): Promise<string> {
    // Measured from the first question on: without one it would cost a timer for nothing.
    this.#readDelay ??= watchEventLoopDelay();
    const { p50, p99, max } = this.#readDelay();
    const delays = [
      ['0.5', p50],
      ['0.99', p99],
      ['1', max],
    ] as const;
    const registries = this.#served.map(async ({ name, scheduler, control }) => {
      const { registry } = await collectMetrics(scheduler, control);
      for (const [quantile, delay] of delays) registry.set('quartz_event_loop_lag_seconds', delay, [quantile]);
      return { scheduler: name, registry };
    });
    return prometheusText(await Promise.all(registries));
  }
}
