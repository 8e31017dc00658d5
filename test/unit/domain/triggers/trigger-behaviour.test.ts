import { AnnualCalendar } from '../../../../src/domain/calendars/annual-calendar';
import type { Calendar } from '../../../../src/domain/calendars/calendar';
import { CronCalendar } from '../../../../src/domain/calendars/cron-calendar';
import { DailyCalendar } from '../../../../src/domain/calendars/daily-calendar';
import { HolidayCalendar } from '../../../../src/domain/calendars/holiday-calendar';
import { WeeklyCalendar } from '../../../../src/domain/calendars/weekly-calendar';
import { afterMisfire } from '../../../../src/domain/misfire';
import { newCalendarTimes } from '../../../../src/domain/new-calendar';
import type { Trigger } from '../../../../src/domain/trigger';
import {
  afterFiring,
  computeFireTimes,
  finalFireTime,
  fireTimeAfter,
  sameSchedule,
  scheduled,
} from '../../../../src/domain/trigger-behaviour';
import { fastestRun } from '../../../support/fastest-run';
import {
  calendarIntervalTrigger,
  cronTrigger,
  dailyTimeIntervalTrigger,
  START,
  simpleTrigger,
} from '../../../support/sample-triggers';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** The first fire times, as ISO texts without seconds. */
function fires(trigger: Trigger, count: number, calendar: Calendar | null = null): string[] {
  const times: string[] = [];
  for (let next = scheduled(trigger, calendar); times.length < count; next = afterFiring(next, calendar)) {
    if (next.nextFireTime === null) break;
    times.push(new Date(next.nextFireTime).toISOString().slice(0, 16));
  }
  return times;
}

describe('a trigger of any kind', () => {
  const all = [simpleTrigger(), cronTrigger(), calendarIntervalTrigger(), dailyTimeIntervalTrigger()];

  it.each(all)('$kind: is not mutated by scheduling, firing or misfires', (trigger) => {
    const frozen = Object.freeze(scheduled(Object.freeze(trigger), null));
    expect(afterFiring(frozen, null)).not.toBe(frozen);
    expect(afterMisfire(frozen, START + DAY, null)).not.toBe(frozen);
    expect(trigger.nextFireTime).toBeNull();
  });

  it.each(all)('$kind: fires next after its last fire time', (trigger) => {
    const first = scheduled(trigger, null);
    const second = afterFiring(first, null);
    expect(second.previousFireTime).toBe(first.nextFireTime);
    expect(second.nextFireTime).toBe(fireTimeAfter(trigger, first.nextFireTime as number));
    expect(second.nextFireTime).not.toBeNull();
  });

  it.each(all)('$kind: has no next fire time after its end', (trigger) => {
    const ended = scheduled({ ...trigger, endTime: START + 10 }, null);
    const last = ended.nextFireTime === null ? ended : afterFiring(ended, null);
    expect(last.nextFireTime).toBeNull();
    expect(afterFiring(last, null).nextFireTime).toBeNull();
  });

  it.each([
    ...all,
    calendarIntervalTrigger({ repeatInterval: 2 ** 31 - 1 }),
    calendarIntervalTrigger({ repeatInterval: 2 ** 31 - 1, repeatIntervalUnit: 'YEAR' }),
    calendarIntervalTrigger({ repeatInterval: 2 ** 31 - 1, repeatIntervalUnit: 'SECOND' }),
  ])('$kind: has no fire time beyond the range of a Date ($repeatInterval)', (trigger) => {
    for (const after of [START, 6e12, 8.64e15]) {
      const time = fireTimeAfter(trigger, after) ?? after;
      expect(new Date(time).getTime()).toBe(time);
    }
  });

  it.each(all)('$kind: does not change at a misfire if it ignores misfires', (trigger) => {
    const ignoring = scheduled({ ...trigger, misfireInstruction: 'IGNORE_MISFIRE_POLICY' }, null);
    expect(afterMisfire(ignoring, START + 30 * DAY, null)).toBe(ignoring);
  });

  it.each(all)('$kind: never fires if its calendar excludes every day', (trigger) => {
    const never = new WeeklyCalendar({ timeZone: 'UTC', excludedDays: [1, 2, 3, 4, 5, 6, 7] });
    expect(scheduled(trigger, never).nextFireTime).toBeNull();
    expect(afterFiring(scheduled(trigger, null), never).nextFireTime).toBeNull();
  });

  it.each(all)('$kind: has the same schedule with another start, key, priority or fire time', (trigger) => {
    const other = {
      ...trigger,
      startTime: START + 5,
      priority: 9,
      key: { group: 'g', name: 'other' },
      nextFireTime: START,
    };
    expect(sameSchedule(trigger, other)).toBe(true);
    expect(sameSchedule(trigger, { ...trigger, endTime: START + DAY })).toBe(false);
    expect(sameSchedule(trigger, { ...trigger, calendarName: 'holidays' })).toBe(false);
    expect(all.filter((each) => sameSchedule(each, trigger))).toEqual([trigger]);
  });
});

