import type { CalendarData } from '../../../../src/domain/calendars/calendar';
import { calendarFrom } from '../../../../src/domain/calendars/calendar-from-data';
import { InvalidCalendarError } from '../../../../src/domain/calendars/invalid-calendar-error';

const common = { description: 'why', timeZone: 'Europe/Berlin' };

const chain: CalendarData = {
  type: 'weekly',
  excludedDays: [1],
  ...common,
  base: {
    type: 'annual',
    excludedDays: [[12, 25]],
    ...common,
    base: {
      type: 'daily',
      from: '08:00',
      to: '09:30:15',
      invert: true,
      ...common,
      base: {
        type: 'holiday',
        excludedDates: ['2026-12-24'],
        ...common,
        base: {
          type: 'cron',
          cronExpression: '0 0 0 ? * *',
          ...common,
          base: { type: 'monthly', excludedDays: [31], ...common, base: { type: 'base', ...common, base: null } },
        },
      },
    },
  },
};

function problemOf(data: unknown): InvalidCalendarError {
  try {
    calendarFrom(data);
  } catch (error) {
    if (error instanceof InvalidCalendarError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('calendarFrom', () => {
  it('restores calendars of every type from their JSON', () => {
    expect(calendarFrom(JSON.parse(JSON.stringify(chain))).toJSON()).toEqual(chain);
  });

  it('sets omitted fields to null', () => {
    const { description, base } = calendarFrom({ type: 'base', timeZone: 'UTC' }).toJSON();
    expect([description, base]).toEqual([null, null]);
  });

  it('reports the path of an invalid value in a base calendar', () => {
    const bad = { type: 'base', base: { type: 'base', base: { type: 'monthly', excludedDays: [1, 99] } } };
    const problem = problemOf(bad);
    expect(problem.path).toEqual(['base', 'base', 'excludedDays', 1]);
    expect(problem.message).toBe('calendar.base.base.excludedDays[1]: expected a whole number from 1 to 31, found 99.');
  });

  it.each([
    [null, 'calendar: expected an object with a type, found null.'],
    [[], 'calendar: expected an object with a type, found a list of 0.'],
    ['weekly', "calendar: expected an object with a type, found 'weekly'."],
    [{}, 'calendar.type: expected one of annual, base, cron, daily, holiday, monthly, weekly, found nothing.'],
    [
      { type: 'toString' },
      "calendar.type: expected one of annual, base, cron, daily, holiday, monthly, weekly, found 'toString'.",
    ],
    [
      { type: 'daily' },
      "calendar.from: expected a time of day such as '08:30', '08:30:15' or '08:30:15:500', found nothing.",
    ],
    [{ type: 'cron' }, 'calendar.cronExpression: expected a string, found nothing.'],
    [{ type: 'weekly', excludedDays: 7 }, 'calendar.excludedDays: expected a list, found 7.'],
    [{ type: 'base', base: 7 }, 'calendar.base: expected an object with a type, found 7.'],
  ])('refuses %j', (data, message) => {
    expect(problemOf(data).message).toBe(message);
  });

  it('refuses an unknown field, including __proto__', () => {
    expect(problemOf({ type: 'base', excludedDays: [] }).path).toEqual(['excludedDays']);
    expect(problemOf(JSON.parse('{"type":"base","__proto__":{"x":1}}')).path).toEqual(['__proto__']);
    expect(problemOf({ type: 'daily', from: '01:00', to: '02:00', lenient: true }).path).toEqual(['lenient']);
  });

  it('refuses a chain that is too deep, a list that is too long, and a text that is too long', () => {
    let deep: object = { type: 'base' };
    for (let i = 0; i < 5_000; i++) deep = { type: 'base', base: deep };
    expect(problemOf(deep).path.length).toBe(100);
    expect(problemOf({ type: 'monthly', excludedDays: new Array(10_001).fill(1) }).expected).toBe(
      'a list of at most 10000 values',
    );
    const longText = problemOf({ type: 'holiday', excludedDates: ['x'.repeat(1_000_000)] });
    expect(longText.message.length).toBeLessThan(300);
  });
});
