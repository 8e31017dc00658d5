import { SchedulerError } from '../../../../src/base/errors';
import { AnnualCalendar } from '../../../../src/domain/calendars/annual-calendar';
import { BaseCalendar } from '../../../../src/domain/calendars/base-calendar';
import type { Calendar } from '../../../../src/domain/calendars/calendar';
import { CronCalendar } from '../../../../src/domain/calendars/cron-calendar';
import { DailyCalendar } from '../../../../src/domain/calendars/daily-calendar';
import { HolidayCalendar } from '../../../../src/domain/calendars/holiday-calendar';
import { MonthlyCalendar } from '../../../../src/domain/calendars/monthly-calendar';
import { WeeklyCalendar } from '../../../../src/domain/calendars/weekly-calendar';
import { fastestRun } from '../../../support/fastest-run';

const at = (text: string) => Date.parse(text);
const berlin = { timeZone: 'Europe/Berlin' };
const utc = { timeZone: 'UTC' };

/** Returns the SchedulerError that the call throws. */
function errorOf(call: () => unknown): SchedulerError {
  try {
    call();
  } catch (error) {
    if (error instanceof SchedulerError) return error;
    throw error;
  }
  throw new Error('did not throw');
}

describe('WeeklyCalendar', () => {
  it('excludes Saturday and Sunday by default', () => {
    expect(new WeeklyCalendar().excludedDays).toEqual([1, 7]);
  });

  it('accepts day names in any case, mixed with numbers', () => {
    expect(new WeeklyCalendar({ excludedDays: ['fri', 'MONDAY', 2] }).excludedDays).toEqual([2, 6]);
  });

  it('determines the day in its own time zone', () => {
    const saturdayInBerlin = at('2026-11-20T23:30:00Z');
    expect(new WeeklyCalendar(berlin).isIncluded(saturdayInBerlin)).toBe(false);
    expect(new WeeklyCalendar(utc).isIncluded(saturdayInBerlin)).toBe(true);
  });

  it('returns the start of the next included day as the next included time', () => {
    expect(new WeeklyCalendar(berlin).nextIncludedTime(at('2026-11-21T12:00:00Z'))).toBe(at('2026-11-22T23:00:00Z'));
  });

  it('returns no next included time when every day is excluded', () => {
    expect(new WeeklyCalendar({ excludedDays: [1, 2, 3, 4, 5, 6, 7] }).nextIncludedTime(1)).toBeNull();
  });

  it.each([[0], [8], [1.5], ['X'], ['SA'], ['MONDAYS'], [null]])('refuses %p as a day', (day) => {
    expect(errorOf(() => new WeeklyCalendar({ excludedDays: [2, day as number] })).message).toMatch(
      /^calendar\.excludedDays\[1\]: expected a whole number from 1 to 7 or a name such as MON, found /,
    );
  });
});

describe('MonthlyCalendar', () => {
  it('skips to the first included day of the month', () => {
    const calendar = new MonthlyCalendar({ ...utc, excludedDays: [31, 1, 2] });
    expect(calendar.nextIncludedTime(at('2026-12-31T08:00:00Z'))).toBe(at('2027-01-03T00:00:00Z'));
  });

  it('refuses a day that no month has', () => {
    expect(errorOf(() => new MonthlyCalendar({ excludedDays: [32] })).message).toBe(
      'calendar.excludedDays[0]: expected a whole number from 1 to 31, found 32.',
    );
  });
});

describe('AnnualCalendar', () => {
  const calendar = new AnnualCalendar({ ...berlin, excludedDays: ['12-25', [12, 26], [2, 29]] });

  it('excludes the same days every year', () => {
    const days = ['2026-12-25T10:00Z', '2027-12-26T10:00Z', '2028-02-29T10:00Z', '2027-02-28T10:00Z'];
    expect(days.map((day) => calendar.isIncluded(at(day)))).toEqual([false, false, false, true]);
  });

  it('sorts its excluded days', () => {
    expect(calendar.excludedDays).toEqual([
      [2, 29],
      [12, 25],
      [12, 26],
    ]);
  });

  it.each([
    [[2, 30]],
    [[13, 1]],
    [[1]],
    [[1, 2, 3]],
    ['2-30'],
    ['25.12.'],
    [7],
    [[Number.NaN, 1]],
  ])('refuses %j as a day of the year', (day) => {
    expect(errorOf(() => new AnnualCalendar({ excludedDays: [day as string] })).message).toContain(
      "expected a day of the year such as [12, 25] or '12-25'",
    );
  });
});

