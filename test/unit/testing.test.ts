import { readFile } from 'node:fs/promises';
import { JobExecutionException, newTrigger, type Scheduler, simpleSchedule } from '../../src';
import { createTestScheduler, type Firing } from '../../src/testing';

const at = (text: string) => new Date(`2026-01-01T${text}Z`);
const NEVER = new AbortController().signal;
const noop = async () => {};

const open: Scheduler[] = [];
afterEach(() => Promise.all(open.splice(0).map((scheduler) => scheduler.shutdown())));

async function create(options?: Parameters<typeof createTestScheduler>[0]) {
  const test = await createTestScheduler(options);
  open.push(test.scheduler);
  return test;
}

const brief = (firings: readonly Firing[]) =>
  firings.map(({ trigger, fireTime, outcome }) => `${trigger.name} ${fireTime.toISOString().slice(11, 19)} ${outcome}`);

describe('a test scheduler', () => {
  it('is started, begins with the year 2026 in UTC, and does nothing by itself', async () => {
    let ran = 0;
    const { scheduler, clock } = await create({ jobs: { job: () => void ran++ } });
    await scheduler.schedule('job', { cron: '* * * * * ?' });
    await new Promise((resolve) => setImmediate(resolve));
    expect([scheduler.isInStandbyMode(), new Date(clock.now()), ran]).toEqual([false, at('00:00:00'), 0]);
    expect(await scheduler.getTrigger('job')).toMatchObject({ timeZone: 'UTC' });
  });

  it('runs what is due now without time passing', async () => {
    const { scheduler, clock, runDue } = await create({ jobs: { job: noop } });
    await scheduler.schedule('job', { every: 1_000 });
    expect(brief(await runDue())).toEqual(['job 00:00:00 succeeded']);
    expect(await runDue()).toEqual([]);
    expect(clock.now()).toBe(at('00:00:00').getTime());
  });

  it('runs every firing at its own moment, in the order of time, then priority, then name', async () => {
    const seen: string[] = [];
    const { scheduler, clock, advanceTo } = await create();
    const job = (name: string) => () => void seen.push(`${name} ${new Date(clock.now()).toISOString().slice(11, 19)}`);
    await scheduler.schedule('b', { cron: '0 0/20 * * * ?', startAt: at('00:10:00') }, job('b'));
    await scheduler.schedule('a', { cron: '0 0/30 * * * ?', startAt: at('00:10:00') }, job('a'));
    await scheduler.schedule('first', { at: at('01:00:00'), priority: 9 }, job('first'));
    const firings = await advanceTo(at('01:00:00'));
    const expected = ['b 00:20:00', 'a 00:30:00', 'b 00:40:00', 'first 01:00:00', 'a 01:00:00', 'b 01:00:00'];
    expect(seen).toEqual(expected);
    expect(brief(firings)).toEqual(expected.map((line) => `${line} succeeded`));
    expect(clock.now()).toBe(at('01:00:00').getTime());
  });

  it('gives the same firings for the same calls', async () => {
    const run = async () => {
      const { scheduler, advanceBy } = await create();
      for (const name of ['x', 'y', 'z']) await scheduler.schedule(name, { every: 7_000 }, noop);
      await scheduler.triggerJob('y');
      return advanceBy(100_000);
    };
    expect(await run()).toEqual(await run());
  });

  it('tells what each job threw', async () => {
    const { scheduler, runDue } = await create();
    await scheduler.schedule('broken', { at: at('00:00:00') }, () => {
      throw new Error('no paper');
    });
    const [firing] = await runDue();
    expect(firing).toMatchObject({
      job: { group: 'DEFAULT', name: 'broken' },
      trigger: { group: 'DEFAULT', name: 'broken' },
      scheduledFireTime: at('00:00:00'),
      fireTime: at('00:00:00'),
      outcome: 'failed',
    });
    expect(firing?.error?.message).toContain('no paper');
  });

  it('waits for jobs that do real work', async () => {
    const read: number[] = [];
    const { scheduler, advanceBy } = await create();
    await scheduler.schedule('read', { every: 1_000 }, async () => {
      read.push((await readFile(__filename)).length);
    });
    expect(await advanceBy(2_000)).toHaveLength(3);
    expect(read).toHaveLength(3);
  });

  it('lets jobs sleep on its clock, and leaves those that sleep longer running', async () => {
    const log: string[] = [];
    const { scheduler, clock, advanceTo } = await create();
    const time = () => new Date(clock.now()).toISOString().slice(11, 19);
    await scheduler.schedule('slow', { every: 'PT10M' }, async () => {
      log.push(`begins ${time()}`);
      await clock.sleepUntil(clock.now() + 15 * 60_000, NEVER);
      log.push(`ends ${time()}`);
    });
    const firings = await advanceTo(at('00:20:00'));
    expect(log).toEqual(['begins 00:00:00', 'begins 00:10:00', 'ends 00:15:00', 'begins 00:20:00']);
    expect(brief(firings)).toEqual(['slow 00:00:00 succeeded', 'slow 00:10:00 running', 'slow 00:20:00 running']);
    expect(scheduler.getCurrentlyExecutingJobs()).toHaveLength(2);
  });

  it('runs jobs that a job schedules, in their time', async () => {
    const { scheduler, advanceBy } = await create();
    await scheduler.schedule('parent', { at: at('00:01:00') }, async ({ scheduler: own, fireTime }) => {
      await own.schedule('child', { at: new Date(fireTime.getTime() + 30_000) }, noop);
    });
    expect(brief(await advanceBy(120_000))).toEqual(['parent 00:01:00 succeeded', 'child 00:01:30 succeeded']);
  });

  it('repeats a job at once that asks for it, pauses between the attempts included', async () => {
    let attempts = 0;
    const { scheduler, advanceBy } = await create();
    await scheduler.schedule('stubborn', { at: at('00:00:00') }, () => {
      attempts++;
      if (attempts < 5) throw new JobExecutionException('again', { refireImmediately: true });
    });
    expect(brief(await advanceBy(60_000))).toEqual(['stubborn 00:00:00 succeeded']);
    expect(attempts).toBe(5);
  });

  it('handles misfires when its clock jumped over fire times', async () => {
    const misfired: string[] = [];
    const { scheduler, clock, runDue } = await create({ jobs: { job: noop } });
    scheduler.getListenerManager().addTriggerListener({
      name: 'misfires',
      triggerMisfired: ({ key }) => void misfired.push(key.name),
    });
    await scheduler.schedule('once', { every: 'PT1M', misfire: 'fire' }, noop);
    await scheduler.schedule('inPhase', { every: 'PT1M' }, noop);
    await scheduler.schedule('never', { every: 'PT1M', misfire: 'skip' }, noop);
    clock.advanceTo(at('02:00:30'));
    expect(brief(await runDue())).toEqual(['once 02:00:30 succeeded']);
    expect(misfired.sort()).toEqual(['inPhase', 'never', 'once']);
  });

  it('fires nothing in standby, and lets time pass all the same', async () => {
    const { scheduler, clock, advanceBy } = await create({ jobs: { job: noop } });
    await scheduler.standby();
    await scheduler.schedule('job', { every: 1_000 });
    expect(await advanceBy(10_000)).toEqual([]);
    expect(clock.now()).toBe(at('00:00:10').getTime());
  });

  it('lets time pass after shutdown, too', async () => {
    const { scheduler, advanceBy } = await create({ jobs: { job: noop } });
    await scheduler.schedule('job', { every: 1_000 });
    await scheduler.shutdown();
    expect(await advanceBy(10_000)).toEqual([]);
  });

  it('waits for asynchronous listeners, whatever the listener timeout', async () => {
    const heard: string[] = [];
    const { scheduler, runDue } = await create({ jobs: { job: noop } });
    scheduler.getListenerManager().addJobListener({
      name: 'audit',
      async jobToBeExecuted() {
        await readFile(__filename);
        heard.push('before');
      },
      async jobWasExecuted() {
        await readFile(__filename);
        heard.push('after');
      },
    });
    await scheduler.schedule('job', { at: at('00:00:00') });
    await runDue();
    expect(heard).toEqual(['before', 'after']);
  });

  it('begins where it is told, with the configuration it is given', async () => {
    const startTime = new Date('2027-06-01T06:00:00Z');
    const config = { scheduler: { instanceName: 'T', timeZone: 'Asia/Tokyo' } };
    const { scheduler, advanceTo } = await create({ startTime, config, jobs: { job: noop } });
    expect(await scheduler.schedule('job', { cron: '0 0 18 * * ?' })).toEqual(new Date('2027-06-01T09:00:00Z'));
    expect(await advanceTo(new Date('2027-06-02T09:00:00Z'))).toHaveLength(2);
    expect(scheduler.getSchedulerName()).toBe('T');
  });

  it('is not held up by a trigger that cannot fire', async () => {
    const { scheduler, advanceBy } = await create();
    await scheduler.schedule('blocked', { every: 1_000, disallowConcurrentExecution: true }, async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    await scheduler.scheduleJob(
      newTrigger().withIdentity('second').forJob('blocked').withSchedule(simpleSchedule()).build(),
    );
    const advanced = advanceBy(5_000);
    while (scheduler.getCurrentlyExecutingJobs().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await scheduler.pauseAll();
    await scheduler.interrupt('blocked');
    expect(brief(await advanced)).toEqual(['blocked 00:00:00 succeeded']);
  });

  it('goes through three months of quarters of an hour', async () => {
    const { scheduler, advanceBy } = await create({ jobs: { job: noop } });
    await scheduler.schedule('job', { cron: '0 0/15 * * * ?', startAt: at('00:00:01') });
    expect(await advanceBy(90 * 86_400_000)).toHaveLength(90 * 96);
  });

  it('refuses times that have passed or are none, and runs nothing then', async () => {
    const { scheduler, advanceTo, advanceBy, runDue } = await create({ jobs: { job: noop } });
    await scheduler.schedule('job', { every: 1_000 });
    await expect(advanceTo(at('00:00:00').getTime() - 1)).rejects.toThrow(/time in the future/);
    await expect(advanceTo(new Date('never'))).rejects.toThrow(/valid Date/);
    await expect(advanceBy(Number.NaN)).rejects.toThrow(/valid Date/);
    expect(await runDue()).toHaveLength(1);
  });
});
