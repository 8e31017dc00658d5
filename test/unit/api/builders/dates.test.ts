import {
  dateOf,
  newDate,
  todayAt,
  tomorrowAt,
  validateDayOfMonth,
  validateDayOfWeek,
  validateHour,
  validateMinute,
  validateMonth,
  validateSecond,
  validateYear,
} from '../../../../src/api/builders/date-builder';
import {
  evenHourDate,
  evenHourDateAfterNow,
  evenHourDateBefore,
  evenMinuteDate,
  evenMinuteDateAfterNow,
  evenMinuteDateBefore,
  evenSecondDate,
  evenSecondDateAfterNow,
  evenSecondDateBefore,
  futureDate,
  nextGivenMinuteDate,
  nextGivenSecondDate,
  translateTime,
} from '../../../../src/api/builders/dates';

const now = new Date('2026-03-28T08:13:54.341Z');
const clock = { now: () => now.getTime() };
const utc = { clock, timeZone: 'UTC' };
const berlin = { clock, timeZone: 'Europe/Berlin' };
const invalidArgument = expect.objectContaining({ code: 'INVALID_ARGUMENT' });

describe('dates built from parts', () => {
  it('use today and the current time for omitted parts', () => {
    expect(newDate(utc).build()).toEqual(new Date('2026-03-28T08:13:54.000Z'));
    expect(newDate(utc).atHourOfDay(6).build()).toEqual(new Date('2026-03-28T06:13:54Z'));
    expect(newDate(utc).atMinute(6).build()).toEqual(new Date('2026-03-28T08:06:54Z'));
    expect(newDate(utc).atSecond(6).build()).toEqual(new Date('2026-03-28T08:13:06Z'));
  });

  it('use the local time of their time zone', () => {
    const date = newDate({ clock })
      .inTimeZone('Europe/Berlin')
      .inMonthOnDay(7, 4)
      .inYear(2027)
      .atHourMinuteAndSecond(6, 0, 0);
    expect(date.build()).toEqual(new Date('2027-07-04T04:00:00Z'));
  });

  it('use the time zone and clock of the process by default', () => {
    expect(dateOf(6, 7, 8, 24, 12, 2030)).toEqual(new Date('2030-12-24T06:07:08Z'));
    expect(dateOf(0, 0, 0).getTime() % 86_400_000).toBe(0);
  });

  it('are refused if the day does not exist', () => {
    expect(() => newDate(utc).onDay(30).inMonth(2).build()).toThrow(invalidArgument);
    expect(() => newDate(utc).onDay(30).inMonth(2).build()).toThrow(/month 2 of 2026.*found 30/);
    expect(newDate(utc).onDay(29).inMonth(2).inYear(2028).build()).toEqual(new Date('2028-02-29T08:13:54Z'));
  });
});

describe('relative dates', () => {
  const on = (text: string) => ({ clock: { now: () => Date.parse(text) }, timeZone: 'Europe/Berlin' });
  const times = (text: string) => [todayAt(2, 30, 0, on(text)), tomorrowAt(2, 30, 0, on(text))];

  it.each([
    {
      day: 'before the skipped hour',
      now: '2026-03-28T10:00:00Z',
      today: '2026-03-28T01:30:00Z',
      next: '2026-03-29T01:30:00Z',
    },
    {
      day: 'of the skipped hour, after it',
      now: '2026-03-29T10:00:00Z',
      today: '2026-03-29T01:30:00Z',
      next: '2026-03-30T00:30:00Z',
    },
    {
      day: 'of the skipped hour, before it',
      now: '2026-03-29T00:10:00Z',
      today: '2026-03-29T01:30:00Z',
      next: '2026-03-30T00:30:00Z',
    },
    {
      day: 'before the repeated hour',
      now: '2026-10-24T10:00:00Z',
      today: '2026-10-24T00:30:00Z',
      next: '2026-10-25T01:30:00Z',
    },
    {
      day: 'of the repeated hour, in its first half',
      now: '2026-10-25T00:10:00Z',
      today: '2026-10-25T01:30:00Z',
      next: '2026-10-26T01:30:00Z',
    },
    {
      day: 'of the repeated hour, after it',
      now: '2026-10-25T10:00:00Z',
      today: '2026-10-25T01:30:00Z',
      next: '2026-10-26T01:30:00Z',
    },
  ])('have the given local time on the day $day', ({ now: text, today, next }) => {
    expect(times(text)).toEqual([new Date(today), new Date(next)]);
  });

  it('are today and tomorrow at the given time, also across a clock change', () => {
    expect(todayAt(6, 0, 0, berlin)).toEqual(new Date('2026-03-28T05:00:00Z'));
    expect(tomorrowAt(6, 0, 0, berlin)).toEqual(new Date('2026-03-29T04:00:00Z'));
  });

  it.each([
    [250, 'MILLISECOND', '2026-03-28T08:13:54.591Z'],
    [10, 'SECOND', '2026-03-28T08:14:04.341Z'],
    [10, 'MINUTE', '2026-03-28T08:23:54.341Z'],
    [24, 'HOUR', '2026-03-29T08:13:54.341Z'],
    [1, 'DAY', '2026-03-29T07:13:54.341Z'],
    [1, 'WEEK', '2026-04-04T07:13:54.341Z'],
    [11, 'MONTH', '2027-02-28T08:13:54.341Z'],
    [-1, 'YEAR', '2025-03-28T08:13:54.341Z'],
  ] as const)('are %d units of a %s later', (interval, unit, expected) => {
    expect(futureDate(interval, unit, berlin)).toEqual(new Date(expected));
  });

  it('refuse an invalid unit or interval', () => {
    expect(() => futureDate(1, 'DECADE' as never)).toThrow(invalidArgument);
    expect(() => futureDate(0.5, 'DAY')).toThrow(invalidArgument);
  });
});

