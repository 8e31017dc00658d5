import { cronSchedule } from '../../../src/api/builders/cron-schedule-builder';
import { dailyTimeIntervalSchedule } from '../../../src/api/builders/daily-time-interval-schedule-builder';
import {
  repeatHourlyForever,
  repeatSecondlyForTotalCount,
  simpleSchedule,
} from '../../../src/api/builders/simple-schedule-builder';
import { timeOfDay } from '../../../src/api/builders/time-of-day';
import { newTrigger } from '../../../src/api/builders/trigger-builder';
import {
  computeEndTimeToAllowParticularNumberOfFirings,
  computeFireTimes,
  computeFireTimesBetween,
  getFinalFireTime,
  getFireTimeAfter,
  mayFireAgain,
} from '../../../src/api/compute-fire-times';
import { WeeklyCalendar } from '../../../src/domain/calendars/weekly-calendar';

const start = new Date('2026-03-06T12:00:00Z'); // a Friday
const weekdays = new WeeklyCalendar({ timeZone: 'UTC' });
const daily = newTrigger().startAt(start).withSchedule(cronSchedule('0 0 12 * * ?').inTimeZone('UTC')).build();
const invalidArgument = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
const texts = (dates: readonly Date[]) => dates.map((date) => date.toISOString().slice(0, 16));

describe('computeFireTimes', () => {
  it('returns the next fire times, except those that the calendar excludes', () => {
    expect(texts(computeFireTimes(daily, null, 3))).toEqual([
      '2026-03-06T12:00',
      '2026-03-07T12:00',
      '2026-03-08T12:00',
    ]);
    expect(texts(computeFireTimes(daily, weekdays, 3))).toEqual([
      '2026-03-06T12:00',
      '2026-03-09T12:00',
      '2026-03-10T12:00',
    ]);
  });

  it('starts at the next fire time of a scheduled trigger', () => {
    const scheduled = { ...daily, nextFireTime: new Date('2026-05-01T12:00Z') };
    expect(texts(computeFireTimes(scheduled, null, 2))).toEqual(['2026-05-01T12:00', '2026-05-02T12:00']);
  });

  it('returns fewer times if the trigger ends earlier', () => {
    const trigger = newTrigger().startAt(start).withSchedule(repeatSecondlyForTotalCount(3)).build();
    expect(computeFireTimes(trigger, null, 10)).toHaveLength(3);
    expect(computeFireTimes({ ...trigger, previousFireTime: start }, null, 10)).toEqual([]);
  });

  it('starts now if the trigger has no start time', () => {
    const before = Date.now();
    const [first] = computeFireTimes(newTrigger().build(), null, 1);
    expect(first?.getTime()).toBeGreaterThanOrEqual(before);
  });

  it('returns no times for a count of 0, and refuses an invalid count', () => {
    expect(computeFireTimes(daily, null, 0)).toEqual([]);
    for (const count of [-1, 1.5, Number.NaN, 1_000_001]) {
      expect(() => computeFireTimes(daily, null, count)).toThrow(invalidArgument);
    }
  });

  it('refuses a trigger with an invalid cron expression', () => {
    expect(() => computeFireTimes({ ...daily, cronExpression: 'x' }, null, 1)).toThrow(
      expect.objectContaining({ code: 'CRON_SYNTAX' }),
    );
  });
});

describe('computeFireTimesBetween', () => {
  it('includes both bounds', () => {
    const [from, to] = [new Date('2026-03-06T12:00Z'), new Date('2026-03-09T12:00Z')];
    expect(texts(computeFireTimesBetween(daily, weekdays, from, to))).toEqual(['2026-03-06T12:00', '2026-03-09T12:00']);
  });

  it('includes the last fire time of a day if it is at the start of the range or less than a second later', () => {
    const schedule = dailyTimeIntervalSchedule()
      .withIntervalInHours(4)
      .startingDailyAt(timeOfDay(9, 0))
      .endingDailyAt(timeOfDay(17, 0))
      .inTimeZone('UTC');
    const trigger = newTrigger().startAt(start).withSchedule(schedule).build();
    const to = new Date('2026-03-08T09:00Z');
    for (const from of ['2026-03-07T17:00:00Z', '2026-03-07T16:59:59.500Z']) {
      const times = computeFireTimesBetween(trigger, null, new Date(from), to);
      expect(texts(times)).toEqual(['2026-03-07T17:00', '2026-03-08T09:00']);
    }
  });

  it('finds a fire time in the far future, in phase with the trigger', () => {
    const trigger = newTrigger()
      .startAt(start)
      .withSchedule(simpleSchedule().withIntervalInMilliseconds(7).repeatForever())
      .build();
    const from = new Date(start.getTime() + 7e12 + 1);
    expect(computeFireTimesBetween(trigger, null, from, new Date(from.getTime() + 6))).toEqual([
      new Date(start.getTime() + 7e12 + 7),
    ]);
  });

  it('counts the firings before the range', () => {
    const schedule = dailyTimeIntervalSchedule().withIntervalInHours(12).withRepeatCount(2).inTimeZone('UTC');
    const trigger = newTrigger().startAt(start).withSchedule(schedule).build();
    const times = computeFireTimesBetween(trigger, null, new Date('2026-03-07T00:00Z'), new Date('2026-04-01T00:00Z'));
    expect(texts(times)).toEqual(['2026-03-07T00:00', '2026-03-07T12:00']);
  });

  it('starts at the beginning of the range if the trigger has no start time', () => {
    const trigger = newTrigger().withSchedule(repeatHourlyForever()).build();
    const from = new Date('2030-01-01T00:10Z');
    expect(texts(computeFireTimesBetween(trigger, null, from, new Date('2030-01-01T02:00Z')))).toEqual([
      '2030-01-01T00:10',
      '2030-01-01T01:10',
    ]);
  });

  it('refuses a range with millions of firings', () => {
    const trigger = newTrigger()
      .startAt(start)
      .withSchedule(simpleSchedule().withIntervalInMilliseconds(1).repeatForever())
      .build();
    expect(() => computeFireTimesBetween(trigger, null, start, new Date('2027-01-01'))).toThrow(/shorter range/);
  });
});

