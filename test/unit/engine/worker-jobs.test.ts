import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Jobs, SchedulerEvent, WorkerJobOptions } from '../../../src';
import { freshDist } from '../../support/fresh-dist';
import { proves } from '../../support/proves';

/** The built package: a thread loads a file of it. */
const { workerJob } = require(join(freshDist(), 'index.js')) as typeof import('../../../src');
const { createTestScheduler } = require(join(freshDist(), 'testing.js')) as typeof import('../../../src/testing');

const START = new Date(Date.UTC(2026, 0, 1));
const FILES = join(__dirname, '../../support/threads/jobs');
const fileOf = (name: string) => pathToFileURL(join(FILES, name));
const job = (name: string, options?: WorkerJobOptions) => workerJob(fileOf(name), options);

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of running.splice(0)) await end();
});

async function schedulerOf(jobs: Jobs, config = {}) {
  const test = await createTestScheduler({ jobs, config: { jobStore: { history: 'all' }, ...config } });
  running.push(() => test.scheduler.shutdown({ deadline: 0 }));
  const errors: (SchedulerEvent & { readonly type: 'schedulerError' })[] = [];
  test.scheduler.subscribe((event) => event.type === 'schedulerError' && errors.push(event), ['schedulerError']);
  const { scheduler } = test;
  /** Runs of the scheduler, newest first. */
  const runs = async () => (await scheduler.listRuns()).items;
  /** Resolves when `count` jobs have reported progress. */
  const begun = (count = 1) =>
    until(() => scheduler.getCurrentlyExecutingJobs().filter((each) => each.currentProgress !== null).length >= count);
  return { ...test, runs, begun, errors };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5)); // leaves the processor to the threads
}

/** Runs one job once and returns its newest run. */
async function play(name: string, { data = {}, options = {}, ...settings }: Record<string, unknown> = {}) {
  const test = await schedulerOf({ job: job(name, options as WorkerJobOptions) });
  await test.scheduler.schedule('job', { at: START, data: data as never, ...settings });
  await test.runDue();
  const [run] = await test.runs();
  return { ...test, run };
}

describe('a job from a file', () => {
  it('receives its firing, and its report and log lines belong to its run', async () => {
    const { run, scheduler } = await play('facts.mjs', { data: { size: 7 } });
    const instance = scheduler.getSchedulerInstanceId();
    const { keys, ...facts } = JSON.parse(run?.summary ?? '{}');
    expect(facts).toEqual({
      data: { size: 7 },
      runId: run?.runId,
      occurrenceId: run?.runId,
      attempt: 1,
      refireCount: 0,
      fireTime: START.toISOString(),
      scheduledFireTime: START.toISOString(),
      firstDueTime: START.toISOString(),
      previousFireTime: null,
      nextFireTime: null,
      isRecovering: false,
      resumeFrom: null,
      jobKey: { group: 'DEFAULT', name: 'job' },
      triggerKey: { group: 'DEFAULT', name: 'job' },
      isAborted: false,
    });
    expect(keys).not.toContain('scheduler');
    expect(run).toMatchObject({ outcome: 'succeeded', metrics: { pages: 3 }, instanceId: instance });
    expect(run?.lines).toMatchObject([
      { level: 'info', message: 'begun', data: { by: 'the thread' } },
      { level: 'error', message: 'a line', data: null },
    ]);
  });

  it('stores its returned data if it persists data', async () => {
    const { scheduler, advanceBy } = await schedulerOf({ job: job('persisting.cjs') });
    await scheduler.schedule('job', { every: 1_000, data: { count: 1 }, persistJobDataAfterExecution: true });
    await advanceBy(2_000);
    expect((await scheduler.getJobDetail('job'))?.data).toEqual({ count: 4 });
  });

  it('may be a transpiled module with a default export', async () => {
    expect((await play('transpiled.cjs')).run).toMatchObject({ outcome: 'succeeded', summary: 'transpiled' });
  });

  it('fails if its default export is not a function', async () => {
    const { run } = await play('without-default.mjs');
    expect(run?.error).toMatch(
      /^Expected a function as the default export, or module.exports, of the job's file file:/,
    );
  });

  it('can be called by another job and wrapped by a job factory', async () => {
    const inner = job('facts.mjs');
    const test = await schedulerOf({ inner, outer: (context) => inner.execute(context) });
    test.scheduler.setJobFactory((registered) => ({
      execute: (context) =>
        typeof registered === 'function'
          ? (registered as never as (c: unknown) => unknown)(context)
          : inner.execute(context),
    }));
    await test.scheduler.schedule('inner', { at: START });
    await test.scheduler.schedule('outer', { at: START });
    await test.runDue();
    expect((await test.runs()).map(({ outcome, lines }) => [outcome, lines?.length])).toEqual([
      ['succeeded', 2],
      ['succeeded', 2],
    ]);
  });

  it('resumes from its checkpoint', async () => {
    const { scheduler, advanceBy, runs } = await schedulerOf({ job: job('resuming.mjs') });
    await scheduler.schedule('job', { at: START, retry: 'R1/PT1M' });
    await advanceBy(60_000);
    expect((await runs()).map(({ outcome, summary }) => [outcome, summary])).toEqual([
      ['succeeded', '{"lastId":10}'],
      ['failed', 'null'],
    ]);
  });
});

