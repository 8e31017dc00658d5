import { setImmediate as turn } from 'node:timers/promises';
import { JobExecutionException } from '../../../src/api/job-execution-exception';
import type { JobExecutionContext, JobMiddleware, Jobs } from '../../../src/api/scheduler';
import type { WholePolicy } from '../../../src/domain/execution-policy';
import { triggerKey } from '../../../src/domain/keys';
import { NO_RETRY } from '../../../src/domain/retry-policy';
import { currentJobContext } from '../../../src/engine/job-middleware';
import { anEngine, type HarnessOptions } from './harness';

const RECORDED: WholePolicy = { retry: NO_RETRY, history: 'all' };

/** Fires a job once inside middleware, and returns its outcome. */
async function runOnce(job: Jobs[string], layers: readonly JobMiddleware[], options: HarnessOptions = {}) {
  const harness = await anEngine({ jobs: { job }, policy: RECORDED, ...options });
  for (const layer of layers) harness.engine.use(layer);
  await harness.schedule({}, {});
  await harness.engine.runOnce();
  const { items } = await harness.store.target.listRuns({ take: 9 });
  const [run] = items;
  return { ...harness, outcome: run?.outcome, error: run?.error };
}

/** Fails the test when called. */
const never = () => {
  throw new Error('not to be called');
};

describe('middleware', () => {
  it('wraps every job in the order of registration, and receives the return value of the job', async () => {
    const seen: unknown[] = [];
    const layer =
      (name: string): JobMiddleware =>
      async (context, next) => {
        seen.push(`${name} before ${context.jobDetail.key.name}`);
        seen.push(`${name} after ${await next()}`);
      };
    const job = () => {
      seen.push('job');
      return 'answer';
    };
    const { outcome } = await runOnce(job, [layer('a'), layer('b')]);
    expect(seen).toEqual(['a before job', 'b before job', 'job', 'b after answer', 'a after answer']);
    expect(outcome).toBe('succeeded');
  });

  it('wraps each immediate refire of a job', async () => {
    const layer = jest.fn((_: JobExecutionContext, next: () => Promise<unknown>) => next());
    let left = 2;
    const job = () => {
      if (left-- > 0) throw new JobExecutionException('again', { refireImmediately: true });
    };
    const harness = await anEngine({ jobs: { job } });
    harness.engine.use(layer);
    await harness.schedule({}, {});
    await harness.engine.start();
    await harness.advanceTo(60_000);
    expect(layer).toHaveBeenCalledTimes(3);
    await harness.engine.shutdown({ waitForJobs: true, deadline: 1_000 });
  });

  it('does not change the stored job data by its own return value', async () => {
    const harness = await anEngine({ jobs: { job: () => ({ count: 2 }) } });
    harness.engine.use(async (_, next) => {
      await next();
      return { count: 99 };
    });
    await harness.schedule({ data: { count: 1 }, persistJobDataAfterExecution: true }, {});
    await harness.engine.runOnce();
    expect(await harness.jobData()).toEqual({ count: 2 });
  });

  it('fails the job with an error that it throws before, instead of or after the job', async () => {
    const fail = () => Promise.reject(new Error('of the middleware'));
    const layers: JobMiddleware[] = [
      fail,
      () => {
        throw new Error('of the middleware');
      },
      async (_, next) => {
        await next();
        await fail();
      },
      (_, next) => next().catch(fail),
    ];
    for (const layer of layers) {
      const job = () => Promise.reject(new Error('of the job'));
      const isAfterwards = layer === layers[2];
      const { outcome, error } = await runOnce(isAfterwards ? () => {} : job, [layer]);
      expect([outcome, error]).toEqual(['failed', 'of the middleware']);
    }
  });

  it('may catch an error of the job, and the run then succeeds', async () => {
    const caught: unknown[] = [];
    const layer: JobMiddleware = (_, next) => next().catch((error) => void caught.push(error));
    const error = new Error('handled');
    const { outcome, eventsOf } = await runOnce(() => Promise.reject(error), [layer]);
    expect([outcome, caught, eventsOf('jobFailed')]).toEqual(['succeeded', [error], []]);
  });

  it('cannot hide a failure or end the run early by not awaiting the job', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const jobs = [
      () => {
        throw new Error('of the job');
      },
      async () => {
        throw new Error('of the job');
      },
      async () => {
        await opened;
        throw new Error('of the job');
      },
    ];
    for (const job of jobs) {
      const running = runOnce(job, [(_, next) => void next()]);
      await turn();
      open();
      expect(await running).toMatchObject({ outcome: 'failed', error: 'of the job' });
    }
  });

  it('skips the run if it does not call next', async () => {
    const { outcome } = await runOnce(never, [() => {}]);
    expect(outcome).toBe('skipped');
    const said = await runOnce(never, [(context) => context.report({ outcome: 'succeeded' })]);
    expect(said.outcome).toBe('succeeded');
  });

  it('runs the job once even if it calls next twice, and never after the run has ended', async () => {
    let count = 0;
    const job = async () => {
      await turn();
      count++;
    };
    const twice = await runOnce(job, [(_, next) => Promise.all([next(), next()])]);
    expect([twice.outcome, count]).toEqual(['failed', 1]);
    expect(twice.error).toContain('call next() once');
    let late: () => Promise<unknown> = never;
    const { outcome } = await runOnce(job, [
      (_, next) => {
        late = next;
      },
    ]);
    expect(outcome).toBe('skipped');
    expect(late).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(count).toBe(1);
  });

  it('is removed only by the function that its registration returned', async () => {
    const layer = jest.fn((_: JobExecutionContext, next: () => Promise<unknown>) => next());
    const harness = await anEngine({ jobs: { job: () => {} } });
    const remove = harness.engine.use(layer);
    harness.engine.use(layer);
    remove();
    remove();
    await harness.schedule({}, {});
    await harness.engine.runOnce();
    expect(layer).toHaveBeenCalledTimes(1);
  });
});

describe('currentJobContext', () => {
  const found: unknown[] = [];
  const below = async () => {
    await turn();
    found.push(currentJobContext());
  };
  beforeEach(() => void found.splice(0));

  it('returns the context of the running job in nested calls, even with several concurrent jobs', async () => {
    const contexts: unknown[] = [];
    const job = async (context: JobExecutionContext) => {
      contexts.push(context);
      await below();
    };
    const harness = await anEngine({ jobs: { job }, tracksCurrentJob: true });
    await harness.schedule({}, ...['a', 'b', 'c'].map((name) => ({ key: triggerKey(name) })));
    await harness.engine.runOnce();
    expect(found).toHaveLength(3);
    expect(found).toEqual(contexts);
    expect(new Set(found).size).toBe(3);
    expect(currentJobContext()).toBeNull();
  });

  it('returns the context in middleware and jobs, or null without middleware and tracking', async () => {
    const layer: JobMiddleware = async (_, next) => {
      await below();
      await next();
    };
    await runOnce(below, [layer]);
    expect(found).toEqual([expect.anything(), expect.anything()]);
    expect(found[0]).toBe(found[1]);
    found.splice(0);
    await runOnce(below, []);
    expect(found).toEqual([null]);
  });

  it('returns null in listeners of events that follow the end of a job', async () => {
    const harness = await anEngine({ jobs: { job: () => {} }, tracksCurrentJob: true });
    harness.bus.subscribe(() => found.push(currentJobContext()), ['triggerCompleted', 'triggerFired']);
    await harness.schedule({}, {});
    await harness.engine.runOnce();
    expect(found.filter((each) => each !== null)).toEqual([]);
    expect(found.length).toBeGreaterThan(0);
  });
});
