import { type Scheduler, SchedulerStateError } from '../../../src';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { Lifecycle, type LifecycleSteps } from '../../../src/scheduler/lifecycle';
import { at, codeOf, heard, noop, START, shutdownAll, testScheduler, times } from './support';

afterEach(shutdownAll);

/** A lifecycle whose steps are recorded. */
function recorded(failing: readonly string[] = [], replaced: Partial<LifecycleSteps> = {}) {
  const steps: string[] = [];
  const step = (name: string) => async () => {
    steps.push(name);
    await null;
    if (failing.includes(name)) throw new Error(`${name} failed`);
  };
  const all: LifecycleSteps = {
    prepare: step('prepare'),
    start: step('start'),
    standby: step('standby'),
    drain: async (options) => {
      await step(`drain ${JSON.stringify(options)}`)();
      return 2;
    },
    close: step('close'),
    ...replaced,
  };
  const clock = new ManualClock(START);
  const lifecycle = new Lifecycle({
    clock,
    steps: all,
    announce: (event) => steps.push(`[${event.type}]`),
  });
  lifecycle.opened();
  return { lifecycle, clock, steps };
}

describe('the scheduler lifecycle', () => {
  it('prepares plugins once, and publishes an event before and after each start', async () => {
    const { lifecycle, steps } = recorded();
    await lifecycle.start();
    await lifecycle.standby();
    await lifecycle.start();
    expect(steps).toEqual([
      ...['[schedulerStarting]', 'prepare', 'start', '[schedulerStarted]'],
      ...['standby', '[schedulerInStandbyMode]'],
      ...['[schedulerStarting]', 'start', '[schedulerStarted]'],
    ]);
    expect(lifecycle.runningSince).toBe(START.getTime());
  });

  it('drains before it closes, and publishes the shutdown at the end', async () => {
    const { lifecycle, steps } = recorded();
    await lifecycle.shutdown({ waitForJobs: true, deadline: 5 });
    expect(steps).toEqual([
      '[schedulerShuttingDown]',
      'drain {"waitForJobs":true,"deadline":5}',
      'close',
      '[schedulerShutdown]',
    ]);
    expect(lifecycle.state).toBe('shutdown');
  });

  it('executes requests in the order in which they are made', async () => {
    const { lifecycle, steps } = recorded();
    await Promise.all([lifecycle.start(), lifecycle.standby(), lifecycle.start(), lifecycle.start()]);
    expect(steps.filter((name) => !name.startsWith('['))).toEqual(['prepare', 'start', 'standby', 'start']);
  });

  it('repeats a failed preparation at the next start', async () => {
    const { lifecycle, steps } = recorded(['prepare']);
    await expect(lifecycle.start()).rejects.toThrow('prepare failed');
    expect(lifecycle.isInStandbyMode).toBe(true);
    await expect(lifecycle.start()).rejects.toThrow('prepare failed');
    expect(steps).not.toContain('start');
  });

  it('does not start after a shutdown that did not wait for the preparation', async () => {
    let prepared = () => {};
    const { lifecycle, clock, steps } = recorded([], { prepare: () => new Promise((resolve) => (prepared = resolve)) });
    const started = lifecycle.start();
    await yieldToEventLoop();
    const ended = lifecycle.shutdown({ waitForJobs: false, deadline: 1_000 });
    clock.advanceBy(1_000);
    await ended;
    prepared();
    await expect(started).rejects.toThrow(SchedulerStateError);
    expect(steps).not.toContain('start');
    expect(lifecycle.state).toBe('shutdown');
  });

  it('closes and ends in the state shutdown even if draining fails', async () => {
    const plan = { waitForJobs: false, deadline: 5 };
    const { lifecycle, steps } = recorded([`drain ${JSON.stringify(plan)}`]);
    await expect(lifecycle.shutdown(plan)).rejects.toThrow('failed');
    expect(steps).toContain('close');
    expect(lifecycle.state).toBe('shutdown');
  });
});