describe('rounded dates', () => {
  const at = (text: string) => new Date(`2026-03-28T${text}Z`);

  it.each([
    ['the next hour', evenHourDate(now, utc), '09:00:00'],
    ['the next hour after a full hour', evenHourDate(at('08:00:00'), utc), '09:00:00'],
    ['the hour before', evenHourDateBefore(now, utc), '08:00:00'],
    ['the same full hour as the hour before', evenHourDateBefore(at('08:00:00'), utc), '08:00:00'],
    ['the next hour from now', evenHourDateAfterNow(utc), '09:00:00'],
    ['the next hour if the date is null', evenHourDate(null, utc), '09:00:00'],
    ['the next minute', evenMinuteDate(now, utc), '08:14:00'],
    ['the minute before', evenMinuteDateBefore(null, utc), '08:13:00'],
    ['the next minute from now', evenMinuteDateAfterNow(utc), '08:14:00'],
    ['the next second', evenSecondDate(now, utc), '08:13:55'],
    ['the second before', evenSecondDateBefore(now, utc), '08:13:54'],
    ['the next second from now', evenSecondDateAfterNow(utc), '08:13:55'],
    ['the next multiple of five minutes', nextGivenMinuteDate(now, 5, utc), '08:15:00'],
    [
      'the next multiple of five minutes after such a multiple',
      nextGivenMinuteDate(at('08:15:00'), 5, utc),
      '08:20:00',
    ],
    ['the full hour after the last multiple of the base', nextGivenMinuteDate(at('08:41:00'), 20, utc), '09:00:00'],
    ['the full hour for the base 0', nextGivenMinuteDate(now, 0, utc), '09:00:00'],
    ['the 17th minute of the hour', nextGivenMinuteDate(now, 17, utc), '08:17:00'],
    ['the next multiple of ten seconds', nextGivenSecondDate(now, 10, utc), '08:14:00'],
    ['the full minute for the base 0', nextGivenSecondDate(null, 0, utc), '08:14:00'],
  ])('can be %s', (_, date, expected) => {
    expect(date).toEqual(at(expected));
  });

  it('are full hours in the given time zone', () => {
    const date = evenHourDate(now, { clock, timeZone: 'Asia/Kathmandu' }); // 5:45 ahead
    expect(date).toEqual(at('08:15:00'));
  });

  it('refuse a base of 60 and an invalid date', () => {
    expect(() => nextGivenMinuteDate(now, 60)).toThrow(invalidArgument);
    expect(() => nextGivenSecondDate(now, -1)).toThrow(invalidArgument);
    expect(() => evenHourDate(new Date('x'))).toThrow(invalidArgument);
  });
});

describe('translateTime', () => {
  it('returns the time at which a clock in another time zone shows the same local time', () => {
    expect(translateTime(new Date('2026-07-01T10:00:00Z'), 'Europe/Berlin', 'America/New_York')).toEqual(
      new Date('2026-07-01T16:00:00Z'),
    );
  });
});

describe('validators', () => {
  it.each([
    ['validateDayOfWeek', validateDayOfWeek, 1, 7],
    ['validateHour', validateHour, 0, 23],
    ['validateMinute', validateMinute, 0, 59],
    ['validateSecond', validateSecond, 0, 59],
    ['validateDayOfMonth', validateDayOfMonth, 1, 31],
    ['validateMonth', validateMonth, 1, 12],
    ['validateYear', validateYear, 1970, 2199],
  ])('%s accepts its bounds and refuses values beyond', (_, validate, least, greatest) => {
    for (const value of [least, greatest]) expect(() => validate(value)).not.toThrow();
    for (const value of [least - 1, greatest + 1, least + 0.5]) expect(() => validate(value)).toThrow(invalidArgument);
  });
});
