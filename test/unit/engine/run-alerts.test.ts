import { JobExecutionException } from '../../../src/api/job-execution-exception';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { noop, shutdownAll, testScheduler } from '../scheduler/support';

afterEach(shutdownAll);

const MINUTE = 60_000;

/** A test scheduler with these alerts, and the alert events that it emits. */
async function alerting(alerts: object) {
  const test = await testScheduler({ config: { alerts, scheduler: { timeZone: 'UTC' } } });
  const told: SchedulerEvent[] = [];
  test.scheduler.subscribe((event) => told.push(event), ['firingLate', 'jobStuck']);
  /** A job that takes this many milliseconds. */
  const taking = (milliseconds: number) => async (context: { readonly signal: AbortSignal }) =>
    test.clock.sleepUntil(test.clock.now() + milliseconds, context.signal);
  return { ...test, told, taking };
}

describe('a run that begins late', () => {
  it('is reported once with its lateness if lateAfter is configured', async () => {
    const { scheduler, clock, runDue, told } = await alerting({ lateAfter: '5s' });
    await scheduler.schedule('report', { every: '10s', startAt: new Date(clock.now()), misfire: 'all' }, noop);
    clock.advanceBy(16_000);
    await runDue();
    expect(told).toMatchObject([
      { type: 'firingLate', lateBy: 16_000, firing: { jobDetail: { key: { name: 'report' } } } },
      { type: 'firingLate', lateBy: 6_000 },
    ]);
  });

  it('is not reported without lateAfter, or if it is within the allowed time', async () => {
    for (const alerts of [{}, { lateAfter: '16s' }]) {
      const { scheduler, clock, runDue, told } = await alerting(alerts);
      await scheduler.schedule('report', { every: '10s', startAt: new Date(clock.now()), misfire: 'all' }, noop);
      clock.advanceBy(16_000);
      await runDue();
      expect(told).toEqual([]);
    }
  });
});

describe('a run that takes long', () => {
  it('is reported once while it is running', async () => {
    const { scheduler, clock, advanceBy, told, taking } = await alerting({ stuckAfter: '1m' });
    await scheduler.schedule('report', { at: new Date(clock.now()) }, taking(10 * MINUTE));
    await advanceBy(MINUTE - 1);
    expect(told).toEqual([]);
    await advanceBy(1);
    expect(told).toMatchObject([
      { type: 'jobStuck', runningFor: MINUTE, firing: { trigger: { key: { name: 'report' } } } },
    ]);
    await advanceBy(20 * MINUTE);
    expect(told).toHaveLength(1);
  });

  it('is reported once even if it is refired', async () => {
    const { scheduler, clock, advanceBy, told } = await alerting({ stuckAfter: '1m' });
    await scheduler.schedule('report', { at: new Date(clock.now()) }, async ({ refireCount, signal }) => {
      await clock.sleepUntil(clock.now() + 2 * MINUTE, signal);
      if (refireCount === 0) throw new JobExecutionException('again', { refireImmediately: true });
    });
    await advanceBy(10 * MINUTE);
    expect(told).toHaveLength(1);
  });

  it('is not reported if it ends or fails in time', async () => {
    const { scheduler, clock, advanceBy, told, taking } = await alerting({ stuckAfter: '1m' });
    await scheduler.schedule('good', { at: new Date(clock.now()) }, taking(MINUTE / 2));
    await scheduler.schedule('bad', { at: new Date(clock.now()) }, async () => {
      throw new Error('broken');
    });
    await scheduler.schedule('quick', { at: new Date(clock.now()) }, () => 1);
    await advanceBy(10 * MINUTE);
    expect(told).toEqual([]);
  });
});