describe('sameSchedule', () => {
  const changed: readonly (readonly [string, Trigger, Trigger])[] = [
    ['a repeat count', simpleTrigger(), simpleTrigger({ repeatCount: 3 })],
    ['an interval', simpleTrigger(), simpleTrigger({ repeatInterval: MINUTE + 1 })],
    ['a cron expression', cronTrigger(), cronTrigger({ cronExpression: '0 0 13 * * ?' })],
    ['a cron zone', cronTrigger(), cronTrigger({ timeZone: 'Europe/Berlin' })],
    ['a unit', calendarIntervalTrigger(), calendarIntervalTrigger({ repeatIntervalUnit: 'WEEK' })],
    ['a calendar interval', calendarIntervalTrigger(), calendarIntervalTrigger({ repeatInterval: 2 })],
    ['a calendar zone', calendarIntervalTrigger(), calendarIntervalTrigger({ timeZone: 'Asia/Tokyo' })],
    [
      'a preserved hour',
      calendarIntervalTrigger(),
      calendarIntervalTrigger({ preserveHourOfDayAcrossDaylightSavings: true }),
    ],
    ['a skipped day', calendarIntervalTrigger(), calendarIntervalTrigger({ skipDayIfHourDoesNotExist: true })],
    ['days', dailyTimeIntervalTrigger(), dailyTimeIntervalTrigger({ daysOfWeek: [2] })],
    ['a daily interval', dailyTimeIntervalTrigger(), dailyTimeIntervalTrigger({ repeatInterval: 2 })],
    ['a daily unit', dailyTimeIntervalTrigger(), dailyTimeIntervalTrigger({ repeatIntervalUnit: 'MINUTE' })],
    ['a daily zone', dailyTimeIntervalTrigger(), dailyTimeIntervalTrigger({ timeZone: 'Asia/Tokyo' })],
    ['a daily count', dailyTimeIntervalTrigger(), dailyTimeIntervalTrigger({ repeatCount: 1 })],
    [
      'an opening',
      dailyTimeIntervalTrigger(),
      dailyTimeIntervalTrigger({ startTimeOfDay: { hour: 7, minute: 0, second: 0 } }),
    ],
    ['a closing', dailyTimeIntervalTrigger(), dailyTimeIntervalTrigger({ endTimeOfDay: null })],
  ];

  it.each(changed)('returns false after a change of %s', (_, before, after) => {
    expect(sameSchedule(before, after)).toBe(false);
  });
});

describe('a simple trigger', () => {
  it('fires once more than its repeat count', () => {
    expect(fires(simpleTrigger({ repeatCount: 2, repeatInterval: HOUR }), 9)).toEqual([
      '2026-03-02T09:00',
      '2026-03-02T10:00',
      '2026-03-02T11:00',
    ]);
  });

  it('fires at its end time, but not under Quartz rules', () => {
    const trigger = simpleTrigger({ repeatInterval: HOUR, endTime: START + 2 * HOUR });
    expect(fires(trigger, 9)).toHaveLength(3);
    expect(finalFireTime(trigger)).toBe(START + 2 * HOUR);
    expect(computeFireTimes(trigger, null, 9, 'quartz')).toHaveLength(2);
  });

  it('has no final fire time without an end', () => {
    expect(finalFireTime(simpleTrigger())).toBeNull();
    expect(finalFireTime(simpleTrigger({ repeatCount: 4 }))).toBe(START + 4 * MINUTE);
  });

  it('keeps its phase for a time in the far future', () => {
    const trigger = simpleTrigger({ repeatInterval: 7 });
    expect(fireTimeAfter(trigger, START + 7e12 + 3)).toBe(START + 7e12 + 7);
  });

  it('has no fire time after the last valid date', () => {
    expect(fireTimeAfter(simpleTrigger({ repeatInterval: 8.64e15 }), START)).toBeNull();
  });

  it('fires once if its stored interval is 0', () => {
    expect(fires(simpleTrigger({ repeatInterval: 0 }), 3)).toEqual(['2026-03-02T09:00']);
  });

  it('restarts at the time of a misfire with the remaining repeat count', () => {
    const now = START + 10 * HOUR + 5;
    const trigger = {
      ...simpleTrigger({ repeatCount: 20, repeatInterval: HOUR }),
      misfireInstruction: 'FIRE_NOW',
    } as const;
    const after = afterMisfire(scheduled(trigger, null), now, null);
    expect(after).toMatchObject({ startTime: now, nextFireTime: now, repeatCount: 10, timesTriggered: 0 });
  });

  it('has no next fire time if a misfire lasts until after its end', () => {
    const trigger = scheduled(simpleTrigger({ repeatCount: 20, endTime: START + HOUR }), null);
    expect(afterMisfire(trigger, START + DAY, null).nextFireTime).toBeNull();
  });
});

