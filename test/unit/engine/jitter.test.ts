import { newJob, newTrigger, simpleSchedule, toTriggerBuilder } from '../../../src';
import { codeOf, noop, START, shutdownAll, testScheduler } from '../scheduler/support';

afterEach(shutdownAll);

const MINUTE = 60_000;

/** Delays between scheduled time and start of `count` runs of a trigger that fires every hour. */
async function delaysOf(name: string, count: number, jitter: string, startWithin?: string): Promise<readonly number[]> {
  const { scheduler, advanceBy } = await testScheduler();
  const delays: number[] = [];
  const each = {
    every: '1h',
    startAt: START,
    endAt: new Date(START.getTime() + (count - 1) * 60 * MINUTE + 1),
  } as const;
  await scheduler.schedule(
    name,
    { ...each, jitter, ...(startWithin && { startWithin }) },
    ({ fireTime, scheduledFireTime }) => void delays.push(fireTime.getTime() - scheduledFireTime.getTime()),
  );
  await advanceBy(count * 60 * MINUTE);
  expect((await scheduler.listJobs()).items).toEqual([]);
  return delays;
}

describe('a trigger with jitter', () => {
  it('delays each fire time by its own evenly distributed amount, the same for each calculation', async () => {
    const delays = await delaysOf('a', 60, 'PT10M', '1ms');
    expect(delays).toHaveLength(60);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(10 * MINUTE);
    for (const fifth of [0, 1, 2, 3, 4]) {
      const within = delays.filter((delay) => Math.min(4, Math.floor(delay / (2 * MINUTE))) === fifth);
      expect(within.length).toBeGreaterThanOrEqual(4);
      expect(within.length).toBeLessThanOrEqual(22);
    }
    expect(await delaysOf('a', 60, 'PT10M')).toEqual(delays);
    expect(await delaysOf('b', 60, 'PT10M')).not.toEqual(delays);
  });

  it('keeps its schedule and occurrence, and reports the delayed start time', async () => {
    const { scheduler, advanceBy } = await testScheduler();
    const until: (number | null)[] = [];
    scheduler.subscribe((event) => {
      if (event.type === 'firingDeferred') until.push(event.reason === 'jitter' ? event.until : -1);
    });
    const begun: number[] = [];
    const poll = ({ fireTime }: { readonly fireTime: Date }) => void begun.push(fireTime.getTime());
    await scheduler.schedule('poll', { every: '1h', startAt: START, jitter: '10m', history: 'all' }, poll);
    await advanceBy(59 * MINUTE);
    expect(until).toEqual(begun);
    expect((await scheduler.getTrigger('poll'))?.nextFireTime).toEqual(new Date(START.getTime() + 60 * MINUTE));
    const { items } = await scheduler.listRuns();
    expect(items.map(({ scheduledFireTime, triggerKey }) => [scheduledFireTime, triggerKey.name])).toEqual([
      [START, 'poll'],
    ]);
  });

  it('adds no delay to late firings or to manual ones', async () => {
    const { scheduler, clock, runDue } = await testScheduler();
    const trigger = newTrigger()
      .startAt(START)
      .withJitter('1m')
      .withSchedule(simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires());
    await scheduler.scheduleJob(newJob('noop').withIdentity('a').build(), trigger.build());
    clock.advanceBy(MINUTE);
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
    await scheduler.schedule('noop', { every: '1h', startAt: new Date(clock.now() + MINUTE), jitter: '30m' });
    await scheduler.triggerJob('noop');
    expect((await runDue()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
  });

  it('keeps its jitter in its builder, which refuses invalid values', async () => {
    const trigger = newTrigger().forJob('a').withJitter('PT5M').build();
    expect(trigger.policy).toEqual({ jitter: 5 * MINUTE });
    expect(toTriggerBuilder(trigger).build().policy).toEqual(trigger.policy);
    expect(toTriggerBuilder(trigger).withJitter(null).build().policy).toBeUndefined();
    for (const wrong of [-1, 'soon', '367d', true]) {
      expect(await codeOf(() => newTrigger().withJitter(wrong as never))).toBe('INVALID_ARGUMENT');
    }
    const { scheduler } = await testScheduler();
    expect(await codeOf(() => scheduler.schedule('a', { at: START, jitter: -1 }, noop))).toBe('INVALID_ARGUMENT');
  });
});