describe('an error thrown by a job from a file', () => {
  const fault = (name: string, settings = {}) => play('failing.mjs', { data: { fault: name }, ...settings });

  it('arrives with its name, message, stack and cause', async () => {
    const { run } = await fault('plain');
    expect(run).toMatchObject({ outcome: 'failed', error: 'no paper' });
    expect(run?.stack).toMatch(/^TypeError: no paper\n.*failing\.mjs:\d+[\s\S]*\nCaused by: Error: jam/);
  });

  it('requests a retry as in the main thread', async () => {
    const { runs, advanceBy } = await fault('later');
    await advanceBy(299_999);
    expect(await runs()).toHaveLength(1);
    await advanceBy(1);
    expect((await runs()).map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['succeeded', 2],
      ['failed', 1],
    ]);
  });

  it.each(['never', 'foreign'])('prevents retries as in the main thread: %s', async (name) => {
    const { run, runs, advanceBy } = await fault(name, { retry: 3 });
    expect(run).toMatchObject({ outcome: 'failed', isDeadLetter: true });
    await advanceBy(3_600_000);
    expect(await runs()).toHaveLength(1);
  });

  it('ends its trigger as in the main thread', async () => {
    const test = await schedulerOf({ job: job('failing.mjs') });
    await test.scheduler.schedule('job', { every: 1_000, data: { fault: 'ending' } });
    await test.advanceBy(5_000);
    expect(await test.runs()).toHaveLength(1);
  });

  it.each([
    ['text', 'a text'],
    ['function', expect.stringContaining('=>')],
    ['report', expect.stringContaining('Expected a string as the summary of a job report')],
    ['exit', 'The thread of the job ended with code 3. A job from a file must not call process.exit.'],
  ])('is described in the error of the run: %s', async (name, error) => {
    expect((await fault(name)).run).toMatchObject({ outcome: 'failed', error });
  });

  it('names the job if its returned data cannot be stored', async () => {
    const { run } = await fault('data', { persistJobDataAfterExecution: true });
    expect(run?.error).toMatch(/job 'DEFAULT\/job'/);
    expect((await fault('data')).run).toMatchObject({ outcome: 'succeeded' });
  });

  it('after its run is reported, and does not affect later jobs', async () => {
    const { errors, run, scheduler, runDue, runs } = await play('leaving-behind.mjs');
    const channel = new BroadcastChannel('leaving-behind');
    channel.postMessage('throw');
    await until(() => errors.length > 0);
    channel.close();
    expect(run).toMatchObject({ outcome: 'succeeded' });
    expect(errors[0]).toMatchObject({
      during: 'running code that a job left behind in its thread',
      error: {
        message: `Job 'DEFAULT/job' left code behind in its thread, which failed after its run ${run?.runId} had ended: left behind`,
      },
    });
    await scheduler.schedule('again', { at: START }, job('transpiled.cjs'));
    await runDue();
    expect(await runs()).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'succeeded' }]);
  });
});