describe('a scheduler', () => {
  it('fires only while it is started, not in standby', async () => {
    const { scheduler, advanceTo } = await testScheduler();
    await scheduler.standby();
    expect(scheduler.isInStandbyMode()).toBe(true);
    await scheduler.schedule('job', { every: 'PT1H', startAt: at('01:00:00'), misfire: 'skip' }, noop);
    expect(await advanceTo(at('02:30:00'))).toEqual([]);
    await scheduler.start();
    expect(scheduler.isInStandbyMode()).toBe(false);
    expect(times(await advanceTo(at('03:00:00')))).toEqual(['job@03:00:00']);
  });

  it('counts as started after its first start, also in standby and after shutdown, as in Quartz', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.standby();
    expect(scheduler.isStarted()).toBe(true);
    await scheduler.shutdown();
    expect([scheduler.isStarted(), scheduler.isShutdown(), scheduler.isInStandbyMode()]).toEqual([true, true, false]);
  });

  it('starts after a delay with startDelayed', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    await scheduler.standby();
    await scheduler.schedule('job', { every: 60_000 }, noop);
    scheduler.startDelayed(30_000);
    await advanceBy(29_999);
    expect(scheduler.isInStandbyMode()).toBe(true);
    const firings = await advanceBy(1);
    expect(scheduler.isInStandbyMode()).toBe(false);
    expect(firings.map(({ fireTime }) => fireTime)).toEqual([at('00:00:30')]);
  });

  it('stays in standby if standby is called after startDelayed', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    await scheduler.standby();
    scheduler.startDelayed(30_000);
    await scheduler.standby();
    await advanceBy(60_000);
    expect(scheduler.isInStandbyMode()).toBe(true);
  });

  it('does not start after a delay if it was shut down before', async () => {
    const { scheduler, clock, advanceBy } = await testScheduler();
    await scheduler.standby();
    scheduler.startDelayed(30_000);
    const events = heard(scheduler);
    await scheduler.shutdown();
    await advanceBy(60_000);
    expect(events).toEqual(['schedulerShuttingDown', 'schedulerShutdown']);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('refuses invalid delays and deadlines', async () => {
    const { scheduler } = await testScheduler();
    for (const wrong of [-1, Number.NaN, '5' as unknown as number]) {
      expect(() => scheduler.startDelayed(wrong)).toThrow(/number of milliseconds/);
      expect(await codeOf(() => scheduler.shutdown({ deadline: wrong }))).toBe('INVALID_ARGUMENT');
    }
    expect(scheduler.isShutdown()).toBe(false);
  });

  it('returns its name, state and settings as metadata', async () => {
    const { scheduler, advanceBy } = await testScheduler({ config: { scheduler: { instanceName: 'Reports' } } });
    await scheduler.schedule('job', { every: 60_000 }, noop);
    await advanceBy(60_000);
    const metaData = scheduler.getMetaData();
    expect(metaData).toMatchObject({
      schedulerName: 'Reports',
      schedulerInstanceId: 'NON_CLUSTERED',
      version: require('../../../package.json').version,
      runningSince: START,
      numberOfJobsExecuted: 2,
      isStarted: true,
      isInStandbyMode: false,
      isShutdown: false,
      jobStore: { name: 'memory', persistent: false, clustered: false },
      threadPool: { name: 'async', size: 25 },
    });
    expect(metaData.summary.split('\n')).toEqual([
      `quartz-ts ${metaData.version}, scheduler 'Reports', instance 'NON_CLUSTERED'`,
      '  state: started, running since 2026-01-01T00:00:00.000Z',
      '  jobs executed: 2',
      '  job store: memory, not persistent, not clustered',
      '  thread pool: async, 25 jobs at once',
    ]);
    expect([scheduler.getSchedulerName(), scheduler.getSchedulerInstanceId()]).toEqual(['Reports', 'NON_CLUSTERED']);
  });
});

describe('a scheduler after shutdown', () => {
  it('accepts further shutdown calls and returns its metadata without the store', async () => {
    const { scheduler } = await testScheduler();
    const events = heard(scheduler);
    await Promise.all([scheduler.shutdown(), scheduler.shutdown({ waitForJobs: true })]);
    await scheduler.shutdown();
    expect(events).toEqual(['schedulerShuttingDown', 'schedulerShutdown']);
    expect(scheduler.getMetaData().summary).toContain('shut down');
    expect(scheduler.getCurrentlyExecutingJobs()).toEqual([]);
  });

  const calls: readonly [string, (scheduler: Scheduler) => Promise<unknown>][] = [
    ['start', (scheduler) => scheduler.start()],
    ['standby', (scheduler) => scheduler.standby()],
    ['schedule', (scheduler) => scheduler.schedule('x', { every: 1_000 }, noop)],
    ['triggerJob', (scheduler) => scheduler.triggerJob('x')],
    ['deleteJob', (scheduler) => scheduler.deleteJob('x')],
    ['clear', (scheduler) => scheduler.clear()],
    ['pauseAll', (scheduler) => scheduler.pauseAll()],
    ['resumeJob', (scheduler) => scheduler.resumeJob('x')],
    ['resetTriggerFromErrorState', (scheduler) => scheduler.resetTriggerFromErrorState('x')],
    ['getTrigger', (scheduler) => scheduler.getTrigger('x')],
    ['listJobs', (scheduler) => scheduler.listJobs()],
    ['getCalendarNames', (scheduler) => scheduler.getCalendarNames()],
    ['getCalendar', (scheduler) => scheduler.getCalendar('x')],
    ['deleteCalendar', (scheduler) => scheduler.deleteCalendar('x')],
    ['interrupt', (scheduler) => scheduler.interrupt('x')],
  ];

  it.each(calls)('refuses %s', async (_, call) => {
    const { scheduler } = await testScheduler();
    await scheduler.shutdown();
    await expect(async () => call(scheduler)).rejects.toThrow(SchedulerStateError);
    await expect(async () => call(scheduler)).rejects.toThrow(/was shut down .* Create a new one/);
  });

  it('refuses a delayed start', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.shutdown();
    expect(() => scheduler.startDelayed(1)).toThrow(SchedulerStateError);
  });

  it('has waited for running jobs, which could use it until they ended', async () => {
    const { scheduler, clock, runDue } = await testScheduler();
    let answer: string | null = null;
    await scheduler.schedule('slow', { at: START }, async ({ scheduler: own }) => {
      await clock.sleepUntil(START.getTime() + 1_000, new AbortController().signal);
      answer = await own.getTriggerState('slow');
    });
    expect(await runDue()).toMatchObject([{ outcome: 'running' }]);
    const ended = scheduler.shutdown({ waitForJobs: true });
    await expect(scheduler.start()).rejects.toThrow(SchedulerStateError);
    clock.advanceBy(1_000);
    await ended;
    expect(answer).toBe('COMPLETE');
  });

  it('has aborted jobs that were still running at the deadline', async () => {
    const { scheduler, clock, runDue, advanceBy } = await testScheduler();
    let reason: unknown;
    await scheduler.schedule('endless', { at: START }, async ({ signal }) => {
      await clock.sleepUntil(START.getTime() + 1e9, signal);
      reason = signal.aborted;
    });
    await runDue();
    const ended = scheduler.shutdown({ waitForJobs: true, deadline: 5_000 });
    await advanceBy(5_000);
    await ended;
    expect(reason).toBe(true);
  });
});
