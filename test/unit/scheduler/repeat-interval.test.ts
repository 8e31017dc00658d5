import { readRepeatInterval } from '../../../src/domain/repeat-interval';

describe('a repeat interval', () => {
  it.each<[number | string, number]>([
    [1, 1],
    [250, 250],
    ['PT1S', 1_000],
    ['PT0.5S', 500],
    ['PT5M', 300_000],
    ['PT1H30M', 5_400_000],
    ['PT36H', 129_600_000],
    ['5m', 300_000],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
  ])('written as %s has a fixed length', (every, repeatInterval) => {
    expect(readRepeatInterval(every)).toEqual({ kind: 'SIMPLE', repeatInterval });
  });

  it.each([
    ['P1D', 1, 'DAY'],
    ['1d', 1, 'DAY'],
    ['7d', 7, 'DAY'],
    ['P14D', 14, 'DAY'],
    ['P2W', 2, 'WEEK'],
    ['P3M', 3, 'MONTH'],
    ['P1Y', 1, 'YEAR'],
  ])('written as %s is a calendar interval', (every, repeatInterval, repeatIntervalUnit) => {
    expect(readRepeatInterval(every)).toEqual({ kind: 'CAL_INT', repeatInterval, repeatIntervalUnit });
  });

  it.each([
    '1d12h',
    'P1DT12H',
    'P1M15D',
    'P1Y6M',
    'P1W1D',
    'P1DT1S',
  ])('written as %s is refused because it mixes units', (every) => {
    expect(() => readRepeatInterval(every)).toThrow(/one calendar unit .* found '.*'. A day is not always 24 hours/);
  });

  it.each([
    0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    '5 m',
    '5M',
    '0s',
    '300000',
    'P',
    'PT',
    'PT0S',
    '-PT5M',
    'P-1D',
    'P0.5D',
    'PT0.0001S',
    'P99999999999999999999D',
    `PT${'9'.repeat(1_000_000)}S`,
    null as unknown as string,
    {} as unknown as string,
  ])('is refused if it is %p', (every) => {
    expect(() => readRepeatInterval(every)).toThrow(
      /Expected a positive number of milliseconds, or a duration such as '5m'/,
    );
  });
});
