import { DoNotRetry, GroupMatcher, jobKey, newJob, newTrigger, type RunOrigin, toTriggerBuilder } from '../../../src';
import { codeOf, noop, START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const HOUR = 3_600_000;

/** A scheduler whose jobs record their runs. */
async function logging(options: Parameters<typeof testScheduler>[0] = {}) {
  const ran: string[] = [];
  const test = await testScheduler(options);
  const run = (name: string) => () => void ran.push(name);
  /** Runs due triggers until no chained run is left. */
  const settle = async () => {
    while ((await test.runDue()).length > 0);
    return ran.splice(0);
  };
  return { ...test, ran, run, settle };
}

describe('chained jobs', () => {
  it('run when the previous jobs have succeeded, with the origin of the run in their context', async () => {
    const { scheduler, settle, advanceBy, run } = await logging();
    const origins: (RunOrigin | null)[] = [];
    const parents: string[] = [];
    await scheduler.schedule('extract', { every: HOUR }, (context) => {
      parents.push(context.runId);
      origins.push(context.origin);
    });
    const next = await scheduler.schedule('load', { after: 'extract', data: { to: 'db' } }, (context) => {
      origins.push(context.origin);
      expect(context.data).toEqual({ to: 'db' });
      expect(context.scheduledFireTime).toEqual(START);
      expect(context.trigger).toMatchObject({ key: { group: 'CHAINED_JOBS' }, jobKey: jobKey('load') });
    });
    expect(next).toBeNull();
    await scheduler.schedule('report', { after: 'load' }, run('report'));
    expect(await settle()).toEqual(['report']);
    expect(origins).toEqual([null, { jobKey: jobKey('extract'), runId: parents[0], outcome: 'succeeded' }]);
    await advanceBy(HOUR);
    expect(parents).toHaveLength(2);
  });

  it('wait for the last attempt of a failing job, and keep their origin in retries', async () => {
    const { scheduler, runDue, advanceBy } = await logging();
    const seen: string[] = [];
    await scheduler.schedule('extract', { at: START, retry: { max: 1, delay: 60_000 } }, ({ attempt }) => {
      seen.push(`extract ${attempt}`);
      throw new Error('no');
    });
    const retry = { max: 1, delay: 60_000 };
    await scheduler.schedule('alarm', { after: 'extract', on: 'failure', retry }, ({ attempt, origin }) => {
      seen.push(`alarm ${attempt} after ${origin?.outcome}`);
      if (attempt === 1) throw new Error('again');
    });
    await scheduler.schedule('load', { after: 'extract' }, () => void seen.push('load'));
    await runDue();
    await runDue();
    expect(seen).toEqual(['extract 1']);
    await advanceBy(60_000);
    await advanceBy(60_000);
    expect(seen).toEqual(['extract 1', 'extract 2', 'alarm 1 after failed', 'alarm 2 after failed']);
  });

  it("with on: 'end' start after a failed run, but not after a skipped or vetoed run", async () => {
    const { scheduler, settle, run } = await logging();
    await scheduler.schedule('skips', { at: START }, () => ({ outcome: 'skipped' }));
    await scheduler.schedule('fails', { at: START, retry: 3 }, () => {
      throw new DoNotRetry('never');
    });
    await scheduler.schedule('vetoed', { at: START }, noop);
    scheduler.getListenerManager().addTriggerListener({
      name: 'veto',
      vetoJobExecution: ({ jobKey: job }) => job?.name === 'vetoed',
    });
    for (const name of ['skips', 'fails', 'vetoed']) {
      await scheduler.schedule(`after ${name}`, { after: name, on: 'end' }, run(name));
    }
    expect(await settle()).toEqual(['fails']);
  });

  it('are recorded under their chain trigger', async () => {
    const { scheduler, settle, run } = await logging();
    await scheduler.schedule('extract', { at: START }, noop);
    await scheduler.schedule('load', { after: 'extract', history: true }, run('load'));
    await settle();
    const { items } = await scheduler.listRuns({ job: 'load' });
    expect(items.map(({ triggerKey }) => triggerKey)).toEqual([{ group: 'DEFAULT', name: 'load' }]);
  });
});

describe('a chain trigger', () => {
  it('is built, listed, paused, rescheduled and unscheduled like any other trigger', async () => {
    const { scheduler, settle, run } = await logging({ jobs: { load: noop } });
    const trigger = newTrigger()
      .withIdentity('chain')
      .startAfter('extract', { on: 'end', data: { a: 1 } })
      .build();
    expect(trigger).toMatchObject({ kind: 'AFTER', after: [jobKey('extract')], on: 'end', data: { a: 1 } });
    expect(await scheduler.scheduleJob(newJob('load').withIdentity('load').build(), trigger)).toBeNull();
    await scheduler.schedule('extract', { every: HOUR }, run('extract'));
    const { items } = await scheduler.listTriggers({ waitsFor: 'extract' });
    expect(items.map((each) => [each.trigger.key.name, each.state])).toEqual([['chain', 'WAITING']]);
    expect((await scheduler.listTriggers({ waitsFor: 'load' })).items).toHaveLength(0);
    expect((await scheduler.listTriggers({ waitsFor: 'extract', job: 'extract' })).items).toHaveLength(0);
    expect(await scheduler.getTriggerState('chain')).toBe('WAITING');
    await scheduler.pauseTriggers(GroupMatcher.anyGroup());
    expect(await scheduler.getTriggerState('chain')).toBe('PAUSED');
    await scheduler.resumeAll();
    const again = toTriggerBuilder(trigger).afterAll(['extract', 'x']).build();
    expect(await scheduler.rescheduleJob('chain', again)).toBeNull();
    expect(await scheduler.getTrigger('chain')).toMatchObject({
      after: [jobKey('extract'), jobKey('x')],
      ended: [0, 0],
    });
    await settle();
    expect(await scheduler.getTrigger('chain')).toMatchObject({ ended: [1, 0] });
    const stored = await scheduler.getTrigger('chain');
    expect(stored && toTriggerBuilder(stored).build()).toMatchObject({ ended: [0, 0], on: 'success' });
    expect(await scheduler.unscheduleJob('chain')).toBe(true);
    expect(await scheduler.checkExists({ job: 'load' })).toBe(false);
  });

  it('is unchanged when it is declared again, and is replaced when its outcome changes', async () => {
    const { scheduler } = await logging();
    const set = (on: 'success' | 'end') => ({ load: { after: ['a', 'b'], on, job: noop } });
    expect(await scheduler.declare(set('end'))).toMatchObject({ nextFireTimes: { load: null }, undeclared: [] });
    await scheduler.declare(set('end'));
    expect(await scheduler.getTrigger('load')).toMatchObject({ on: 'end' });
    await scheduler.declare(set('success'));
    expect(await scheduler.getTrigger('load')).toMatchObject({ on: 'success' });
    await scheduler.sync({});
    await scheduler.sync({ other: { after: 'a', job: noop } });
    expect(await scheduler.getTrigger('load')).toBeNull();
  });

  it('is refused if it would form a cycle', async () => {
    const { scheduler } = await logging();
    expect(await codeOf(() => scheduler.schedule('a', { after: 'a' }, noop))).toBe('INVALID_TRIGGER');
    await scheduler.schedule('b', { after: 'a' }, noop);
    await expect(scheduler.schedule('a', { after: 'b' }, noop)).rejects.toThrow('found a → b → a. Remove one');
    const grouped = {
      b: { after: { group: 'g', name: 'a' }, job: noop, group: 'g' },
      a: { after: { group: 'g', name: 'b' }, job: noop, group: 'g' },
    };
    await expect(scheduler.declare(grouped)).rejects.toThrow(/g\/[ab] → g\/[ab] → g\/[ab]/);
  });

  it.each<readonly [string, object]>([
    ['on without after', { every: HOUR, on: 'end' }],
    ['after together with every', { every: HOUR, after: 'a' }],
    ['a start', { after: 'a', startAt: START }],
    ['an end', { after: 'a', endAt: START }],
    ['a calendar', { after: 'a', calendar: 'c' }],
    ['a zone', { after: 'a', timeZone: 'UTC' }],
    ['a misfire instruction', { after: 'a', misfire: 'skip' }],
    ['an unknown outcome', { after: 'a', on: 'ended' }],
    ['an empty job name', { after: '' }],
    ['a number as a job', { after: [7] }],
  ])('is refused with %s', async (_what, when) => {
    const { scheduler } = await logging();
    expect(await codeOf(() => scheduler.schedule('load', when as never, noop))).toBe('INVALID_ARGUMENT');
  });

  it.each<readonly [string, () => unknown]>([
    ['no job', () => newTrigger().afterAll([]).build()],
    ['one job twice', () => newTrigger().afterAll(['a', 'a']).build()],
    [
      'more than 100 jobs',
      () =>
        newTrigger()
          .afterAll(Array.from({ length: 101 }, (_, index) => `job${index}`))
          .build(),
    ],
    ['an end', () => newTrigger().endAt(START).startAfter('a').build()],
    ['a calendar', () => newTrigger().modifiedByCalendar('c').startAfter('a').build()],
    ['jitter', () => newTrigger().withJitter('1m').startAfter('a').build()],
    ['clockChanges', () => newTrigger().withClockChanges('natural').startAfter('a').build()],
    ['fire times to catch up', () => newTrigger().withCatchUp({ max: 5, window: '1h' }).startAfter('a').build()],
  ])('cannot be built with %s', async (_what, build) => {
    expect(await codeOf(build)).toBe('INVALID_TRIGGER');
  });

  it.each<readonly [string, () => unknown]>([
    ['a string instead of a list', () => newTrigger().afterAll('a' as never)],
    ['a number as a job', () => newTrigger().startAfter(7 as never)],
    ['an unknown option', () => newTrigger().startAfter('a', { when: 1 } as never)],
    ['an unknown outcome', () => newTrigger().startAfter('a', { on: 'x' } as never)],
    ['null as options', () => newTrigger().startAfter('a', null as never)],
  ])('cannot be created with %s', async (_what, build) => {
    expect(await codeOf(build)).toBe('INVALID_ARGUMENT');
  });

  it('can wait for up to 100 jobs', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `job${index}`);
    expect(newTrigger().afterAll(names).build().ended).toHaveLength(100);
  });
});
