import { type ClassCounts, CountedClasses } from '../../base/counted-classes';
import { maskText } from '../../base/secrets';
import { METRICS, type MetricName } from './metric-table';

/** Label values of a metric, in the order of its definition. */
type Labels = readonly string[];

interface Series {
  readonly labels: Labels;
  value: number;
}

type ValueListener = (name: MetricName, value: number) => void;

/** Maximum number of label combinations of a metric. Further ones share one series, so that label values from outside cannot exhaust memory. */
const MAX_SERIES = 1_000;

export class MetricRegistry {
  readonly #series = new Map<MetricName, Map<string, Series>>();
  /** Histograms, as counts per bucket. */
  readonly #classes = new Map<MetricName, ClassCounts>();
  #listeners: readonly ValueListener[] = [];

  add(name: MetricName, labels: Labels = [], amount = 1): void {
    this.#seriesOf(name, labels).value += amount;
  }

  /** Sets a gauge, or a counter whose total is tracked elsewhere. */
  set(name: MetricName, value: number, labels: Labels = []): void {
    this.#seriesOf(name, labels).value = value;
  }

  observe(name: MetricName, value: number): void {
    let classes = this.#classes.get(name);
    if (!(classes instanceof CountedClasses)) {
      classes = new CountedClasses(METRICS[name].buckets ?? []);
      this.#classes.set(name, classes);
    }
    (classes as CountedClasses).add(value);
    for (const listener of this.#listeners) listener(name, value);
  }

  /** Sets the bucket counts of a histogram that is tracked elsewhere. The buckets must match the metric's definition. */
  setClasses(name: MetricName, classes: ClassCounts): void {
    this.#classes.set(name, classes);
  }

  /** Adds a listener for the values that `observe` receives. Returns a function that removes the listener. */
  onValue(listener: ValueListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  clear(name: MetricName): void {
    this.#series.delete(name);
    this.#classes.delete(name);
  }

  samples(name: MetricName): readonly Readonly<Series>[] {
    const found = [...(this.#series.get(name)?.values() ?? [])];
    const { type, labels = [] } = METRICS[name];
    // A counter without labels is exported from the start with 0, because Prometheus would otherwise miss its first increment.
    return found.length === 0 && type === 'counter' && labels.length === 0 ? [{ labels: [], value: 0 }] : found;
  }

  classes(name: MetricName): ClassCounts {
    return this.#classes.get(name) ?? new CountedClasses(METRICS[name].buckets ?? []);
  }

  /** Returns the lines of a metric without its header. `common` contains labels that are added to each line. */
  lines(name: MetricName, common: Readonly<Record<string, string>>): readonly string[] {
    const { type, labels: names = [] } = METRICS[name];
    if (type === 'histogram') return this.#histogramLines(name, common);
    return this.samples(name).map(({ labels, value }) => {
      const all = { ...common, ...Object.fromEntries(names.map((each, at) => [each, labels[at] ?? ''])) };
      return `${name}${labelText(all)} ${numberText(value)}`;
    });
  }

  #histogramLines(name: MetricName, common: Readonly<Record<string, string>>): readonly string[] {
    const { buckets = [] } = METRICS[name];
    const { counts, sums } = this.classes(name);
    let below = 0;
    const bounds = [...buckets, Number.POSITIVE_INFINITY].map((bound, at) => {
      below += counts[at] ?? 0;
      return `${name}_bucket${labelText({ ...common, le: numberText(bound) })} ${below}`;
    });
    const sum = sums.reduce((total, each) => total + each, 0);
    return [
      ...bounds,
      `${name}_sum${labelText(common)} ${numberText(sum)}`,
      `${name}_count${labelText(common)} ${below}`,
    ];
  }

  #seriesOf(name: MetricName, given: Labels): Series {
    let all = this.#series.get(name);
    if (all === undefined) {
      all = new Map();
      this.#series.set(name, all);
    }
    const known = all.get(given.join('\u0000'));
    if (known !== undefined) return known;
    const labels = all.size < MAX_SERIES ? given : given.map(() => 'other');
    const key = labels.join('\u0000');
    const series = all.get(key) ?? { labels, value: 0 };
    all.set(key, series);
    return series;
  }
}

/** Formats the registries of several schedulers as one text in Prometheus text format 0.0.4. */
export function prometheusText(
  registries: readonly { readonly scheduler: string; readonly registry: MetricRegistry }[],
): string {
  const parts = (Object.keys(METRICS) as MetricName[]).map((name) => {
    const { type, help } = METRICS[name];
    const lines = registries.flatMap(({ scheduler, registry }) => registry.lines(name, { scheduler }));
    const head = [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${type}`];
    return lines.length === 0 ? [] : [...head, ...lines];
  });
  return `${parts.flat().join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(maskText(value))}"`);
  return `{${pairs.join(',')}}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
