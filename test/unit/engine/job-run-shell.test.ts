import { JobExecutionException, RetryLater } from '../../../src/api/job-execution-exception';
import type { JobExecutionContext, Jobs } from '../../../src/api/scheduler';
import type { SchedulerError } from '../../../src/base/errors';
import type { SqlStoreConfig } from '../../../src/config/scheduler-config';
import { DEFAULT_POLICY } from '../../../src/domain/execution-policy';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import type { Engine } from '../../../src/engine/engine';
import { anEngine, THRESHOLD } from './harness';

const every = (repeatInterval: number) => ({ repeatInterval, repeatCount: -1 });

/** An engine with `job` as its job and a trigger that fires at 0 and every minute. */
async function withJob(job: Jobs[string], options: Parameters<typeof anEngine>[0] = {}) {
  const harness = await anEngine({ jobs: { job }, ...options });
  await harness.schedule({ disallowConcurrentExecution: true }, every(60_000));
  return harness;
}

describe('job run shell', () => {
  describe('runs a registered job that is', () => {
    it('a function, which receives the context', async () => {
      const seen: string[] = [];
      const { engine } = await withJob(({ jobDetail }) => void seen.push(jobDetail.key.name));
      expect(await engine.runOnce()).toBe(1);
      expect(seen).toEqual(['job']);
    });

    it('an object, with the object as `this` of its method', async () => {
      const job = {
        count: 0,
        execute() {
          this.count++;
        },
      };
      const { engine } = await withJob(job);
      await engine.runOnce();
      expect(job.count).toBe(1);
    });

    it('a class, which gets a new instance for each firing', async () => {
      const instances = new Set<object>();
      class ReportJob {
        execute() {
          instances.add(this);
        }
      }
      const { engine, advanceTo } = await withJob(ReportJob);
      await engine.runOnce();
      await advanceTo(60_000);
      await engine.runOnce();
      expect(instances.size).toBe(2);
      expect([...instances].every((instance) => instance instanceof ReportJob)).toBe(true);
    });

    it('replaced by an asynchronous factory', async () => {
      const seen: unknown[] = [];
      const registered = () => {};
      const { engine, registry } = await withJob(registered);
      registry.setFactory(async (job, jobDetail) => ({ execute: () => void seen.push(job, jobDetail.key.name) }));
      await engine.runOnce();
      expect(seen).toEqual([registered, 'job']);
      registry.setFactory(null);
    });
  });

  describe('completes the firing and runs the rest of the batch despite', () => {
    const throwing = (message: string) => () => {
      throw new Error(message);
    };
    const withThen = (promise: Promise<void>, value: () => void) => Object.defineProperty(promise, 'then', { value });
    const readableOnce = () => {
      let reads = 0;
      const error = new Error('x');
      const get = () => (reads++ === 0 ? 'first' : throwing('read again')());
      return Object.defineProperty(error, 'message', { get });
    };
    const withFlag = (name: string) =>
      Object.defineProperty(new JobExecutionException('flag'), name, { get: throwing('the flag') });
    const failed = { error: { code: 'JOB_EXECUTION' } };
    const ended = { error: null };

    it.each<[string, (context: JobExecutionContext) => unknown, object]>([
      ['a promise whose own then throws', () => withThen(Promise.resolve(), throwing('then')), ended],
      ['a promise whose own then returns nothing', () => withThen(Promise.resolve(), () => {}), ended],
      [
        'a rejected promise whose own then returns nothing',
        () => withThen(Promise.reject(new Error('no')), () => {}),
        failed,
      ],
      [
        'a promise whose constructor throws when it is read',
        () => Object.defineProperty(Promise.resolve(), 'constructor', { get: throwing('constructor') }),
        failed,
      ],
      ['a proxy of a promise', () => new Proxy(Promise.resolve(), {}), failed],
      ['an error whose message can be read once', () => Promise.reject(readableOnce()), failed],
      [
        'a failure whose refire flag throws when it is read',
        () => Promise.reject(withFlag('refireImmediately')),
        failed,
      ],
      [
        'a failure whose unschedule flag throws when it is read',
        () => Promise.reject(withFlag('unscheduleAllTriggers')),
        failed,
      ],
      [
        'a RetryLater whose delay throws when it is read',
        () => Promise.reject(Object.defineProperty(new RetryLater(1), 'delay', { get: throwing('the pause') })),
        failed,
      ],
      [
        'a result whose keys cannot be read',
        () => new Proxy({}, { ownKeys: throwing('keys'), get: () => undefined }),
        failed,
      ],
      ['an invalid report', (context) => context.report({ outcome: 'lost' as 'failed' }), failed],
      ['a result with too many metrics', () => ({ metrics: Array.from({ length: 51 }, () => 1) }), ended],
      ['a result with metrics that are not numbers', () => ({ metrics: { sent: Number.NaN } }), failed],
      [
        'a proxy of a failure',
        () => Promise.reject(new Proxy(new JobExecutionException('p'), { get: throwing('proxy') })),
        failed,
      ],
      [
        'a context whose properties all throw',
        (context) => {
          const names = ['jobRunTime', 'refireCount', 'jobDetail', 'trigger', 'signal', 'runId'];
          for (const name of names) Object.defineProperty(context, name, { get: throwing(name) });
        },
        ended,
      ],
    ])('%s', async (_, job, end) => {
      let neighbours = 0;
      const harness = await anEngine({ jobs: { job: job as Jobs[string], other: () => void neighbours++ } });
      harness.listeners.addJobListener({ name: 'hears', jobWasExecuted() {} });
      harness.listeners.addTriggerListener({ name: 'hears', triggerComplete() {} });
      await harness.schedule({}, { ...every(60_000), priority: 9 });
      for (const name of ['a', 'b']) {
        await harness.schedule(
          { key: jobKey(name), jobType: 'other' },
          { key: triggerKey(name), jobKey: jobKey(name) },
        );
      }
      await harness.engine.runOnce();
      expect(neighbours).toBe(2);
      const completed = harness.eventsOf('triggerCompleted');
      expect(completed).toHaveLength(3);
      expect(completed.find(({ firing }) => firing.jobDetail.key.name === 'job')).toMatchObject(end);
    });
  });

  describe('a job that cannot be created', () => {
    class Broken {
      constructor() {
        throw new Error('no database');
      }
      execute() {}
    }

    it.each<[string, Jobs[string], (() => unknown) | null]>([
      ['the constructor throws', Broken, null],
      [
        'the factory throws',
        () => {},
        () => {
          throw new Error('no database');
        },
      ],
      ['the factory rejects', () => {}, () => Promise.reject(new Error('no database'))],
      ['the factory returns nothing', () => {}, () => undefined],
      ['the factory returns an object that is not a job', () => {}, async () => ({ run() {} })],
      [
        'the class has parameters',
        class {
          constructor(readonly pool: object) {}
          execute() {}
        } as never,
        null,
      ],
    ])('because %s has its firing released, and its trigger stays WAITING', async (_, job, factory) => {
      const harness = await withJob(job);
      if (factory !== null) harness.registry.setFactory(factory as never);
      await harness.engine.runOnce();
      expect(await harness.stateOf()).toBe('WAITING');
      expect(harness.eventsOf('runRefused')).toMatchObject([
        { instanceId: 'node-1', refusals: 1, pausedUntil: 1_000, error: { code: 'JOB_FACTORY' } },
      ]);
      expect(harness.eventsOf('triggerCompleted')).toMatchObject([{ instruction: 'NOOP', error: null }]);
      expect(harness.engine.numberOfJobsExecuted).toBe(0);
    });
  });

  describe('a failing job', () => {
    it.each<[string, () => unknown, string]>([
      [
        'throws at once',
        () => {
          throw new Error('boom');
        },
        'boom',
      ],
      ['rejects', () => Promise.reject(new Error('boom')), 'boom'],
      ['rejects with nothing', () => Promise.reject(), 'undefined'],
      [
        'throws a string',
        () => {
          throw 'text';
        },
        'text',
      ],
      [
        'throws an object that cannot be printed',
        () => {
          throw Object.create(null);
        },
        '[Object: null prototype] {}',
      ],
      [
        'throws an object that is not an error',
        () => {
          throw { status: 503, body: { reason: 'busy' } };
        },
        "{ status: 503, body: { reason: 'busy' } }",
      ],
      [
        'throws an object with a message',
        () => {
          throw { message: 'out of paper' };
        },
        'out of paper',
      ],
      [
        'throws an error whose message throws',
        () => {
          throw Object.defineProperty(new Error(), 'message', {
            get() {
              throw new Error('gotcha');
            },
          });
        },
        'a thrown value that cannot be printed',
      ],
      [
        'returns a broken thenable',
        () =>
          Object.fromEntries([
            [
              'then',
              () => {
                throw new Error('boom');
              },
            ],
          ]),
        'boom',
      ],
    ])('that %s keeps its trigger and is reported to listeners and subscribers', async (_, job, message) => {
      const harness = await withJob(job as Jobs[string]);
      const ended: unknown[] = [];
      harness.listeners.addJobListener({
        name: 'l',
        jobWasExecuted: (context, error) => void ended.push(context.jobRunTime, error),
      });
      await harness.engine.runOnce();
      const error = expect.objectContaining({
        code: 'JOB_EXECUTION',
        message: `The job 'DEFAULT/job' threw: ${message}`,
      });
      expect(ended).toEqual([0, error]);
      expect(harness.eventsOf('schedulerError')).toEqual([expect.objectContaining({ error })]);
      expect(harness.eventsOf('triggerCompleted')).toEqual([expect.objectContaining({ error, instruction: 'NOOP' })]);
      expect(await harness.stateOf()).toBe('WAITING');
      await harness.advanceTo(60_000);
      expect(await harness.engine.runOnce()).toBe(1);
    });

    it('is reported with the thrown error as cause', async () => {
      const thrown = new TypeError('boom');
      const harness = await withJob(() => {
        throw thrown;
      });
      await harness.engine.runOnce();
      expect((harness.eventsOf('schedulerError')[0]?.error as SchedulerError).cause).toBe(thrown);
    });
  });

  it.each([
    1,
    'text',
    null,
    undefined,
    true,
    [1],
  ])('accepts a job that returns %p instead of a promise', async (answer) => {
    const harness = await withJob((() => answer) as Jobs[string]);
    await harness.engine.runOnce();
    expect(harness.eventsOf('schedulerError')).toEqual([]);
    expect(await harness.stateOf()).toBe('WAITING');
  });

  it('awaits any thenable', async () => {
    let isDone = false;
    const thenable = Object.fromEntries([
      [
        'then',
        (resolve: () => void) =>
          setImmediate(() => {
            isDone = true;
            resolve();
          }),
      ],
    ]);
    const harness = await withJob((() => thenable) as unknown as Jobs[string]);
    await harness.engine.runOnce();
    expect(isDone).toBe(true);
  });

  describe('JobExecutionException', () => {
    const throwing = (options: ConstructorParameters<typeof JobExecutionException>[1]) => () => {
      throw new JobExecutionException('no luck', options);
    };

    it('keeps the trigger by default, and is not reported as a scheduler error', async () => {
      const harness = await withJob(throwing({}));
      await harness.engine.runOnce();
      expect(await harness.stateOf()).toBe('WAITING');
      expect(harness.eventsOf('schedulerError')).toEqual([]);
      expect(harness.eventsOf('triggerCompleted')).toMatchObject([{ error: { message: 'no luck' } }]);
    });

    it('unschedules the firing trigger', async () => {
      const harness = await withJob(throwing({ unscheduleFiringTrigger: true }));
      await harness.schedule({}, { key: triggerKey('other'), startTime: 5_000 });
      await harness.engine.runOnce();
      expect([await harness.stateOf(), await harness.stateOf('other')]).toEqual(['COMPLETE', 'WAITING']);
    });

    it('unschedules all triggers of the job', async () => {
      const harness = await withJob(throwing({ unscheduleAllTriggers: true }));
      await harness.schedule({}, { key: triggerKey('other'), startTime: 5_000 });
      await harness.engine.runOnce();
      expect([await harness.stateOf(), await harness.stateOf('other')]).toEqual(['COMPLETE', 'COMPLETE']);
    });

    it('with refireImmediately repeats the job in the same firing, and counts the refires', async () => {
      const seen: unknown[] = [];
      const harness = await withJob((context) => {
        seen.push([context.refireCount, context.runId, context.jobRunTime]);
        if (seen.length < 2) throw new JobExecutionException('again', { refireImmediately: true });
      });
      await harness.engine.runOnce();
      const { runId } = harness.eventsOf('triggerFired')[0]!.firing;
      expect(seen).toEqual([
        [0, runId, -1],
        [1, runId, -1],
      ]);
      expect(harness.clock.now()).toBe(0);
      expect(harness.eventsOf('triggerCompleted')).toMatchObject([{ error: null }]);
      expect(harness.engine.numberOfJobsExecuted).toBe(2);
    });

    it('causes at most maxRefireCount refires, with growing delays, before its other flags apply', async () => {
      const times: number[] = [];
      const harness = await withJob(
        () => {
          times.push(harness.clock.now());
          throw new JobExecutionException('again', { refireImmediately: true, unscheduleFiringTrigger: true });
        },
        { maxRefireCount: 4 },
      );
      const ended = harness.engine.runOnce();
      await harness.advanceTo(1_000);
      await ended;
      expect(times).toEqual([0, 0, 1, 3, 7]);
      expect(await harness.stateOf()).toBe('COMPLETE');
      expect(harness.eventsOf('schedulerError')).toMatchObject([
        { error: { message: expect.stringContaining('more immediate refires than maxRefireCount (4) allows') } },
      ]);
    });

    it('does not refire a job that was interrupted while it waited for the refire', async () => {
      let runs = 0;
      const harness = await withJob(() => {
        runs++;
        throw new JobExecutionException('again', { refireImmediately: true });
      });
      const ended = harness.engine.runOnce();
      await harness.settle();
      expect(runs).toBe(2);
      expect(harness.engine.interruptJob({ group: 'DEFAULT', name: 'job' })).toBe(true);
      await ended;
      expect(runs).toBe(2);
      expect(await harness.stateOf()).toBe('WAITING');
      expect(harness.engine.getCurrentlyExecutingJobs()).toEqual([]);
    });
  });

  describe('job data', () => {
    const persistent = { persistJobDataAfterExecution: true, data: { count: 1, list: [{ a: 1 }] } };

    async function running(job: Jobs[string], detail: object = persistent) {
      const harness = await anEngine({ jobs: { job } });
      await harness.schedule(detail, every(60_000));
      await harness.engine.runOnce();
      return harness;
    }

    it('is stored when the job returns it', async () => {
      const harness = await running(async ({ data }) => ({ ...data, count: Number(data.count) + 1 }));
      expect(await harness.jobData()).toEqual({ count: 2, list: [{ a: 1 }] });
      await harness.advanceTo(60_000);
      await harness.engine.runOnce();
      expect(await harness.jobData()).toEqual({ count: 3, list: [{ a: 1 }] });
    });

    it('is stored as a copy that later changes of the returned object do not affect', async () => {
      const own = { count: 5, deep: { a: 1 } };
      const harness = await running(() => own);
      own.deep.a = 2;
      expect(await harness.jobData()).toEqual({ count: 5, deep: { a: 1 } });
    });

    it.each<[string, Jobs[string]]>([
      ['nothing', () => {}],
      ['null', (() => null) as unknown as Jobs[string]],
      ['the object it was given', ({ data }) => data],
      ['an equal copy', ({ data }) => structuredClone(data)],
    ])('is not written when the job returns %s', async (_, job) => {
      const harness = await anEngine({ jobs: { job } });
      await harness.schedule(persistent, every(60_000));
      const stored = async () => (await harness.store.target.getJobs([{ group: 'DEFAULT', name: 'job' }]))[0];
      const before = await stored();
      await harness.engine.runOnce();
      expect(await stored()).toBe(before);
      expect(harness.eventsOf('schedulerError')).toEqual([]);
    });

    it('keeps its stored value when the job does not persist it, or throws', async () => {
      const ephemeral = await running(() => ({ count: 9 }), { data: { count: 1 } });
      expect(await ephemeral.jobData()).toEqual({ count: 1 });
      const failing = await running(() => {
        throw new Error('boom');
      });
      expect(await failing.jobData()).toEqual(persistent.data);
    });

    it.each<[string, unknown]>([
      ['a function', { f: () => {} }],
      ['NaN', { n: Number.NaN }],
      ['a Date', { d: new Date(0) }],
      ['more than 60 KiB', { text: 'x'.repeat(61 * 1024) }],
      ['a number instead of an object', 42],
      ['a __proto__ key', JSON.parse('{"__proto__":{"x":1}}')],
    ])('with %s fails the job, and the stored data is kept', async (_, returned) => {
      const harness = await running((() => returned) as Jobs[string]);
      expect(await harness.jobData()).toEqual(persistent.data);
      expect(harness.eventsOf('schedulerError')).toMatchObject([{ error: { cause: { code: 'INVALID_JOB_DATA' } } }]);
      expect(harness.eventsOf('triggerCompleted')).toMatchObject([{ error: { code: 'JOB_EXECUTION' } }]);
      expect(await harness.stateOf()).toBe('WAITING');
    });
  });

  describe('a veto', () => {
    it('keeps the job from running without stopping its trigger', async () => {
      let runs = 0;
      const heard: string[] = [];
      const harness = await withJob(() => void runs++);
      const isVetoed = () => harness.clock.now() < 60_000;
      harness.listeners.addTriggerListener({
        name: 't',
        vetoJobExecution: isVetoed,
        triggerComplete: () => void heard.push('triggerComplete'),
      });
      harness.listeners.addJobListener({
        name: 'j',
        jobToBeExecuted: () => void heard.push('jobToBeExecuted'),
        jobExecutionVetoed: () => void heard.push('jobExecutionVetoed'),
        jobWasExecuted: () => void heard.push('jobWasExecuted'),
      });
      await harness.engine.runOnce();
      expect([runs, harness.engine.numberOfJobsExecuted]).toEqual([0, 0]);
      expect(heard).toEqual(['jobExecutionVetoed']);
      expect(harness.eventsOf('jobVetoed')).toHaveLength(1);
      expect(harness.eventsOf('jobStarted')).toEqual([]);
      expect(await harness.stateOf()).toBe('WAITING');
      await harness.advanceTo(60_000);
      await harness.engine.runOnce();
      expect(runs).toBe(1);
    });

    it('finalizes the trigger if it vetoes the last firing', async () => {
      const harness = await anEngine({ jobs: { job: () => {} } });
      await harness.schedule({}, {});
      harness.listeners.addTriggerListener({ name: 't', vetoJobExecution: () => true });
      await harness.engine.runOnce();
      expect(await harness.stateOf()).toBeNull();
      expect(harness.eventsOf('triggerFinalized')).toHaveLength(1);
    });
  });

  it.each([
    ['immediately', 1],
    ['after a pause', 2],
  ])('does not refire a job %s when the scheduler was shut down without waiting', async (_, runs) => {
    const harness = await withJob(({ signal }) => {
      if (harness.engine.numberOfJobsExecuted === runs) ended = shutDown();
      signal.throwIfAborted(); // a shutdown without waiting does not abort running jobs
      throw new JobExecutionException('again', { refireImmediately: true });
    });
    const shutDown = () => harness.engine.shutdown({ waitForJobs: false, deadline: 1_000 });
    let ended: Promise<unknown> = Promise.resolve();
    await harness.engine.start();
    await harness.settle();
    await ended;
    await harness.advanceTo(60_000);
    expect(harness.engine.numberOfJobsExecuted).toBe(runs);
  });

  it('ends the pause before a refire when the scheduler is shut down without waiting', async () => {
    const harness = await withJob(() => {
      throw new JobExecutionException('again', { refireImmediately: true });
    });
    await harness.engine.start();
    await harness.settle();
    const runs = harness.engine.numberOfJobsExecuted;
    expect(await harness.engine.shutdown({ waitForJobs: false, deadline: 1_000 })).toEqual({
      abandoned: 0,
      undone: [],
    });
    expect(harness.clock.nextWakeTime).toBeNull();
    expect(harness.engine.numberOfJobsExecuted).toBe(runs);
  });

  it('does not refire a job that was interrupted while it ran, and passes NOOP to trigger listeners', async () => {
    const instructions: string[] = [];
    const harness = await withJob(({ jobDetail }) => {
      harness.engine.interruptJob(jobDetail.key);
      throw new JobExecutionException('again', { refireImmediately: true });
    });
    harness.listeners.addTriggerListener({
      name: 't',
      triggerComplete: (_, __, instruction) => void instructions.push(instruction),
    });
    await harness.engine.runOnce();
    expect(instructions).toEqual(['NOOP']);
    expect(harness.engine.numberOfJobsExecuted).toBe(1);
  });

  it('notifies listeners around the job, in order and again for every refire', async () => {
    const heard: string[] = [];
    const note = (what: string) => async () => {
      await Promise.resolve();
      heard.push(what);
    };
    const harness = await withJob(() => {
      heard.push('job');
      if (heard.length < 6) throw new JobExecutionException('again', { refireImmediately: true });
    });
    harness.listeners.addTriggerListener({
      name: 't',
      triggerFired: note('triggerFired'),
      triggerComplete: (_, __, instruction) => void heard.push(instruction),
    });
    harness.listeners.addJobListener({
      name: 'j',
      jobToBeExecuted: note('jobToBeExecuted'),
      jobWasExecuted: note('jobWasExecuted'),
    });
    await harness.engine.runOnce();
    expect(heard).toEqual([
      ...['triggerFired', 'jobToBeExecuted', 'job', 'jobWasExecuted', 'RE_EXECUTE_JOB'],
      ...['triggerFired', 'jobToBeExecuted', 'job', 'jobWasExecuted', 'NOOP'],
    ]);
  });

  it('stores the completion without waiting for listeners of the end of the job', async () => {
    const harness = await withJob(() => {});
    harness.listeners.addJobListener({ name: 'slow', jobWasExecuted: () => new Promise(() => {}) });
    const ended = harness.engine.runOnce();
    await harness.settle();
    expect(harness.eventsOf('triggerCompleted')).toHaveLength(1);
    await harness.advanceTo(5_000);
    await ended;
  });

  it('lists a job only while it runs', async () => {
    let context: JobExecutionContext | null = null;
    let end = () => {};
    const harness = await withJob((given) => {
      context = given;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const ended = harness.engine.runOnce();
    await harness.settle();
    expect(harness.engine.getCurrentlyExecutingJobs()).toEqual([context]);
    end();
    await ended;
    expect(harness.engine.getCurrentlyExecutingJobs()).toEqual([]);
  });

  describe('interrupt', () => {
    const stoppable =
      (log: string[]) =>
      ({ signal, runId }: JobExecutionContext) =>
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            log.push(runId);
            resolve();
          });
        });

    it('by job key aborts the signal of every run of the job', async () => {
      const log: string[] = [];
      const harness = await anEngine({ jobs: { job: stoppable(log) } });
      await harness.schedule({}, {}, { key: triggerKey('second') });
      const ended = harness.engine.runOnce();
      await harness.settle();
      expect(harness.engine.interruptJob({ group: 'DEFAULT', name: 'other' })).toBe(false);
      expect(harness.engine.interruptJob({ group: 'DEFAULT', name: 'job' })).toBe(true);
      await ended;
      expect(log).toHaveLength(2);
      expect(harness.engine.interruptJob({ group: 'DEFAULT', name: 'job' })).toBe(false);
    });

    it('by run id aborts only that run', async () => {
      const log: string[] = [];
      const harness = await anEngine({ jobs: { job: stoppable(log) } });
      await harness.schedule({}, {}, { key: triggerKey('second') });
      const ended = harness.engine.runOnce();
      await harness.settle();
      const [first, second] = harness.engine.getCurrentlyExecutingJobs().map(({ runId }) => runId);
      expect(harness.engine.interruptRun('unknown')).toBe(false);
      expect(harness.engine.interruptRun(second!)).toBe(true);
      await harness.settle();
      expect(log).toEqual([second]);
      harness.engine.interruptRun(first!);
      await ended;
    });

    it.each<[string, string, (engine: Engine, run: string) => unknown]>([
      [
        'interrupted by job key',
        'by scheduler.interrupt',
        (engine) => engine.interruptJob({ group: 'DEFAULT', name: 'job' }),
      ],
      ['interrupted by run id', 'interruptRun', (engine, run) => engine.interruptRun(run)],
      ['the lease is lost', 'lost its lease', (engine) => engine.abortJobs()],
      ['the scheduler shuts down', 'is shutting down', (engine) => engine.shutdown({ waitForJobs: true, deadline: 0 })],
    ])('sets the reason of the signal: %s', async (_, text, stop) => {
      const thrown: unknown[] = [];
      const harness = await withJob(async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        thrown.push(signal.reason);
      });
      const ended = harness.engine.runOnce();
      await harness.settle();
      const [run] = harness.engine.getCurrentlyExecutingJobs();
      const stopping = stop(harness.engine, run?.runId ?? '');
      await harness.settle();
      await harness.advanceTo(1_000);
      await Promise.all([ended, stopping]);
      expect(thrown).toMatchObject([{ name: 'AbortError', message: expect.stringContaining(text) }]);
      expect(thrown[0]).toBeInstanceOf(Error);
    });

    it('aborts a signal that the job reads only later', async () => {
      let go = () => {};
      let isAborted = false;
      const harness = await withJob(async (context) => {
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        isAborted = context.signal.aborted;
      });
      const ended = harness.engine.runOnce();
      await harness.settle();
      harness.engine.interruptJob({ group: 'DEFAULT', name: 'job' });
      go();
      await ended;
      expect(isAborted).toBe(true);
    });
  });

  describe('abortJobs', () => {
    const pending = () => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      return { ended, end: () => end() };
    };

    it.each([
      ['a veto decision', 'addTriggerListener', 'vetoJobExecution'],
      ['a jobToBeExecuted listener', 'addJobListener', 'jobToBeExecuted'],
    ] as const)('also affects a firing that still waits for %s', async (_, add, method) => {
      const aborted: boolean[] = [];
      const harness = await withJob(async ({ signal }) => void aborted.push(signal.aborted));
      const gate = pending();
      harness.listeners[add]({ name: 'slow', [method]: () => gate.ended.then(() => false) } as never);
      const ended = harness.engine.runOnce();
      await harness.settle();
      harness.engine.abortJobs();
      gate.end();
      await ended;
      expect(aborted).toEqual([true]);
    });

    it('keeps an attempt from starting while its checkpoint is read, and its recovery runs instead', async () => {
      const begun: string[] = [];
      const job = async ({ isRecovering, attempt, signal }: JobExecutionContext) => {
        if (attempt === 1) throw new Error('the first time');
        begun.push(`${isRecovering ? 'recovery' : 'retry'} ${signal.aborted ? 'aborted' : 'as usual'}`);
        signal.throwIfAborted();
      };
      const sql = { maxRecoveryAttempts: 3 } as SqlStoreConfig;
      const jobStore = { misfireThreshold: THRESHOLD, maxMisfiresToHandleAtATime: 2, sql };
      const retry = parseRetryPolicy({ max: 1, delay: 0 }, 'test');
      const harness = await anEngine({ jobs: { job }, jobStore, policy: { ...DEFAULT_POLICY, retry } });
      await harness.schedule({ requestsRecovery: true }, {});
      const read = harness.store.hold('readCheckpoint');
      const ended = harness.engine.runOnce();
      await harness.settle();
      harness.engine.abortJobs();
      read();
      await ended;
      expect(begun).toEqual(['recovery as usual']);
    });

    it('prevents a refire that has not started yet', async () => {
      let runs = 0;
      const harness = await withJob(() => {
        runs++;
        throw new JobExecutionException('again', { refireImmediately: true });
      });
      const gate = pending();
      harness.listeners.addJobListener({ name: 'slow', jobWasExecuted: () => gate.ended });
      const ended = harness.engine.runOnce();
      await harness.settle();
      harness.engine.abortJobs();
      gate.end();
      await ended;
      expect(runs).toBe(1);
    });

    /** Aborts a running job. Returns its runs (true: a recovery), their recorded outcomes and the retry events. */
    const givenUp = async (requestsRecovery: boolean, maxRecoveryAttempts = 3, isLostLate = false) => {
      const runs: boolean[] = [];
      const job = async ({ isRecovering, signal }: JobExecutionContext) => {
        runs.push(isRecovering);
        if (runs.length > 1) return;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        signal.throwIfAborted();
      };
      const sql = { maxRecoveryAttempts } as SqlStoreConfig;
      const jobStore = { misfireThreshold: THRESHOLD, maxMisfiresToHandleAtATime: 2, sql };
      const retry = parseRetryPolicy({ max: 1, delay: 1_000 }, 'test');
      const harness = await anEngine({ jobs: { job }, jobStore, policy: { ...DEFAULT_POLICY, retry } });
      await harness.schedule({ requestsRecovery }, {});
      const ended = harness.engine.runOnce();
      await harness.settle();
      if (isLostLate) {
        harness.bus.subscribe(() => harness.engine.abortJobs(), ['jobFailed']);
        harness.engine.interruptJob({ group: 'DEFAULT', name: 'job' });
      } else harness.engine.abortJobs();
      await ended;
      const { items } = await harness.store.target.listRuns({ take: 10 });
      const told = harness.events.map(({ type }) => type).filter((type) => type.startsWith('retr'));
      const retryTimes = harness.eventsOf('jobFailed').map(({ retryTime }) => retryTime);
      return { runs, outcomes: items.map(({ outcome }) => outcome), told, retryTimes };
    };

    it('recovers an aborted run that requests recovery, as another node would', async () => {
      expect(await givenUp(true)).toEqual({ runs: [false, true], outcomes: ['lost'], told: [], retryTimes: [null] });
    });

    const retried = { runs: [false], outcomes: ['interrupted'], told: ['retryScheduled'], retryTimes: [1_000] };

    it('does not recover a run whose retry has already been reported', async () => {
      expect(await givenUp(true, 3, true)).toEqual(retried);
    });

    it.each([
      ['that does not request recovery', false, 3],
      ['whose recovery attempts are exhausted', true, 0],
    ])('retries a run %s', async (_, requestsRecovery, maxRecoveryAttempts) => {
      expect(await givenUp(requestsRecovery, maxRecoveryAttempts)).toEqual(retried);
    });

    it('does not affect later firings', async () => {
      const aborted: boolean[] = [];
      const harness = await withJob(async ({ signal }) => void aborted.push(signal.aborted));
      harness.engine.abortJobs();
      await harness.engine.runOnce();
      expect(aborted).toEqual([false]);
    });
  });

  it('creates no abort controller and no timer for a job that does not use its signal', async () => {
    const harness = await anEngine({ jobs: { job: async () => {} } });
    await harness.schedule({}, ...Array.from({ length: 100 }, (_, n) => ({ key: triggerKey(`t${n}`) })));
    const made = jest.spyOn(globalThis, 'AbortController');
    const sleep = jest.spyOn(harness.clock, 'sleepUntil');
    await harness.engine.runOnce();
    const counts = [made.mock.calls.length, sleep.mock.calls.length];
    made.mockRestore();
    expect(harness.engine.numberOfJobsExecuted).toBe(100);
    expect(counts).toEqual([0, 0]);
  });
});