describe('a cron trigger', () => {
  it('rounds its start time down to the second', () => {
    const trigger = scheduled(cronTrigger({ cronExpression: '0 0 9 * * ?', startTime: START + 999 }), null);
    expect(trigger).toMatchObject({ startTime: START, nextFireTime: START });
  });

  it('fires at its end time', () => {
    expect(fires(cronTrigger({ endTime: START + 3 * HOUR }), 9)).toEqual(['2026-03-02T12:00']);
  });

  it('skips times that its calendar excludes', () => {
    const weekdays = new WeeklyCalendar({ timeZone: 'UTC' });
    expect(fires(cronTrigger({ startTime: START + 4 * DAY }), 2, weekdays)).toEqual([
      '2026-03-06T12:00',
      '2026-03-09T12:00',
    ]);
  });
});

describe('a calendar-interval trigger', () => {
  it('fires on the last day of months that are shorter than its day of the month', () => {
    const trigger = calendarIntervalTrigger({ repeatIntervalUnit: 'MONTH', startTime: Date.UTC(2028, 0, 31, 6) });
    expect(fires(trigger, 3)).toEqual(['2028-01-31T06:00', '2028-02-29T06:00', '2028-03-31T06:00']);
  });

  it('keeps its time of day across a clock change', () => {
    const trigger = calendarIntervalTrigger({ timeZone: 'Europe/Berlin', startTime: Date.UTC(2026, 2, 28, 8) });
    expect(fires(trigger, 3)).toEqual(['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00']);
  });

  it('skips a day on which its hour does not exist, if skipDayIfHourDoesNotExist is set', () => {
    const trigger = calendarIntervalTrigger({
      timeZone: 'Europe/Berlin',
      startTime: Date.UTC(2026, 2, 28, 1, 30),
      preserveHourOfDayAcrossDaylightSavings: true,
      skipDayIfHourDoesNotExist: true,
    });
    expect(fires(trigger, 3)).toEqual(['2026-03-28T01:30', '2026-03-30T00:30', '2026-03-31T00:30']);
  });

  it('fires an hour late on a day without its hour, if only preserveHourOfDay is set', () => {
    const trigger = calendarIntervalTrigger({
      timeZone: 'Europe/Berlin',
      startTime: Date.UTC(2026, 2, 28, 1, 30),
      preserveHourOfDayAcrossDaylightSavings: true,
    });
    expect(fires(trigger, 3)).toEqual(['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30']);
  });

  it.each([
    'DAY',
    'WEEK',
    'MONTH',
    'YEAR',
  ] as const)('has no fire time after the last supported year, counting in units of a %s', (unit) => {
    const trigger = calendarIntervalTrigger({ repeatIntervalUnit: unit });
    expect(fireTimeAfter(trigger, Date.UTC(2131, 0, 1))).toBeNull();
  });

  it('fires at its start time even if that is also its end time', () => {
    const trigger = calendarIntervalTrigger({ endTime: START });
    expect(fireTimeAfter(trigger, START - 1)).toBe(START);
    expect(fireTimeAfter(trigger, START)).toBeNull();
    expect(computeFireTimes(trigger, null, 5)).toEqual([START]);
  });

  it('has its last fire time before its end as the final fire time', () => {
    const trigger = calendarIntervalTrigger({ endTime: START + 3 * DAY + HOUR });
    expect(finalFireTime(trigger)).toBe(START + 3 * DAY);
  });
});

