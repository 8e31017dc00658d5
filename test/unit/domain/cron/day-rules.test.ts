import { type DayRule, matchingDays } from '../../../../src/domain/cron/day-rules';
import type { Rules } from '../../../../src/domain/rules';

/** The matching days of a month that begins on a day of the week, 0 = Sunday. */
function daysOf(rule: DayRule, length: number, first: number, rules: Rules = 'safe'): number[] {
  const mask = matchingDays(rule, rules)[(length - 28) * 7 + first] as number;
  return Array.from({ length: 31 }, (_, index) => index + 1).filter((day) => (mask & (1 << (day - 1))) !== 0);
}

const SUNDAY = 0;
const MONDAY = 1;
const SATURDAY = 6;

describe('the matching days of a month', () => {
  it('exclude days that the month does not have', () => {
    expect(daysOf({ kind: 'daysOfMonth', days: [1, 28, 29, 30, 31] }, 29, MONDAY)).toEqual([1, 28, 29]);
  });

  it('are counted back from the last day, and are empty in months that are too short', () => {
    expect(daysOf({ kind: 'lastDay', offset: 2, nearestWeekday: false }, 30, MONDAY)).toEqual([28]);
    expect(daysOf({ kind: 'lastDay', offset: 29, nearestWeekday: false }, 28, MONDAY)).toEqual([]);
  });

  it('include the last working day for LW', () => {
    const lastWorkingDay: DayRule = { kind: 'lastDay', offset: 0, nearestWeekday: true };
    expect(daysOf(lastWorkingDay, 31, MONDAY)).toEqual([31]); // a Wednesday
    expect(daysOf(lastWorkingDay, 28, SUNDAY)).toEqual([27]); // the 28th is a Saturday
    expect(daysOf(lastWorkingDay, 28, MONDAY)).toEqual([26]); // the 28th is a Sunday
  });

  it('include the working day nearest to a day, within the same month', () => {
    expect(daysOf({ kind: 'nearestWeekday', day: 15 }, 30, MONDAY)).toEqual([15]);
    expect(daysOf({ kind: 'nearestWeekday', day: 1 }, 30, SATURDAY)).toEqual([3]);
    expect(daysOf({ kind: 'nearestWeekday', day: 1 }, 30, SUNDAY)).toEqual([2]);
    expect(daysOf({ kind: 'nearestWeekday', day: 6 }, 30, MONDAY)).toEqual([5]);
    expect(daysOf({ kind: 'nearestWeekday', day: 7 }, 30, MONDAY)).toEqual([8]);
    expect(daysOf({ kind: 'nearestWeekday', day: 30 }, 30, SATURDAY)).toEqual([28]); // a Sunday
  });

  it('include the days of every item of a list', () => {
    const rules: DayRule[] = [
      { kind: 'daysOfMonth', days: [1, 31] },
      { kind: 'nearestWeekday', day: 6 },
      { kind: 'nearestWeekday', day: 15 },
      { kind: 'lastDay', offset: 0, nearestWeekday: false },
    ];
    expect(daysOf({ kind: 'anyOf', rules }, 30, MONDAY)).toEqual([1, 5, 15, 30]);
  });

  it('exclude 31W in April, although Quartz fires when "31 April" is a Saturday', () => {
    const starting = (rules: Rules) =>
      [0, 1, 2, 3, 4, 5, 6].map((first) => daysOf({ kind: 'nearestWeekday', day: 31 }, 30, first, rules));
    expect(starting('safe')).toEqual([[], [], [], [], [], [], []]);
    expect(starting('quartz')).toEqual([[], [], [], [], [30], [], []]); // beginning on a Thursday
  });

  it('include every, the n-th or the last occurrence of a weekday', () => {
    const wednesday = 4;
    expect(daysOf({ kind: 'daysOfWeek', days: [wednesday] }, 31, MONDAY)).toEqual([3, 10, 17, 24, 31]);
    expect(daysOf({ kind: 'nthDayOfWeek', day: wednesday, nth: 2 }, 31, MONDAY)).toEqual([10]);
    expect(daysOf({ kind: 'nthDayOfWeek', day: wednesday, nth: 5 }, 30, MONDAY)).toEqual([]);
    expect(daysOf({ kind: 'lastDayOfWeek', day: wednesday }, 30, MONDAY)).toEqual([24]);
  });
});
