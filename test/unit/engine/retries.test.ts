import { DoNotRetry, JobExecutionException, RetryLater } from '../../../src/api/job-execution-exception';
import type { JobExecutionContext, Jobs } from '../../../src/api/scheduler';
import type { WholePolicy } from '../../../src/domain/execution-policy';
import { triggerKey } from '../../../src/domain/keys';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { detailOf } from '../../../src/domain/run-detail';
import { anEngine, type Harness, type HarnessOptions } from './harness';

const MINUTE = 60_000;
const HOURLY = { repeatInterval: 60 * MINUTE, repeatCount: -1 };
const policyOf = (retry: unknown, history: WholePolicy['history'] = 'none'): WholePolicy => ({
  retry: parseRetryPolicy(retry, 'test'),
  history,
});

/** A started engine with a job `job` whose trigger fires at 0 and every hour. */
async function withJob(job: Jobs[string], options: HarnessOptions = {}): Promise<Harness> {
  const harness = await anEngine({ jobs: { job }, ...options });
  await harness.schedule({}, HOURLY);
  await harness.engine.start();
  await harness.settle();
  return harness;
}

const runsOf = async ({ store }: Harness) => (await store.target.listRuns({ take: 100 })).items.toReversed();
const nextFireTimeOf = async ({ store }: Harness) => {
  const [found] = await store.target.getTriggers([triggerKey('trigger')]);
  return found?.trigger.nextFireTime;
};

/** A job that fails `failures` times and records each attempt. */
function flaky(failures: number, failure: () => unknown = () => new Error('out of paper')) {
  const seen: { at: number; attempt: number; scheduled: number; group: string; data: unknown }[] = [];
  const job = (context: JobExecutionContext) => {
    const { attempt, scheduledFireTime, fireTime, trigger, data } = context;
    const times = { at: fireTime.getTime(), scheduled: scheduledFireTime.getTime() };
    seen.push({ ...times, attempt, group: trigger.key.group, data });
    if (seen.length <= failures) throw failure();
  };
  return { job, seen };
}

