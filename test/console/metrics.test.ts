import { MetricRegistry, prometheusText } from '../../src/operations/metrics/metric-registry';
import { METRICS } from '../../src/operations/metrics/metric-table';
import { until } from '../support/until';
import { ask, closeAll, type Store, testConsole, testScheduler } from './support';

/** The value of a sample. */
function sampleOf(text: string, sample: string): number | null {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? null : Number(line.slice(sample.length + 1));
}

describe.each<Store>(['memory', 'sqlite'])('metrics of a scheduler in %s', (store) => {
  afterEach(closeAll);

  it('count its work, and report its state', async () => {
    const failing = async () => {
      throw new Error('no');
    };
    const scheduler = await testScheduler({ store, name: 'A "b"\n\\c', jobs: { failing } });
    const shown = testConsole(scheduler);
    let ended = 0;
    const bothEnded = new Promise<void>((resolve) => {
      scheduler.subscribe(() => ++ended === 2 && resolve(), ['triggerCompleted']);
    });
    await scheduler.start();
    await scheduler.schedule('noop', { at: new Date() });
    await scheduler.schedule('failing', { at: new Date() });
    await bothEnded;
    const { status, headers, text } = await ask(shown, 'metrics');
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    });
    const name = 'scheduler="A \\"b\\"\\n\\\\c"';
    expect(sampleOf(text, `quartz_firings_total{${name}}`)).toBe(2);
    expect(sampleOf(text, `quartz_runs_total{${name},job_type="noop",outcome="succeeded"}`)).toBe(1);
    expect(sampleOf(text, `quartz_runs_total{${name},job_type="failing",outcome="failed"}`)).toBe(1);
    expect(sampleOf(text, `quartz_firing_lateness_seconds_count{${name}}`)).toBe(2);
    expect(sampleOf(text, `quartz_run_duration_seconds_bucket{${name},le="+Inf"}`)).toBe(2);
    expect(sampleOf(text, `quartz_ready{${name}}`)).toBe(1);
    expect(sampleOf(text, `quartz_backlog{${name}}`)).toBe(0);
    expect(sampleOf(text, `quartz_nodes{${name},state="alive"}`)).toBe(1);
    expect(sampleOf(text, `quartz_misfires_total{${name}}`)).toBe(0);
    const statements = sampleOf(text, `quartz_store_statements_total{${name},connection="write"}`);
    const waits = sampleOf(text, `quartz_lock_wait_seconds_count{${name}}`);
    if (store === 'memory') expect([statements, waits]).toEqual([null, 0]);
    else expect(Math.min(statements ?? 0, waits ?? 0)).toBeGreaterThan(2);
    const overview = async () => (await ask(shown, `api/schedulers/${encodeURIComponent('A "b"\n\\c')}/overview`)).body;
    const runs = ({ load }: Awaited<ReturnType<typeof overview>>) =>
      load?.steps.reduce((total: number, { started }: { started: number }) => total + started, 0);
    const body = await until(overview, (answer) => runs(answer) === 2); // the next check-in reports the runs
    expect(body).toMatchObject({ executing: 0, backlog: { count: 0, isExact: true }, inError: { count: 0 } });
    expect(body.load).toMatchObject({ successRate: 0.5, firingsPerMinute: expect.any(Number) });
  });

  it('need authentication', async () => {
    const shown = testConsole(await testScheduler({ store }), { auth: { authenticate: async () => null } });
    expect(await ask(shown, 'metrics')).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });
});

describe('the overview', () => {
  afterEach(closeAll);

  it.each<Store>([
    'memory',
    'sqlite',
  ])('shows the next fire time, the dead letters and no load before the start, in %s', async (store) => {
    const scheduler = await testScheduler({ store });
    await scheduler.schedule('noop', { at: new Date(Date.now() + 60_000) });
    const { body } = await ask(testConsole(scheduler), 'api/schedulers/Reports/overview');
    expect(body).toMatchObject({ nextFireTime: expect.any(String), waitingSince: null, deadLetters: { count: 0 } });
    expect(body.load).toBeNull(); // it was not started
  });
});

describe('the registry of metrics', () => {
  it('writes histograms whose buckets include their bound', () => {
    const registry = new MetricRegistry();
    for (const value of [1, 2, 3, 1_000]) registry.observe('quartz_acquisition_batch_size', value);
    const text = prometheusText([{ scheduler: 'S', registry }]);
    const bucket = (le: string) => sampleOf(text, `quartz_acquisition_batch_size_bucket{scheduler="S",le="${le}"}`);
    expect(['1', '2', '5', '250', '+Inf'].map(bucket)).toEqual([1, 2, 3, 3, 4]);
    expect(sampleOf(text, 'quartz_acquisition_batch_size_sum{scheduler="S"}')).toBe(1_006);
  });

  it('keeps at most 1,000 combinations of labels, and adds up all others', () => {
    const registry = new MetricRegistry();
    for (let at = 0; at < 3_000; at++) registry.add('quartz_fenced_total', [`reason ${at}`]);
    const lines = registry.lines('quartz_fenced_total', { scheduler: 'S' });
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toBe('quartz_fenced_total{scheduler="S",reason="other"} 2000');
  });

  it('has names and texts in the format of Prometheus', () => {
    for (const [name, { type, help }] of Object.entries(METRICS)) {
      expect(name).toMatch(/^quartz_[a-z_]+$/);
      expect({ name, isTotal: name.endsWith('_total') }).toEqual({ name, isTotal: type === 'counter' });
      expect(help).toMatch(/\.$/);
    }
  });
});
