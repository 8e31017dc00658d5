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

/** How a job may call the shutdown. */
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
  it.each(Object.keys(WAYS))('does not wait for itself: %s', async (way) => {
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
    ['plainly', {}, patient],
    ['without waiting for jobs', {}, {}],
  ] as const)('has succeeded, and is stored as that: %s', async (_, options, how) => {
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

  it('waits for the other jobs, and is answered when they have ended', async () => {
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

  it('is answered although another job does the same', async () => {
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

  it('is waited for by a shutdown from outside', async () => {
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

  it('may shut down another scheduler, whose jobs it then waits for', async () => {
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

  it.each(['standby', 'drain'] as const)('may call %s as well', async (method) => {
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
