import { calendarIntervalSchedule } from '../../../../src/api/builders/calendar-interval-schedule-builder';
import {
  atHourAndMinuteOnGivenDaysOfWeek,
  cronSchedule,
  cronScheduleNonvalidatedExpression,
  dailyAtHourAndMinute,
  monthlyOnDayAndHourAndMinute,
  weeklyOnDayAndHourAndMinute,
} from '../../../../src/api/builders/cron-schedule-builder';
import { dailyTimeIntervalSchedule } from '../../../../src/api/builders/daily-time-interval-schedule-builder';
import { DayOfWeek } from '../../../../src/api/builders/date-builder';
import {
  repeatHourlyForever,
  repeatHourlyForTotalCount,
  repeatMinutelyForever,
  repeatMinutelyForTotalCount,
  repeatSecondlyForever,
  repeatSecondlyForTotalCount,
  simpleSchedule,
} from '../../../../src/api/builders/simple-schedule-builder';
import { timeOfDay } from '../../../../src/api/builders/time-of-day';
import { CronExpression } from '../../../../src/domain/cron/cron-expression';

const invalidArgument = expect.objectContaining({ code: 'INVALID_ARGUMENT' });

describe('simpleSchedule', () => {
  it('fires once by default', () => {
    expect(simpleSchedule().build()).toEqual({
      kind: 'SIMPLE',
      repeatCount: 0,
      repeatInterval: 0,
      timesTriggered: 0,
      misfireInstruction: 'SMART_POLICY',
    });
  });

  it.each([
    ['milliseconds', simpleSchedule().withIntervalInMilliseconds(250), 250],
    ['seconds', simpleSchedule().withIntervalInSeconds(10), 10_000],
    ['minutes', simpleSchedule().withIntervalInMinutes(10), 600_000],
    ['hours', simpleSchedule().withIntervalInHours(10), 36_000_000],
  ])('accepts an interval in %s', (_, schedule, repeatInterval) => {
    expect(schedule.build()).toMatchObject({ repeatInterval });
  });

  it.each([
    ['repeatSecondlyForever', repeatSecondlyForever(), 1_000, -1],
    ['repeatSecondlyForever(5)', repeatSecondlyForever(5), 5_000, -1],
    ['repeatMinutelyForever', repeatMinutelyForever(), 60_000, -1],
    ['repeatHourlyForever', repeatHourlyForever(), 3_600_000, -1],
    ['repeatSecondlyForTotalCount(3)', repeatSecondlyForTotalCount(3), 1_000, 2],
    ['repeatMinutelyForTotalCount(1, 5)', repeatMinutelyForTotalCount(1, 5), 300_000, 0],
    ['repeatHourlyForTotalCount(2, 2)', repeatHourlyForTotalCount(2, 2), 7_200_000, 1],
  ])('has the shortcut %s', (_, schedule, repeatInterval, repeatCount) => {
    expect(schedule.build()).toMatchObject({ repeatInterval, repeatCount });
  });

  it.each([
    [simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires(), 'IGNORE_MISFIRE_POLICY'],
    [simpleSchedule().withMisfireHandlingInstructionFireNow(), 'FIRE_NOW'],
    [
      simpleSchedule().withMisfireHandlingInstructionNowWithExistingCount(),
      'RESCHEDULE_NOW_WITH_EXISTING_REPEAT_COUNT',
    ],
    [
      simpleSchedule().withMisfireHandlingInstructionNowWithRemainingCount(),
      'RESCHEDULE_NOW_WITH_REMAINING_REPEAT_COUNT',
    ],
    [simpleSchedule().withMisfireHandlingInstructionNextWithRemainingCount(), 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT'],
    [simpleSchedule().withMisfireHandlingInstructionNextWithExistingCount(), 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT'],
  ])('(case %#) has the misfire instruction %s', (schedule, misfireInstruction) => {
    expect(schedule.build()).toMatchObject({ misfireInstruction });
  });

  it.each([
    ['an interval of 0', () => simpleSchedule().withIntervalInSeconds(0)],
    ['a fractional interval', () => simpleSchedule().withIntervalInMinutes(0.5)],
    ['an interval as a string', () => simpleSchedule().withIntervalInHours('1' as never)],
    ['NaN as the interval', () => simpleSchedule().withIntervalInMilliseconds(Number.NaN)],
    ['a repeat count of -2', () => simpleSchedule().withRepeatCount(-2)],
    ['a total count of 0', () => repeatSecondlyForTotalCount(0)],
    ['a repeat without an interval', () => simpleSchedule().repeatForever().build()],
  ])('refuses %s immediately', (_, describe) => {
    expect(describe).toThrow(invalidArgument);
  });
});

describe('cronSchedule', () => {
  it('keeps the expression and uses the time zone of the scheduler by default', () => {
    expect(cronSchedule(' 0 0 6 ? * mon-fri ').build()).toEqual({
      kind: 'CRON',
      cronExpression: '0 0 6 ? * mon-fri',
      timeZone: null,
      misfireInstruction: 'SMART_POLICY',
    });
  });

  it('uses the given time zone', () => {
    expect(cronSchedule('0 0 6 ? * *').inTimeZone('Europe/Berlin').build().timeZone).toBe('Europe/Berlin');
    expect(cronSchedule('0 0 6 ? * *').inTimeZone('UTC').inTimeZone(null).build().timeZone).toBeNull();
  });

  it('accepts a parsed expression with its time zone', () => {
    const expression = new CronExpression('0 0 6 ? * MON', { timeZone: 'Asia/Tokyo' });
    expect(cronSchedule(expression).build()).toMatchObject({ cronExpression: '0 0 6 ? * MON', timeZone: 'Asia/Tokyo' });
  });

  it('translates the unix dialect', () => {
    const { cronExpression } = cronSchedule('*/5 6 * * 1-5', { dialect: 'unix' }).build();
    const parsed = new CronExpression(cronExpression, { timeZone: 'UTC' });
    expect(parsed.getNextValidTimeAfter(new Date('2026-03-01T00:00Z'))).toEqual(new Date('2026-03-02T06:00Z'));
    expect(parsed.getNextValidTimeAfter(new Date('2026-03-02T06:00Z'))).toEqual(new Date('2026-03-02T06:05Z'));
  });

  it.each([
    [cronSchedule('0 0 6 ? * *').withMisfireHandlingInstructionIgnoreMisfires(), 'IGNORE_MISFIRE_POLICY'],
    [cronSchedule('0 0 6 ? * *').withMisfireHandlingInstructionFireAndProceed(), 'FIRE_ONCE_NOW'],
    [cronSchedule('0 0 6 ? * *').withMisfireHandlingInstructionDoNothing(), 'DO_NOTHING'],
  ])('(case %#) has the misfire instruction %s', (schedule, misfireInstruction) => {
    expect(schedule.build()).toMatchObject({ misfireInstruction });
  });

  it.each([
    ['dailyAtHourAndMinute', dailyAtHourAndMinute(6, 30), '0 30 6 ? * *'],
    ['atHourAndMinuteOnGivenDaysOfWeek', atHourAndMinuteOnGivenDaysOfWeek(6, 0, 2, DayOfWeek.FRIDAY), '0 0 6 ? * 2,6'],
    ['weeklyOnDayAndHourAndMinute', weeklyOnDayAndHourAndMinute(DayOfWeek.SUNDAY, 23, 59), '0 59 23 ? * 1'],
    ['monthlyOnDayAndHourAndMinute', monthlyOnDayAndHourAndMinute(31, 0, 0), '0 0 0 31 * ?'],
  ])('has the shortcut %s', (_, schedule, cronExpression) => {
    expect(schedule.build()).toMatchObject({ cronExpression });
    expect(CronExpression.isValidExpression(cronExpression)).toBe(true);
  });

  it('refuses an expression that only Quartz accepts, except with cronScheduleNonvalidatedExpression', () => {
    const sloppy = '0 0 12 ? * MON/2';
    expect(() => cronSchedule(sloppy)).toThrow(expect.objectContaining({ code: 'CRON_SYNTAX' }));
    expect(cronScheduleNonvalidatedExpression(sloppy).build().cronExpression).toBe(sloppy);
    expect(() => cronScheduleNonvalidatedExpression('nonsense')).toThrow(
      expect.objectContaining({ code: 'CRON_SYNTAX' }),
    );
  });

  it.each([
    ['a number as the expression', () => cronSchedule(5 as never)],
    ['an unknown dialect', () => cronSchedule('* * * * *', { dialect: 'vixie' as never })],
    ['an hour of 24', () => dailyAtHourAndMinute(24, 0)],
    ['a minute of 60', () => monthlyOnDayAndHourAndMinute(1, 0, 60)],
    ['no day of the week', () => atHourAndMinuteOnGivenDaysOfWeek(6, 0)],
    ['the day of the week 0', () => weeklyOnDayAndHourAndMinute(0, 6, 0)],
    ['the day of the month 32', () => monthlyOnDayAndHourAndMinute(32, 6, 0)],
  ])('refuses %s immediately', (_, describe) => {
    expect(describe).toThrow(invalidArgument);
  });

  it('refuses an unknown time zone', () => {
    expect(() => cronSchedule('0 0 6 ? * *').inTimeZone('Mars')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_TIME_ZONE' }),
    );
  });
});

describe('calendarIntervalSchedule', () => {
  it('repeats every day by default', () => {
    expect(calendarIntervalSchedule().build()).toEqual({
      kind: 'CAL_INT',
      repeatInterval: 1,
      repeatIntervalUnit: 'DAY',
      timeZone: null,
      preserveHourOfDayAcrossDaylightSavings: false,
      skipDayIfHourDoesNotExist: false,
      timesTriggered: 0,
      misfireInstruction: 'SMART_POLICY',
    });
  });

  it.each([
    [calendarIntervalSchedule().withIntervalInSeconds(2), 'SECOND'],
    [calendarIntervalSchedule().withIntervalInMinutes(2), 'MINUTE'],
    [calendarIntervalSchedule().withIntervalInHours(2), 'HOUR'],
    [calendarIntervalSchedule().withIntervalInDays(2), 'DAY'],
    [calendarIntervalSchedule().withIntervalInWeeks(2), 'WEEK'],
    [calendarIntervalSchedule().withIntervalInMonths(2), 'MONTH'],
    [calendarIntervalSchedule().withIntervalInYears(2), 'YEAR'],
    [calendarIntervalSchedule().withInterval(2, 'MONTH'), 'MONTH'],
  ])('(case %#) counts in units of a %s', (schedule, repeatIntervalUnit) => {
    expect(schedule.build()).toMatchObject({ repeatInterval: 2, repeatIntervalUnit });
  });

  it('keeps its daylight-saving rules, zone and misfire instruction', () => {
    const schedule = calendarIntervalSchedule()
      .inTimeZone('America/New_York')
      .preserveHourOfDayAcrossDaylightSavings(true)
      .skipDayIfHourDoesNotExist(true)
      .withMisfireHandlingInstructionDoNothing();
    expect(schedule.build()).toMatchObject({
      timeZone: 'America/New_York',
      preserveHourOfDayAcrossDaylightSavings: true,
      skipDayIfHourDoesNotExist: true,
      misfireInstruction: 'DO_NOTHING',
    });
  });

  it.each([
    ['an unknown unit', () => calendarIntervalSchedule().withInterval(1, 'day' as never)],
    ['an interval of 0', () => calendarIntervalSchedule().withIntervalInMonths(0)],
    ['a number as a flag', () => calendarIntervalSchedule().skipDayIfHourDoesNotExist(1 as never)],
  ])('refuses %s immediately', (_, describe) => {
    expect(describe).toThrow(invalidArgument);
  });
});

describe('dailyTimeIntervalSchedule', () => {
  it('repeats every minute of every day by default', () => {
    expect(dailyTimeIntervalSchedule().build()).toEqual({
      kind: 'DAILY_I',
      repeatInterval: 1,
      repeatIntervalUnit: 'MINUTE',
      startTimeOfDay: timeOfDay(0, 0),
      endTimeOfDay: timeOfDay(23, 59, 59),
      daysOfWeek: [1, 2, 3, 4, 5, 6, 7],
      repeatCount: -1,
      timeZone: null,
      timesTriggered: 0,
      misfireInstruction: 'SMART_POLICY',
    });
  });

  it('sorts its days and removes duplicates', () => {
    const daysOf = (schedule: ReturnType<typeof dailyTimeIntervalSchedule>) => schedule.build().daysOfWeek;
    expect(daysOf(dailyTimeIntervalSchedule().onDaysOfTheWeek(6, 2, 6))).toEqual([2, 6]);
    expect(daysOf(dailyTimeIntervalSchedule().onMondayThroughFriday())).toEqual([2, 3, 4, 5, 6]);
    expect(daysOf(dailyTimeIntervalSchedule().onSaturdayAndSunday())).toEqual([1, 7]);
    expect(daysOf(dailyTimeIntervalSchedule().onSaturdayAndSunday().onEveryDay())).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('starts and ends each day at the given times', () => {
    const schedule = dailyTimeIntervalSchedule()
      .withIntervalInSeconds(30)
      .startingDailyAt(timeOfDay(8, 30))
      .endingDailyAt(timeOfDay(17, 0, 30))
      .withRepeatCount(9)
      .inTimeZone('Europe/Berlin')
      .withMisfireHandlingInstructionFireAndProceed();
    expect(schedule.build()).toMatchObject({
      repeatInterval: 30,
      repeatIntervalUnit: 'SECOND',
      startTimeOfDay: { hour: 8, minute: 30, second: 0 },
      endTimeOfDay: { hour: 17, minute: 0, second: 30 },
      repeatCount: 9,
      timeZone: 'Europe/Berlin',
      misfireInstruction: 'FIRE_ONCE_NOW',
    });
  });

  it('ends each day after a number of firings, whatever the order of calls', () => {
    const first = dailyTimeIntervalSchedule()
      .endingDailyAfterCount(5)
      .startingDailyAt(timeOfDay(9, 0))
      .withIntervalInMinutes(20);
    const last = dailyTimeIntervalSchedule()
      .withIntervalInMinutes(20)
      .startingDailyAt(timeOfDay(9, 0))
      .endingDailyAfterCount(5);
    expect(first.build().endTimeOfDay).toEqual({ hour: 10, minute: 20, second: 0 });
    expect(last.build()).toEqual(first.build());
  });

  it('refuses a daily number of firings that does not fit into a day', () => {
    const schedule = (count: number) => dailyTimeIntervalSchedule().withIntervalInHours(1).endingDailyAfterCount(count);
    expect(schedule(24).build().endTimeOfDay).toEqual({ hour: 23, minute: 0, second: 0 });
    expect(() => schedule(25).build()).toThrow(/at most 24 firings a day from 00:00:00 on, found 25/);
  });

  it.each([
    ['an interval longer than a day', () => dailyTimeIntervalSchedule().withIntervalInHours(25)],
    ['an interval in days', () => dailyTimeIntervalSchedule().withInterval(1, 'DAY' as never)],
    ['no days', () => dailyTimeIntervalSchedule().onDaysOfTheWeek()],
    ['the day 8', () => dailyTimeIntervalSchedule().onDaysOfTheWeek(8)],
    ['a string as the end time of day', () => dailyTimeIntervalSchedule().endingDailyAt('17:00' as never)],
    ['a count of 0', () => dailyTimeIntervalSchedule().endingDailyAfterCount(0)],
    [
      'a day that ends before it starts',
      () => dailyTimeIntervalSchedule().startingDailyAt(timeOfDay(9, 0)).endingDailyAt(timeOfDay(8, 0)).build(),
    ],
    ['a time of day with 60 seconds', () => timeOfDay(1, 2, 60)],
  ])('refuses %s', (_, describe) => {
    expect(describe).toThrow(invalidArgument);
  });
});