describe('code that a job left in its thread', () => {
  it.each(['event', 'timer', 'promise'])('is not blamed on the next job in that thread: %s', async (how) => {
    const jobs = { leaving: job('leaving-behind.mjs'), wait: job('waiting.mjs') };
    const { scheduler, runDue, begun, errors, runs } = await schedulerOf(jobs, { threadPool: { workerThreads: 1 } });
    await scheduler.schedule('leaving', { at: START });
    await runDue();
    await scheduler.schedule('wait', { at: START });
    const waiting = runDue();
    await begun();
    const channel = new BroadcastChannel('leaving-behind');
    channel.postMessage(how);
    await until(() => errors.length > 0);
    channel.close();
    await scheduler.interrupt('wait');
    await waiting;
    expect(errors).toMatchObject([{ error: { message: expect.stringMatching(/^Job 'DEFAULT\/leaving' left code/) } }]);
    expect(await runs()).toMatchObject([{ summary: 'stopped by itself' }, { outcome: 'succeeded' }]);
  });
});

describe('a job from a file that does not end', () => {
  it('is stopped after its grace period and retried, while other jobs continue', async () => {
    let ran = 0;
    const test = await schedulerOf({ spin: job('spinning.mjs'), other: () => void ran++, wait: job('waiting.mjs') });
    await test.scheduler.schedule('spin', {
      at: START,
      timeout: { after: '10s', grace: '5s' },
      retry: 'R1/PT1M',
      disallowConcurrentExecution: true,
    });
    await test.scheduler.schedule('wait', { at: START, timeout: '1h' });
    await test.scheduler.schedule('other', { every: 1_000 });
    const due = test.runDue();
    await test.begun(2);
    await due;
    await test.advanceBy(14_999);
    expect(ran).toBe(15);
    expect(await test.runs()).toMatchObject(Array(15).fill({ outcome: 'succeeded' }));
    await test.advanceBy(1);
    const [stopped] = (await test.scheduler.listRuns({ outcome: 'timedOut' })).items;
    expect(stopped).toMatchObject({
      attempt: 1,
      error: expect.stringMatching(
        /within its time limit of 10000 ms, nor within 5000 ms .* Its thread was stopped\.$/,
      ),
      lines: [{ level: 'warn', message: 'spins' }],
    });
    expect(test.scheduler.getMetaData().numberOfAbandonedJobs).toBe(0);
    expect((await test.scheduler.listExecutingJobs()).map(({ jobKey }) => jobKey.name)).toEqual(['wait']);
    await test.advanceBy(75_000);
    const timedOut = (await test.scheduler.listRuns({ outcome: 'timedOut' })).items;
    expect(timedOut.map(({ attempt, isDeadLetter }) => [attempt, isDeadLetter])).toEqual([
      [2, true],
      [1, false],
    ]);
  });

  it('receives the abort signal when it is interrupted', async () => {
    const test = await schedulerOf({ wait: job('waiting.mjs') });
    await test.scheduler.schedule('wait', { at: START, data: { fails: true }, timeout: '1h' });
    const due = test.runDue();
    await test.begun();
    await due;
    expect(await test.scheduler.interrupt('wait')).toBe(true);
    await test.runDue();
    await until(() => test.scheduler.getCurrentlyExecutingJobs().length === 0);
    await test.runDue();
    expect(await test.runs()).toMatchObject([
      { outcome: 'interrupted', error: 'The job was interrupted by scheduler.interrupt.' },
    ]);
  });

  it('receives the abort signal at its timeout, and may end by itself', async () => {
    const test = await schedulerOf({ wait: job('waiting.mjs') });
    await test.scheduler.schedule('wait', { at: START, timeout: { after: '1s', grace: '1h' } });
    const due = test.runDue();
    await test.begun();
    await due;
    test.clock.advanceBy(1_000);
    await until(() => test.scheduler.getCurrentlyExecutingJobs().length === 0);
    await test.runDue();
    expect(await test.runs()).toMatchObject([{ outcome: 'succeeded', summary: 'stopped by itself' }]);
  });

  it('ends with the scheduler', async () => {
    const test = await schedulerOf({ spin: job('spinning.mjs') });
    await test.scheduler.schedule('spin', { at: START, timeout: '1h' });
    const due = test.runDue();
    await test.begun();
    await due;
    const [context] = test.scheduler.getCurrentlyExecutingJobs();
    await test.scheduler.shutdown({ deadline: 0 });
    expect(context?.signal.aborted).toBe(false);
    await until(() => test.scheduler.getCurrentlyExecutingJobs().length === 0);
    await expect(job('facts.mjs').execute(context as never)).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
  });
});

