import { DoNotRetry } from '../../../src/api/job-execution-exception';
import type { JobExecutionContext } from '../../../src/api/scheduler';
import { DEFAULT_POLICY } from '../../../src/domain/execution-policy';
import { HAND_OVERS, ONE_OFF, RECOVERING_JOBS } from '../../../src/domain/recovery';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { allTriggers } from '../../support/all-stored';
import { proves } from '../../support/proves';
import { anEngine, type HarnessOptions } from './harness';

/** A job that runs until the shutdown aborts it, and then ends with the result or error of `end`. */
const until = (end: (context: JobExecutionContext) => unknown) => async (context: JobExecutionContext) => {
  await new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()));
  return end(context);
};
const throwing = (thrown: unknown) =>
  until(() => {
    throw thrown;
  });
const retrying = (retry: string): HarnessOptions => ({
  policy: { ...DEFAULT_POLICY, retry: parseRetryPolicy(retry, 'test') },
});

/** Shuts an engine down while its job runs, and returns the run, the triggers of further runs and the events. */
async function cutShort(
  job: (context: JobExecutionContext) => unknown,
  detail: Parameters<Awaited<ReturnType<typeof anEngine>>['schedule']>[0],
  { trigger = {}, ...options }: HarnessOptions & { readonly trigger?: object } = {},
) {
  const harness = await anEngine({ jobs: { job: job as never }, interruptJobsOnShutdownWithWait: true, ...options });
  await harness.schedule(detail, trigger);
  await harness.engine.start();
  await harness.settle();
  const down = harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  await harness.settle();
  await down;
  const { items: runs } = await harness.store.target.listRuns({ take: 10 });
  const { items } = await allTriggers(harness.store.target);
  const further = items.map((each) => each.trigger).filter(({ key }) => key.group === RECOVERING_JOBS);
  const types = harness.events.map(({ type }) => type);
  return { harness, runs, further, types };
}

describe('a run that the shutdown aborts', () => {
  it.each([
    ['an error', new Error('cut')],
    ['a string', 'cut'],
    ['its abort reason', Object.assign(new Error('aborted'), { name: 'AbortError' })],
  ])('is handed over as the same attempt if it throws %s', async (_, thrown) => {
    for (const [detail, options] of [
      [{ requestsRecovery: true }, {}],
      [{}, retrying('R3/PT1M')],
    ] as const) {
      const { runs, further, types, harness } = await cutShort(throwing(thrown), detail, options);
      expect(runs).toMatchObject([{ outcome: 'handedOver', attempt: 1, isDeadLetter: false }]);
      expect(further).toMatchObject([{ data: { [HAND_OVERS]: '1', [ONE_OFF]: 'true' } }]);
      expect(harness.eventsOf('runHandedOver')).toMatchObject([{ handOvers: 1, occurrence: { attempt: 1 } }]);
      for (const type of ['jobFailed', 'retryScheduled', 'retriesExhausted', 'schedulerError'])
        expect(types).not.toContain(type);
    }
  });

  it('succeeds if its function returns', async () => {
    const { runs, further, types } = await cutShort(
      until(() => 'done'),
      { requestsRecovery: true },
      { policy: { ...DEFAULT_POLICY, history: 'all' } },
    );
    expect(runs).toMatchObject([{ outcome: 'succeeded' }]);
    expect([further, types.includes('runHandedOver')]).toEqual([[], false]);
  });

  it('is not handed over if it throws DoNotRetry', async () => {
    const { runs, further } = await cutShort(throwing(new DoNotRetry('wrong')), { requestsRecovery: true });
    expect(runs).toMatchObject([{ outcome: 'interrupted', isDeadLetter: true }]);
    expect(further).toEqual([]);
  });

  it('is recorded as interrupted if it must not be repeated, and as a dead letter if its trigger fires once', async () => {
    const cut = throwing(new Error('cut'));
    const once = await cutShort(cut, {});
    expect(once.runs).toMatchObject([{ outcome: 'interrupted', isDeadLetter: true }]);
    const hourly = await cutShort(cut, {}, { trigger: { repeatCount: -1, repeatInterval: 3_600_000 } });
    expect(hourly.runs).toMatchObject([{ outcome: 'interrupted', isDeadLetter: false }]);
    expect([...once.further, ...hourly.further]).toEqual([]);
  });

  const HANDED_OVER_TWICE = {
    key: { group: RECOVERING_JOBS, name: 'recover_1' },
    data: { [HAND_OVERS]: '2', [ONE_OFF]: 'true' },
  };

  it('becomes a dead letter after maxHandOvers hand-overs without a new checkpoint', async () => {
    proves('configuration', 'scheduler.maxHandOvers');
    const options = { maxHandOvers: 2, trigger: HANDED_OVER_TWICE };
    const { runs, further, harness } = await cutShort(throwing(new Error('cut')), { requestsRecovery: true }, options);
    expect(runs).toMatchObject([{ outcome: 'interrupted', isDeadLetter: true }]);
    expect(further.filter(({ key }) => key.name !== 'recover_1')).toEqual([]);
    const [event] = harness.eventsOf('retriesExhausted');
    expect(event?.error.message).toMatch(/after 2 hand-overs \(maxHandOvers: 2\): .*cut/);
  });

  it('counts its hand-overs from 0 again after a new checkpoint', async () => {
    const job = async ({ checkpoint, signal }: JobExecutionContext) => {
      await checkpoint({ page: 7 });
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      throw new Error('cut');
    };
    const options = { maxHandOvers: 2, trigger: HANDED_OVER_TWICE };
    const { further } = await cutShort(job, { requestsRecovery: true }, options);
    expect(further.map(({ data }) => data[HAND_OVERS])).toContain('0');
  });

  it('is recorded as interrupted when it is older than maxAge', async () => {
    const { runs } = await cutShort(
      throwing(new Error('cut')),
      {},
      {
        policy: {
          ...DEFAULT_POLICY,
          retry: parseRetryPolicy({ max: 3, delay: 1_000, maxAge: 5_000 }, 'test'),
        },
        trigger: { startTime: -10_000 },
      },
    );
    expect(runs).toMatchObject([{ outcome: 'interrupted', isDeadLetter: true }]);
  });
});
