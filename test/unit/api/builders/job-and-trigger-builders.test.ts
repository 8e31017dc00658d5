import { calendarIntervalSchedule } from '../../../../src/api/builders/calendar-interval-schedule-builder';
import { cronSchedule } from '../../../../src/api/builders/cron-schedule-builder';
import { newJob, toJobBuilder } from '../../../../src/api/builders/job-builder';
import { repeatHourlyForTotalCount, simpleSchedule } from '../../../../src/api/builders/simple-schedule-builder';
import { newTrigger, toTriggerBuilder } from '../../../../src/api/builders/trigger-builder';
import { fromTrigger, toTrigger } from '../../../../src/api/trigger';
import { jobKey, triggerKey } from '../../../../src/domain/keys';
import { scheduled } from '../../../../src/domain/trigger-behaviour';

const withCode = (code: string) => expect.objectContaining({ code });
const defaults = { startTime: Date.UTC(2026, 2, 2), timeZone: 'Europe/Berlin' };

describe('newJob', () => {
  it('builds a job that by default is not durable, runs concurrently and has no data', () => {
    expect(newJob('report').withIdentity('daily').build()).toEqual({
      key: { group: 'DEFAULT', name: 'daily' },
      jobType: 'report',
      description: null,
      data: {},
      durable: false,
      disallowConcurrentExecution: false,
      persistJobDataAfterExecution: false,
      requestsRecovery: false,
    });
  });

  it('sets all given fields', () => {
    const job = newJob('report')
      .ofType('summary')
      .withIdentity('daily', 'reports')
      .withDescription('For the board')
      .requestRecovery()
      .storeDurably()
      .disallowConcurrentExecution()
      .persistJobDataAfterExecution()
      .usingJobData({ to: 'ops', copies: 2 })
      .usingJobData('copies', 3)
      .build();
    expect(job).toEqual({
      key: jobKey('daily', 'reports'),
      jobType: 'summary',
      description: 'For the board',
      data: { to: 'ops', copies: 3 },
      durable: true,
      disallowConcurrentExecution: true,
      persistJobDataAfterExecution: true,
      requestsRecovery: true,
    });
  });

  it('checks the type of the data', () => {
    type Report = { readonly to: string; readonly copies?: number };
    const job = newJob<Report>('report').usingJobData({ to: 'ops' }).usingJobData('copies', 2).build();
    expect(job.data).toEqual({ to: 'ops', copies: 2 });
    // @ts-expect-error: not a Report
    const other = newJob<Report>('report').usingJobData({ from: 'ops' }).build();
    expect(other.data).toEqual({ from: 'ops' });
  });

  it('generates a unique name by default', () => {
    const names = [newJob('a').build().key.name, newJob('a').build().key.name];
    expect(names[0]).toMatch(/^[0-9a-z]{24}$/);
    expect(names[0]).not.toBe(names[1]);
  });

  it('copies the data', () => {
    const data = { list: [1] };
    const job = newJob('report').usingJobData(data).build();
    data.list.push(2);
    expect(job.data).toEqual({ list: [1] });
  });

  it('replaces all data with setJobData', () => {
    expect(newJob('a').usingJobData('x', 1).setJobData({ y: 2 }).build().data).toEqual({ y: 2 });
  });

  it('can start from an existing job with toJobBuilder', () => {
    const job = newJob('report').withIdentity('daily').usingJobData('x', 1).requestRecovery().storeDurably().build();
    expect(toJobBuilder(job).build()).toEqual(job);
    expect(toJobBuilder(job).storeDurably(false).build()).toEqual({ ...job, durable: false });
  });

  it('sets and removes retry and history policies', () => {
    const job = newJob('report').withRetry('R5/PT5M').withHistory(true).build();
    expect(job.policy).toEqual({ retry: { max: 5, delays: [300_000] }, history: 'all' });
    expect(Object.isFrozen(job.policy)).toBe(true);
    expect(newJob('report').withRetry(false).build().policy).toEqual({ retry: { max: 0, delays: [] } });
    expect(toJobBuilder(job).build()).toEqual(job);
    expect(toJobBuilder(job).withRetry(null).build().policy).toEqual({ history: 'all' });
    expect(toJobBuilder(job).withRetry(null).withHistory(null).build()).not.toHaveProperty('policy');
    expect(newJob('report').withHistory('failures').withRetry(null).build().policy).toEqual({ history: 'failures' });
  });

  it.each([
    ['an invalid retry policy', 'INVALID_ARGUMENT', () => newJob('a').withRetry('often')],
    ['an unknown history mode', 'INVALID_ARGUMENT', () => newJob('a').withHistory('some' as never)],
    ['an empty job type', 'INVALID_ARGUMENT', () => newJob('')],
    ['a function as job type', 'INVALID_ARGUMENT', () => newJob((() => {}) as never)],
    ['an empty name', 'INVALID_ARGUMENT', () => newJob('a').withIdentity('')],
    ['a name of 191 characters', 'INVALID_ARGUMENT', () => newJob('a').withIdentity('x'.repeat(191))],
    ['null as the key', 'INVALID_ARGUMENT', () => newJob('a').withIdentity(null as never)],
    ['a string as a flag', 'INVALID_ARGUMENT', () => newJob('a').storeDurably('yes' as never)],
    ['data that cannot be JSON', 'INVALID_JOB_DATA', () => newJob('a').usingJobData('when', new Date() as never)],
    ['data with __proto__', 'INVALID_JOB_DATA', () => newJob('a').usingJobData(JSON.parse('{"__proto__":{"a":1}}'))],
    ['a huge description', 'INVALID_ARGUMENT', () => newJob('a').withDescription('x'.repeat(251))],
  ])('refuses %s immediately', (_, code, describe) => {
    expect(describe).toThrow(withCode(code));
  });
});