describe('the memory of a job from a file', () => {
  it('is limited: only the job that exceeds it fails', async () => {
    const test = await schedulerOf({ hungry: job('hungry.mjs', { memoryMb: 32 }), wait: job('waiting.mjs') });
    await test.scheduler.schedule('wait', { at: START, timeout: '1h' });
    await test.scheduler.schedule('hungry', { at: START, timeout: '2h' });
    const due = test.runDue();
    await test.begun();
    await due;
    await until(() => test.scheduler.getCurrentlyExecutingJobs().length === 1);
    await test.runDue();
    expect(await test.runs()).toMatchObject([
      {
        outcome: 'failed',
        error: 'The thread of the job ran out of memory. Its limit is 32 MB: set memoryMb of workerJob.',
        lines: [{ message: 'hungry' }],
      },
    ]);
    expect(await test.scheduler.interrupt('wait')).toBe(true);
    await until(() => test.scheduler.getCurrentlyExecutingJobs().length === 0);
    await test.runDue();
    expect((await test.runs())[0]).toMatchObject({ outcome: 'succeeded', summary: 'stopped by itself' });
  });

  it('may be as low as the minimum', async () => {
    const { run } = await play('transpiled.cjs', { options: { memoryMb: 16 } });
    expect(run).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('worker threads', () => {
  it('are limited by workerThreads, and a job that waits for one can be interrupted', async () => {
    proves('configuration', 'threadPool.workerThreads');
    const test = await schedulerOf({ wait: job('waiting.mjs') }, { 'threadPool.workerThreads': 1 });
    for (const name of ['first', 'second', 'third']) {
      await test.scheduler.scheduleJob(
        ...([
          (await import('../../../src')).newJob('wait').withIdentity(name).withTimeout('1h').build(),
          (await import('../../../src')).newTrigger().withIdentity(name).startAt(START).build(),
        ] as const),
      );
    }
    const due = test.runDue();
    await test.begun();
    await due;
    const active = () => test.scheduler.getCurrentlyExecutingJobs();
    const working = () => active().find(({ currentProgress }) => currentProgress !== null);
    expect(active()).toHaveLength(3);
    const [waiting] = active().filter(({ currentProgress }) => currentProgress === null);
    await test.scheduler.interruptRun(waiting?.runId ?? '');
    await until(() => active().length === 2);
    const first = working();
    await test.scheduler.interruptRun(first?.runId ?? '');
    await until(() => ![undefined, first].includes(working()));
    await test.scheduler.interruptRun(working()?.runId ?? '');
    await until(() => active().length === 0);
    await test.runDue();
    expect((await test.runs()).map(({ outcome, error }) => [outcome, error]).sort()).toEqual([
      ['interrupted', 'The job was stopped before a thread was free.'],
      ['succeeded', null],
      ['succeeded', null],
    ]);
  });
});

describe('workerJob', () => {
  it.each([
    ['./resize.js', {}],
    [join(FILES, 'missing.mjs'), {}],
    ['https://example.org/job.js', {}],
    ['file://elsewhere/job.js', {}],
    [7, {}],
    [null, {}],
    [join(FILES, 'facts.mjs'), { memoryMb: 15 }],
    [join(FILES, 'facts.mjs'), { memoryMb: 1.5 }],
    [join(FILES, 'facts.mjs'), { memoryMb: '64' }],
    [join(FILES, 'facts.mjs'), { memory: 64 }],
    [join(FILES, 'facts.mjs'), null],
  ])('refuses the file %j with the options %j', (file, options) => {
    expect(() => workerJob(file as never, options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });

  it('accepts a path and a schema', async () => {
    const schema = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } };
    const { scheduler } = await schedulerOf({ job: workerJob(join(FILES, 'facts.mjs'), { schema: schema as never }) });
    await expect(scheduler.schedule('job', { at: START })).rejects.toMatchObject({ code: 'INVALID_JOB_DATA' });
  });

  it('requires the context of a scheduler', () => {
    expect(() => job('facts.mjs').execute({} as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});
