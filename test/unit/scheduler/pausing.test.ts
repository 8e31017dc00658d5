import { pino } from 'pino';
import {
  createScheduler,
  GroupMatcher,
  JobExecutionException,
  newJob,
  newTrigger,
  type PauseReport,
  type Scheduler,
  simpleSchedule,
} from '../../../src';
import { pauseMethods } from '../../../src/scheduler/pause-methods';
import type { SchedulerParts } from '../../../src/scheduler/scheduler-parts';
import { at, codeOf, type testScheduler as create, heard, shutdownAll, testScheduler, times } from './support';

afterEach(shutdownAll);

const { groupEquals, groupStartsWith, anyGroup } = GroupMatcher;

/** Two jobs of two groups, each with a trigger of its name that fires every hour. */
async function twoJobs(options?: Parameters<typeof create>[0]) {
  const test = await testScheduler(options);
  for (const [name, group] of [
    ['a', 'reports'],
    ['b', 'reviews'],
  ] as const) {
    await test.scheduler.scheduleJob(
      newJob('noop').withIdentity(name, group).build(),
      newTrigger()
        .withIdentity(name, group)
        .startAt(at('01:00:00'))
        .withSchedule(simpleSchedule().withIntervalInHours(1).repeatForever())
        .build(),
    );
  }
  return { ...test, a: { group: 'reports', name: 'a' }, b: { group: 'reviews', name: 'b' } };
}

describe('pausing', () => {
  it('prevents a trigger from firing until it is resumed', async () => {
    const { scheduler, advanceTo, a } = await twoJobs();
    await scheduler.pauseTrigger(a);
    expect(await scheduler.getTriggerState(a)).toBe('PAUSED');
    expect(times(await advanceTo(at('01:30:00')))).toEqual(['b@01:00:00']);
    await scheduler.resumeTrigger(a);
    expect(await scheduler.getTriggerState(a)).toBe('WAITING');
    expect(times(await advanceTo(at('02:00:00')))).toEqual(['a@02:00:00', 'b@02:00:00']);
  });

  it('applies to all triggers of a paused job', async () => {
    const { scheduler, a } = await twoJobs();
    await scheduler.scheduleJob(newTrigger().withIdentity('second').forJob(a).startAt(at('05:00:00')).build());
    await scheduler.pauseJob(a);
    expect(await scheduler.getTriggerState(a)).toBe('PAUSED');
    expect(await scheduler.getTriggerState('second')).toBe('PAUSED');
    await scheduler.resumeJob(a);
    expect(await scheduler.getTriggerState('second')).toBe('WAITING');
  });

  it('applies to jobs by their group', async () => {
    const { scheduler, a, b } = await twoJobs();
    await scheduler.pauseJobs(groupStartsWith('rep'));
    expect([await scheduler.getTriggerState(a), await scheduler.getTriggerState(b)]).toEqual(['PAUSED', 'WAITING']);
    await scheduler.resumeJobs(anyGroup());
    expect(await scheduler.getTriggerState(a)).toBe('WAITING');
  });

  it('applies to triggers that are added to a paused group later', async () => {
    const { scheduler, a } = await twoJobs();
    await scheduler.pauseTriggers(groupEquals('reports'));
    expect(await scheduler.getPausedTriggerGroups()).toEqual(['reports']);
    await scheduler.scheduleJob(newTrigger().withIdentity('new', 'reports').forJob(a).build());
    expect(await scheduler.getTriggerState({ group: 'reports', name: 'new' })).toBe('PAUSED');
    await scheduler.resumeTriggers(groupEquals('reports'));
    expect(await scheduler.getPausedTriggerGroups()).toEqual([]);
    expect(await scheduler.getTriggerState({ group: 'reports', name: 'new' })).toBe('WAITING');
  });

  it('applies to all triggers, including later ones, until all are resumed', async () => {
    const { scheduler, advanceTo, b } = await twoJobs();
    await scheduler.pauseAll();
    await scheduler.scheduleJob(newTrigger().withIdentity('new', 'unheard of').forJob(b).build());
    expect(await advanceTo(at('01:30:00'))).toEqual([]);
    await scheduler.resumeAll();
    expect(times(await advanceTo(at('02:00:00')))).toEqual(['new@01:30:00', 'a@02:00:00', 'b@02:00:00']);
  });

  it('publishes an event for each pause and resume', async () => {
    const { scheduler, a } = await twoJobs();
    const events = heard(scheduler);
    await scheduler.pauseTrigger(a);
    await scheduler.resumeTrigger(a);
    await scheduler.pauseJob(a);
    await scheduler.resumeJob(a);
    await scheduler.pauseTriggers(groupEquals('reports'));
    await scheduler.resumeTriggers(groupEquals('reports'));
    await scheduler.pauseJobs(groupEquals('reports'));
    await scheduler.resumeJobs(groupEquals('reports'));
    await scheduler.pauseAll();
    await scheduler.resumeAll();
    expect(events).toEqual([
      'triggerPaused a',
      'triggerResumed a',
      'jobPaused a',
      'jobResumed a',
      'triggersPaused equals reports',
      'triggersResumed equals reports',
      'jobsPaused equals reports',
      'jobsResumed equals reports',
      'triggersPaused any',
      'triggersResumed any',
    ]);
  });

  it('is followed by misfire handling of the fire times missed during the pause', async () => {
    const { scheduler, advanceTo, a } = await twoJobs();
    await scheduler.pauseTrigger(a);
    await advanceTo(at('04:30:00'));
    await scheduler.resumeTrigger(a);
    // The smart policy of a trigger that repeats forever continues with the next fire time.
    expect(times(await advanceTo(at('05:30:00')))).toEqual(['a@05:00:00', 'b@05:00:00']);
  });
});