describe('a faulty listener', () => {
  const faults = {
    throws: () => {
      throw new Error('boom');
    },
    rejects: () => Promise.reject(new Error('boom')),
    hangs: () => new Promise<never>(() => {}),
  };
  const methods = {
    addTriggerListener: ['triggerFired', 'vetoJobExecution', 'triggerComplete'],
    addJobListener: ['jobToBeExecuted', 'jobWasExecuted', 'jobExecutionVetoed'],
    addSchedulerListener: ['triggerFinalized', 'schedulerError'],
  } as const;
  const cases = Object.entries(methods).flatMap(([add, names]) =>
    names.flatMap((name) =>
      (Object.keys(faults) as (keyof typeof faults)[]).map(
        (fault) => [add as keyof typeof methods, name, fault] as const,
      ),
    ),
  );

  it.each(cases)('does not stop a trigger: %s with %s that %s', async (add, name, fault) => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    let runs = 0;
    const isVetoed = name === 'jobExecutionVetoed';
    const harness = await withJob(() => {
      runs++;
      throw new Error('so that schedulerError is told too');
    });
    await harness.schedule({}, { key: triggerKey('once'), startTime: 30_000 });
    if (isVetoed) harness.listeners.addTriggerListener({ name: 'veto', vetoJobExecution: () => true });
    harness.listeners[add]({ name: 'bad', [name]: faults[fault] } as never);
    await harness.engine.start();
    await harness.advanceTo(130_000);
    expect(await harness.stateOf()).toBe('WAITING');
    expect(await harness.stateOf('once')).toBeNull();
    expect(runs).toBe(isVetoed ? 0 : 4);
    expect(harness.eventsOf('triggerCompleted')).toHaveLength(4);
    const stopped = harness.engine.shutdown({ waitForJobs: true, deadline: 30_000 });
    await harness.advanceTo(200_000);
    expect(await stopped).toEqual({ abandoned: 0, undone: [] });
    warn.mockRestore();
  });
});
