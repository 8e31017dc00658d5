import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { MetricRegistry, prometheusText } from '../../src/operations/metrics/metric-registry';
import { METRICS, type MetricName } from '../../src/operations/metrics/metric-table';

const NAMES = Object.keys(METRICS) as MetricName[];
const read = (file: string) => readFileSync(file, 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const rules: readonly Rule[] = parse(read('examples/prometheus-alerts.yaml')).groups.flatMap(
  (group: { readonly rules: readonly Rule[] }) => group.rules,
);

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const panels: readonly Panel[] = JSON.parse(read('examples/grafana-dashboard.json')).panels;

/** Names of metrics in a text, without the suffixes of a histogram. */
function namesIn(text: string): readonly string[] {
  const found = text.match(/\bquartz_[a-z_]+/g) ?? [];
  return [
    ...new Set(found.map((name) => (Object.hasOwn(METRICS, name) ? name : name.replace(/_(bucket|sum|count)$/, '')))),
  ];
}

const isUnknown = (name: string) => !Object.hasOwn(METRICS, name);

describe('metrics', () => {
  it('are all listed in docs/reference/metrics.md as in the code', () => {
    const rows = read('docs/reference/metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `quartz_'));
    const expected = NAMES.map((name) => {
      const { type, help, labels = [] } = METRICS[name];
      return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
    });
    expect(rows).toEqual(expected);
  });

  it('exist if an alert rule uses them, and each rule has a summary', () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations } of rules) {
      expect({ alert, unknown: namesIn(expr).filter(isUnknown) }).toEqual({ alert, unknown: [] });
      expect({ alert, count: namesIn(expr).length }).not.toEqual({ alert, count: 0 });
      expect(annotations.summary).toMatch(/\w/);
    }
  });

  it('exist if the dashboard uses them', () => {
    expect(panels.length).toBeGreaterThan(5);
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        expect({ title, count: namesIn(expr).length }).not.toEqual({ title, count: 0 });
        expect({ title, unknown: namesIn(expr).filter(isUnknown) }).toEqual({ title, unknown: [] });
      }
    }
  });
});

/** For each alert, series with a value per minute. The condition of the alert holds from the fourth minute on. */
const TROUBLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  QuartzNodeNotReady: { quartz_started: '1x30', quartz_draining: '0x30', quartz_ready: '1 1 1 1 0x26' },
  QuartzNobodyFires: { quartz_ready: '1 1 1 1 0x26' },
  QuartzStoreDown: { quartz_store_up: '1 1 1 1 0x26' },
  QuartzBacklog: { quartz_backlog_age_seconds: '0 0 0 0 120x26' },
  QuartzLate: {
    'quartz_firing_lateness_seconds_bucket{le="5"}': '0x30',
    'quartz_firing_lateness_seconds_bucket{le="10"}': '0 0 0 0+10x27',
    'quartz_firing_lateness_seconds_bucket{le="+Inf"}': '0 0 0 0+10x27',
  },
  QuartzTriggersInError: { quartz_triggers_in_error: '0 0 0 0 1x26' },
  QuartzDeadLetters: { quartz_dead_letters_total: '0 0 0 0 1x26' },
  QuartzWorkersBusy: { quartz_workers: '25x30', quartz_workers_busy: '0 0 0 0 25x26' },
  QuartzFenced: { 'quartz_fenced_total{reason="leaseExpired"}': '0 0 0 0 1x26' },
  QuartzStatesRepaired: { 'quartz_repairs_total{kind="released"}': '0 0 0 0 1x26' },
  QuartzMisfires: { quartz_misfires_total: '0 0 0 0 1x26' },
  QuartzOverdue: { quartz_overdue_total: '0 0 0 0 1x26' },
  QuartzLeaseOld: { quartz_lease_age_seconds: '1 1 1 1 9x26' },
  QuartzLockWait: {
    'quartz_lock_wait_seconds_bucket{le="0.5"}': '0x30',
    'quartz_lock_wait_seconds_bucket{le="1"}': '0 0 0 0+10x27',
    'quartz_lock_wait_seconds_bucket{le="+Inf"}': '0 0 0 0+10x27',
  },
  QuartzConnectionsBusy: { 'quartz_store_connections_waiting{connection="scheduler"}': '0 0 0 0 3x26' },
  QuartzAcquiredInVain: {
    'quartz_triggers_not_fired_total{reason="lost"}': '0 0 0 0+5x27',
    quartz_triggers_acquired_total: '0 0 0 0+10x27',
  },
  QuartzEventLoopLag: { 'quartz_event_loop_lag_seconds{percentile="99"}': '0 0 0 0 0.7x26' },
};

const withScheduler = (series: string) =>
  series.includes('{') ? series.replace('{', '{scheduler="S",') : `${series}{scheduler="S"}`;

describe('promtool of Prometheus', () => {
  const promtool = execFileSync(process.execPath, [resolve(__dirname, '../support/locate-promtool.mjs')], {
    encoding: 'utf8',
  });
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-promtool-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Output of promtool if it fails, else ''. */
  const complaint = (words: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(promtool, words, { encoding: 'utf8', input, cwd: folder });
    return status === 0 ? '' : `${status} ${stdout}${stderr}`;
  };
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return name;
  };

  it('accepts the alert rules and the queries of the dashboard', () => {
    expect(complaint(['check', 'rules', resolve('examples/prometheus-alerts.yaml')])).toBe('');
    const asked = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, index) => ({ record: `dashboard:${index}`, expr }));
    const name = write('dashboard.yaml', stringify({ groups: [{ name: 'dashboard', rules: asked }] }));
    expect(complaint(['check', 'rules', name])).toBe('');
    const spoilt = write('spoilt.yaml', read('examples/prometheus-alerts.yaml').replace('[5m]))) > 5', '[5m])) > 5'));
    expect(complaint(['check', 'rules', spoilt])).toMatch(/parse error/);
  });

  it('raises each alert when its condition holds, and not before', () => {
    expect(Object.keys(TROUBLE)).toEqual(rules.map(({ alert }) => alert));
    const tests = Object.entries(TROUBLE).map(([alertname, series]) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: withScheduler(name), values })),
      // Counts alerts by name, so that other labels do not matter.
      promql_expr_test: [
        { expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"})`, eval_time: '2m', exp_samples: [] },
        {
          expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"})`,
          eval_time: '17m',
          exp_samples: [{ labels: '{}', value: 1 }],
        },
      ],
    }));
    const rule_files = [resolve('examples/prometheus-alerts.yaml')];
    const name = write('alerts.test.yaml', stringify({ rule_files, evaluation_interval: '1m', tests }));
    expect(complaint(['test', 'rules', name])).toBe('');
  });

  it('accepts the output of /metrics', () => {
    const registry = new MetricRegistry();
    for (const name of NAMES) {
      const { type, labels = [] } = METRICS[name];
      if (type === 'histogram') registry.observe(name, 1);
      else
        registry.set(
          name,
          1,
          labels.map((label) => `a "${label}"\n`),
        );
    }
    const text = prometheusText([{ scheduler: 'S', registry }]);
    expect(complaint(['check', 'metrics'], text)).toBe('');
    expect(complaint(['check', 'metrics'], text.replaceAll('quartz_runs_total', 'quartz_runs'))).toMatch(/_total/);
  });
});
