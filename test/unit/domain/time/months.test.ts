import {
  daysInMonth,
  FIRST_YEAR,
  MONTH_COUNT,
  MONTH_STARTS,
  monthOfDay,
  SHAPE_OF_MONTH,
} from '../../../../src/domain/time/months';

const DAY = 86_400_000;
const DAYS = MONTH_STARTS[MONTH_COUNT] as number;

describe('the month tables', () => {
  it('map every day to its month', () => {
    const wrong = [];
    for (let day = 0; day < DAYS; day++) {
      const date = new Date(day * DAY);
      const month = (date.getUTCFullYear() - FIRST_YEAR) * 12 + date.getUTCMonth();
      if (monthOfDay(day) !== month) wrong.push(day);
    }
    expect(wrong).toEqual([]);
  });

  it('contain the length and the first weekday of every month', () => {
    for (let month = 0; month < MONTH_COUNT; month++) {
      const first = new Date(Date.UTC(FIRST_YEAR, month, 1));
      const length = new Date(Date.UTC(FIRST_YEAR, month + 1, 0)).getUTCDate();
      expect(MONTH_STARTS[month]).toBe(first.getTime() / DAY);
      expect(SHAPE_OF_MONTH[month]).toBe((length - 28) * 7 + first.getUTCDay());
    }
  });

  it('treat only every fourth century year as a leap year', () => {
    expect([1900, 2000, 2024, 2025, 2100].map((year) => daysInMonth(year, 2))).toEqual([28, 29, 29, 28, 28]);
  });
});
