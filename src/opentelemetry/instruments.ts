import type { BatchObservableResult, Histogram, Meter, Observable } from '@opentelemetry/api';
import type { Scheduler } from '../api/scheduler';
import type { ClassCounts } from '../base/counted-classes';
import { collectMetrics } from '../operations/metrics/collect';
import { LoopLag } from '../operations/metrics/loop-lag';
import type { MetricRegistry } from '../operations/metrics/metric-registry';
import { METRICS, type MetricName } from '../operations/metrics/metric-table';
import { metricsOf } from '../operations/metrics/node-metrics';
import type { SchedulerControl } from '../scheduler/control';

/** Options of an instrument. Only durations have a unit, because Prometheus exporters append the unit to every name that does not contain it. */
const optionsOf = (name: MetricName) => ({
  description: METRICS[name].help,
  ...(name.includes('_seconds') && { unit: 's' }),
});

/** Exports the scheduler's metrics as instruments of a meter, under the names that `/metrics` uses. */
export class Instruments {
  /** Scheduler whose metrics are exported. Null after `end`, because a meter never releases its callbacks, which would keep it in memory. */
  #source: { readonly scheduler: Scheduler; readonly control: SchedulerControl } | null;
  readonly #registry: MetricRegistry;
  readonly #attributes: Readonly<Record<string, string>>;
  readonly #observables = new Map<MetricName, Observable>();
  readonly #histograms = new Map<MetricName, Histogram>();
  readonly #lag = new LoopLag();
  /** Counts of the lock wait histogram that were already recorded. */
  #recorded: ClassCounts = { counts: [], sums: [] };

  constructor(meter: Meter, scheduler: Scheduler, control: SchedulerControl) {
    this.#source = { scheduler, control };
    this.#registry = metricsOf(scheduler).registry;
    this.#attributes = { scheduler: scheduler.getSchedulerName() };
    for (const name of Object.keys(METRICS) as MetricName[]) this.#create(meter, name);
    this.#registry.onValue((name, value) => this.#histograms.get(name)?.record(value, this.#attributes));
    meter.addBatchObservableCallback((result) => this.#observe(result), [...this.#observables.values()]);
  }

  /** Stops reading from the scheduler. Later exports contain the last values. */
  end(): void {
    this.#source = null;
    for (const name of ['quartz_started', 'quartz_ready', 'quartz_workers_busy'] as const) this.#registry.set(name, 0);
  }

  #create(meter: Meter, name: MetricName): void {
    const { type, buckets = [] } = METRICS[name];
    const options = optionsOf(name);
    if (type === 'counter') this.#observables.set(name, meter.createObservableCounter(name, options));
    else if (type === 'gauge') this.#observables.set(name, meter.createObservableGauge(name, options));
    else {
      const advice = { explicitBucketBoundaries: [...buckets] };
      this.#histograms.set(name, meter.createHistogram(name, { ...options, advice }));
    }
  }

  async #observe(result: BatchObservableResult): Promise<void> {
    if (this.#source !== null) {
      await collectMetrics(this.#source.scheduler, this.#source.control);
      this.#lag.setIn([this.#registry]);
      this.#recordWaits();
    }
    for (const [name, instrument] of this.#observables) {
      const { labels: names = [] } = METRICS[name];
      for (const { labels, value } of this.#registry.samples(name)) {
        const own = Object.fromEntries(names.map((each, at) => [each, labels[at] ?? '']));
        result.observe(instrument, value, { ...this.#attributes, ...own });
      }
    }
  }

  /** Records lock waits. OpenTelemetry histograms do not accept counts per bucket. Therefore each new value is recorded as the mean of its bucket. */
  #recordWaits(): void {
    const histogram = this.#histograms.get('quartz_lock_wait_seconds');
    const { counts, sums } = this.#registry.classes('quartz_lock_wait_seconds');
    counts.forEach((count, place) => {
      const added = count - (this.#recorded.counts[place] ?? 0);
      const mean = ((sums[place] ?? 0) - (this.#recorded.sums[place] ?? 0)) / added;
      for (let each = 0; each < added; each++) histogram?.record(mean, this.#attributes);
    });
    this.#recorded = { counts: [...counts], sums: [...sums] };
  }
}
