import { pino } from 'pino';
import {
  type Configuration,
  DoNotRetry,
  GroupMatcher,
  type JobExecutionContext,
  newJob,
  newTrigger,
  type Run,
} from '../../../src';
import { ManualClock } from '../../../src/base/manual-clock';
import { loadConfig } from '../../../src/config/load-config';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { occurrenceData, RETRYING_JOBS } from '../../../src/domain/occurrence';
import { retryTriggerKey } from '../../../src/domain/retry';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import type { RunDetail, RunRecord } from '../../../src/domain/run';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { oneShotTrigger } from '../../../src/domain/trigger';
import { assemble } from '../../../src/scheduler/assemble';
import { aRun } from './run-samples';
import { codeOf, noop, START, shutdownAll, testScheduler } from './support';

const NOW = Date.UTC(2026, 0, 1);
const at = (milliseconds: number) => new Date(NOW + milliseconds);

const open: { shutdown(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((scheduler) => scheduler.shutdown()));
});

/** A scheduler that fires only when the test requests it, with the durable job `report` and the given runs. */
async function withRuns(runs: readonly RunRecord[], config?: Configuration) {
  const contexts: JobExecutionContext[] = [];
  const clock = new ManualClock(NOW);
  const runtime = await assemble(await loadConfig(config), {
    jobs: { noop, report: (context) => void contexts.push(context) },
    clock,
    logger: pino({ level: 'silent' }),
    isDriven: true,
  });
  const { scheduler, store, engine } = runtime;
  open.push(scheduler);
  await scheduler.start();
  await scheduler.addJob(newJob('report').withIdentity('report').storeDurably().build());
  await store.recordRuns(runs);
  const events: SchedulerEvent[] = [];
  scheduler.subscribe((event) => events.push(event));
  const eventsOf = (type: SchedulerEvent['type']) => events.filter((event) => event.type === type);
  return { scheduler, store, engine, clock, contexts, eventsOf };
}

const idsOf = (runs: readonly Run[]) => runs.map(({ runId }) => runId);

/** A run that ended `end` milliseconds after NOW. */
const endedAt = (end: number, values: Partial<RunRecord> = {}) =>
  aRun({ scheduledTime: NOW + end - 20, fireTime: NOW + end - 10, endTime: NOW + end, ...values });

const deadLetter = (end: number, values: Partial<RunRecord> = {}, detail: RunDetail = {}) =>
  endedAt(end, {
    outcome: 'failed',
    isDeadLetter: true,
    error: 'no paper',
    attempt: 4,
    detail: JSON.stringify(detail),
    ...values,
  });

describe('a listed run', () => {
  it('contains dates, its run id, and the output of its job', async () => {
    const detail: RunDetail = {
      stack: 'Error: no paper',
      summary: 'half done',
      metrics: { pages: 3 },
      lines: [{ at: NOW - 700, level: 'warn', message: 'tray 1', data: { left: 0 } }],
    };
    const run = deadLetter(-500, { runId: 'epoch.1-2' }, detail);
    const { scheduler } = await withRuns([run]);
    const [listed] = (await scheduler.listRuns()).items;
    expect(listed).toEqual({
      runId: 'epoch.1-2',
      occurrenceId: 'o1',
      triggerKey: triggerKey('nightly'),
      jobKey: jobKey('report'),
      jobType: 'noop',
      instanceId: 'node-1',
      scheduledFireTime: at(-520),
      fireTime: at(-510),
      endTime: at(-500),
      attempt: 4,
      shard: null,
      outcome: 'failed',
      isDeadLetter: true,
      canRerun: true,
      error: 'no paper',
      stack: 'Error: no paper',
      summary: 'half done',
      metrics: { pages: 3 },
      lines: [{ at: at(-700), level: 'warn', message: 'tray 1', data: { left: 0 } }],
      droppedLines: 0,
      interruption: null,
      result: null,
      resultOmitted: null,
    });
    expect(await scheduler.getRun('epoch.1-2')).toEqual(listed);
    expect(await scheduler.getRun('unknown')).toBeNull();
    expect(await scheduler.rerun('epoch.1-2')).toBe(1);
  });

  it('has empty output if its stored details are unreadable', async () => {
    const { scheduler } = await withRuns([endedAt(-1, { detail: '{broken' })]);
    const [listed] = (await scheduler.listRuns()).items;
    expect(listed).toMatchObject({ stack: null, summary: null, metrics: {}, lines: [] });
  });
});

