import { checkDelay, parseDuration } from '../../../../src/domain/time/duration';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['0s', 0],
    ['PT30S', 30_000],
    ['PT1H30M', 5_400_000],
    ['P1D', 86_400_000],
  ])('parses %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([[''], ['30'], ['s'], ['-5s'], ['5 s'], ['5x'], ['P'], ['PT'], ['1e9s']])('returns NaN for %j', (text) => {
    expect(parseDuration(text)).toBeNaN();
  });
});

describe('checkDelay', () => {
  it.each([
    [0, 0],
    [1.4, 1],
    ['PT5M', 300_000],
    ['366d', 31_622_400_000],
  ])('accepts %p', (delay, milliseconds) => {
    expect(checkDelay(delay, 'the delay')).toBe(milliseconds);
  });

  it.each([[-1], ['PT-5S'], ['367d'], ['5x'], [null], [Number.NaN]])('refuses %p', (delay) => {
    const message = expect.stringContaining(
      'Expected a duration of at most 366 days (PT5M, 5m or milliseconds) as the delay',
    );
    expect(() => checkDelay(delay, 'the delay')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message }),
    );
  });
});
