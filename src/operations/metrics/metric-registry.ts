import { definitionOf, METRICS, type MetricName } from './metric-table';

/** The values of a metric's labels, in their order. */
type Labels = readonly string[];

interface Series {
  readonly labels: Labels;
  value: number;
  /** Of a histogram: how many were below each bound, and how many there were. */
  readonly counts: number[];
  count: number;
}

/** Beyond this many combinations of labels, all further ones are one: memory must not grow with what others name. */
const MAX_SERIES = 1_000;

/** Counts what is measured, and writes it as Prometheus reads it. */
export class MetricRegistry {
  readonly #series = new Map<MetricName, Map<string, Series>>();

  /** Adds to a counter. */
  add(name: MetricName, labels: Labels = [], amount = 1): void {
    this.#seriesOf(name, labels).value += amount;
  }

  /** Sets a gauge, or a counter that is counted elsewhere. */
  set(name: MetricName, value: number, labels: Labels = []): void {
    this.#seriesOf(name, labels).value = value;
  }

  /** Adds a value to a histogram. */
  observe(name: MetricName, value: number): void {
    const series = this.#seriesOf(name, []);
    const { buckets = [] } = definitionOf(name);
    series.value += value;
    series.count++;
    const place = buckets.findIndex((bound) => value <= bound);
    if (place >= 0) series.counts[place] = (series.counts[place] ?? 0) + 1;
  }

  /** Forgets a gauge, whose combinations of labels may have become fewer. */
  clear(name: MetricName): void {
    this.#series.delete(name);
  }

  /** The lines of a metric without its head; `common`: labels of every one of them. */
  lines(name: MetricName, common: Readonly<Record<string, string>>): readonly string[] {
    const { type, labels: names = [], buckets = [] } = definitionOf(name);
    const found = [...(this.#series.get(name)?.values() ?? [])];
    // A counter that has counted nothing yet is 0: only so can its first step be seen.
    const all = found.length === 0 && type !== 'gauge' && names.length === 0 ? [emptySeries([])] : found;
    return all.flatMap((series) => {
      const labels = { ...common, ...Object.fromEntries(names.map((each, at) => [each, series.labels[at] ?? ''])) };
      if (type !== 'histogram') return [`${name}${labelText(labels)} ${numberText(series.value)}`];
      let below = 0;
      const bounds = buckets.map((bound, at) => {
        below += series.counts[at] ?? 0;
        return `${name}_bucket${labelText({ ...labels, le: numberText(bound) })} ${below}`;
      });
      return [
        ...bounds,
        `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${series.count}`,
        `${name}_sum${labelText(labels)} ${numberText(series.value)}`,
        `${name}_count${labelText(labels)} ${series.count}`,
      ];
    });
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
    const series = all.get(key) ?? emptySeries(labels);
    all.set(key, series);
    return series;
  }
}

function emptySeries(labels: Labels): Series {
  return { labels, value: 0, counts: [], count: 0 };
}

/** The registries of several schedulers as one text (Prometheus, version 0.0.4). */
export function prometheusText(
  registries: readonly { readonly scheduler: string; readonly registry: MetricRegistry }[],
): string {
  const parts = (Object.keys(METRICS) as MetricName[]).map((name) => {
    const { type, help } = definitionOf(name);
    const lines = registries.flatMap(({ scheduler, registry }) => registry.lines(name, { scheduler }));
    const head = [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${type}`];
    return lines.length === 0 ? [] : [...head, ...lines];
  });
  return `${parts.flat().join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