describe('the list of runs', () => {
  const runs = [
    endedAt(-50, { runId: 'a', jobKey: jobKey('import', 'night'), triggerKey: triggerKey('t1') }),
    endedAt(-40, { runId: 'b', instanceId: 'node-2' }),
    endedAt(-30, { runId: 'c', outcome: 'failed', error: 'No Paper' }),
    endedAt(-20, { runId: 'd', outcome: 'lost' }),
    deadLetter(-10, { runId: 'e' }),
  ];

  it.each([
    [{}, 'edcba'],
    [{ job: 'report' }, 'edcb'],
    [{ job: { group: 'night', name: 'import' } }, 'a'],
    [{ jobGroup: GroupMatcher.groupStartsWith('ni') }, 'a'],
    [{ trigger: 't1' }, 'a'],
    [{ outcome: 'failed' }, 'ec'],
    [{ outcome: ['failed', 'lost'] }, 'edc'],
    [{ node: 'node-2' }, 'b'],
    [{ since: at(-30) }, 'edc'],
    [{ until: at(-30) }, 'ba'],
    [{ search: 'paper' }, 'ec'],
    [{ deadLetters: true }, 'e'],
    [{ deadLetters: false, job: 'report' }, 'edcb'],
  ] as const)('filtered by %j contains the runs %s, newest first', async (options, expected) => {
    const { scheduler } = await withRuns(runs);
    expect(idsOf((await scheduler.listRuns(options)).items).join('')).toBe(expected);
  });

  it('is returned page by page', async () => {
    const { scheduler } = await withRuns(runs);
    const first = await scheduler.listRuns({ limit: 2 });
    const second = await scheduler.listRuns({ limit: 2, after: first.next as string });
    const third = await scheduler.listRuns({ limit: 2, after: second.next as string });
    expect([first, second, third].map(({ items }) => idsOf(items).join(''))).toEqual(['ed', 'cb', 'a']);
    expect(third.next).toBeNull();
  });

  it.each([
    [{ jobKey: 'report' }, /Did you mean 'job'/],
    [{ outcome: 'broken' }, /one of succeeded, failed/],
    [{ since: '2026-01-01' }, /a valid Date as since/],
    [{ after: 'somewhere' }, /`next` of a page/],
    [{ limit: 0 }, /from 1 to 1000 as limit/],
    [{ limit: 1_001 }, /from 1 to 1000 as limit/],
    [{ deadLetters: 'yes' }, /true or false/],
    [{ search: 5 }, /a string as search/],
    [{ node: '' }, /node/],
  ])('refuses the options %j', async (options, message) => {
    const { scheduler } = await withRuns([]);
    await expect(scheduler.listRuns(options as never)).rejects.toThrow(message);
    expect(await codeOf(() => scheduler.rerun(options as never))).toBe('INVALID_ARGUMENT');
  });

  it('contains only dead letters in listDeadLetters', async () => {
    const { scheduler } = await withRuns(runs);
    expect(idsOf((await scheduler.listDeadLetters()).items)).toEqual(['e']);
    expect(idsOf((await scheduler.listDeadLetters({ job: 'import' })).items)).toEqual([]);
  });
});

describe('the status of a job', () => {
  it('counts failures since the last success, and contains percentiles', async () => {
    const { scheduler } = await withRuns([
      endedAt(-60, { runId: 'ok', fireTime: NOW - 160, scheduledTime: NOW - 165, detail: '{"summary":"all well"}' }),
      endedAt(-50, { runId: 'f1', outcome: 'failed', fireTime: NOW - 70, scheduledTime: NOW - 77 }),
      endedAt(-40, { runId: 'v', outcome: 'vetoed' }),
      endedAt(-30, { runId: 'f2', outcome: 'timedOut', attempt: 2, fireTime: NOW - 40, scheduledTime: NOW - 5_000 }),
      endedAt(-20, { runId: 'gone', outcome: 'lost', fireTime: NOW - 9_000 }),
    ]);
    await scheduler.scheduleJob(newTrigger().forJob('report').startAt(at(3_000)).build());
    await scheduler.scheduleJob(newTrigger().forJob('report').withIdentity('soon').startAt(at(2_000)).build());
    await scheduler.pauseTrigger('soon');
    const status = await scheduler.getJobStatus('report');
    expect(status).toMatchObject({
      failuresInARow: 3,
      runs: 5,
      durationMs: { p50: 20, p95: 100, p99: 100 },
      latenessMs: { p50: 5, p95: 7, p99: 7 },
      nextFireTime: at(3_000),
      lastRun: { runId: 'gone' },
      lastSuccess: { runId: 'ok', summary: 'all well' },
    });
  });

  it('covers the newest 200 runs, and searches further only for the last success', async () => {
    const runs = Array.from({ length: 250 }, (_, n) => endedAt(-n - 1, { runId: `f${n}`, outcome: 'failed' }));
    const { scheduler } = await withRuns([...runs, endedAt(-1_000, { runId: 'ok' })]);
    const { lastSuccess, ...status } = await scheduler.getJobStatus('report');
    expect(status).toMatchObject({ runs: 200, failuresInARow: 200, lastRun: { runId: 'f0' }, nextFireTime: null });
    expect(lastSuccess?.runId).toBe('ok');
  });

  it('is empty for a job that has never run', async () => {
    const { scheduler } = await withRuns([]);
    const none = { p50: null, p95: null, p99: null };
    expect(await scheduler.getJobStatus('nobody')).toEqual({
      lastRun: null,
      lastSuccess: null,
      failuresInARow: 0,
      runs: 0,
      durationMs: none,
      latenessMs: none,
      nextFireTime: null,
    });
  });
});

