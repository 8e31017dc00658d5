import { createTestScheduler } from '../../../src/testing';

const SECOND = 1_000;
const AHEAD = { jobStore: { acquireOrder: 'priority' }, threadPool: { threadCount: 1 } } as const;

it.each([
  ['fires once after a misfire', undefined],
  ['fires all missed times', 'all'],
  ['skips missed times', 'skip'],
] as const)('a low-priority trigger that %s still runs while more urgent triggers keep arriving', async (_name, misfire) => {
  const { scheduler, clock, advanceBy } = await createTestScheduler({ config: AHEAD });
  const start = clock.now();
  let ran: number | null = null;
  let number = 0;
  scheduler.registerJob('urgent', ({ signal }) => clock.sleepUntil(clock.now() + 10 * SECOND, signal));
  const urgent = () =>
    scheduler.schedule(`urgent-${number++}`, { at: new Date(clock.now()), priority: 9, job: 'urgent' });
  await urgent();
  const low = { every: '1m', startAt: new Date(start), priority: 1, ...(misfire && { misfire }) } as const;
  await scheduler.schedule('low', low, () => {
    ran ??= clock.now() - start;
  });
  await urgent();
  for (let second = 0; second < 900 && ran === null; second += 10) {
    await urgent();
    await advanceBy(10 * SECOND);
  }
  await scheduler.shutdown();
  // The priority is 8 lower, so ageing needs eight minutes; a trigger that skips missed times then waits for its next fire time.
  expect(ran).toBeGreaterThanOrEqual(480 * SECOND - 30 * SECOND);
  expect(ran).toBeLessThanOrEqual(600 * SECOND);
});

it('firstDueTime is the missed fire time in the first attempt and in its retries after a misfire', async () => {
  const { scheduler, clock, advanceBy } = await createTestScheduler();
  const at = new Date(clock.now() + 60 * SECOND);
  const seen: unknown[] = [];
  await scheduler.standby();
  await scheduler.schedule('late', { at, retry: { max: 1, delay: '5s' } }, (context) => {
    const { attempt, firstDueTime, scheduledFireTime } = context;
    seen.push({ attempt, firstDueTime, isMoved: scheduledFireTime.getTime() > at.getTime() });
    if (attempt === 1) throw new Error('failed');
  });
  await advanceBy(600 * SECOND);
  await scheduler.start();
  await advanceBy(60 * SECOND);
  expect(seen).toEqual([1, 2].map((attempt) => ({ attempt, firstDueTime: at, isMoved: true })));
  await scheduler.shutdown();
});

it('firstDueTime equals the scheduled fire time without a misfire', async () => {
  const { scheduler, clock, runDue } = await createTestScheduler();
  const at = new Date(clock.now());
  let seen: readonly Date[] = [];
  await scheduler.schedule('on time', { at }, ({ firstDueTime, scheduledFireTime }) => {
    seen = [firstDueTime, scheduledFireTime];
  });
  await runDue();
  expect(seen).toEqual([at, at]);
  await scheduler.shutdown();
});
