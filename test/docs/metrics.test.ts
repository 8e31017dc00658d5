import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { METRICS, type MetricName } from '../../src/operations/metrics/metric-table';

const read = (file: string) => readFileSync(file, 'utf8');

/** Names of metrics in a text, without what a histogram adds to them. */
function namesIn(text: string): readonly string[] {
  const found = text.match(/\bquartz_[a-z_]+/g) ?? [];
  return [
    ...new Set(found.map((name) => (Object.hasOwn(METRICS, name) ? name : name.replace(/_(bucket|sum|count)$/, '')))),
  ];
}

describe('metrics', () => {
  it('are all in docs/reference/metrics.md, as they are in the code', () => {
    const rows = read('docs/reference/metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `quartz_'));
    const expected = (Object.keys(METRICS) as MetricName[]).map((name) => {
      const { type, help } = METRICS[name];
      const labels = 'labels' in METRICS[name] ? (METRICS[name] as { labels: readonly string[] }).labels : [];
      return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
    });
    expect(rows).toEqual(expected);
  });

  it('that the alert rules name exist, and each rule says what it means', () => {
    const { groups } = parse(read('examples/prometheus-alerts.yaml'));
    const rules = groups.flatMap((group: { readonly rules: readonly unknown[] }) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations } of rules) {
      expect({ alert, names: namesIn(expr).filter((name) => !Object.hasOwn(METRICS, name)) }).toEqual({
        alert,
        names: [],
      });
      expect({ alert, count: namesIn(expr).length }).not.toEqual({ alert, count: 0 });
      expect(annotations.summary).toMatch(/\w/);
    }
  });

  it('that the dashboard names exist', () => {
    const { panels } = JSON.parse(read('examples/grafana-dashboard.json'));
    expect(panels.length).toBeGreaterThan(5);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        expect({ title, count: namesIn(expr).length }).not.toEqual({ title, count: 0 });
        expect({ title, unknown: namesIn(expr).filter((name) => !Object.hasOwn(METRICS, name)) }).toEqual({
          title,
          unknown: [],
        });
      }
    }
  });
});