describe('a daily-time-interval trigger', () => {
  it('fires every day from its start time of day to its end time of day', () => {
    const trigger = dailyTimeIntervalTrigger({ repeatInterval: 4, startTime: START - HOUR });
    expect(fires(trigger, 4)).toEqual(['2026-03-02T08:00', '2026-03-02T12:00', '2026-03-02T16:00', '2026-03-03T08:00']);
  });

  it('fires only on its days of the week', () => {
    const trigger = dailyTimeIntervalTrigger({ repeatInterval: 12, daysOfWeek: [1, 7] });
    expect(fires(trigger, 3)).toEqual(['2026-03-07T08:00', '2026-03-08T08:00', '2026-03-14T08:00']);
  });

  it('counts its repeats across days', () => {
    expect(fires(dailyTimeIntervalTrigger({ repeatInterval: 4, repeatCount: 3 }), 9)).toHaveLength(4);
  });

  it('fires until midnight without an end time of day', () => {
    const trigger = dailyTimeIntervalTrigger({ endTimeOfDay: null, startTime: START + 13 * HOUR });
    expect(fires(trigger, 3)).toEqual(['2026-03-02T22:00', '2026-03-02T23:00', '2026-03-03T08:00']);
  });
});

describe('calendars that exclude fire times', () => {
  it('are searched by excluded ranges, however short the interval of the trigger', () => {
    const evenings = new DailyCalendar({ timeZone: 'UTC', from: '18:00', to: '18:00:00:999', invert: true });
    const trigger = simpleTrigger({ repeatInterval: 1, startTime: Date.UTC(2026, 2, 2, 19) });
    expect(scheduled(trigger, evenings).nextFireTime).toBe(Date.UTC(2026, 2, 3, 18));
  });

  it('do not hide a time that the chain of calendars includes', () => {
    const nights = new DailyCalendar({ timeZone: 'UTC', from: '00:00', to: '08:00' });
    const both = new AnnualCalendar({ timeZone: 'UTC', excludedDays: [[3, 3]], base: nights });
    const trigger = simpleTrigger({ repeatInterval: SECOND, startTime: Date.UTC(2026, 2, 3, 1) });
    expect(scheduled(trigger, both).nextFireTime).toBe(Date.UTC(2026, 2, 4, 8, 0, 1));
  });

  it('end a trigger only if they include no time up to the last supported year', () => {
    const never = new DailyCalendar({ timeZone: 'UTC', from: '08:00', to: '09:00', invert: true });
    expect(scheduled(cronTrigger(), never).nextFireTime).toBeNull();
  });

  it('delay a trigger until they include a time, even if they exclude every other second', () => {
    const weekends = new CronCalendar({ timeZone: 'UTC', cronExpression: '0/2 * * ? * MON-FRI' });
    const start = { startTime: START }; // a Monday
    const saturday = Date.UTC(2026, 2, 7);
    const everyOther = [
      cronTrigger({ ...start, cronExpression: '0/2 * * * * ?' }),
      simpleTrigger({ ...start, repeatInterval: 2 * SECOND }),
      dailyTimeIntervalTrigger({
        ...start,
        startTimeOfDay: { hour: 0, minute: 0, second: 0 },
        endTimeOfDay: null,
        repeatInterval: 2,
        repeatIntervalUnit: 'SECOND',
      }),
    ];
    expect(everyOther.map((trigger) => scheduled(trigger, weekends).nextFireTime)).toEqual(Array(3).fill(saturday));
  });

  it.each([
    ['second by second', '0/2 * * ? * *', '1/2 * * ? * *'],
    ['day by day', '* * * 1-15 * ?', '* * * 16-31 * ?'],
  ])('are searched within 5 s if they exclude every time, %s', (_, half, otherHalf) => {
    const timeZone = 'Europe/Berlin';
    const base = new CronCalendar({ timeZone, cronExpression: otherHalf });
    const never = new CronCalendar({ timeZone, cronExpression: half, base });
    const search = () => scheduled(simpleTrigger({ repeatInterval: 1_009 * SECOND }), never).nextFireTime;
    expect(fastestRun(() => expect(search()).toBeNull(), 5_000)).toBeLessThan(5_000);
  });

  it.each([
    ['Africa/Cairo', ['FRI', 'SAT'], '2026-04-23T23:00Z', '2026-04-25T21:00Z'],
    ['America/Santiago', ['SUN'], '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ['America/Havana', ['SUN'], '2026-03-08T05:00Z', '2026-03-09T04:00Z'],
  ])('include all times of the day after an excluded day without midnight, in %s', (timeZone, excludedDays, from, first) => {
    const calendar = new WeeklyCalendar({ timeZone, excludedDays });
    const trigger = cronTrigger({ timeZone, cronExpression: '0 0/15 * * * ?', startTime: Date.parse(from) });
    expect(scheduled(trigger, calendar).nextFireTime).toBe(Date.parse(first));
  });

  it('include the second half of both passes of a repeated hour if they exclude the first half', () => {
    const timeZone = 'Europe/Berlin';
    const calendar = new CronCalendar({ timeZone, cronExpression: '* 0-29 2 * * ?' });
    const trigger = simpleTrigger({ repeatInterval: 30 * MINUTE, startTime: Date.UTC(2026, 9, 25, 0) });
    const half = (hour: number) => new Date(Date.UTC(2026, 9, 25, hour, 30)).toISOString().slice(0, 16);
    expect(computeFireTimes(trigger, calendar, 2).map((time) => new Date(time).toISOString().slice(0, 16))).toEqual([
      half(0),
      half(1),
    ]);
  });

  it('end a daily trigger if they exclude its last day', () => {
    const timeZone = 'Europe/Berlin';
    const christmas = new HolidayCalendar({ timeZone, excludedDates: ['2026-12-25'] });
    const trigger = dailyTimeIntervalTrigger({
      timeZone,
      startTime: Date.parse('2026-12-25T00:00+01:00'),
      endTime: Date.parse('2026-12-26T12:00+01:00'),
      startTimeOfDay: { hour: 22, minute: 0, second: 0 },
      endTimeOfDay: { hour: 23, minute: 0, second: 0 },
    });
    expect(scheduled(trigger, christmas).nextFireTime).toBeNull();
  });
});

describe('newCalendarTimes', () => {
  it('searches once for triggers with the same schedule and the same last fire time', () => {
    const never = new WeeklyCalendar({ timeZone: 'UTC', excludedDays: [1, 2, 3, 4, 5, 6, 7] });
    let asked = 0;
    const isIncluded = never.isIncluded.bind(never);
    never.isIncluded = (time) => {
      asked++;
      return isIncluded(time);
    };
    const timeOf = newCalendarTimes(never, START, MINUTE);
    const trigger = cronTrigger();
    expect(timeOf(trigger)).toBeNull();
    const once = asked;
    expect(once).toBeGreaterThan(0);
    expect(timeOf({ ...trigger, key: { name: 'another', group: 'g' } })).toBeNull();
    expect(asked).toBe(once);
    timeOf({ ...trigger, endTime: START + 400 * DAY });
    expect(asked).toBeGreaterThan(once);
  });

  it('continues after the last firing with times that the new calendar includes', () => {
    const friday = { ...cronTrigger(), previousFireTime: Date.UTC(2026, 2, 6, 12) };
    const weekdays = new WeeklyCalendar({ timeZone: 'UTC' });
    const timeOf = newCalendarTimes(weekdays, friday.previousFireTime + HOUR, MINUTE);
    expect(timeOf(friday)).toBe(Date.UTC(2026, 2, 9, 12));
  });

  it('continues from now if the trigger has never fired', () => {
    const now = START + 5 * DAY;
    expect(newCalendarTimes(null, now, MINUTE)(cronTrigger())).toBe(START + 5 * DAY + 3 * HOUR);
  });

  it('finds the next time quickly after a long excluded period', () => {
    const fired = { ...simpleTrigger({ repeatInterval: 1 }), previousFireTime: START };
    const never = new WeeklyCalendar({ timeZone: 'UTC', excludedDays: [1, 2, 3, 4, 5, 6, 7] });
    expect(newCalendarTimes(never, START + 3_650 * DAY, MINUTE)(fired)).toBeNull();
    const nights = new DailyCalendar({ timeZone: 'UTC', from: '00:00', to: '08:00' });
    const now = Date.UTC(2027, 0, 1, 3);
    const longAgo = { ...fired, startTime: Date.UTC(2026, 0, 1), previousFireTime: Date.UTC(2027, 0, 1, 0, 0, 1) };
    expect(newCalendarTimes(nights, now, 365 * DAY)(longAgo)).toBe(Date.UTC(2027, 0, 1, 8, 0, 0, 1));
  });
});
