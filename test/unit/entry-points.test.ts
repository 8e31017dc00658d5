import { VERSION } from '../../src/base/version';
import * as index from '../../src/index';
import * as testing from '../../src/testing';

describe('entry points', () => {
  it('carry the names that must not drift', () => {
    expect(Object.keys(index)).toEqual(
      expect.arrayContaining([
        ...['createScheduler', 'newJob', 'newTrigger', 'cronSchedule', 'simpleSchedule', 'calendarIntervalSchedule'],
        ...['dailyTimeIntervalSchedule', 'CronExpression', 'AnnualCalendar', 'CronCalendar', 'DailyCalendar'],
        ...['HolidayCalendar', 'MonthlyCalendar', 'WeeklyCalendar', 'computeFireTimes', 'JobExecutionException'],
      ]),
    );
    expect(Object.keys(testing)).toEqual(expect.arrayContaining(['createTestScheduler', 'ManualClock']));
  });

  it('know the version of the package', () => {
    expect(VERSION).toBe((require('../../package.json') as { version: string }).version);
  });
});
