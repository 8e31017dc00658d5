import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Scheduler } from '../../src/api/scheduler';
import { openTelemetryPlugin } from '../../src/opentelemetry';
import { METRICS } from '../../src/operations/metrics/metric-table';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { ask, closeAll, testConsole } from '../console/support';
import { nextEvent, temporaryFile } from './support';

/** Samples by name and labels, without the labels that an exporter adds. */
function samplesIn(text: string): ReadonlyMap<string, number> {
  const samples = text.split('\n').flatMap((line): readonly (readonly [string, number])[] => {
    const [, name = '', labels = '', value] = /^(quartz_\w+)\{(.*)\} (\S+)( \d+)?$/.exec(line) ?? [];
    const own = labels.split(',').filter((label) => !label.startsWith('otel_scope_'));
    return value === undefined ? [] : [[`${name}{${own.sort().join(',')}}`, Number(value)]];
  });
  return new Map(samples);
}

describe('metrics of OpenTelemetry', () => {
  const { file, remove } = temporaryFile();
  let scheduler: Scheduler;

  afterEach(async () => {
    await closeAll();
    await scheduler.shutdown();
    remove();
  });

  it("have the same names and values as /metrics in the SDK's exporter for Prometheus", async () => {
    const exporter = new PrometheusExporter({ preventServerStart: true });
    const meterProvider = new MeterProvider({ readers: [exporter] });
    const serialized = async () => {
      const { resourceMetrics, errors } = await exporter.collect();
      expect(errors).toEqual([]);
      return new PrometheusSerializer().serialize(resourceMetrics);
    };
    scheduler = await createScheduler(
      {
        scheduler: { instanceName: 'Reports', logLevel: 'silent' },
        jobStore: { class: 'sqlite', path: file, storeThread: false },
      } as never,
      { plugins: [openTelemetryPlugin({ meterProvider, tracerProvider: false })] },
    );
    const done = nextEvent(scheduler, 'triggerCompleted');
    await scheduler.start();
    await scheduler.schedule('report', { at: new Date() }, async () => {});
    await done;
    const { status, text } = await ask(testConsole(scheduler), 'metrics');
    expect(status).toBe(200);
    const [ours, theirs] = [samplesIn(text), samplesIn(await serialized())];
    expect([...theirs.keys()].sort()).toEqual([...ours.keys()].sort());
    const counted = new Set([...ours.keys()].map((sample) => sample.replace(/(_bucket|_sum|_count)?\{.*/, '')));
    expect(Object.keys(METRICS).filter((name) => !counted.has(name))).toEqual([
      ...['quartz_firings_skipped_total', 'quartz_firings_deferred_total', 'quartz_triggers_not_fired_total'],
      ...['quartz_repairs_total', 'quartz_fenced_total'],
    ]); // these have labels, and no samples yet
    const ofRuns = [...ours].filter(([sample]) => /^quartz_(firing|run)/.test(sample));
    expect(ofRuns.length).toBeGreaterThan(30);
    expect([...theirs].filter(([sample]) => /^quartz_(firing|run)/.test(sample))).toEqual(
      expect.arrayContaining(ofRuns),
    );
    const [waits, theirWaits] = [ours, theirs].map((each) =>
      each.get('quartz_lock_wait_seconds_count{scheduler="Reports"}'),
    );
    expect(theirWaits).toBeGreaterThanOrEqual(waits ?? 0);
    expect(waits).toBeGreaterThan(2);

    await scheduler.shutdown();
    const last = samplesIn(await serialized());
    expect(last.get('quartz_firings_total{scheduler="Reports"}')).toBe(1);
    expect(last.get('quartz_ready{scheduler="Reports"}')).toBe(0);
    await meterProvider.shutdown();
  });
});
