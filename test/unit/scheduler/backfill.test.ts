import { cronSchedule, GroupMatcher, HolidayCalendar, newJob, newTrigger } from '../../../src';
import { codeOf, noop, START, shutdownAll, testScheduler, times } from './support';

afterEach(shutdownAll);

const DAY = 86_400_000;
const day = (number: number) => new Date(START.getTime() + number * DAY);

/** A scheduler with a daily job at noon whose runs are recorded in `seen`. */
async function daily(options: object = {}) {
  const seen: string[] = [];
  const test = await testScheduler({
    jobs: {
      report: async ({ scheduledFireTime, data, attempt }) => {
        seen.push(`${scheduledFireTime.toISOString().slice(5, 13)} ${JSON.stringify(data)} ${attempt}`);
      },
    },
  });
  const trigger = newTrigger()
    .withIdentity('noon')
    .withSchedule(cronSchedule('0 0 12 * * ?').inTimeZone('UTC'))
    .usingJobData('to', 'ops')
    .withPriority(7);
  await test.scheduler.scheduleJob(newJob('report').withIdentity('report').build(), trigger.build());
  return { ...test, seen, ...options };
}

describe('a backfill', () => {
  it('runs every past fire time in the range with the data of its trigger, and does not change the schedule', async () => {
    const { scheduler, runDue, seen } = await daily();
    const before = await scheduler.getTrigger('noon');
    const report = await scheduler.backfill('noon', { from: day(-3), to: day(0) });
    expect(report).toEqual({
      group: expect.stringMatching(/^BACKFILL_\w{10}$/),
      count: 3,
      times: [-3, -2, -1].map((number) => new Date(day(number).getTime() + DAY / 2)),
    });
    await runDue();
    expect(seen.sort()).toEqual(['12-29T12 {"to":"ops"} 1', '12-30T12 {"to":"ops"} 1', '12-31T12 {"to":"ops"} 1']);
    expect(await scheduler.getTrigger('noon')).toEqual(before);
    expect(await scheduler.listBackfills()).toEqual([]);
  });

  it('includes the start of its range but not the end, and skips times that the calendar excludes', async () => {
    const { scheduler } = await daily();
    const noon = (number: number) => new Date(day(number).getTime() + DAY / 2);
    expect((await scheduler.backfill('noon', { from: noon(-4), to: noon(-2) })).times).toEqual([noon(-4), noon(-3)]);
    await scheduler.addCalendar('holidays', new HolidayCalendar({ excludedDates: ['2025-12-30'], timeZone: 'UTC' }));
    const trigger = newTrigger().withIdentity('free').forJob('report').modifiedByCalendar('holidays');
    await scheduler.scheduleJob(trigger.withSchedule(cronSchedule('0 0 12 * * ?').inTimeZone('UTC')).build());
    expect((await scheduler.backfill('free', { from: day(-3), to: day(0) })).times).toEqual([noon(-3), noon(-1)]);
  });

  it('spaces its runs, and lists the number of runs left', async () => {
    const { scheduler, advanceBy } = await daily();
    const { group } = await scheduler.backfill('noon', { from: day(-5), to: day(0), spacing: '10m' });
    const left = async () => (await scheduler.listBackfills()).map(({ left: count }) => count);
    expect(await scheduler.listBackfills()).toEqual([
      {
        group,
        triggerKey: { group: 'DEFAULT', name: 'noon' },
        left: 5,
        from: new Date(day(-5).getTime() + DAY / 2),
        to: new Date(day(-1).getTime() + DAY / 2),
      },
    ]);
    const firings = await advanceBy(25 * 60_000);
    expect(times(firings).map((text) => text.slice(-8))).toEqual(['00:00:00', '00:10:00', '00:20:00']);
    expect(await left()).toEqual([2]);
    expect(await scheduler.dropBackfill(group)).toBe(2);
    expect(await scheduler.listBackfills()).toEqual([]);
    expect(await scheduler.dropBackfill(group)).toBe(0);
  });

  it('can be paused and listed as a trigger group', async () => {
    const { scheduler, runDue } = await daily();
    const { group } = await scheduler.backfill('noon', { from: day(-2), to: day(0), spacing: 1_000 });
    await scheduler.pauseTriggers(GroupMatcher.groupEquals(group));
    expect(await runDue()).toEqual([]);
    expect((await scheduler.listTriggers({ group: GroupMatcher.groupEquals(group) })).items).toHaveLength(2);
  });

  it('refuses more fire times than its maximum with their number, and stores nothing', async () => {
    const { scheduler } = await daily();
    await expect(scheduler.backfill('noon', { from: day(-5), to: day(0), max: 4 })).rejects.toThrow(
      /at most 4 .* found '?5'?/,
    );
    const often = newTrigger().withIdentity('often').forJob('report').withSchedule(cronSchedule('* * * * * ?'));
    await scheduler.scheduleJob(often.build());
    await expect(scheduler.backfill('often', { from: day(-5), to: day(0) })).rejects.toThrow(/found '?100000 or more/);
    expect(await scheduler.listBackfills()).toEqual([]);
  });

  it('refuses a range with future fire times, and stores nothing', async () => {
    const { scheduler, advanceBy, seen } = await daily();
    await expect(scheduler.backfill('noon', { from: day(-1), to: day(3) })).rejects.toThrow(
      "Expected only fire times in the past, found 3 in the future (first: 2026-01-01T12:00:00.000Z), at which 'DEFAULT/noon' fires anyway. Set `to` to 2026-01-01T00:00:00.000Z or earlier.",
    );
    expect(await scheduler.listBackfills()).toEqual([]);
    expect((await scheduler.backfill('noon', { from: day(-1), to: new Date(START.getTime() + 60_000) })).count).toBe(1);
    await advanceBy(DAY);
    expect(seen.map((line) => line.slice(0, 8))).toEqual(['12-31T12', '01-01T12']);
  });

  it('refuses invalid options, an unknown trigger, and calls after shutdown', async () => {
    const { scheduler } = await daily();
    const range = { from: day(-1), to: day(0) };
    for (const wrong of [
      {},
      { from: day(0) },
      { from: day(1), to: day(0) },
      { ...range, max: 0 },
      { ...range, max: 10_001 },
      { ...range, spacing: -1 },
      { ...range, since: 5 },
    ]) {
      expect(await codeOf(() => scheduler.backfill('noon', wrong as never))).toBe('INVALID_ARGUMENT');
    }
    expect(await codeOf(() => scheduler.backfill('nothing', range))).toBe('TRIGGER_NOT_FOUND');
    expect(await codeOf(() => scheduler.dropBackfill('DEFAULT'))).toBe('INVALID_ARGUMENT');
    await scheduler.shutdown();
    for (const call of [
      () => scheduler.backfill('noon', range),
      () => scheduler.listBackfills(),
      () => scheduler.dropBackfill('BACKFILL_a'),
    ]) {
      expect(await codeOf(call)).toBe('SCHEDULER_STATE');
    }
  });

  it('does not run fire times before the start of a repeating trigger', async () => {
    const { scheduler } = await testScheduler();
    await scheduler.schedule('noop', { every: '1h', startAt: START });
    expect((await scheduler.backfill('noop', { from: day(-1), to: new Date(START.getTime() + 1) })).count).toBe(1);
  });
});

describe('the catch-up policy', () => {
  it('stores a run for each of the newest missed fire times when the trigger is resumed', async () => {
    const { scheduler, clock, runDue } = await testScheduler();
    await scheduler.schedule('noop', { every: '1m', catchUp: { max: 3 } }, noop);
    const stored = await scheduler.getTrigger('noop');
    expect(stored?.policy?.catchUp).toEqual({ max: 3, window: DAY, pace: 0 });
    await scheduler.pauseAll();
    clock.advanceBy(10 * 60_000);
    await scheduler.resumeAll();
    expect((await scheduler.listBackfills()).map(({ group, left }) => [group, left])).toEqual([
      ['BACKFILL_DEFAULT.noop', 3],
    ]);
    expect(await runDue()).toHaveLength(3);
  });
});