describe('HolidayCalendar', () => {
  it('converts a Date to the day in its own time zone', () => {
    const calendar = new HolidayCalendar({ ...berlin, excludedDates: [new Date('2026-12-24T23:30:00Z')] });
    expect(calendar.excludedDates).toEqual(['2026-12-25']);
  });

  it('excludes exactly the given dates', () => {
    const calendar = new HolidayCalendar({ ...berlin, excludedDates: ['2026-12-25', '2026-12-25'] });
    const times = ['2026-12-24T22:59:59.999Z', '2026-12-24T23:00Z', '2026-12-25T22:59:59.999Z', '2026-12-25T23:00Z'];
    expect(times.map((time) => calendar.isIncluded(at(time)))).toEqual([true, false, false, true]);
  });

  it.each([
    ['2026-02-29'],
    ['2026-13-01'],
    ['25.12.2026'],
    [''],
    [20261225],
    [new Date(Number.NaN)],
  ])('refuses %p as a date', (date) => {
    expect(errorOf(() => new HolidayCalendar({ excludedDates: [date as string] })).message).toMatch(
      /^calendar\.excludedDates\[0\]: expected a date such as '2026-12-25', found /,
    );
  });

  it('returns no next included time if its base calendar excludes every midnight', () => {
    const calendar = new HolidayCalendar({ ...utc, base: new DailyCalendar({ ...utc, from: '00:00', to: '11:00' }) });
    expect(calendar.nextIncludedTime(at('2026-11-20T12:00Z'))).toBeNull();
  });
});

describe('DailyCalendar', () => {
  const night = new DailyCalendar({ ...berlin, from: '22:00', to: '23:30' });
  const office = new DailyCalendar({ ...berlin, from: '8:0', to: '17:00', invert: true });

  it('excludes its range, including both ends', () => {
    const times = ['20:59:59.999Z', '21:00Z', '22:30Z', '22:30:00.001Z'].map((time) => at(`2026-11-20T${time}`));
    expect(times.map((time) => night.isIncluded(time))).toEqual([true, false, false, true]);
  });

  it('includes only its range when inverted', () => {
    const times = ['06:59:59.999Z', '07:00Z', '16:00Z', '16:00:00.001Z'].map((time) => at(`2026-11-20T${time}`));
    expect(times.map((time) => office.isIncluded(time))).toEqual([false, true, true, false]);
  });

  it('returns the end of the range as next included time, or its start when inverted', () => {
    expect(night.nextIncludedTime(at('2026-11-20T21:30Z'))).toBe(at('2026-11-20T22:30:00.001Z'));
    expect(office.nextIncludedTime(at('2026-11-20T21:30Z'))).toBe(at('2026-11-21T07:00Z'));
  });

  it('returns a next included time on a day that begins in a repeated hour, under Quartz rules', () => {
    const havana = new DailyCalendar({
      timeZone: 'America/Havana',
      from: '10:00',
      to: '11:00',
      rules: 'quartz',
    });
    const firstPass = at('2026-11-01T04:10:00Z'); // 00:10, which repeats an hour later
    expect(havana.isIncluded(firstPass)).toBe(false);
    expect(havana.nextIncludedTime(firstPass)).toBe(at('2026-11-01T05:00:00.001Z'));
  });

  it('formats its times of day with two digits and without zero seconds', () => {
    const written = new DailyCalendar({ from: '8:5', to: '9:7:3:50' });
    expect([written.from, written.to]).toEqual(['08:05', '09:07:03:050']);
    expect(new DailyCalendar({ from: '8:5:00', to: '9:7:3' }).to).toBe('09:07:03');
  });

  it.each([
    ['08:00', '08:00', "calendar.to: expected a time of day after 08:00, found '08:00'."],
    [
      '08:00',
      '24:00',
      "calendar.to: expected a time of day such as '08:30', '08:30:15' or '08:30:15:500', found '24:00'.",
    ],
    ['8', '9', "calendar.from: expected a time of day such as '08:30', '08:30:15' or '08:30:15:500', found '8'."],
  ])('refuses the range from %p to %p', (from, to, message) => {
    expect(errorOf(() => new DailyCalendar({ from, to })).message).toBe(message);
  });
});

