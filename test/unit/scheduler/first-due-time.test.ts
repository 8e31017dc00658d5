import { createTestScheduler } from '../../../src/testing';

const SECOND = 1_000;
const AHEAD = { jobStore: { acquireOrder: 'priority' }, threadPool: { threadCount: 1 } } as const;

it.each([
  ['fires now', undefined],
  ['fires for all missed times', 'all'],
  ['skips missed times', 'skip'],
] as const)('lets a trigger that %s run beside more urgent ones that never end', async (_name, misfire) => {
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
  // Eight priorities behind, so level after eight minutes; a trigger that skips then waits for its next time.
  expect(ran).toBeGreaterThanOrEqual(480 * SECOND - 30 * SECOND);
  expect(ran).toBeLessThanOrEqual(600 * SECOND);
});

it('is known to the job and its retries: the time that was missed, not the time to which the misfire moved it', async () => {
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

it('equals the scheduled fire time where nothing has misfired', async () => {
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
