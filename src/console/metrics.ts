import type { Clock } from '../base/clock';
import { collectMetrics } from '../operations/metrics/collect';
import { LoopLag } from '../operations/metrics/loop-lag';
import { prometheusText } from '../operations/metrics/metric-registry';
import { metricsOf } from '../operations/metrics/node-metrics';
import type { ServedScheduler } from './served-schedulers';

/** Several scrapers within this time share one answer: each costs the store some readings. */
const KEPT_MS = 1_000;

/** The metrics of all schedulers, as Prometheus reads them. Counts from the moment it is made. */
export class MetricsText {
  readonly #served: readonly ServedScheduler[];
  readonly #clock: Clock;
  readonly #lag = new LoopLag();
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
    const collected = await Promise.all(
      this.#served.map(async ({ name, scheduler, control }) => {
        const { registry } = await collectMetrics(scheduler, control);
        return { scheduler: name, registry };
      }),
    );
    this.#lag.setIn(collected.map(({ registry }) => registry));
    return prometheusText(collected);
  }
}
