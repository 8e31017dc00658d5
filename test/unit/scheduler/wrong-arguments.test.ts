import {
  AnnualCalendar,
  BaseCalendar,
  CronCalendar,
  CronExpression,
  DailyCalendar,
  DoNotRetry,
  describeCron,
  evenHourDate,
  futureDate,
  HolidayCalendar,
  JobDataMap,
  JobExecutionException,
  jobInterruptMonitorPlugin,
  loggingJobHistoryPlugin,
  loggingTriggerHistoryPlugin,
  MonthlyCalendar,
  newDate,
  newJob,
  newTrigger,
  RetryLater,
  scheduleFilePlugin,
  shutdownHookPlugin,
  WeeklyCalendar,
  webhookAlertsPlugin,
  workerJob,
} from '../../../src';
import { hashToken } from '../../../src/console';
import { openTelemetryPlugin } from '../../../src/opentelemetry';
import { createTestScheduler } from '../../../src/testing';

/** Untyped programs may pass any arguments; errors have a code and an explanation. */
describe('a missing argument or one of the wrong type', () => {
  it.each([
    ['job data', () => new JobDataMap(null as never), 'INVALID_JOB_DATA', /plain object, found null/],
    ['a list as job data', () => new JobDataMap([] as never), 'INVALID_JOB_DATA', /found a list/],
    ['a cron calendar', () => new (CronCalendar as never as new () => unknown)(), 'INVALID_CALENDAR', /cronExpression/],
    ['a daily calendar', () => new (DailyCalendar as never as new () => unknown)(), 'INVALID_CALENDAR', /from/],
    ['a token', () => hashToken(5 as never), 'INVALID_ARGUMENT', /Expected a token/],
  ])('is refused: %s', (_, call, code, message) => {
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });
});

/** A misspelt option, or one of another function, would otherwise be silently ignored. */
describe('an unknown option', () => {
  const never = (options: object) => options as never;

  it.each<[string, () => unknown, RegExp]>([
    [
      'JobExecutionException',
      () => new JobExecutionException('x', never({ refireImediately: true })),
      /'refireImmediately'\?/,
    ],
    ['RetryLater', () => new RetryLater('5m', 'x', never({ case: 1 })), /'cause'\?/],
    ['DoNotRetry', () => new DoNotRetry('x', never({ refireImmediately: true })), /Known: cause\./],
    ['workerJob', () => workerJob('/x.js', never({ memoryMB: 20, memory: 20 })), /'memoryMb'\?/],
    ['startAfter', () => newTrigger().startAfter('a', never({ dta: {} })), /'data'\?/],
    ['futureDate', () => futureDate(1, 'DAY', never({ timezone: 'UTC' })), /'timeZone'\?/],
    ['evenHourDate', () => evenHourDate(null, never({ zone: 'UTC' })), /'timeZone'\?/],
    ['newDate', () => newDate(never({ tz: 'UTC' })).build(), /timeZone/],
    ['CronExpression', () => new CronExpression('0 0 6 * * ?', never({ timezone: 'UTC' })), /'timeZone'\?/],
    ['describeCron', () => describeCron('0 0 6 * * ?', never({ timeZone: 'UTC' })), /Known: lenient, dialect, key\./],
    [
      'jobInterruptMonitorPlugin',
      () => jobInterruptMonitorPlugin(never({ defaultMaxRuntimes: 1 })),
      /'defaultMaxRunTime'\?/,
    ],
    ['shutdownHookPlugin', () => shutdownHookPlugin(never({ cleanShutDowns: true })), /'cleanShutdown'\?/],
    ['webhookAlertsPlugin', () => webhookAlertsPlugin(never({ url: 'https://a.example', event: [] })), /'events'\?/],
    ['loggingJobHistoryPlugin', () => loggingJobHistoryPlugin(never({ jobFailMessage: 'x' })), /'jobFailedMessage'\?/],
    [
      'loggingTriggerHistoryPlugin',
      () => loggingTriggerHistoryPlugin(never({ triggerFireMessage: 'x' })),
      /'triggerFiredMessage'\?/,
    ],
    ['scheduleFilePlugin', () => scheduleFilePlugin(never({ fileName: 'x.yaml' })), /'fileNames'\?/],
    ['openTelemetryPlugin', () => openTelemetryPlugin(never({ meterProviders: false })), /'meterProvider'\?/],
    ['concurrency', () => newJob('a').withConcurrency(never({ key: 'k', limits: 1, limit: 1 })), /found 'limits'/],
    [
      'prefers',
      () => newJob('a').withPlacement({ prefers: never({ labels: ['a'], patients: 1 }) }),
      /found 'patients'/,
    ],
  ])('is refused by the function %s', (_, call, message) => {
    expect(call).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });

  it.each<[string, () => unknown, string]>([
    ['WeeklyCalendar', () => new WeeklyCalendar(never({ excludedDay: [1] })), 'excludedDays'],
    ['AnnualCalendar', () => new AnnualCalendar(never({ excludedDates: ['12-24'] })), 'excludedDays'],
    ['MonthlyCalendar', () => new MonthlyCalendar(never({ excludedDay: [1] })), 'excludedDays'],
    ['HolidayCalendar', () => new HolidayCalendar(never({ excludedDate: [] })), 'excludedDates'],
    ['DailyCalendar', () => new DailyCalendar(never({ from: '08:00', to: '09:00', inverted: true })), 'invert'],
    ['CronCalendar', () => new CronCalendar(never({ cronExpressions: '0 0 6 * * ?' })), 'cronExpression'],
    ['BaseCalendar', () => new BaseCalendar(never({ timezone: 'UTC' })), 'timeZone'],
  ])('is refused by the calendar %s', (_, call, nearest) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_CALENDAR',
        message: expect.stringContaining(`did you mean ${nearest}?`),
      }),
    );
  });

  it('is refused by createTestScheduler', async () => {
    await expect(createTestScheduler(never({ job: {} }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining("'jobs'?"),
    });
  });
});
