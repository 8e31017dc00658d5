import { type JobExecutionContext, newJob, newTrigger, SchedulerError } from '../../../src';
import { proves } from '../../support/proves';
import { at, codeOf, noop, START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const NEVER = new AbortController().signal;

describe('job types', () => {
  it('can be functions, objects and classes, and a class gets a new instance for each run', async () => {
    const ran: string[] = [];
    class Report {
      readonly #seen: number[] = [];
      execute({ fireTime }: JobExecutionContext) {
        this.#seen.push(fireTime.getTime());
        ran.push(`class ${this.#seen.length}`);
      }
    }
    const { scheduler, advanceBy } = await testScheduler({
      jobs: { Report, object: { execute: () => void ran.push('object') } },
    });
    scheduler.registerJob('function', () => void ran.push('function'));
    for (const type of ['Report', 'object', 'function']) await scheduler.schedule(type, { every: 1_000 });
    await advanceBy(1_000);
    expect(ran.sort()).toEqual(['class 1', 'class 1', 'function', 'function', 'object', 'object']);
  });

  it('are registered only once, with a valid name', async () => {
    const { scheduler } = await testScheduler();
    scheduler.registerJob('x', noop);
    scheduler.registerJob('x', noop);
    expect(() => scheduler.registerJob('x', () => {})).toThrow(/registered with another job/);
    expect(() => scheduler.registerJob('', noop)).toThrow(SchedulerError);
    expect(() => scheduler.registerJob('x'.repeat(251), noop)).toThrow(/at most 250/);
    expect(() => scheduler.registerJob('y', 5 as never)).toThrow(/Expected a function/);
  });

  it('are created by the job factory if one is set', async () => {
    const ran: string[] = [];
    const { scheduler, runDue } = await testScheduler();
    scheduler.setJobFactory((_, { key }) => ({ execute: () => void ran.push(`made for ${key.name}`) }));
    await scheduler.schedule('noop', { at: START });
    await runDue();
    expect(ran).toEqual(['made for noop']);
    expect(() => scheduler.setJobFactory('x' as never)).toThrow(/function as job factory/);
  });
});

describe('the job context', () => {
  it('contains the fire times, the data and the scheduler of the run', async () => {
    const contexts: JobExecutionContext[] = [];
    const { scheduler, advanceTo } = await testScheduler({ jobs: { look: (context) => void contexts.push(context) } });
    await scheduler.schedule('look', { every: 'PT1H', data: { from: 'job' } });
    await advanceTo(at('01:00:00'));
    expect(contexts[1]).toMatchObject({
      fireTime: at('01:00:00'),
      scheduledFireTime: at('01:00:00'),
      previousFireTime: START,
      nextFireTime: at('02:00:00'),
      data: { from: 'job' },
      refireCount: 0,
      isRecovering: false,
    });
    expect(contexts[1]?.scheduler).toBe(scheduler);
    expect(contexts[1]?.trigger.key.name).toBe('look');
    expect(contexts[1]?.data).toBe(contexts[1]?.mergedJobDataMap);
  });

  it('includes the scheduler context, which the configuration fills', async () => {
    const { scheduler } = await testScheduler({ config: { context: { key: { region: 'eu' } } } });
    expect(scheduler.getContext().get('region')).toBe('eu');
    scheduler.getContext().set('pool', noop);
    expect(scheduler.getContext().get('pool')).toBe(noop);
  });
});

describe('running jobs', () => {
  /** A job that sleeps for a minute on the test clock, or until it is interrupted. */
  async function sleeping() {
    const aborted: string[] = [];
    const test = await testScheduler();
    await test.scheduler.addJob(newJob('sleep').withIdentity('sleeper').storeDurably().build()).catch(() => {});
    test.scheduler.registerJob('sleep', async ({ signal, runId }) => {
      await test.clock.sleepUntil(test.clock.now() + 60_000, signal);
      if (signal.aborted) aborted.push(runId);
    });
    await test.scheduler.scheduleJob(
      newJob('sleep').withIdentity('sleeper').storeDurably().withHistory('all').build(),
      newTrigger().build(),
    );
    return { ...test, aborted };
  }

  it('are listed while they run', async () => {
    const { scheduler, runDue, advanceBy } = await sleeping();
    expect(scheduler.getCurrentlyExecutingJobs()).toEqual([]);
    expect(await runDue()).toMatchObject([{ outcome: 'running' }]);
    expect(scheduler.getCurrentlyExecutingJobs().map(({ jobDetail }) => jobDetail.key.name)).toEqual(['sleeper']);
    await advanceBy(60_000);
    expect(scheduler.getCurrentlyExecutingJobs()).toEqual([]);
  });

  it('can be interrupted by job or by run id', async () => {
    const { scheduler, runDue, aborted } = await sleeping();
    await scheduler.triggerJob('sleeper');
    await runDue();
    const running = scheduler.getCurrentlyExecutingJobs().map(({ runId }) => runId);
    expect(running).toHaveLength(2);
    expect(await scheduler.interruptRun(running[1] as string)).toBe(true);
    await runDue();
    expect(aborted).toEqual([running[1]]);
    expect(await scheduler.interrupt('sleeper')).toBe(true);
    await runDue();
    expect(aborted).toEqual([running[1], running[0]]);
    expect(await scheduler.interrupt('sleeper')).toBe(false);
    expect(await scheduler.interruptRun('unknown')).toBe(false);
  });

  it('record the time and author of their first interruption, while they run and afterwards', async () => {
    const { scheduler, runDue } = await sleeping();
    await scheduler.triggerJob('sleeper');
    await runDue();
    const [context, other] = scheduler.getCurrentlyExecutingJobs() as [JobExecutionContext, JobExecutionContext];
    expect(context.interruption).toBeNull();
    const interruption = { at: expect.any(Date), by: 'ann' };
    await scheduler.interruptRun(context.runId, { by: 'ann' });
    await scheduler.interrupt('sleeper', { by: 'bob' });
    expect([context.interruption, other.interruption]).toEqual([interruption, { ...interruption, by: 'bob' }]);
    await runDue();
    const ended = await Promise.all([context, other].map(({ runId }) => scheduler.getRun(runId)));
    expect(ended).toMatchObject([{ interruption }, { interruption: { by: 'bob' } }]);
    await expect(scheduler.interruptRun('x', { by: '' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(scheduler.interruptRun('x', { who: 'ann' } as never)).rejects.toThrow(/who/);
  });

  it('keep their run id after they have ended', async () => {
    const { scheduler, runDue } = await sleeping();
    await scheduler.triggerJob('sleeper');
    await runDue();
    const [{ runId }] = scheduler.getCurrentlyExecutingJobs() as [JobExecutionContext];
    expect((await scheduler.listExecutingJobs()).map((each) => each.runId)).toContain(runId);
    expect(await scheduler.getRun(runId)).toBeNull(); // the run has not ended
    await scheduler.interruptRun(runId);
    await runDue();
    expect((await scheduler.listRuns()).items.map((each) => each.runId)).toContain(runId);
    expect(await scheduler.getRun(runId)).toMatchObject({ runId, jobKey: { name: 'sleeper' } });
  });

  it('do not overlap if the job disallows concurrent execution', async () => {
    const running: string[] = [];
    const { scheduler, clock, advanceTo } = await testScheduler();
    const job = async ({ trigger }: JobExecutionContext) => {
      running.push(`${trigger.key.name} begins`);
      await clock.sleepUntil(clock.now() + 90_000, NEVER);
      running.push(`${trigger.key.name} ends`);
    };
    await scheduler.schedule('slow', { every: 'PT10M', startAt: START, disallowConcurrentExecution: true }, job);
    await scheduler.scheduleJob(newTrigger().withIdentity('second').forJob('slow').startAt(at('00:00:30')).build());
    await advanceTo(at('00:01:00'));
    expect(await scheduler.getTriggerState('second')).toBe('BLOCKED');
    await advanceTo(at('00:05:00'));
    expect(running).toEqual(['slow begins', 'slow ends', 'second begins', 'second ends']);
  });

  it('are refired immediately when the job requests it', async () => {
    const { scheduler, runDue, advanceBy } = await testScheduler();
    const { JobExecutionException } = await import('../../../src');
    const counts: number[] = [];
    await scheduler.schedule('stubborn', { at: START }, ({ refireCount }) => {
      counts.push(refireCount);
      if (refireCount < 3) throw new JobExecutionException('again', { refireImmediately: true });
    });
    await runDue();
    await advanceBy(10_000);
    expect(counts).toEqual([0, 1, 2, 3]);
  });
});

describe('subscribers and listeners', () => {
  it('receive all events until they unsubscribe', async () => {
    const { scheduler, runDue } = await testScheduler();
    const types: string[] = [];
    const stop = scheduler.subscribe(({ type }) => types.push(type));
    await scheduler.schedule('job', { at: START }, noop);
    await runDue();
    stop();
    await scheduler.pauseAll();
    expect(types).toEqual(
      expect.arrayContaining(['jobAdded', 'jobScheduled', 'triggerFired', 'jobStarted', 'triggerCompleted']),
    );
    expect(types).not.toContain('triggersPaused');
  });

  it('do not affect runs when they throw', async () => {
    const { scheduler, runDue } = await testScheduler();
    const errors: string[] = [];
    scheduler.subscribe((event) => {
      if (event.type === 'schedulerError') errors.push(event.during);
      else throw new Error('a bad subscriber');
    });
    scheduler.getListenerManager().addTriggerListener({
      name: 'bad',
      vetoJobExecution: async () => {
        throw new Error('a bad listener');
      },
    });
    await scheduler.schedule('job', { at: START }, noop);
    expect(await runDue()).toMatchObject([{ outcome: 'succeeded' }]);
    expect(errors.length).toBeGreaterThan(1);
  });

  it('can veto a run', async () => {
    const { scheduler, runDue } = await testScheduler();
    let ran = false;
    scheduler.getListenerManager().addTriggerListener({ name: 'veto', vetoJobExecution: () => true });
    await scheduler.schedule('job', { at: START }, () => {
      ran = true;
    });
    expect(await runDue()).toMatchObject([{ outcome: 'vetoed' }]);
    expect(ran).toBe(false);
  });
});

it('addJob refuses an unknown job type if no other node could run it', async () => {
  proves('errors', 'UNKNOWN_JOB_TYPE');
  const { scheduler } = await testScheduler();
  expect(await codeOf(() => scheduler.addJob(newJob('gone').storeDurably().build()))).toBe('UNKNOWN_JOB_TYPE');
});
