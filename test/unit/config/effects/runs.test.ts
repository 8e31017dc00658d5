import type { Configuration } from '../../../../src';
import { controlOf, type SchedulerControl } from '../../../../src/scheduler/control';
import { proves } from '../../../support/proves';
import { closeAll, deleteFolders, noop, open, type World } from '../../../support/world/world';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const failing = () => Promise.reject(new Error('broken'));

/** A scheduler after one run of each job, a minute apart. */
async function afterRuns(config: object, jobs: readonly (() => Promise<void>)[]): Promise<World> {
  const world = await open(config as Configuration);
  const start = world.clock.now();
  for (const [index, job] of jobs.entries())
    await world.scheduler.schedule(`job${index}`, { at: new Date(start + index * MINUTE) }, job);
  await world.scheduler.start();
  await world.until(() => world.heard('triggerCompleted').length >= jobs.length);
  return world;
}

/** Number of recorded runs. */
const runsOf = async ({ scheduler }: World) => (await scheduler.listRuns()).items.length;

const history = (keys: object) => ({ jobStore: { history: 'all', ...keys } });

afterEach(closeAll);
afterAll(deleteFolders);

describe('the setting', () => {
  it('scheduler.retry is the default retry policy', async () => {
    proves('configuration', 'scheduler.retry');
    for (const [retry, starts] of [
      ['R2/PT1M', [0, 1, 2]],
      [
        [MINUTE, '5m'],
        [0, 1, 6],
      ],
      [{ max: 3, delay: '1m', factor: 3 }, [0, 1, 4, 13]],
      [1, [0, 1]],
      [false, [0]],
      [undefined, [0]],
    ] as const) {
      const world = await afterRuns({ scheduler: retry === undefined ? {} : { retry } }, [failing]);
      await world.pass(HOUR);
      const times = world.heard('jobStarted').map(({ at }) => at);
      expect(times.map((time) => Math.round((time - (times[0] ?? 0)) / MINUTE))).toEqual(starts);
    }
  });

  it('alerts.lateAfter reports firings that start later', async () => {
    proves('configuration', 'alerts.lateAfter');
    for (const [lateAfter, count] of [
      ['30s', 1],
      [30_000, 1],
      ['2m', 0],
      [undefined, 0],
    ] as const) {
      const world = await open({ alerts: lateAfter === undefined ? {} : { lateAfter } });
      await world.scheduler.schedule('noop', { at: new Date(world.clock.now()) });
      world.clock.advanceBy(MINUTE);
      await world.scheduler.start();
      await world.until(() => world.heard('triggerCompleted').length === 1);
      expect(world.heard('firingLate')).toHaveLength(count);
    }
  });

  it('alerts.stuckAfter reports runs that take longer', async () => {
    proves('configuration', 'alerts.stuckAfter');
    for (const [stuckAfter, count] of [
      ['30s', 1],
      [30_000, 1],
      ['2m', 0],
      [undefined, 0],
    ] as const) {
      const world = await open({ alerts: stuckAfter === undefined ? {} : { stuckAfter } });
      const { clock } = world;
      await world.scheduler.schedule('slow', { at: new Date(clock.now()) }, async ({ signal }) => {
        await clock.sleepUntil(clock.now() + MINUTE, signal);
      });
      await world.scheduler.start();
      await world.pass(10 * MINUTE);
      expect(world.heard('jobStuck')).toHaveLength(count);
    }
  });

  it('jobStore.history selects the outcomes that are recorded', async () => {
    proves('configuration', 'jobStore.history');
    for (const [mode, count] of [
      ['all', 2],
      [true, 2],
      ['failures', 1],
      ['none', 1],
      [false, 1],
    ] as const) {
      // A one-off that fails is a dead letter and recorded in every mode.
      expect(await runsOf(await afterRuns(history({ history: mode }), [noop, failing]))).toBe(count);
    }
    expect(await runsOf(await afterRuns({}, [noop, failing]))).toBe(1);
  });

  it('jobStore.historyMaxBytes limits the size of the history in memory', async () => {
    proves('configuration', 'jobStore.historyMaxBytes');
    const large = async () => {
      throw new Error('x'.repeat(50_000));
    };
    const world = await open(history({ historyMaxBytes: 1_048_576 }) as Configuration);
    await world.scheduler.schedule('large', { every: 1_000 }, large);
    await world.scheduler.start();
    await world.until(() => world.heard('triggerCompleted').length >= 60);
    expect(await runsOf(world)).toBeLessThan(60);
  });

  it('jobStore.historyGroups overrides the history mode for job groups', async () => {
    proves('configuration', 'jobStore.historyGroups');
    const modes = { history: 'all', historyGroups: { noisy: 'none', careful: 'failures' } };
    const world = await open({ jobStore: modes } as Configuration);
    const at = new Date(world.clock.now());
    for (const group of ['noisy', 'careful', 'other']) {
      await world.scheduler.schedule('good', { group, at }, noop);
      await world.scheduler.schedule('bad', { group, every: '1d', startAt: at }, failing);
    }
    await world.scheduler.schedule('own word', { group: 'noisy', at, history: 'all' }, noop);
    await world.scheduler.start();
    await world.until(() => world.heard('triggerCompleted').length >= 7);
    const { items } = await world.scheduler.listRuns();
    const names = items.map(({ jobKey }) => `${jobKey.group}.${jobKey.name}`).sort();
    expect(names).toEqual(['careful.bad', 'noisy.own word', 'other.bad', 'other.good']);
  });

  it('jobStore.historyRetention deletes older runs', async () => {
    proves('configuration', 'jobStore.historyRetention');
    for (const [historyRetention, count] of [
      ['30m', 0],
      [30 * MINUTE, 0],
      ['PT3H', 1],
    ] as const) {
      const world = await afterRuns(history({ historyRetention }), [noop]);
      await world.pass(HOUR);
      expect(await runsOf(world)).toBe(count);
    }
  });

  it('jobStore.historyRetentionOf overrides the retention for outcomes', async () => {
    proves('configuration', 'jobStore.historyRetentionOf');
    for (const [historyRetentionOf, count] of [
      [{ succeeded: '30m' }, 0],
      [{ failed: '30m' }, 1],
    ] as const) {
      const world = await afterRuns(history({ historyRetentionOf }), [noop]);
      await world.pass(HOUR);
      expect(await runsOf(world)).toBe(count);
    }
  });

  it('jobStore.historyMaxCount limits the number of recorded runs', async () => {
    proves('configuration', 'jobStore.historyMaxCount');
    for (const historyMaxCount of [1, 2]) {
      const world = await afterRuns(history({ historyMaxCount }), [noop, noop, noop]);
      await world.pass(HOUR);
      const { items } = await world.scheduler.listRuns();
      expect(items.map(({ jobKey }) => jobKey.name)).toEqual(['job2', 'job1'].slice(0, historyMaxCount));
    }
  });

  it('jobStore.actionRetention deletes older entries of the action log', async () => {
    proves('configuration', 'jobStore.actionRetention');
    for (const [actionRetention, count] of [
      ['30m', 0],
      [30 * MINUTE, 0],
      ['PT3H', 1],
      [undefined, 1],
    ] as const) {
      const world = await open({ jobStore: actionRetention === undefined ? {} : { actionRetention } });
      const control = controlOf(world.scheduler) as SchedulerControl;
      const actor = { name: 'ann', role: 'admin', via: 'http', from: null };
      await world.scheduler.start();
      await control.recordAction({
        actor,
        operation: 'jobs.pause',
        target: '',
        input: {},
        changes: null,
        error: null,
      });
      await world.pass(HOUR);
      expect((await control.listActions({ take: 10 })).items).toHaveLength(count);
    }
  });

  it('jobStore.deadLetterRetention deletes older dead letters', async () => {
    proves('configuration', 'jobStore.deadLetterRetention');
    for (const [deadLetterRetention, count] of [
      ['30m', 0],
      ['PT3H', 1],
    ] as const) {
      const config = { scheduler: { retry: 'R1/PT1M' }, jobStore: { historyRetention: '1m', deadLetterRetention } };
      const world = await afterRuns(config, [failing]);
      await world.pass(10 * MINUTE);
      expect((await world.scheduler.listDeadLetters()).items).toHaveLength(1);
      await world.pass(HOUR);
      expect((await world.scheduler.listDeadLetters()).items).toHaveLength(count);
    }
  });
});
