import type { Configuration } from '../../../../src';
import { JobExecutionException, newJob, newTrigger, simpleSchedule } from '../../../../src';
import { proves } from '../../../support/proves';
import { closeAll, codeOf, deleteFolders, endless, noop, open, type World } from '../../../support/world/world';

const section = (name: string, keys: object) => ({ [name]: keys }) as unknown as Configuration;

/** A started scheduler with one trigger for each delay, in milliseconds. */
async function started(
  config: Configuration,
  delays: readonly number[],
  job: () => Promise<unknown> = noop,
): Promise<World> {
  const world = await open(config, { jobs: { job: job as () => Promise<void> } });
  const now = world.clock.now();
  for (const [index, delay] of delays.entries())
    await world.scheduler.schedule(`t${index}`, { at: new Date(now + delay) }, job as () => Promise<void>);
  await world.scheduler.start();
  return world;
}

const acquiredIn = (world: World) => world.heard('triggersAcquired').map(({ count }) => count);

const completed = (world: World, count: number) => world.until(() => world.heard('triggerCompleted').length >= count);

/** True if a shutdown aborted the signal of a running job that takes 10 s. */
async function abortedAt(config: Configuration, waitForJobs: boolean): Promise<boolean> {
  let isAborted = false;
  const world = await open(config);
  const { clock } = world;
  await world.scheduler.schedule('long', { at: new Date(clock.now()) }, async ({ signal }) => {
    signal.addEventListener('abort', () => {
      isAborted = true;
    });
    await clock.sleepUntil(clock.now() + 10_000, new AbortController().signal);
  });
  await world.scheduler.start();
  await world.until(() => world.heard('jobStarted').length > 0);
  await world.soon(world.scheduler.shutdown({ waitForJobs }));
  return isAborted;
}

/** Priorities of the triggers that a node with this range fires, out of 5, 6 and 7. */
async function completedOf(priorities: object): Promise<readonly number[]> {
  const world = await open(section('scheduler', { priorities }));
  const at = new Date(world.clock.now());
  for (const priority of [5, 6, 7]) await world.scheduler.schedule('noop', { at, priority, group: `p${priority}` });
  await world.scheduler.start();
  await world.pass(10_000);
  return world
    .heard('triggerCompleted')
    .map(({ firing }) => firing.trigger.priority)
    .sort();
}