describe('a job that throws', () => {
  it('ends its trigger if the error requests it', async () => {
    const { scheduler, runDue } = await testScheduler({
      jobs: {
        once: () => {
          throw new JobExecutionException('done for ever', { unscheduleFiringTrigger: true });
        },
      },
    });
    await scheduler.schedule('once', { every: 60_000 });
    const [firing] = await runDue();
    expect(firing).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('done for ever') } });
    expect(await scheduler.getTriggerState('once')).toBe('COMPLETE');
  });
});

describe('an unknown key', () => {
  const METHODS = [
    ['pauseTrigger', 'TRIGGER_NOT_FOUND'],
    ['resumeTrigger', 'TRIGGER_NOT_FOUND'],
    ['resetTriggerFromErrorState', 'TRIGGER_NOT_FOUND'],
    ['pauseJob', 'JOB_NOT_FOUND'],
    ['resumeJob', 'JOB_NOT_FOUND'],
  ] as const;

  it.each(METHODS)('is refused by %s without an event', async (method, code) => {
    const { scheduler } = await twoJobs();
    const events = heard(scheduler);
    expect(await codeOf(() => scheduler[method]({ group: 'reports', name: 'nothing' }))).toBe(code);
    expect(events).toEqual([]);
  });

  it.each(
    METHODS,
  )('is refused by %s if its trigger or job is deleted before the change is stored', async (method, code) => {
    const key = { group: 'reports', name: 'a' };
    const changed = async () => [];
    const store = {
      getTriggers: async () => [{ trigger: { key }, state: 'WAITING' }],
      getJobs: async () => [{ key }],
      ...{ pauseTriggers: changed, resumeTriggers: changed, resetTriggersFromError: changed },
      ...{ pauseJobs: changed, resumeJobs: changed },
    };
    const parts = {
      store,
      usableStore: () => store,
      config: { instanceId: 'here' },
      writer: { options: () => ({}) },
      lifecycle: { assertUsable: () => undefined },
      engine: { whenStarted: async () => true },
      requests: null,
      announce: () => undefined,
    } as unknown as SchedulerParts;
    expect(await codeOf(() => pauseMethods(parts)[method](key))).toBe(code);
  });
});

it('a pause is stored even if other nodes cannot confirm it, names this node as unconfirmed, and reports the error', async () => {
  const events: string[] = [];
  const parts = {
    store: { pauseAll: async () => [], pauseTriggers: async () => [] },
    config: { instanceId: 'here' },
    writer: { options: () => ({}) },
    lifecycle: { assertUsable: () => undefined },
    engine: { whenStarted: async () => true },
    requests: {
      readNodes: async () => ({ now: 0, nodes: [] }),
      confirmStarted: () => Promise.reject(new Error('away')),
    },
    announce: (event: { type: string; error?: Error }) =>
      events.push(`${event.type} ${event.error?.message ?? ''}`.trim()),
  } as unknown as SchedulerParts;
  expect(await pauseMethods(parts).pauseAll()).toEqual({ unconfirmed: ['here'] });
  expect(events).toContain('schedulerError away');
});

