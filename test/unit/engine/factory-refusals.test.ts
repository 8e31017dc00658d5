import { DEFAULT_POLICY } from '../../../src/domain/execution-policy';
import type { JobDetail } from '../../../src/domain/job-detail';
import { triggerKey } from '../../../src/domain/keys';
import { LoadCounts } from '../../../src/domain/load-counts';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { proves } from '../../support/proves';
import { anEngine, type Harness, type HarnessOptions } from './harness';

const hourly = { repeatInterval: 3_600_000, repeatCount: -1 };

/** A started engine whose factory fails while `broken` is true, with a job that fires at 0. */
async function withFactory(options: HarnessOptions = {}) {
  const state = { broken: true, calls: [] as number[], ran: [] as number[] };
  const harness = await anEngine({
    jobs: { job: () => void state.ran.push(harness.clock.now()), other: () => {} },
    ...options,
  });
  harness.registry.setFactory((job, { jobType }) => {
    if (jobType === 'other') return { execute: () => {} };
    state.calls.push(harness.clock.now());
    if (state.broken) throw new Error('the pool is not ready');
    return { execute: job as () => void };
  });
  return { harness, state };
}

async function started(job: Partial<JobDetail>, trigger: object, options?: HarnessOptions) {
  const { harness, state } = await withFactory(options);
  await harness.schedule(job, trigger);
  await harness.engine.start();
  await harness.settle();
  return { harness, state };
}

const shutdown = (harness: Harness) => harness.engine.shutdown({ waitForJobs: false, deadline: 0 });

describe('a firing whose job cannot be created', () => {
  it('runs once the factory works again, as the first attempt of the same occurrence', async () => {
    const policy = { ...DEFAULT_POLICY, history: 'all' as const, retry: parseRetryPolicy('R3/PT1H', 'test') };
    const { harness, state } = await started({}, hourly, { policy });
    state.broken = false;
    await harness.advanceTo(10_000);
    expect(state).toMatchObject({ calls: [0, 1_000], ran: [1_000] });
    const { items } = await harness.store.target.listRuns({ take: 10 });
    const [first] = harness.eventsOf('triggerFired');
    expect(items).toMatchObject([
      { outcome: 'succeeded', attempt: 1, scheduledTime: 0, occurrenceId: first?.firing.runId },
    ]);
    expect(items[0]?.triggerKey).toEqual(triggerKey('trigger'));
    for (const type of ['jobFailed', 'retryScheduled', 'schedulerError'] as const)
      expect(harness.eventsOf(type)).toEqual([]);
    await shutdown(harness);
  });

  it.each([
    ['a plain job', {}, undefined, [{ outcome: 'failed', isDeadLetter: true, attempt: 1 }]],
    ['a job with retries', {}, 'R1/PT1H', [{ outcome: 'failed', isDeadLetter: false, attempt: 1 }]],
    [
      'a non-concurrent job',
      { disallowConcurrentExecution: true },
      undefined,
      [{ outcome: 'failed', isDeadLetter: true }],
    ],
  ] as const)('fails after maxFactoryRefusals refusals: %s', async (_, job, retry, ended) => {
    proves('configuration', 'scheduler.maxFactoryRefusals');
    const policy = { ...DEFAULT_POLICY, ...(retry && { retry: parseRetryPolicy(retry, 'test') }) };
    const { harness, state } = await started(job, {}, { policy });
    await harness.advanceTo(14_999);
    expect(await harness.store.target.listRuns({ take: 10 })).toMatchObject({ items: [] });
    await harness.advanceTo(15_000);
    expect(state.calls).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(harness.eventsOf('runRefused').map(({ refusals }) => refusals)).toEqual([1, 2, 3, 4]);
    expect((await harness.store.target.listRuns({ take: 10 })).items).toMatchObject(ended);
    expect(harness.eventsOf('jobFailed')).toMatchObject(
      [
        {
          attempt: 1,
          retryTime: retry ? 3_615_000 : null,
          error: { message: /refused 5 times.*the pool is not ready/ },
        },
      ].map(({ error, ...each }) => ({ ...each, error: { message: expect.stringMatching(error.message) } })),
    );
    if (retry) {
      // The refusals of the retry are counted separately.
      state.broken = false;
      await harness.advanceTo(3_615_000);
      expect(state.ran).toEqual([3_615_000]);
    }
    await shutdown(harness);
  });

  it('stops neither its trigger nor jobs of other types', async () => {
    const { harness, state } = await started({}, { ...hourly, startTime: 3_600_000 });
    await harness.schedule(
      { key: { group: 'DEFAULT', name: 'other' }, jobType: 'other' },
      { key: triggerKey('other'), jobKey: { group: 'DEFAULT', name: 'other' }, startTime: 3_600_500, repeatCount: 0 },
    );
    await harness.advanceTo(3_600_600);
    expect(harness.eventsOf('jobStarted')).toMatchObject([{ firing: { jobDetail: { jobType: 'other' } } }]);
    state.broken = false;
    await harness.advanceTo(7_200_000);
    expect(state.ran).toEqual([3_601_000, 7_200_000]);
    await shutdown(harness);
  });
});

describe('a node whose factory fails', () => {
  it('pauses the job type for 1 s, 2 s, … 60 s, and resumes once the factory works', async () => {
    const { harness, state } = await started({}, { repeatInterval: 100, repeatCount: -1 }, { maxFactoryRefusals: 1 });
    await harness.advanceTo(130_000);
    const seconds = [...new Set(state.calls.map((time) => Math.floor(time / 1_000)))];
    expect(seconds).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
    state.broken = false;
    await harness.advanceTo(190_000);
    expect(state.ran.at(-1)).toBe(190_000);
    state.broken = true;
    await harness.advanceTo(191_050);
    expect(harness.eventsOf('jobFailed').at(-1)?.at).toBe(190_100);
    await shutdown(harness);
  });

  it('lengthens the pause once for all firings of a batch', async () => {
    const { harness, state } = await withFactory();
    await harness.schedule({}, ...['a', 'b', 'c', 'd'].map((name) => ({ key: triggerKey(name) })));
    await harness.engine.start();
    await harness.advanceTo(999);
    expect(state.calls).toEqual([0, 0, 0, 0]);
    expect(new Set(harness.eventsOf('runRefused').map(({ pausedUntil }) => pausedUntil))).toEqual(new Set([1_000]));
    await shutdown(harness);
  });

  it('publishes its refused job types with its load', async () => {
    const load = new LoadCounts();
    const { harness, state } = await started({}, {}, { load });
    await harness.advanceTo(1_500);
    expect(load.read().refusedTypes).toEqual([{ jobType: 'job', since: 0, until: 3_000 }]);
    state.broken = false;
    await harness.advanceTo(3_000);
    expect(load.read().refusedTypes).toEqual([]);
    await shutdown(harness);
  });

  it('retries at once when the program sets another factory', async () => {
    const { harness, state } = await started({}, {});
    harness.registry.setFactory(null);
    await harness.settle();
    expect(state.ran).toEqual([0]);
    await shutdown(harness);
  });

  it('leaves no timer behind after its shutdown', async () => {
    const { harness } = await started({}, {});
    await shutdown(harness);
    await harness.settle();
    expect(harness.clock.nextWakeTime).toBeNull();
  });
});