/** Priorities in the order in which one worker fires overdue triggers. Priority 1 has been due for two minutes, the others since now. */
async function orderOf(jobStore: object): Promise<readonly number[]> {
  const config = {
    ...section('jobStore', { misfireThreshold: 600_000, ...jobStore }),
    ...section('threadPool', { threadCount: 1 }),
  };
  const world = await open(config);
  const now = world.clock.now();
  for (const priority of [1, 2, 9]) {
    const at = new Date(priority === 1 ? now : now + 120_000);
    await world.scheduler.schedule('noop', { at, priority, group: `p${priority}` });
  }
  world.clock.advanceBy(120_000); // in standby
  await world.scheduler.start();
  await completed(world, 3);
  return world.heard('triggerCompleted').map(({ firing }) => firing.trigger.priority);
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('the setting', () => {
  it('scheduler.rules selects the default misfire policy', async () => {
    proves('configuration', 'scheduler.rules');
    const firedAtOnce = async (rules: 'safe' | 'quartz') => {
      const world = await open(section('scheduler', { rules, timeZone: 'UTC' }));
      const startAt = new Date(world.clock.now() - 2 * 86_400_000);
      await world.scheduler.schedule('daily', { cron: '0 0 6 * * ?', startAt }, noop);
      await world.scheduler.start();
      await world.pass(1_000);
      return world.heard('triggerFired').length;
    };
    expect([await firedAtOnce('safe'), await firedAtOnce('quartz')]).toEqual([0, 1]);
  });

  it('scheduler.clockChanges is the default for triggers without their own value', async () => {
    proves('configuration', 'scheduler.clockChanges');
    const storedWith = async (scheduler: object) => {
      const world = await open(section('scheduler', scheduler));
      const cron = '0 30 2 * * ?';
      await world.scheduler.schedule('own', { cron, clockChanges: 'quartz' }, noop);
      await world.scheduler.schedule('none', { cron }, noop);
      const triggers = await Promise.all(['own', 'none'].map((name) => world.scheduler.getTrigger(name)));
      return triggers.map((trigger) => trigger?.policy?.clockChanges ?? null);
    };
    expect(await storedWith({})).toEqual(['quartz', null]);
    expect(await storedWith({ clockChanges: 'quartz' })).toEqual(['quartz', null]);
    expect(await storedWith({ clockChanges: 'natural' })).toEqual(['quartz', 'natural']);
  });

  it('scheduler.idleWaitTime sets how far ahead a node acquires triggers and how often it polls', async () => {
    proves('configuration', 'scheduler.idleWaitTime');
    // It is also the acquisition range: triggers due within it are already acquired.
    const [rare, often] = [
      await started(section('scheduler', { idleWaitTime: 30_000 }), [10_000]),
      await started(section('scheduler', { idleWaitTime: 1_000 }), [10_000]),
    ];
    await Promise.all([rare.pass(0), often.pass(0)]);
    expect(acquiredIn(rare)).toEqual([1]);
    expect(acquiredIn(often)).toEqual([]);
    expect(rare.clock.wakeTimes).toContain(rare.clock.now() + 10_000);
    expect(rare.clock.wakeTimes).not.toContain(rare.clock.now() + 1_000);
    expect(often.clock.wakeTimes).toContain(often.clock.now() + 1_000);
  });

  it('scheduler.batchTriggerAcquisitionMaxCount limits the triggers acquired at once', async () => {
    proves('configuration', 'scheduler.batchTriggerAcquisitionMaxCount');
    const delays = Array.from({ length: 10 }, () => 0);
    for (const [most, batches] of [
      [3, [3, 3, 3, 1]],
      [100, [10]],
    ] as const) {
      const world = await started(section('scheduler', { batchTriggerAcquisitionMaxCount: most }), delays);
      await completed(world, 10);
      expect(acquiredIn(world)).toEqual(batches);
    }
  });

  it('scheduler.batchTriggerAcquisitionFireAheadTimeWindow lets close fire times share a batch', async () => {
    proves('configuration', 'scheduler.batchTriggerAcquisitionFireAheadTimeWindow');
    for (const [window, batches] of [
      [0, [1, 1]],
      [500, [2]],
    ] as const) {
      const config = section('scheduler', { batchTriggerAcquisitionFireAheadTimeWindow: window });
      const world = await started(config, [1_000, 1_200]);
      await completed(world, 2);
      expect(acquiredIn(world)).toEqual(batches);
      const early = world.heard('triggerFired').map(({ firing }) => firing.scheduledFireTime - firing.fireTime);
      expect(early).toEqual([0, 0]);
    }
  });

  it('scheduler.interruptJobsOnShutdown aborts jobs on a shutdown without waiting', async () => {
    proves('configuration', 'scheduler.interruptJobsOnShutdown');
    expect(await abortedAt(section('scheduler', { interruptJobsOnShutdown: true }), false)).toBe(true);
    expect(await abortedAt(section('scheduler', { interruptJobsOnShutdown: false }), false)).toBe(false);
  });

  it('scheduler.interruptJobsOnShutdownWithWait aborts jobs on a shutdown with waiting', async () => {
    proves('configuration', 'scheduler.interruptJobsOnShutdownWithWait');
    expect(await abortedAt(section('scheduler', { interruptJobsOnShutdownWithWait: true }), true)).toBe(true);
    expect(await abortedAt(section('scheduler', { interruptJobsOnShutdownWithWait: false }), true)).toBe(false);
  });

  it('scheduler.listenerTimeout limits the wait for a listener', async () => {
    proves('configuration', 'scheduler.listenerTimeout');
    for (const listenerTimeout of [200, 5_000]) {
      const world = await started(section('scheduler', { listenerTimeout }), [1_000]);
      const hanging = { name: 'hanging', jobToBeExecuted: () => new Promise<void>(() => {}) };
      world.scheduler.getListenerManager().addJobListener(hanging);
      expect(await world.until(() => world.heard('jobStarted').length > 0)).toBe(1_000 + listenerTimeout);
    }
  });

  it('scheduler.shutdownDeadline limits the wait for jobs on shutdown', async () => {
    proves('configuration', 'scheduler.shutdownDeadline');
    for (const shutdownDeadline of [2_000, 20_000]) {
      const world = await started(section('scheduler', { shutdownDeadline }), [0], endless);
      await world.until(() => world.heard('jobStarted').length > 0);
      const before = world.clock.now();
      await world.soon(world.scheduler.shutdown({ waitForJobs: true }));
      expect(world.clock.now() - before).toBeGreaterThanOrEqual(shutdownDeadline);
      expect(world.clock.now() - before).toBeLessThan(shutdownDeadline + 1_000);
    }
  });

  it('scheduler.maxRefireCount limits immediate refires', async () => {
    proves('configuration', 'scheduler.maxRefireCount');
    for (const maxRefireCount of [0, 3]) {
      const again = () => Promise.reject(new JobExecutionException('again', { refireImmediately: true }));
      const world = await started(section('scheduler', { maxRefireCount }), [0], again);
      await completed(world, 1);
      expect(world.heard('jobStarted')).toHaveLength(1 + maxRefireCount);
    }
  });

  it('scheduler.labels lets a node run jobs that require these labels', async () => {
    proves('configuration', 'scheduler.labels');
    for (const [labels, runs] of [
      [undefined, 0],
      [['gpu'], 0],
      [['gpu', 'eu'], 1],
      ['eu, gpu', 1],
    ] as const) {
      const world = await open(labels === undefined ? {} : section('scheduler', { labels }));
      await world.scheduler.schedule('noop', { at: new Date(world.clock.now()), runsOn: ['gpu', 'eu'] });
      await world.scheduler.start();
      await world.pass(10_000);
      expect(world.heard('triggerCompleted')).toHaveLength(runs);
    }
  });

  it('scheduler.priorities.min excludes triggers of a lower priority, and must not exceed max', async () => {
    proves('configuration', 'scheduler.priorities.min');
    expect(await completedOf({ min: 6 })).toEqual([6, 7]);
    expect(await codeOf(() => completedOf({ min: 7, max: 6 }))).toBe('CONFIGURATION');
  });

  it('scheduler.priorities.max excludes triggers of a higher priority', async () => {
    proves('configuration', 'scheduler.priorities.max');
    expect(await completedOf({})).toEqual([5, 6, 7]);
    expect(await completedOf({ max: 6 })).toEqual([5, 6]);
  });

  it('threadPool.class zeroSize keeps a node from running jobs', async () => {
    proves('configuration', 'threadPool.class');
    const [running, scheduling] = [
      await started(section('threadPool', { class: 'async' }), [1_000]),
      await started(section('threadPool', { class: 'zeroSize' }), [1_000]),
    ];
    await Promise.all([running.pass(60_000), scheduling.pass(60_000)]);
    expect([running.heard('triggerCompleted').length, scheduling.heard('triggerCompleted').length]).toEqual([1, 0]);
    expect(scheduling.scheduler.getMetaData().threadPool.size).toBe(0);
  });

  it('threadPool.threadCount limits concurrent jobs', async () => {
    proves('configuration', 'threadPool.threadCount');
    for (const threadCount of [1, 3]) {
      const world = await started(section('threadPool', { threadCount }), [0, 0, 0, 0, 0], endless);
      await world.pass(60_000);
      expect(world.heard('jobStarted')).toHaveLength(threadCount);
    }
  });

  it('threadPool.groupLimits limits concurrent jobs of a group on the node', async () => {
    proves('configuration', 'threadPool.groupLimits');
    for (const [reports, count] of [
      [0, 1],
      [2, 3],
      [5, 5],
    ] as const) {
      const world = await open(section('threadPool', { groupLimits: { reports } }));
      const at = new Date(world.clock.now());
      for (let index = 0; index < 4; index++)
        await world.scheduler.schedule(`r${index}`, { at, group: 'reports' }, endless);
      await world.scheduler.schedule('other', { at, group: 'other' }, endless);
      await world.scheduler.start();
      await world.pass(30_000);
      expect(world.heard('jobStarted')).toHaveLength(count);
    }
  });

  it('jobStore.acquireOrder decides whether fire time or priority comes first', async () => {
    proves('configuration', 'jobStore.acquireOrder');
    expect(await orderOf({})).toEqual([1, 9, 2]);
    expect(await orderOf({ acquireOrder: 'time' })).toEqual([1, 9, 2]);
    expect(await orderOf({ acquireOrder: 'priority' })).toEqual([9, 1, 2]);
  });

  it('jobStore.priorityAgeing raises the priority of waiting triggers', async () => {
    proves('configuration', 'jobStore.priorityAgeing');
    expect(await orderOf({ acquireOrder: 'priority', priorityAgeing: '10m' })).toEqual([9, 2, 1]);
    expect(await orderOf({ acquireOrder: 'priority', priorityAgeing: 10_000 })).toEqual([1, 9, 2]);
    const unused = await open(section('jobStore', { priorityAgeing: 'PT1M' }));
    expect(JSON.stringify(unused.heard('configurationWarning'))).toContain('jobStore.acquireOrder is time');
  });

  it('jobStore.misfireThreshold sets the lateness that counts as a misfire', async () => {
    proves('configuration', 'jobStore.misfireThreshold');
    for (const [misfireThreshold, misfires] of [
      [1_000, 1],
      [60_000, 0],
    ]) {
      const world = await open(section('jobStore', { misfireThreshold }), {});
      const late = newTrigger()
        .forJob('j')
        .startAt(new Date(world.clock.now() + 1))
        .withSchedule(simpleSchedule().withIntervalInHours(1).repeatForever());
      await world.scheduler.addJob(jobOf('j'));
      await world.scheduler.scheduleJob(late.build());
      world.clock.advanceBy(5_000); // in standby
      await world.scheduler.start();
      await completed(world, 1);
      expect(world.heard('triggerMisfired')).toHaveLength(misfires as number);
    }
  });
});

const jobOf = (name: string) => newJob('noop').withIdentity(name).storeDurably().build();