describe('CronCalendar', () => {
  it('excludes the seconds that match its expression', () => {
    const calendar = new CronCalendar({ ...berlin, cronExpression: '* * 0-7,18-23 ? * *' });
    const times = ['06:59:59.999Z', '07:00Z', '16:59:59.999Z', '17:00Z'].map((time) => at(`2026-11-20T${time}`));
    expect(times.map((time) => calendar.isIncluded(time))).toEqual([false, true, true, false]);
    expect(calendar.nextIncludedTime(at('2026-11-20T20:00Z'))).toBe(at('2026-11-21T07:00Z'));
  });

  it('searches for at most 50 ms when it excludes every second', () => {
    const calendar = new CronCalendar({ ...berlin, cronExpression: '* * * ? * *' });
    const search = () => calendar.nextIncludedTime(at('2026-11-20T20:00Z'));
    expect(search()).toBeNull();
    expect(fastestRun(search, 50)).toBeLessThan(50);
  });

  it('refuses invalid expressions, and accepts those that only Quartz accepts if lenient', () => {
    const error = errorOf(() => new CronCalendar({ cronExpression: 'every day' }));
    expect([error.code, error.message]).toEqual([
      'INVALID_CALENDAR',
      expect.stringContaining('calendar.cronExpression'),
    ]);
    expect(errorOf(() => new CronCalendar({ cronExpression: '5x 0 0 ? * *' })).code).toBe('INVALID_CALENDAR');
    expect(new CronCalendar({ cronExpression: '5x 0 0 ? * *', lenient: true }).cronExpression).toBe('5x 0 0 ? * *');
  });
});

describe('a chain of calendars', () => {
  const holidays = new HolidayCalendar({ ...utc, excludedDates: ['2026-12-25'] });
  const chain = new WeeklyCalendar({ ...utc, base: holidays });

  it('excludes each day that one of its calendars excludes', () => {
    const days = ['2026-12-24', '2026-12-25', '2026-12-26', '2026-12-28'];
    expect(days.map((day) => chain.isIncluded(at(`${day}T12:00Z`)))).toEqual([true, false, false, true]);
  });

  it('is serialized to one nested JSON object', () => {
    expect(chain.toJSON()).toEqual({
      type: 'weekly',
      excludedDays: [1, 7],
      description: null,
      timeZone: 'UTC',
      base: { type: 'holiday', excludedDates: ['2026-12-25'], description: null, timeZone: 'UTC', base: null },
    });
  });

  it('calls a custom calendar like a built-in one', () => {
    const never: Calendar = { isIncluded: () => false, nextIncludedTime: () => null, toJSON: () => holidays.toJSON() };
    const above = new DailyCalendar({ ...utc, from: '08:00', to: '09:00', base: never });
    expect(above.isIncluded(at('2026-11-20T12:00Z'))).toBe(false);
    expect(above.nextIncludedTime(at('2026-11-20T12:00Z'))).toBeNull();
    expect(new AnnualCalendar({ base: never }).nextIncludedTime(at('2026-11-20T12:00Z'))).toBeNull();
  });

  it('searches for at most 50 ms when the chain has maximum length and includes nothing', () => {
    const layers: ((base: Calendar | null) => Calendar)[] = [
      (base) => new DailyCalendar({ ...berlin, base, from: '10:00', to: '11:00' }),
      (base) => new HolidayCalendar({ ...berlin, base }),
      (base) => new CronCalendar({ ...berlin, base, cronExpression: '0/2 * * ? * *' }),
      (base) => new AnnualCalendar({ ...berlin, base }),
      (base) => new DailyCalendar({ ...berlin, base, from: '11:00', to: '12:00', invert: true }),
    ];
    let chain: Calendar | null = null;
    for (let i = 0; i < 16; i++) {
      chain = (layers[i % layers.length] as (base: Calendar | null) => Calendar)(chain);
      const calendar = chain;
      expect(fastestRun(() => calendar.nextIncludedTime(at('2026-11-20T12:00Z')), 50)).toBeLessThan(50);
    }
  });

  it('consists of at most 16 calendars', () => {
    let calendar: Calendar = new BaseCalendar();
    for (let i = 1; i < 16; i++) calendar = new BaseCalendar({ base: calendar });
    expect(errorOf(() => new BaseCalendar({ base: calendar })).message).toContain('a chain of at most 16 calendars');
  });
});

