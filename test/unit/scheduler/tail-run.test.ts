import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

/** A running job whose context the test uses to log lines, until `end` is called. */
async function talking() {
  const test = await testScheduler();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await test.scheduler.schedule('talker', { at: new Date(test.clock.now()) }, () => ended);
  const running = test.runDue();
  for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
  const [context] = test.scheduler.getCurrentlyExecutingJobs();
  if (context === undefined) throw new Error('Expected a job that executes.');
  return { ...test, context, end, running };
}

describe('tailing a run', () => {
  it('returns earlier and new log lines until the run has ended', async () => {
    const { scheduler, clock, context, end, running } = await talking();
    const lines: string[] = [];
    context.log.info('before');
    const tailing = scheduler.tailRun(context.runId, ({ message, at }) => lines.push(`${message} ${at.getTime()}`));
    const start = clock.now();
    await yieldToEventLoop();
    expect(lines).toEqual([`before ${start}`]);
    context.log.warn('later');
    clock.advanceBy(1_000);
    await yieldToEventLoop();
    expect(lines).toEqual([`before ${start}`, `later ${start}`]);
    context.log.info('last');
    end();
    await running;
    clock.advanceBy(1_000);
    expect(await tailing).toBe(true);
    expect(lines.at(-1)).toBe(`last ${start + 1_000}`);
    expect(lines).toHaveLength(3);
  });

  it('starts with at most 16 kB of earlier lines, and then omits none', async () => {
    const { scheduler, clock, context, end, running } = await talking();
    const lines: string[] = [];
    for (let n = 0; n < 100; n++) context.log.info(`${n} ${'x'.repeat(1_000)}`);
    const tailing = scheduler.tailRun(context.runId, ({ message }) => lines.push(message.split(' ')[0] ?? ''));
    await yieldToEventLoop();
    const first = lines.length;
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThan(17);
    for (let n = 100; n < 140; n++) context.log.info(`${n} ${'x'.repeat(1_000)}`);
    end();
    await running;
    clock.advanceBy(1_000);
    await tailing;
    expect(lines).toEqual(Array.from({ length: 40 + first }, (_, n) => String(100 - first + n)));
  });

  it('ends when its signal aborts, and returns whether the run exists', async () => {
    const { scheduler, context, end, running } = await talking();
    const controller = new AbortController();
    const tailing = scheduler.tailRun(context.runId, () => undefined, controller);
    controller.abort();
    expect(await tailing).toBe(true);
    expect(await scheduler.tailRun('nothing', () => undefined)).toBe(false);
    end();
    await running;
  });

  it('rejects with the error of the callback, and refuses invalid arguments', async () => {
    const { scheduler, context, end, running } = await talking();
    context.log.info('one');
    const thrown = new Error('full');
    const fail = () => {
      throw thrown;
    };
    await expect(scheduler.tailRun(context.runId, fail)).rejects.toBe(thrown);
    const wrong = [
      [5, fail],
      ['x', 5],
      ['x', fail, { signal: 5 }],
      ['x', fail, { until: 5 }],
    ] as unknown as Parameters<typeof scheduler.tailRun>[];
    for (const parameters of wrong) {
      await expect(scheduler.tailRun(...parameters)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    end();
    await running;
  });

  it('listExecutingJobs shows the progress of the run', async () => {
    const { scheduler, clock, context, end, running } = await talking();
    expect(await scheduler.listExecutingJobs()).toMatchObject([{ progress: null }]);
    context.progress(0.5, 'half');
    const at = new Date(clock.now());
    expect(await scheduler.listExecutingJobs()).toMatchObject([{ progress: { fraction: 0.5, message: 'half', at } }]);
    end();
    await running;
  });
});
