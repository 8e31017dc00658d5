import { newJob, newTrigger, type SchedulerEvent, simpleSchedule, toJobBuilder, toTriggerBuilder } from '../../../src';
import { codeOf, noop, START, shutdownAll, testScheduler } from '../scheduler/support';

afterEach(shutdownAll);

const MINUTE = 60_000;

describe('a job with startWithin', () => {
  it('skips firings that would start too late, and reports and records them', async () => {
    const { scheduler, clock, runDue } = await testScheduler();
    const skipped: (SchedulerEvent & { readonly type: 'firingSkipped' })[] = [];
    scheduler.subscribe((event) => event.type === 'firingSkipped' && skipped.push(event), ['firingSkipped']);
    const times: number[] = [];
    await scheduler.schedule(
      'report',
      {
        every: '1m',
        startAt: START,
        endAt: new Date(START.getTime() + 10 * MINUTE),
        misfire: 'all',
        startWithin: 'PT5M',
        history: 'all',
      },
      ({ scheduledFireTime }) => void times.push((scheduledFireTime.getTime() - START.getTime()) / MINUTE),
    );
    clock.advanceBy(9 * MINUTE);
    const outcomes = (await runDue()).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'skipped')).toHaveLength(4);
    expect(times).toEqual([4, 5, 6, 7, 8, 9]);
    expect(skipped.map(({ reason, lateBy }) => [reason, lateBy / MINUTE])).toEqual(
      [9, 8, 7, 6].map((by) => ['late', by]),
    );
    const { items } = await scheduler.listRuns({ outcome: 'skipped' });
    expect(items.map(({ error }) => error)).toContain(
      'Skipped: the run would have started 540000 ms late, later than startWithin allows.',
    );
    expect(items).toHaveLength(4);
    expect((await scheduler.listRuns({ outcome: 'succeeded' })).items).toHaveLength(6);
  });

  it('is deleted when its one-shot trigger fires too late', async () => {
    const { scheduler, clock, runDue } = await testScheduler();
    const once = newTrigger()
      .startAt(START)
      .withSchedule(simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires())
      .build();
    await scheduler.scheduleJob(newJob('noop').withIdentity('a').withStartWithin(1_000).build(), once);
    clock.advanceBy(1_001);
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['skipped']);
    expect((await scheduler.listJobs()).items).toEqual([]);
    expect((await scheduler.listRuns()).items).toMatchObject([{ outcome: 'skipped' }]);
  });

  it('runs at exactly the limit, and uses the limit of its trigger if there is one', async () => {
    const { scheduler, clock, runDue } = await testScheduler();
    const trigger = newTrigger().startAt(START);
    await scheduler.scheduleJob(newJob('noop').withIdentity('a').withStartWithin(1_000).build(), trigger.build());
    const patient = newTrigger().startAt(START).withStartWithin('1m').build();
    await scheduler.scheduleJob(newJob('noop').withIdentity('b').withStartWithin(1).build(), patient);
    clock.advanceBy(1_000);
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
  });

  it('is retried even after the limit', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    const attempts: number[] = [];
    await scheduler.schedule('report', { at: START, retry: 'R2/PT10M', startWithin: '1m' }, ({ attempt }) => {
      attempts.push(attempt);
      throw new Error('no paper');
    });
    await advanceBy(60 * MINUTE);
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('keeps startWithin in its builders, which refuse invalid values', async () => {
    const job = newJob('noop').withStartWithin('PT5M').build();
    expect(job.policy).toEqual({ startWithin: 5 * MINUTE });
    expect(toJobBuilder(job).build().policy).toEqual(job.policy);
    expect(toJobBuilder(job).withStartWithin(null).build().policy).toBeUndefined();
    const trigger = newTrigger().forJob('a').withStartWithin(7_000).build();
    expect(toTriggerBuilder(trigger).build().policy).toEqual({ startWithin: 7_000 });
    for (const wrong of [0, -1, '0s', 'soon', '367d', true]) {
      expect(await codeOf(() => newJob('noop').withStartWithin(wrong as never))).toBe('INVALID_ARGUMENT');
    }
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.schedule('a', { at: START, startWithin: 0 }, noop))).toBe('INVALID_ARGUMENT');
  });
});
