import { dailyTimeIntervalSchedule, HolidayCalendar, newJob, newTrigger } from '../../../src';
import { createTestScheduler } from '../../../src/testing';

/** Fails on 2026-03-02 at 23:00, before a holiday. */
async function retriesOf(calendar: 'follow' | 'ignore', rules: 'safe' | 'quartz' = 'safe') {
  const { scheduler, advanceTo } = await createTestScheduler({
    startTime: new Date('2026-03-02T22:00:00Z'),
    jobs: { report: async () => Promise.reject(new Error('down')) },
    config: { scheduler: { rules } },
  });
  await scheduler.addCalendar('holidays', new HolidayCalendar({ excludedDates: ['2026-03-03'], timeZone: 'UTC' }));
  const retry = { max: 2, delay: '90m', calendar };
  await scheduler.schedule('report', { cron: '0 0 23 2 * ?', timeZone: 'UTC', calendar: 'holidays', retry });
  const firings = await advanceTo(new Date('2026-03-04T12:00:00Z'));
  await scheduler.shutdown();
  return firings.map(({ fireTime }) => fireTime.toISOString().slice(0, 16));
}

describe('retries of a trigger with a calendar', () => {
  it('wait for the next included time', async () => {
    expect(await retriesOf('follow')).toEqual(['2026-03-02T23:00', '2026-03-04T00:00', '2026-03-04T01:30']);
  });

  it('start after their delay if their policy ignores the calendar, and under Quartz rules', async () => {
    const expected = ['2026-03-02T23:00', '2026-03-03T00:30', '2026-03-03T02:00'];
    expect(await retriesOf('ignore')).toEqual(expected);
    expect(await retriesOf('follow', 'quartz')).toEqual(expected);
  });

  it('wait for the next day of a daily-time-interval trigger', async () => {
    const { scheduler, advanceTo } = await createTestScheduler({
      startTime: new Date('2026-03-02T08:00:00Z'),
      jobs: { report: async () => Promise.reject(new Error('down')) },
    });
    await scheduler.scheduleJob(
      newJob('report').withIdentity('report').withRetry({ max: 1, delay: '2h' }).build(),
      newTrigger()
        .withIdentity('hourly')
        .withSchedule(
          dailyTimeIntervalSchedule()
            .withIntervalInHours(12)
            .startingDailyAt({ hour: 9, minute: 0, second: 0 })
            .endingDailyAt({ hour: 10, minute: 0, second: 0 })
            .inTimeZone('UTC'),
        )
        .build(),
    );
    const firings = await advanceTo(new Date('2026-03-03T08:59:00Z'));
    expect(firings).toHaveLength(1);
    expect(await advanceTo(new Date('2026-03-03T09:30:00Z'))).toHaveLength(2);
    await scheduler.shutdown();
  });
});