describe('every calendar', () => {
  const calendars = [new BaseCalendar(), new WeeklyCalendar(), new DailyCalendar({ from: '01:00', to: '02:00' })];

  it.each([
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [9e15],
    [new Date(0)],
    ['0'],
    [undefined],
  ])('refuses %p as a time', (time) => {
    for (const calendar of calendars) {
      expect(errorOf(() => calendar.isIncluded(time as number)).code).toBe('INVALID_ARGUMENT');
      expect(errorOf(() => calendar.nextIncludedTime(time as number)).code).toBe('INVALID_ARGUMENT');
    }
  });

  it('names epoch milliseconds in the error when given a Date', () => {
    expect(errorOf(() => new BaseCalendar().isIncluded(new Date(7) as unknown as number)).message).toContain(
      'Expected a time in epoch milliseconds (date.getTime())',
    );
  });

  it('accepts the earliest and the latest time of a Date', () => {
    expect(new WeeklyCalendar(utc).nextIncludedTime(8.64e15)).toBeNull();
    expect(new DailyCalendar({ ...utc, from: '01:00', to: '02:00' }).nextIncludedTime(-8.64e15)).toBe(-8.64e15 + 1);
  });

  it.each([
    [
      { timeZone: 'Mars/Olympus' },
      "calendar.timeZone: expected an IANA time zone such as Europe/Berlin, or an offset such as GMT+08:00, found 'Mars/Olympus'.",
    ],
    [{ description: 7 }, 'calendar.description: expected a string, found 7.'],
    [{ base: {} }, 'calendar.base: expected a calendar, found an object.'],
    [null, "calendar: expected an object such as { timeZone: 'UTC' }, found null."],
  ])('refuses %j', (options, message) => {
    expect(errorOf(() => new BaseCalendar(options as object)).message).toBe(message);
  });
});

it.each([
  ['DailyCalendar', DailyCalendar, ['22:00', '23:59'], "{ from: '22:00', to: '23:59' }, found '22:00'"],
  ['CronCalendar', CronCalendar, ['* * 0-7 ? * *'], "{ cronExpression: '* * 0-7 ? * *' }, found '* * 0-7 ? * *'"],
  ['WeeklyCalendar', WeeklyCalendar, [[1, 7]], "{ excludedDays: ['SAT', 'SUN'] }, found a list of 2"],
  ['MonthlyCalendar', MonthlyCalendar, [[1]], '{ excludedDays: [1, 31] }, found a list of 1'],
  ['AnnualCalendar', AnnualCalendar, [null], "{ excludedDays: ['12-25'] }, found null"],
  ['HolidayCalendar', HolidayCalendar, [new Date(0).getTime()], "{ excludedDates: ['2026-12-25'] }, found 0"],
])("%s refuses the arguments of Quartz's constructor with an example of its options", (_, Calendar, given, expected) => {
  const create = () => Reflect.construct(Calendar, given);
  expect(create).toThrow(`calendar: expected an object such as ${expected}.`);
});