describe('computeEndTimeToAllowParticularNumberOfFirings', () => {
  it('returns a second after the last of the firings', () => {
    const end = computeEndTimeToAllowParticularNumberOfFirings(daily, weekdays, 2) as Date;
    expect(end).toEqual(new Date('2026-03-09T12:00:01Z'));
    expect(computeFireTimes({ ...daily, endTime: end }, weekdays, 10)).toHaveLength(2);
  });

  it('returns null if the trigger fires less often', () => {
    const trigger = newTrigger().startAt(start).withSchedule(repeatSecondlyForTotalCount(3)).build();
    expect(computeEndTimeToAllowParticularNumberOfFirings(trigger, null, 3)).toEqual(new Date(start.getTime() + 3_000));
    expect(computeEndTimeToAllowParticularNumberOfFirings(trigger, null, 4)).toBeNull();
  });
});

describe('functions for one trigger', () => {
  const thrice = newTrigger().startAt(start).withSchedule(repeatSecondlyForTotalCount(3)).build();

  it('getFireTimeAfter returns the next fire time after a given time', () => {
    expect(getFireTimeAfter(daily, start)).toEqual(new Date('2026-03-07T12:00:00Z'));
    expect(getFireTimeAfter(thrice, new Date(start.getTime() + 2_000))).toBeNull();
    expect(() => getFireTimeAfter(daily, new Date('never'))).toThrow(invalidArgument);
  });

  it('getFinalFireTime returns the last fire time, or null if there is none', () => {
    expect(getFinalFireTime(thrice)).toEqual(new Date(start.getTime() + 2_000));
    expect(getFinalFireTime(daily)).toBeNull();
  });

  it('mayFireAgain returns true if a stored trigger has a next fire time', () => {
    expect(mayFireAgain({ ...thrice, nextFireTime: start })).toBe(true);
    expect(mayFireAgain({ ...thrice, nextFireTime: null })).toBe(false);
  });

  it.each([
    computeFireTimes,
    computeFireTimesBetween,
    getFireTimeAfter,
    getFinalFireTime,
    mayFireAgain,
  ])('%p refuses undefined as the trigger', (ask) => {
    expect(() => (ask as (...given: unknown[]) => unknown)(undefined, null, start, start)).toThrow(invalidArgument);
  });
});

it.each([
  { rules: 'safe' as const, last: '2026-03-06T14:00', final: '2026-03-06T14:00' },
  { rules: 'quartz' as const, last: '2026-03-06T13:00', final: '2026-03-06T23:59' },
])('all functions compute fire times by the given rules, for example at the end time: $rules', ({
  rules,
  last,
  final,
}) => {
  const end = new Date('2026-03-06T14:00:00Z');
  const hourly = newTrigger()
    .startAt(start)
    .endAt(end)
    .withSchedule(simpleSchedule().withIntervalInHours(1).repeatForever())
    .build();
  expect(texts(computeFireTimes(hourly, null, 10, rules)).at(-1)).toBe(last);
  expect(texts(computeFireTimesBetween(hourly, null, start, end, rules)).at(-1)).toBe(last);
  const hours = newTrigger()
    .startAt(start)
    .endAt(end)
    .withSchedule(dailyTimeIntervalSchedule().withIntervalInHours(1).inTimeZone('UTC'))
    .build();
  expect(getFinalFireTime(hours, rules)?.toISOString().slice(0, 16)).toBe(final);
  expect(getFireTimeAfter(hourly, new Date('2026-03-06T13:00:00Z'), rules) !== null).toBe(rules === 'safe');
  expect(() => computeFireTimes(hourly, null, 1, 'java' as never)).toThrow(invalidArgument);
});