describe('a dead letter', () => {
  const detail: RunDetail = {
    triggerData: {
      pages: 7,
      ...occurrenceData({ id: 'x', triggerKey: triggerKey('x'), scheduledTime: 1, attempt: 4 }),
    },
    priority: 9,
    policy: { retry: parseRetryPolicy('R3/PT1M', 'a test') },
  };

  it('is rerun with its scheduled time, its data, the next attempt number and all its retries', async () => {
    const { scheduler, engine, store, contexts, eventsOf } = await withRuns([deadLetter(-10, {}, detail)]);
    expect(await scheduler.rerun(['r1'])).toBe(1);
    const [stored] = await store.getTriggers([{ group: RETRYING_JOBS, name: 'retry_r1' }]);
    expect(stored?.trigger).toMatchObject({
      jobKey: jobKey('report'),
      priority: 9,
      nextFireTime: NOW,
      data: occurrenceData({ id: 'o1', triggerKey: triggerKey('nightly'), scheduledTime: NOW - 30, attempt: 5 }),
      policy: { retry: { max: 3, delays: [60_000], from: { attempt: 5, time: NOW } } },
    });
    expect(await engine.runOnce()).toBe(1);
    expect(contexts.map(({ data }) => data.pages)).toEqual([7]);
    expect((await scheduler.listDeadLetters()).items).toEqual([]);
    expect((await scheduler.listRuns({ outcome: 'failed' })).items).toHaveLength(1);
    expect(eventsOf('runsRerun')).toMatchObject([{ runs: [{ runId: 'r1', jobKey: jobKey('report') }] }]);
  });

  it('is rerun only once, even by concurrent calls', async () => {
    const { scheduler, engine } = await withRuns([deadLetter(-10, {}, detail)]);
    const ids = idsFrom(await scheduler.listDeadLetters());
    const counts = await Promise.all([scheduler.rerun(ids), scheduler.rerun({}), scheduler.rerun([...ids, ...ids])]);
    expect(counts.sort()).toEqual([0, 0, 1]);
    expect(await engine.runOnce()).toBe(1);
  });

  it('is distinct from other failed runs, which are rerun only by id and only once', async () => {
    const failed = endedAt(-10, { outcome: 'failed', detail: JSON.stringify({ canRerun: true, ...detail }) });
    const { scheduler, engine, contexts } = await withRuns([failed, endedAt(-9, { runId: 'r2', outcome: 'failed' })]);
    const { items } = await scheduler.listRuns();
    expect(items.map(({ canRerun }) => canRerun)).toEqual([false, true]);
    expect(await scheduler.rerun({})).toBe(0);
    const ids = idsOf(items);
    const counts = await Promise.all([scheduler.rerun(ids), scheduler.rerun(ids)]);
    expect(counts.sort()).toEqual([0, 1]);
    expect(await engine.runOnce()).toBe(1);
    expect(contexts.map(({ data }) => data.pages)).toEqual([7]);
    expect(await scheduler.rerun(ids)).toBe(0);
    expect((await scheduler.getRun(failed.runId))?.canRerun).toBe(false);
  });

  it('stays a dead letter if its job was deleted', async () => {
    const { scheduler, eventsOf } = await withRuns([deadLetter(-10, { jobKey: jobKey('gone') })]);
    expect(await scheduler.rerun({})).toBe(0);
    expect((await scheduler.listDeadLetters()).items).toHaveLength(1);
    expect(eventsOf('runsRerun')).toEqual([]);
  });

  it('is rerun with the retries of its job or of the scheduler if its trigger has none', async () => {
    const { scheduler, store } = await withRuns(
      [deadLetter(-10, { runId: 'of-job', jobKey: jobKey('own') }), deadLetter(-9)],
      {
        scheduler: { retry: 'R2/PT5S' },
      },
    );
    const job = newJob('noop').withIdentity('own').storeDurably().build();
    await scheduler.addJob({ ...job, policy: { retry: parseRetryPolicy([1_000, 2_000], 'a test') } });
    expect(await scheduler.rerun({ deadLetters: true })).toBe(2);
    const keys = ['retry_of-job', 'retry_r1'].map((name) => ({ group: RETRYING_JOBS, name }));
    const triggers = (await store.getTriggers(keys)).map(({ trigger }) => trigger);
    expect(triggers.map(({ policy }) => policy?.retry)).toMatchObject([
      { max: 2, delays: [1_000, 2_000] },
      { max: 2, delays: [5_000] },
    ]);
  });

  it('becomes an ordinary run when it is discarded', async () => {
    const { scheduler, engine, eventsOf } = await withRuns([deadLetter(-10), deadLetter(-9, { runId: 'r2' })]);
    expect(await scheduler.discard({ until: at(-9) })).toBe(1);
    expect(await scheduler.discard({ until: at(-9) })).toBe(0);
    expect(idsOf((await scheduler.listDeadLetters()).items)).toEqual(['r2']);
    expect((await scheduler.listRuns()).items).toHaveLength(2);
    expect(await engine.runOnce()).toBe(0);
    expect(eventsOf('deadLettersDiscarded')).toMatchObject([{ runs: [{ runId: 'r1' }] }]);
  });

  it('is discarded in pages with others, up to the given limit', async () => {
    const runs = Array.from({ length: 450 }, (_, n) => deadLetter(-n - 1, { runId: `r${n}` }));
    const { scheduler, eventsOf } = await withRuns([...runs, endedAt(-2_000)]);
    expect(await scheduler.discard({ limit: 20 })).toBe(20);
    expect(await scheduler.discard({})).toBe(430);
    expect(eventsOf('deadLettersDiscarded')).toHaveLength(4);
    expect(await scheduler.discard({})).toBe(0);
  });

  it('is not rerun by the same call if its rerun fails immediately', async () => {
    const runs = Array.from({ length: 450 }, (_, n) => deadLetter(-n - 1, { runId: `r${n}` }));
    const { scheduler, store } = await withRuns(runs);
    const resolve = store.resolveFailedRuns.bind(store);
    let rerunCount = 0;
    jest.spyOn(store, 'resolveFailedRuns').mockImplementation(async (resolutions) => {
      const answers = await resolve(resolutions);
      rerunCount += resolutions.length;
      // Each rerun fails immediately.
      await store.recordRuns(resolutions.map(({ runId }) => deadLetter(5, { runId: `again-${runId}` })));
      return answers;
    });
    expect(await scheduler.rerun({})).toBe(450);
    expect(rerunCount).toBe(450);
  });

  it.each([
    undefined,
    null,
    5,
    { outcome: 'nope' },
    [5],
    [''],
    'x'.repeat(96),
  ])('cannot be selected by %j', async (which) => {
    const { scheduler } = await withRuns([]);
    expect(await codeOf(() => scheduler.rerun(which as never))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.discard(which as never))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(() => scheduler.setRetries(which as never, 1))).toBe('INVALID_ARGUMENT');
  });
});

