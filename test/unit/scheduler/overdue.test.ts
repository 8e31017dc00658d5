import { toJobBuilder } from '../../../src/api/builders/job-builder';
import { toTriggerBuilder } from '../../../src/api/builders/trigger-builder';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { SchedulerEvent, SchedulerEventOf } from '../../../src/domain/scheduler-event';
import { newJob, newTrigger } from '../../../src/index';
import { overdueWatch } from '../../../src/scheduler/overdue-watch';
import { codeOf, noop, START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A test scheduler, and its `overdue` events. */
async function watched() {
  const test = await testScheduler();
  const told: SchedulerEventOf<'overdue'>[] = [];
  test.scheduler.subscribe((event) => event.type === 'overdue' && told.push(event), ['overdue']);
  return { ...test, told };
}

describe('a job or trigger with mustSucceedWithin', () => {
  it('is reported once when it is overdue, and again only after a success in between', async () => {
    const { scheduler, advanceBy, told } = await watched();
    let isBroken = true;
    await scheduler.schedule('report', { cron: '0 0 6 * * ?', mustSucceedWithin: 'P1DT1H' }, async () => {
      if (isBroken) throw new Error('broken');
    });
    await advanceBy(5 * DAY);
    const first = START.getTime() + 6 * HOUR;
    expect(told).toEqual([
      {
        type: 'overdue',
        at: first + DAY + HOUR,
        jobKey: { group: 'DEFAULT', name: 'report' },
        triggerKey: null,
        mustSucceedWithin: DAY + HOUR,
        since: first,
        lastSuccess: null,
      },
    ]);
    isBroken = false;
    await advanceBy(2 * DAY);
    expect(await scheduler.listOverdue()).toEqual([]);
    isBroken = true;
    await advanceBy(3 * DAY);
    const last = first + 6 * DAY;
    expect(told.slice(1)).toMatchObject([{ since: last, lastSuccess: last, at: last + DAY + HOUR }]);
  });

  it('is overdue even while it is paused, and is listed with dates', async () => {
    const { scheduler, advanceBy, told } = await watched();
    await scheduler.schedule('report', { every: '1h', mustSucceedWithin: '2h' }, noop);
    await advanceBy(HOUR);
    await scheduler.pauseJob('report');
    await advanceBy(DAY);
    const lastSuccess = new Date(START.getTime() + HOUR);
    expect(told).toHaveLength(1);
    expect(await scheduler.listOverdue()).toEqual([
      {
        jobKey: { group: 'DEFAULT', name: 'report' },
        triggerKey: null,
        mustSucceedWithin: 2 * HOUR,
        since: lastSuccess,
        lastSuccess,
      },
    ]);
  });

  it('is reported with its trigger key if the trigger has the policy', async () => {
    const { scheduler, advanceBy, told } = await watched();
    await scheduler.addJob(newJob('noop').withIdentity('report').storeDurably().build());
    const night = newTrigger().forJob('report').withIdentity('night').withMustSucceedWithin('3h');
    await scheduler.scheduleJob(night.startAt(new Date(START.getTime() + 5 * HOUR)).build());
    await scheduler.pauseTrigger('night');
    for (let count = 0; count < 10; count++) {
      await scheduler.triggerJob('report');
      await advanceBy(HOUR);
    }
    const since = START.getTime() + 5 * HOUR;
    expect(told).toMatchObject([{ triggerKey: { name: 'night' }, since, at: since + 3 * HOUR, lastSuccess: null }]);
  });

  it('keeps its policy in the builders', () => {
    const job = newJob('noop').withMustSucceedWithin('P1DT1H').build();
    expect(job.policy).toEqual({ mustSucceedWithin: DAY + HOUR });
    expect(toJobBuilder(job).build().policy).toEqual(job.policy);
    expect(toJobBuilder(job).withMustSucceedWithin(null).build().policy).toBeUndefined();
    const trigger = newTrigger().forJob('noop').withMustSucceedWithin(60_000).build();
    expect(toTriggerBuilder(trigger).build().policy).toEqual({ mustSucceedWithin: 60_000 });
  });

  it.each([[0], [-1], ['P2Y'], ['soon'], [true]])('is refused if the duration is %p', async (mustSucceedWithin) => {
    const refused = () => newJob('noop').withMustSucceedWithin(mustSucceedWithin as never);
    expect(await codeOf(refused)).toBe('INVALID_ARGUMENT');
  });
});

describe('the watch for overdue jobs and triggers', () => {
  /** A store in which one job becomes overdue at `due`, by a clock that is `ahead` of the clock of this machine. */
  function watch({ due, ahead = 0 }: { readonly due: number | null; readonly ahead?: number }) {
    const clock = new ManualClock(1_000);
    const calls: string[] = [];
    const events: SchedulerEvent[] = [];
    const told: number[] = [];
    let isReported = false;
    let failure: Error | null = null;
    const service = overdueWatch({
      store: {
        async nextDueTime() {
          calls.push('next');
          if (failure !== null) throw failure;
          return isReported ? null : due;
        },
        async takeOverdue(now) {
          calls.push('take');
          if (due === null || isReported || now < due) return [];
          isReported = true;
          const key = { group: 'g', name: 'n' };
          return [{ jobKey: key, triggerKey: null, mustSucceedWithin: 1, since: 1, lastSuccess: null }];
        },
      },
      clock,
      readClock: async () => {
        calls.push('clock');
        return clock.now() + ahead;
      },
      bus: { publish: (event) => void events.push(event) },
      announce: () => void told.push(clock.now()),
    }).service;
    const to = async (time: number) => {
      for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
      while ((clock.nextWakeTime ?? Number.POSITIVE_INFINITY) <= time) {
        clock.advanceTo(clock.nextWakeTime as number);
        for (let turn = 0; turn < 10; turn++) await yieldToEventLoop();
      }
      clock.advanceTo(time);
    };
    const failWith = (error: Error | null) => {
      failure = error;
    };
    return { service, calls, events, told, to, failWith };
  }

  it('polls every half minute with a single query if nothing is expected', async () => {
    const { service, calls, to } = watch({ due: null });
    await service.start();
    await to(1_000 + 5 * 60_000);
    await service.stop();
    expect(calls).toEqual(Array(10).fill('next'));
  });

  it('reports an overdue job by the clock of the store', async () => {
    for (const [ahead, at] of [
      [0, 50_000],
      [-5_000, 55_000],
    ] as const) {
      const { service, told, to } = watch({ due: 50_000, ahead });
      await service.start();
      await to(100_000);
      await service.stop();
      expect(told).toEqual([at]);
    }
  });

  it('continues after a store failure and reports it once', async () => {
    const { service, told, events, to, failWith } = watch({ due: 50_000 });
    failWith(new Error('down'));
    await service.start();
    await to(65_000);
    expect(events).toMatchObject([{ type: 'schedulerError', during: 'checking for overdue jobs and triggers' }]);
    failWith(null);
    await to(100_000);
    await service.stop();
    expect(told).toHaveLength(1);
    expect(events).toHaveLength(1);
  });
});
