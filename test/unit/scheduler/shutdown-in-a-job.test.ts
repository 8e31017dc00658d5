import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScheduler, type JobExecutionContext, type Jobs, type Scheduler } from '../../../src';

const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-shutdown-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newDatabase = () => join(folder, `${++files}.db`);

const open = (jobs: Jobs, database?: string): Promise<Scheduler> =>
  createScheduler(
    {
      scheduler: { logLevel: 'silent' },
      ...(database !== undefined && { jobStore: { class: 'sqlite', path: database, storeThread: false } }),
    } as never,
    { jobs },
  );

const ended = (scheduler: Scheduler) =>
  new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['schedulerShutdown']));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const patient = { waitForJobs: true, deadline: 20_000 };

/** Different ways in which a job may call shutdown. */
const WAYS: Readonly<Record<string, (shutdown: () => Promise<void>) => unknown>> = {
  'at once': (shutdown) => shutdown(),
  'after other work': async (shutdown) => {
    await pause(5);
    await shutdown();
  },
  'in a function that it awaits': async (shutdown) => {
    const last = async () => {
      await pause(5);
      await shutdown();
    };
    await Promise.all([last(), pause(1)]);
  },
  'in a callback of a promise': (shutdown) => pause(5).then(() => shutdown()),
};

describe('a job that shuts its scheduler down', () => {
  it.each(Object.keys(WAYS))('does not wait for its own end: %s', async (way) => {
    const began = Date.now();
    const scheduler = await open({ last: () => WAYS[way]?.(() => scheduler.shutdown(patient)) });
    const end = ended(scheduler);
    await scheduler.start();
    await scheduler.enqueue('last');
    await end;
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  it.each([
    ['with a time limit', { timeout: '1m' }, patient],
    ['without a time limit', {}, patient],
    ['without waiting for jobs', {}, {}],
  ] as const)('is recorded as succeeded: %s', async (_, options, how) => {
    const database = newDatabase();
    const work = async () => {
      await pause(5);
      await scheduler.shutdown(how);
      return 'done';
    };
    const scheduler = await open({ last: work }, database);
    const end = ended(scheduler);
    await scheduler.start();
    await scheduler.schedule('last', { job: 'last', at: new Date(), history: 'all', ...options });
    await end;
    const next = await open({ last: work }, database);
    expect((await next.listRuns()).items).toMatchObject([{ outcome: 'succeeded', result: 'done' }]);
    expect(await next.listExecutingJobs()).toEqual([]);
    await next.shutdown();
  });

  it('waits for the other jobs before its shutdown call resolves', async () => {
    const order: string[] = [];
    let end = () => {};
    const others = new Promise<void>((resolve) => {
      end = resolve;
    });
    const scheduler = await open({
      other: () => others.then(() => void order.push('other')),
      async last(context: JobExecutionContext) {
        await context.scheduler.shutdown(patient);
        order.push('last');
      },
    });
    await scheduler.start();
    await scheduler.enqueue('other');
    const stopping = new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['schedulerShuttingDown']));
    const down = ended(scheduler);
    await scheduler.enqueue('last');
    await stopping;
    await pause(50);
    expect(order).toEqual([]);
    end();
    await down;
    expect(order).toEqual(['other', 'last']);
  });

  it('does not wait for another job that also shuts down the scheduler', async () => {
    let count = 0;
    const scheduler = await open({
      async last() {
        if (++count === 2) go();
        await both;
        await scheduler.shutdown(patient);
      },
    });
    let go = () => {};
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    const end = ended(scheduler);
    await scheduler.start();
    await Promise.all([scheduler.enqueue('last'), scheduler.enqueue('last')]);
    await end;
    expect(count).toBe(2);
  });

  it('delays a shutdown from outside until it has ended', async () => {
    let isOver = false;
    const scheduler = await open({
      async last() {
        await pause(5);
        void scheduler.shutdown(patient);
        await pause(50);
        isOver = true;
      },
    });
    await scheduler.start();
    const stopping = new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['schedulerShuttingDown']));
    await scheduler.enqueue('last');
    await stopping;
    await scheduler.shutdown();
    expect(isOver).toBe(true);
  });

  it('can shut down another scheduler and waits for the jobs of that scheduler', async () => {
    const order: string[] = [];
    const second = await open({ other: () => pause(50).then(() => void order.push('other')) });
    await second.start();
    const started = new Promise<void>((resolve) => second.subscribe(() => resolve(), ['jobStarted']));
    await second.enqueue('other');
    await started;
    const first = await open({
      async last() {
        await second.shutdown(patient);
        order.push('last');
      },
    });
    await first.start();
    const end = new Promise<void>((resolve) => first.subscribe(() => resolve(), ['triggerCompleted']));
    await first.enqueue('last');
    await end;
    expect(order).toEqual(['other', 'last']);
    await first.shutdown();
  });

  it.each(['standby', 'drain'] as const)('does not wait for its own end in a call of %s either', async (method) => {
    const began = Date.now();
    const scheduler = await open({ last: () => scheduler[method]() as Promise<unknown> });
    await scheduler.start();
    const end = new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['triggerCompleted']));
    await scheduler.enqueue('last');
    await end;
    expect(Date.now() - began).toBeLessThan(3_000);
    await scheduler.shutdown();
  });
});