describe('setRetries', () => {
  const POLICY = { retry: parseRetryPolicy('R3/PT1M', 'a test') };

  /** The failed run `f1`, whose retry waits for a minute. */
  async function withWaitingRetry(recorded = [endedAt(-10, { runId: 'f1', outcome: 'failed' })]) {
    const parts = await withRuns(recorded);
    const occurrence = { id: 'o1', triggerKey: triggerKey('nightly'), scheduledTime: NOW - 30, attempt: 2 };
    const of = { jobKey: jobKey('report'), data: occurrenceData(occurrence), priority: 5 };
    const trigger = oneShotTrigger(retryTriggerKey('f1'), NOW + 60_000, of, POLICY);
    const change = { type: 'storeTrigger', trigger, ifExists: 'fail', startTimeDefaulted: false } as const;
    await parts.store.applySchedule([change], { now: NOW, misfireThreshold: 60_000 });
    const waiting = async () => (await parts.store.getTriggers([trigger.key]))[0];
    return { ...parts, trigger, waiting };
  }

  it('reruns a dead letter with the given number of attempts', async () => {
    const { scheduler, store } = await withRuns([deadLetter(-10, {}, { policy: POLICY })]);
    expect(await scheduler.setRetries({}, 8)).toBe(1);
    const [stored] = await store.getTriggers([{ group: RETRYING_JOBS, name: 'retry_r1' }]);
    expect(stored?.trigger.policy?.retry).toEqual({ ...POLICY.retry, max: 7, from: { attempt: 5, time: NOW } });
  });

  it.each([
    ['selected by run id', 'f1', undefined],
    ['selected by the id of a run that was not recorded', ['f1'], []],
    ['selected by options', { job: 'report' }, undefined],
  ])('changes the number of retries of a waiting retry but not its fire time: %s', async (_, which, recorded) => {
    const { scheduler, waiting, trigger } = await withWaitingRetry(recorded);
    expect(await scheduler.setRetries(which, 1)).toBe(1);
    expect(await waiting()).toMatchObject({
      state: 'WAITING',
      trigger: {
        nextFireTime: NOW + 60_000,
        data: trigger.data,
        policy: { retry: { max: 0, from: { attempt: 2, time: NOW } } },
      },
    });
  });

  it('keeps a paused retry paused', async () => {
    const { scheduler, waiting, trigger } = await withWaitingRetry();
    await scheduler.pauseTrigger(trigger.key);
    expect(await scheduler.setRetries({}, 9)).toBe(1);
    expect(await waiting()).toMatchObject({ state: 'PAUSED', trigger: { policy: { retry: { max: 8 } } } });
  });

  it('does not change a retry that has fired since it was read, or fire it again', async () => {
    const { scheduler, store, engine, clock, trigger, contexts } = await withWaitingRetry();
    const getTriggers = store.getTriggers.bind(store);
    jest.spyOn(store, 'getTriggers').mockImplementationOnce(async (keys) => {
      const read = await getTriggers(keys);
      clock.advanceTo(NOW + 60_000);
      expect(await engine.runOnce()).toBe(1);
      return read;
    });
    expect(await scheduler.setRetries({}, 3)).toBe(0);
    expect(await engine.runOnce()).toBe(0);
    expect(await store.getTriggers([trigger.key])).toEqual([]);
    expect(contexts).toHaveLength(1);
  });

  it('turns a waiting retry into a dead letter if the number is 0', async () => {
    const { scheduler, waiting, eventsOf } = await withWaitingRetry();
    expect(await scheduler.setRetries({}, 0)).toBe(1);
    expect(await waiting()).toBeUndefined();
    const { items } = await scheduler.listDeadLetters();
    expect(items).toMatchObject([
      { occurrenceId: 'o1', attempt: 2, outcome: 'failed', triggerKey: triggerKey('nightly') },
    ]);
    const [{ runId = '' } = {}] = items;
    expect(eventsOf('waitingRunsDeleted')).toMatchObject([{ runs: [{ runId, jobKey: jobKey('report') }] }]);
    expect(await scheduler.setRetries({}, 0)).toBe(0);
  });

  it('does not change a dead letter if the number is 0', async () => {
    const { scheduler } = await withRuns([deadLetter(-10, {}, { policy: POLICY })]);
    expect(await scheduler.setRetries({}, 0)).toBe(0);
    expect((await scheduler.listDeadLetters()).items).toHaveLength(1);
  });

  it.each([-1, 1.5, 1_001, '3', undefined])('refuses the number %j', async (max) => {
    const { scheduler } = await withRuns([]);
    expect(await codeOf(() => scheduler.setRetries({}, max as never))).toBe('INVALID_ARGUMENT');
  });
});

function idsFrom({ items }: { readonly items: readonly Run[] }): readonly string[] {
  return items.map(({ runId }) => runId);
}

describe('the dead letter of a deleted non-durable job', () => {
  afterEach(shutdownAll);

  it('contains the job with its data, which a rerun stores again', async () => {
    const seen: unknown[] = [];
    const report = async ({ data, attempt }: JobExecutionContext) => {
      seen.push([attempt, data]);
      if (attempt === 1) throw new DoNotRetry('down');
    };
    const { scheduler, runDue } = await testScheduler({ jobs: { report } });
    const job = newJob('report').withIdentity('once').usingJobData('pages', 7);
    const trigger = newTrigger().withIdentity('once').startAt(START).usingJobData('to', 'ops').withRetry('R1/PT1M');
    await scheduler.scheduleJob(job.build(), trigger.build());
    await runDue();
    expect(await scheduler.getJobDetail('once')).toBeNull();
    expect(await scheduler.rerun({})).toBe(1);
    await runDue();
    const data = { pages: 7, to: 'ops' };
    expect(seen).toEqual([
      [1, data],
      [2, data],
    ]);
  });
});