describe('newTrigger', () => {
  it('builds a trigger that by default fires once when it is scheduled', () => {
    expect(newTrigger().withIdentity('now').build()).toEqual({
      kind: 'SIMPLE',
      key: triggerKey('now'),
      jobKey: null,
      description: null,
      data: {},
      priority: 5,
      startTime: null,
      endTime: null,
      calendarName: null,
      nextFireTime: null,
      previousFireTime: null,
      repeatCount: 0,
      repeatInterval: 0,
      timesTriggered: 0,
      misfireInstruction: 'SMART_POLICY',
    });
  });

  it('replaces H by a value hashed from its key, which stays when the key changes', () => {
    const schedule = cronSchedule('0 H H * * ?').inTimeZone('UTC');
    const trigger = newTrigger().withSchedule(schedule).withIdentity('report').build();
    expect(trigger).toMatchObject({ cronExpression: '0 59 18 * * ?', timeZone: 'UTC' });
    expect(newTrigger().withSchedule(schedule).withIdentity('report', 'billing').build()).toMatchObject({
      cronExpression: '0 47 11 * * ?',
    });
    const crontab = cronSchedule('H H * * *', { dialect: 'unix' });
    expect(newTrigger().withIdentity('report').withSchedule(crontab).build().cronExpression).toBe('0 59 18 * * ?');
    expect(toTriggerBuilder(trigger).withIdentity('other').build().cronExpression).toBe('0 59 18 * * ?');
    expect(() => schedule.build()).toThrow(withCode('CRON_SYNTAX'));
  });

  it('refuses an invalid H immediately', () => {
    expect(() => cronSchedule('0 H(0-60) * * * ?')).toThrow(expect.objectContaining({ field: 'minute', position: 2 }));
    expect(() => cronSchedule('H(0-60) * * * *', { dialect: 'unix' })).toThrow(withCode('CRON_SYNTAX'));
  });

  it('sets all given fields', () => {
    const [start, end] = [new Date('2026-01-01T00:00Z'), new Date('2027-01-01T00:00Z')];
    const trigger = newTrigger()
      .withIdentity('weekdays', 'reports')
      .withDescription('At six')
      .withPriority(7)
      .modifiedByCalendar('holidays')
      .startAt(start)
      .endAt(end)
      .forJob('daily', 'reports')
      .usingJobData({ to: 'ops' })
      .usingJobData('copies', 2)
      .withSchedule(cronSchedule('0 0 6 ? * MON-FRI').inTimeZone('Europe/Berlin'))
      .build();
    expect(trigger).toMatchObject({
      kind: 'CRON',
      key: triggerKey('weekdays', 'reports'),
      jobKey: jobKey('daily', 'reports'),
      description: 'At six',
      priority: 7,
      calendarName: 'holidays',
      startTime: start,
      endTime: end,
      data: { to: 'ops', copies: 2 },
      cronExpression: '0 0 6 ? * MON-FRI',
      timeZone: 'Europe/Berlin',
    });
  });

  it('accepts its job as a job detail, a key or a name', () => {
    const job = newJob('report').withIdentity('daily', 'reports').build();
    const expected = jobKey('daily', 'reports');
    expect(newTrigger().forJob(job).build().jobKey).toEqual(expected);
    expect(newTrigger().forJob(job.key).build().jobKey).toEqual(expected);
    expect(newTrigger().forJob('daily', 'reports').build().jobKey).toEqual(expected);
    expect(newTrigger().forJob('daily').build().jobKey).toEqual(jobKey('daily'));
  });

  it('removes the start time with startNow', () => {
    expect(newTrigger().startAt(new Date(0)).startNow().build().startTime).toBeNull();
  });

  it('copies a date', () => {
    const start = new Date('2026-01-01T00:00Z');
    const trigger = newTrigger().startAt(start).build();
    start.setTime(0);
    expect(trigger.startTime).toEqual(new Date('2026-01-01T00:00Z'));
  });

  it('can start from a stored trigger with toTriggerBuilder, without its progress', () => {
    const built = newTrigger()
      .withIdentity('hourly')
      .forJob('report')
      .usingJobData('x', 1)
      .withSchedule(repeatHourlyForTotalCount(5))
      .build();
    const stored = toTrigger({ ...scheduled(fromTrigger(built, defaults), null), timesTriggered: 3 } as never);
    const again = toTriggerBuilder(stored).withIdentity('again').build();
    expect(again).toEqual({ ...built, key: triggerKey('again'), startTime: new Date(defaults.startTime) });
  });

  it('gets the default start time and time zone when it is scheduled', () => {
    const trigger = newTrigger().forJob('report').withSchedule(calendarIntervalSchedule()).build();
    expect(fromTrigger(trigger, defaults)).toMatchObject(defaults);
  });

  it('needs a job before the trigger can be stored', () => {
    expect(() => fromTrigger(newTrigger().build(), defaults)).toThrow(withCode('INVALID_TRIGGER'));
    expect(() => fromTrigger(newTrigger().build(), defaults)).toThrow(/forJob/);
  });

  it('sets and removes retry and history policies', () => {
    const built = newTrigger()
      .withIdentity('hourly')
      .withRetry({ max: 2, delay: '10s', factor: 2 })
      .withHistory('failures')
      .withSchedule(repeatHourlyForTotalCount(5));
    const trigger = built.build();
    expect(trigger.policy).toEqual({ retry: { max: 2, delays: [10_000], factor: 2 }, history: 'failures' });
    expect(toTriggerBuilder(trigger).build()).toEqual(trigger);
    expect(toTriggerBuilder(trigger).withSchedule(simpleSchedule()).build().policy).toEqual(trigger.policy);
    expect(toTriggerBuilder(trigger).withHistory(null).build().policy).toEqual({ retry: trigger.policy?.retry });
    expect(built.withRetry(null).withHistory(null).build()).not.toHaveProperty('policy');
  });

  it.each([
    ['an invalid retry policy', 'INVALID_ARGUMENT', () => newTrigger().withRetry({ max: -1 })],
    ['an unknown history mode', 'INVALID_ARGUMENT', () => newTrigger().withHistory(1 as never)],
    ['an empty name', 'INVALID_ARGUMENT', () => newTrigger().withIdentity('')],
    ['a fractional priority', 'INVALID_ARGUMENT', () => newTrigger().withPriority(1.5)],
    ['a string as the start time', 'INVALID_ARGUMENT', () => newTrigger().startAt('tomorrow' as never)],
    ['an invalid date', 'INVALID_ARGUMENT', () => newTrigger().endAt(new Date('x'))],
    ['undefined as the schedule', 'INVALID_ARGUMENT', () => newTrigger().withSchedule(undefined as never)],
    ['null as the job', 'INVALID_ARGUMENT', () => newTrigger().forJob(null as never)],
    ['a number as the job', 'INVALID_ARGUMENT', () => newTrigger().forJob(5 as never)],
    ['undefined as the trigger of toTriggerBuilder', 'INVALID_ARGUMENT', () => toTriggerBuilder(undefined as never)],
    ['null as the job of toJobBuilder', 'INVALID_ARGUMENT', () => toJobBuilder(null as never)],
    ['an empty calendar name', 'INVALID_ARGUMENT', () => newTrigger().modifiedByCalendar('')],
    ['data that cannot be JSON', 'INVALID_JOB_DATA', () => newTrigger().usingJobData('f', (() => {}) as never)],
    ['an end before its start', 'INVALID_TRIGGER', () => newTrigger().startAt(new Date(2)).endAt(new Date(1)).build()],
    [
      'a repeating schedule without an interval',
      'INVALID_ARGUMENT',
      () => newTrigger().withSchedule(simpleSchedule().repeatForever()).build(),
    ],
  ])('refuses %s', (_, code, describe) => {
    expect(describe).toThrow(withCode(code));
  });
});