it('methods that take a group matcher refuse an invalid one', async () => {
  const { scheduler } = await testScheduler();
  for (const wrong of [
    'reports',
    null,
    undefined,
    {},
    { operator: 'equals' },
    { operator: 'regex', value: '.' },
    groupEquals(''),
    groupEquals('x'.repeat(191)),
    groupStartsWith('a\u0000'),
  ]) {
    for (const method of ['pauseTriggers', 'resumeTriggers', 'pauseJobs', 'resumeJobs', 'getJobKeys'] as const) {
      expect(await codeOf(() => scheduler[method](wrong as GroupMatcher))).toBe('INVALID_ARGUMENT');
    }
  }
});

/** A scheduler whose listener delays the start of each job. */
async function slowToBegin(listener: () => Promise<void>) {
  const begun: string[] = [];
  const scheduler = await createScheduler(
    { scheduler: { listenerTimeout: 20_000 } },
    {
      jobs: { job: ({ jobDetail }) => void begun.push(jobDetail.key.name) },
      logger: pino({ level: 'silent' }),
    },
  );
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  scheduler.getListenerManager().addTriggerListener({
    name: 'slow',
    async vetoJobExecution() {
      asked();
      await listener();
      return false;
    },
  });
  await scheduler.start();
  await scheduler.scheduleJob(newJob('job').withIdentity('late').build(), newTrigger().build());
  await isAsked;
  return { scheduler, begun };
}

describe('pauseAll', () => {
  it('resolves when firings delayed by listeners have begun, so that no job begins afterwards', async () => {
    let goOn = () => {};
    const { scheduler, begun } = await slowToBegin(
      () =>
        new Promise((resolve) => {
          goOn = resolve;
        }),
    );
    const paused = scheduler.pauseAll().then((report) => ({ report, begunBefore: begun.length }));
    setImmediate(goOn);
    expect(await paused).toEqual({ report: { unconfirmed: [] }, begunBefore: 1 });
    await scheduler.shutdown();
  });

  it('names this node as unconfirmed if a listener takes too long, for example because it calls pauseAll itself', async () => {
    const reports: PauseReport[] = [];
    const holder: { scheduler?: Scheduler } = {};
    const { scheduler, begun } = await slowToBegin(async () => {
      while (holder.scheduler === undefined) await new Promise((resolve) => setImmediate(resolve));
      reports.push(await holder.scheduler.pauseAll());
    });
    holder.scheduler = scheduler;
    while (begun.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reports).toEqual([{ unconfirmed: [scheduler.getSchedulerInstanceId()] }]);
    await scheduler.shutdown();
  }, 15_000);
});

describe('deleteJob', () => {
  it('resolves when firings delayed by listeners have begun, so that no run begins afterwards', async () => {
    let goOn = () => {};
    const { scheduler, begun } = await slowToBegin(
      () =>
        new Promise((resolve) => {
          goOn = resolve;
        }),
    );
    scheduler.subscribe(({ type }) => type === 'jobDeleted' && goOn());
    const deleted = scheduler.deleteJob('late').then((isDeleted) => ({ isDeleted, begunBefore: begun.length }));
    expect(await deleted).toEqual({ isDeleted: true, begunBefore: 1 });
    await scheduler.shutdown();
  });

  it('does not wait for the listener that called it, and the run continues', async () => {
    const holder: { scheduler?: Scheduler } = {};
    const { scheduler, begun } = await slowToBegin(async () => {
      while (holder.scheduler === undefined) await new Promise((resolve) => setImmediate(resolve));
      await holder.scheduler.deleteJob('late');
      begun.push('deleted');
    });
    holder.scheduler = scheduler;
    while (begun.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['deleted', 'late']);
    await scheduler.shutdown();
  }, 4_000); // less than the 5 s for which an answer is awaited
});
