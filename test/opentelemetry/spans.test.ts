import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { newJob, newTrigger } from '../../src';
import type { Jobs, Scheduler } from '../../src/api/scheduler';
import { openTelemetryPlugin } from '../../src/opentelemetry';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { createTestScheduler } from '../../src/testing';
import { keepActiveSpans, linksOf, nextEvent, Spans, temporaryFile } from './support';

const tracing = (spans: Spans) => openTelemetryPlugin({ tracerProvider: spans.provider, meterProvider: false });
const now = { at: new Date('2026-01-01T00:00:00Z') };

describe('spans of two nodes on one file', () => {
  keepActiveSpans();
  const { file, remove } = temporaryFile();
  const nodes: Scheduler[] = [];

  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.shutdown();
    remove();
  });

  async function startNode(instanceId: string, spans: Spans, jobs: Jobs): Promise<Scheduler> {
    const scheduler = { instanceName: 'Uploads', instanceId, logLevel: 'silent' };
    const config = { scheduler, jobStore: { class: 'sqlite', path: file, storeThread: false } };
    const node = await createScheduler(config as never, { jobs, plugins: [tracing(spans)] });
    nodes.push(node);
    return node;
  }

  it('link the scheduling call, the failed attempt, and the retry on another node', async () => {
    const [first, second] = [new Spans(), new Spans()];
    const seen: unknown[] = [];
    const tracer = first.provider.getTracer('the application');
    const failing = await startNode('a', first, {
      upload: async ({ data }) => {
        seen.push(data);
        tracer.startActiveSpan('PUT', (span) => span.end());
        throw new TypeError('no answer');
      },
    });
    const failed = nextEvent(failing, 'retryScheduled');
    await failing.start();
    await tracer.startActiveSpan('POST /files', async (span) => {
      await failing.schedule('upload', { ...now, data: { file: 7 }, retry: 'R1/PT1S' });
      span.end();
    });
    await failed;
    await failing.shutdown();

    const working = await startNode('b', second, { upload: async ({ data }) => void seen.push(data) });
    const done = nextEvent(working, 'triggerCompleted');
    await working.start();
    await done;

    const scheduling = first.named('schedule upload');
    const [attempt, request] = [first.named('process upload'), first.named('POST /files')];
    const retry = second.named('process upload');
    expect(scheduling).toMatchObject({ kind: SpanKind.PRODUCER, status: { code: SpanStatusCode.UNSET } });
    expect(scheduling.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(attempt).toMatchObject({ kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.ERROR } });
    expect(attempt.parentSpanContext).toBeUndefined();
    expect(attempt.spanContext().traceId).not.toBe(scheduling.spanContext().traceId);
    expect(linksOf(attempt)).toEqual({ scheduling: scheduling.spanContext().spanId });
    expect(attempt.events).toMatchObject([{ name: 'exception', attributes: { 'exception.message': 'no answer' } }]);
    expect(first.named('PUT').parentSpanContext?.spanId).toBe(attempt.spanContext().spanId);
    expect(retry).toMatchObject({ kind: SpanKind.CONSUMER, status: { code: SpanStatusCode.UNSET } });
    expect(linksOf(retry)).toEqual({
      scheduling: scheduling.spanContext().spanId,
      previous_attempt: attempt.spanContext().spanId,
    });
    expect(seen).toEqual([{ file: 7 }, { file: 7 }]); // the job does not see the trace parent
  });
});