describe('retries', () => {
  it('repeat a failed occurrence until it succeeds, without changing the schedule', async () => {
    const { job, seen } = flaky(2);
    const harness = await withJob(job, { policy: policyOf('R5/PT1M', 'all') });
    await harness.advanceTo(10 * MINUTE);
    expect(seen).toEqual([
      { at: 0, attempt: 1, scheduled: 0, group: 'DEFAULT', data: {} },
      { at: MINUTE, attempt: 2, scheduled: 0, group: 'RETRYING_JOBS', data: {} },
      { at: 2 * MINUTE, attempt: 3, scheduled: 0, group: 'RETRYING_JOBS', data: {} },
    ]);
    expect(await nextFireTimeOf(harness)).toBe(60 * MINUTE);
    const runs = await runsOf(harness);
    expect(runs.map(({ outcome, attempt, isDeadLetter }) => [outcome, attempt, isDeadLetter])).toEqual([
      ['failed', 1, false],
      ['failed', 2, false],
      ['succeeded', 3, false],
    ]);
    expect(new Set(runs.map(({ triggerKey: { name } }) => name))).toEqual(new Set(['trigger']));
    expect(runs[1]).toMatchObject({ scheduledTime: 0, fireTime: MINUTE, instanceId: 'node-1', error: 'out of paper' });
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('are reported once they are stored, and the last failure is reported as exhausted', async () => {
    const { job } = flaky(9);
    const harness = await withJob(job, { policy: policyOf('R1/PT1M') });
    const [scheduled] = harness.eventsOf('retryScheduled');
    expect(scheduled).toMatchObject({
      firing: { trigger: { key: { name: 'trigger' } } },
      occurrence: { triggerKey: { name: 'trigger' }, scheduledTime: 0, attempt: 1 },
      trigger: { key: { group: 'RETRYING_JOBS' }, nextFireTime: MINUTE },
      error: { code: 'JOB_EXECUTION' },
    });
    expect(harness.eventsOf('retriesExhausted')).toEqual([]);
    await harness.advanceTo(5 * MINUTE);
    expect(harness.eventsOf('retryScheduled')).toHaveLength(1);
    expect(harness.eventsOf('retriesExhausted')).toMatchObject([
      { occurrence: { triggerKey: { name: 'trigger' }, attempt: 2 }, error: { code: 'JOB_EXECUTION' } },
    ]);
    expect(harness.eventsOf('jobFailed')).toMatchObject([
      { attempt: 1, retryTime: MINUTE },
      { attempt: 2, retryTime: null },
    ]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('leave a dead letter when exhausted, whatever the history mode', async () => {
    const { job } = flaky(9);
    const harness = await withJob(job, { policy: policyOf('R1/PT1M', 'none') });
    await harness.schedule({}, { key: triggerKey('of-customer'), data: { customer: 7 }, priority: 8 });
    await harness.advanceTo(5 * MINUTE);
    const [letter] = (await runsOf(harness)).filter((run) => run.triggerKey.name === 'of-customer');
    expect(letter).toMatchObject({ outcome: 'failed', attempt: 2, isDeadLetter: true, error: 'out of paper' });
    expect(letter && detailOf(letter)).toMatchObject({
      triggerData: { customer: 7 },
      priority: 8,
      stack: expect.stringContaining('out of paper'),
    });
    expect(await runsOf(harness)).toHaveLength(2);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('are not scheduled if no policy requests them', async () => {
    const { job, seen } = flaky(9);
    const harness = await withJob(job);
    await harness.advanceTo(30 * MINUTE);
    expect([seen.length, await runsOf(harness)]).toMatchObject([1, [{ outcome: 'failed', isDeadLetter: false }]]);
    expect([...harness.eventsOf('retryScheduled'), ...harness.eventsOf('retriesExhausted')]).toEqual([]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('do not begin later than maxAge after the scheduled time', async () => {
    const { job, seen } = flaky(99);
    const harness = await withJob(job, { policy: policyOf({ max: 9, delay: 'PT1M', maxAge: 'PT2M30S' }) });
    await harness.advanceTo(20 * MINUTE);
    expect(seen.map(({ at }) => at)).toEqual([0, MINUTE, 2 * MINUTE]);
    expect((await runsOf(harness)).map(({ isDeadLetter }) => isDeadLetter)).toEqual([true]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('wait as long as RetryLater requests, with or without a policy', async () => {
    for (const policy of [policyOf(false), policyOf('R5/PT1M')]) {
      const { job, seen } = flaky(2, () => new RetryLater('PT7M'));
      const harness = await withJob(job, { policy });
      await harness.advanceTo(20 * MINUTE);
      expect(seen.map(({ at }) => at)).toEqual([0, 7 * MINUTE, 14 * MINUTE]);
      expect(await runsOf(harness)).toEqual([]);
      await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
    }
  });

  it('requested by RetryLater are limited by the policy', async () => {
    const { job, seen } = flaky(99, () => new RetryLater(1_000));
    const harness = await withJob(job, { policy: policyOf('R2/PT1M') });
    await harness.advanceTo(20 * MINUTE);
    expect(seen.map(({ at }) => at)).toEqual([0, 1_000, 2_000]);
    expect(await runsOf(harness)).toMatchObject([{ attempt: 3, isDeadLetter: true }]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it.each<[string, () => unknown]>([
    ['DoNotRetry', () => new DoNotRetry('the customer is gone')],
    ['the end of its trigger', () => new JobExecutionException('over', { unscheduleFiringTrigger: true })],
    ['the end of all triggers', () => new JobExecutionException('over', { unscheduleAllTriggers: true })],
  ])('are not scheduled if a job requests %s, and the run becomes a dead letter', async (_, failure) => {
    const { job, seen } = flaky(99, failure);
    const harness = await withJob(job, { policy: policyOf('R5/PT1M') });
    await harness.advanceTo(20 * MINUTE);
    expect(seen).toHaveLength(1);
    expect(await runsOf(harness)).toMatchObject([{ attempt: 1, isDeadLetter: true, outcome: 'failed' }]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('that no policy requests leave no dead letter after DoNotRetry', async () => {
    const { job } = flaky(99, () => new DoNotRetry());
    const harness = await withJob(job);
    await harness.advanceTo(20 * MINUTE);
    expect(await runsOf(harness)).toMatchObject([{ isDeadLetter: false }]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('follow the immediate refires of a job when these are exhausted', async () => {
    const { job, seen } = flaky(99, () => new JobExecutionException('again', { refireImmediately: true }));
    const harness = await withJob(job, { policy: policyOf('R1/PT10M'), maxRefireCount: 2 });
    await harness.advanceTo(30 * MINUTE);
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 2, 2, 2]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('receive the job data of the last success, without changes of the failed run', async () => {
    const seen: unknown[] = [];
    const job = ({ data, attempt }: JobExecutionContext) => {
      seen.push({ ...data });
      (data as { count: number }).count++;
      if (attempt < 2) throw new Error('not yet');
      return data;
    };
    const harness = await anEngine({ jobs: { job }, policy: policyOf('R5/PT1M') });
    await harness.schedule(
      { data: { count: 1 }, persistJobDataAfterExecution: true, disallowConcurrentExecution: true },
      HOURLY,
    );
    await harness.engine.start();
    await harness.advanceTo(10 * MINUTE);
    expect(seen).toEqual([{ count: 1 }, { count: 1 }]);
    expect(await harness.jobData()).toEqual({ count: 2 });
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('follow the policy of the trigger, else of the job, else of the scheduler', async () => {
    const { job, seen } = flaky(99);
    const harness = await anEngine({ jobs: { job }, policy: policyOf('R9/PT1M', 'all') });
    const ofJob = { policy: { retry: parseRetryPolicy('R1/PT2M', 'job') } };
    await harness.schedule(ofJob, HOURLY);
    await harness.schedule(ofJob, { ...HOURLY, key: triggerKey('never'), policy: policyOf(false) });
    await harness.engine.start();
    await harness.advanceTo(30 * MINUTE);
    expect(seen.map(({ at }) => at)).toEqual([0, 0, 2 * MINUTE]);
    expect((await runsOf(harness)).map(({ attempt }) => attempt)).toEqual([1, 2]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });
});

describe('the history of runs', () => {
  it('records all runs, only unsuccessful ones, or none, as configured', async () => {
    for (const [history, expected] of [
      ['all', ['failed', 'succeeded']],
      ['failures', ['failed']],
      ['none', []],
    ] as const) {
      const { job } = flaky(1);
      const harness = await withJob(job, { policy: policyOf(false, history) });
      await harness.advanceTo(90 * MINUTE);
      expect((await runsOf(harness)).map(({ outcome }) => outcome)).toEqual(expected);
      await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
    }
  });

  it('records a run that failed after an interrupt as interrupted, and the run is retried', async () => {
    const job = async ({ signal, attempt }: JobExecutionContext) => {
      if (attempt > 1) return;
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const harness = await withJob(job, { policy: policyOf('R1/PT1M', 'all') });
    expect(harness.engine.interruptJob({ group: 'DEFAULT', name: 'job' })).toBe(true);
    await harness.advanceTo(2 * MINUTE);
    expect((await runsOf(harness)).map(({ outcome }) => outcome)).toEqual(['interrupted', 'succeeded']);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('records a vetoed run, which is not retried', async () => {
    const { job, seen } = flaky(0);
    const harness = await anEngine({ jobs: { job }, policy: policyOf('R5/PT1M', 'failures') });
    harness.listeners.addTriggerListener({ name: 'veto', vetoJobExecution: () => true });
    await harness.schedule({}, HOURLY);
    await harness.engine.start();
    await harness.advanceTo(30 * MINUTE);
    expect(await runsOf(harness)).toMatchObject([{ outcome: 'vetoed', error: null, isDeadLetter: false }]);
    expect(seen).toEqual([]);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('keeps the report, the returned result and the log of a job', async () => {
    const answers: ((context: JobExecutionContext) => unknown)[] = [
      () => ({ summary: 'sent 3', metrics: { sent: 3 } }),
      (context) => {
        context.report({ summary: 'first', metrics: { read: 1 } });
        context.report({ summary: 'nothing to send', metrics: { sent: 0 }, outcome: 'skipped' });
        context.log.warn('empty', { table: 'mail' });
      },
      () => ({ outcome: 'failed', summary: 'the printer is on fire' }),
      () => ({ summary: 'not a report', of: 'anything' }),
    ];
    const harness = await anEngine({
      jobs: { job: (context) => answers.shift()?.(context) },
      policy: policyOf(false, 'all'),
    });
    await harness.schedule({}, { repeatInterval: MINUTE, repeatCount: 3 });
    await harness.engine.start();
    await harness.advanceTo(5 * MINUTE);
    const runs = await runsOf(harness);
    expect(runs.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['succeeded', null],
      ['skipped', null],
      ['failed', 'the printer is on fire'],
      ['succeeded', null],
    ]);
    expect(runs.map(detailOf)).toEqual([
      { summary: 'sent 3', metrics: { sent: 3 } },
      {
        summary: 'nothing to send',
        metrics: { read: 1, sent: 0 },
        lines: [{ at: MINUTE, level: 'warn', message: 'empty', data: { table: 'mail' } }],
      },
      {
        ...{ summary: 'the printer is on fire', stack: 'JobExecutionException: the printer is on fire' },
        ...{ canRerun: true, triggerData: {}, priority: 5 },
      },
      { result: { summary: 'not a report', of: 'anything' } },
    ]);
    expect(harness.eventsOf('jobFailed')).toHaveLength(1);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('does not store the returned data of a job that persists data as a report', async () => {
    const harness = await anEngine({ jobs: { job: () => ({ summary: 'mine' }) }, policy: policyOf(false, 'all') });
    await harness.schedule({ persistJobDataAfterExecution: true }, {});
    await harness.engine.runOnce();
    expect([await harness.jobData(), (await runsOf(harness))[0]?.detail]).toEqual([{ summary: 'mine' }, null]);
  });
});