describe('spans of a scheduler', () => {
  keepActiveSpans();

  it('have the attributes of the conventions, and no job data', async () => {
    const spans = new Spans();
    const { scheduler, runDue } = await createTestScheduler({ plugins: [tracing(spans)] });
    await scheduler.schedule('mail', { ...now, group: 'mails', data: { to: 'secret' } }, async () => {});
    await runDue();
    const instanceId = scheduler.getSchedulerInstanceId();
    await scheduler.shutdown();
    const common = {
      'messaging.system': 'quartz',
      'messaging.client.id': instanceId,
      'messaging.destination.name': 'mail',
      'quartz.scheduler': 'QuartzScheduler',
      'quartz.job.name': 'mail',
      'quartz.job.group': 'mails',
      'quartz.trigger.name': 'mail',
      'quartz.trigger.group': 'mails',
    };
    expect(spans.named('schedule mail').attributes).toEqual({
      ...common,
      'messaging.operation.name': 'schedule',
      'messaging.operation.type': 'send',
    });
    expect(spans.named('process mail').attributes).toEqual({
      ...common,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.message.id': expect.any(String),
      'quartz.scheduled_time': '2026-01-01T00:00:00.000Z',
      'quartz.occurrence.id': expect.any(String),
      'quartz.attempt': 1,
      'quartz.outcome': 'succeeded',
    });
  });

  it('record failed scheduling, many triggers as one span, and no deletions', async () => {
    const spans = new Spans();
    const { scheduler } = await createTestScheduler({ plugins: [tracing(spans)], jobs: { noop: async () => {} } });
    const job = newJob('noop').withIdentity('many').build();
    const trigger = (name: string) => newTrigger().withIdentity(name).startAt(new Date('2027-01-01')).build();
    await scheduler.scheduleJobs(new Map([[job, [trigger('one'), trigger('two')]]]));
    await expect(scheduler.scheduleJob(job, trigger('one'))).rejects.toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    await scheduler.unscheduleJob('one');
    await scheduler.shutdown();
    expect(spans.all().map(({ name }) => name)).toEqual(['schedule', 'schedule noop']);
    expect(spans.named('schedule').attributes['messaging.batch.message_count']).toBe(2);
    expect(spans.named('schedule noop')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'ObjectAlreadyExistsError' },
    });
  });

  it('record runs that report a failure, and link refires and reruns of dead letters', async () => {
    const spans = new Spans();
    let runs = 0;
    const report = async () => (++runs < 3 ? { outcome: 'failed' as const, summary: 'not yet' } : undefined);
    const { scheduler, runDue } = await createTestScheduler({ plugins: [tracing(spans)], jobs: { report } });
    await scheduler.schedule('report', { ...now, retry: 'R1/PT0S' });
    await runDue();
    await runDue();
    const { items } = await scheduler.listDeadLetters();
    await scheduler.rerun(items[0]?.runId ?? '');
    await runDue();
    await scheduler.shutdown();
    const executions = spans.all().filter(({ name }) => name === 'process report');
    expect(executions.map(({ attributes }) => attributes['quartz.attempt'])).toEqual([1, 2, 3]);
    expect(executions.map(({ attributes }) => attributes['quartz.outcome'])).toEqual(['failed', 'failed', 'succeeded']);
    expect(executions[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'not yet' });
    const ids = executions.map((span) => span.spanContext().spanId);
    const scheduling = spans.named('schedule report').spanContext().spanId;
    expect(executions.map(linksOf)).toEqual([
      { scheduling },
      { scheduling, previous_attempt: ids[0] },
      { scheduling, previous_attempt: ids[1] },
    ]);
  });

  it('do not change definitions that are declared unchanged', async () => {
    const spans = new Spans();
    const jobs = { noop: async () => {} };
    const { scheduler } = await createTestScheduler({ plugins: [tracing(spans)], jobs });
    const declare = () => scheduler.declare({ noop: { every: 'PT1H', data: { a: 1 } } });
    await declare();
    const stored = await scheduler.getTrigger('noop');
    expect(stored?.data).toEqual({ QRTZ_X_TRACEPARENT: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) });
    await declare();
    expect(spans.all()).toHaveLength(2);
    expect(await scheduler.getTrigger('noop')).toEqual(stored);
    await scheduler.shutdown();
  });

  it('are not created, and nothing is stored, without an SDK', async () => {
    expect(trace.getTracer('none').startSpan('none').isRecording()).toBe(false);
    const jobs = { noop: async () => {} };
    const { scheduler, runDue } = await createTestScheduler({ plugins: [openTelemetryPlugin()], jobs });
    await scheduler.schedule('noop', { every: 'PT1H' });
    expect((await scheduler.getTrigger('noop'))?.data).toEqual({});
    expect(await runDue()).toMatchObject([{ outcome: 'succeeded' }]);
    await scheduler.shutdown();
  });

  it('have no link to a previous run if the stored trace parent is invalid', async () => {
    const spans = new Spans();
    const jobs = { noop: async () => {} };
    const { scheduler, runDue } = await createTestScheduler({ jobs });
    const data = { QRTZ_X_TRACEPARENT: '00-zz', QRTZ_X_TRACEPARENT_OF_RUN: 7 };
    await tracing(spans).install({ scheduler } as never);
    await scheduler.schedule('noop', { ...now, data });
    await runDue();
    await scheduler.shutdown();
    expect(linksOf(spans.named('process noop'))).toEqual({
      scheduling: spans.named('schedule noop').spanContext().spanId,
    });
  });
});
