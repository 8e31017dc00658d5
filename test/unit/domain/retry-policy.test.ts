import fc from 'fast-check';
import { type RandomSource, systemRandom } from '../../../src/base/ids';
import { NO_RETRY, parseRetryPolicy, type RetryPolicy, retryDelay } from '../../../src/domain/retry-policy';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const parse = (options: unknown) => parseRetryPolicy(options, "job 'reports.daily'");

function messageOf(options: unknown): string {
  try {
    parse(options);
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return 'accepted';
}

const lowest: RandomSource = { token: (length) => '0'.repeat(length) };
const highest: RandomSource = { token: (length) => 'z'.repeat(length) };

/** Delays before the first `count` retries. */
const pauses = (policy: RetryPolicy, count: number, random = lowest) =>
  Array.from({ length: count }, (_, index) => retryDelay(policy, index + 1, random));

const settings = { numRuns: 300, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) };

describe('a retry policy', () => {
  it.each<[unknown, RetryPolicy]>([
    ['R5/PT5M', { max: 5, delays: [5 * MINUTE] }],
    ['R1/P1D', { max: 1, delays: [DAY] }],
    ['R1000/PT0.25S', { max: 1_000, delays: [250] }],
    ['R3/PT0S', { max: 3, delays: [0] }],
    ['R0/PT5M', NO_RETRY],
    [3, { max: 3, delays: [MINUTE] }],
    [0, NO_RETRY],
    [false, NO_RETRY],
    [['30s', 'PT5M', 3_600_000], { max: 3, delays: [30 * SECOND, 5 * MINUTE, HOUR] }],
    [[0], { max: 1, delays: [0] }],
    [{ max: 2 }, { max: 2, delays: [MINUTE] }],
    [{ max: 0 }, NO_RETRY],
    [
      { max: 4, delay: '1h30m' },
      { max: 4, delays: [90 * MINUTE] },
    ],
    [
      { max: 4, delay: 1.4, factor: 1.5, jitter: 0.25, maxAge: 'P2D' },
      { max: 4, delays: [1], factor: 1.5, jitter: 0.25, maxAge: 2 * DAY },
    ],
    [
      { max: 4, delay: 'P366D', factor: null, jitter: undefined, maxAge: null },
      { max: 4, delays: [366 * DAY] },
    ],
    [
      { max: 9, delays: [SECOND, MINUTE] },
      { max: 9, delays: [SECOND, MINUTE] },
    ],
  ])('is parsed from %j', (written, understood) => {
    expect(parse(written)).toEqual(understood);
  });

  it.each<[string, unknown, string]>([
    [
      'a word',
      'often',
      "Expected R5/PT5M, a list of delays, { max, delay, … } or false for the retries of job 'reports.daily', found 'often'.",
    ],
    ['a number as a string', '3', 'Expected R5/PT5M, a list of delays'],
    ['a short duration after R', 'R5/5m', 'Expected R5/PT5M, a list of delays'],
    ['a leading space', ' R5/PT5M', 'Expected R5/PT5M, a list of delays'],
    ['true', true, 'Expected R5/PT5M, a list of delays'],
    ['null', null, 'Expected R5/PT5M, a list of delays'],
    ['undefined', undefined, 'Expected R5/PT5M, a list of delays'],
    ['a function', () => 5, 'Expected R5/PT5M, a list of delays'],
    ['a duration without any part', 'R5/PT', "as delay of the retries of job 'reports.daily', found 'PT'."],
    ['an invalid duration', 'R5/P5X', "found 'P5X'"],
    ['too many attempts', 'R1001/PT1M', 'Expected a whole number from 0 to 1000 as max'],
    ['a fractional number of attempts', 1.5, 'Expected a whole number from 0 to 1000 as max'],
    ['a negative number', -1, 'Expected a whole number from 0 to 1000 as max'],
    ['NaN', Number.NaN, 'Expected a whole number from 0 to 1000 as max'],
    ['no max', { delay: '5m' }, 'as max for the retries of job'],
    ['an empty list of delays', [], 'Expected 1 to 100 delays'],
    ['more than a hundred delays', Array(101).fill(1), 'Expected 1 to 100 delays'],
    [
      'a list with an invalid delay',
      ['5m', 'soon'],
      "Expected a duration of at most 366 days (PT5M, 5m or milliseconds) as a delay of the retries of job 'reports.daily', found 'soon'.",
    ],
    ['a negative delay', [-1], 'as a delay of the retries'],
    ['a negative duration', ['P-1D'], "found 'P-1D'"],
    [
      'a delay of more than a year',
      { max: 1, delay: '367d' },
      "as delay of the retries of job 'reports.daily', found '367d'.",
    ],
    ['an infinite delay', { max: 1, delay: Number.POSITIVE_INFINITY }, 'found Infinity'],
    ['a factor below 1', { max: 1, factor: 0.5 }, 'Expected a number from 1 to 100 as factor'],
    ['a factor as a string', { max: 1, factor: '2' }, 'Expected a number from 1 to 100 as factor'],
    ['a jitter above 1', { max: 1, jitter: 1.01 }, 'Expected a number from 0 to 1 as jitter'],
    ['an invalid maxAge', { max: 1, maxAge: 'a day' }, "as maxAge of the retries of job 'reports.daily'"],
    [
      'a misspelt field',
      { max: 1, dealy: '5m' },
      "Expected only max, delay, factor, jitter, maxAge and calendar for the retries of job 'reports.daily', found 'dealy'.",
    ],
  ])('refuses %s', (_, written, problem) => {
    expect(messageOf(written)).toMatch(/^INVALID_ARGUMENT: /);
    expect(messageOf(written)).toContain(problem);
  });

  it('is immutable', () => {
    for (const policy of [parse('R5/PT5M'), parse([1, 2]), parse({ max: 2, factor: 2 }), NO_RETRY]) {
      expect([Object.isFrozen(policy), Object.isFrozen(policy.delays)]).toEqual([true, true]);
    }
    const given = [SECOND];
    const policy = parse({ max: 2, delays: given });
    given.push(MINUTE);
    expect(policy.delays).toEqual([SECOND]);
  });

  const duration = fc.integer({ min: 0, max: 366 * DAY });
  const from = fc.record({ attempt: fc.integer({ min: 1, max: 5_000 }), time: fc.integer({ min: 0, max: 8e15 }) });
  const understood = fc
    .record(
      {
        max: fc.integer({ min: 0, max: 1_000 }),
        delays: fc.array(duration, { minLength: 1, maxLength: 100 }),
        factor: fc.double({ min: 1, max: 100, noNaN: true }),
        jitter: fc.double({ min: 0, max: 1, noNaN: true }),
        maxAge: duration,
        from,
      },
      { requiredKeys: ['max', 'delays'] },
    )
    .map(parse);

  it('is parsed to the same policy again, also after serialization to JSON', () => {
    fc.assert(
      fc.property(understood, (policy) => {
        expect(parse(policy)).toEqual(policy);
        expect(parse(JSON.parse(JSON.stringify(policy)))).toEqual(policy);
      }),
      settings,
    );
  });

  it('is either accepted or refused with INVALID_ARGUMENT, for any input', () => {
    const part = fc.oneof(fc.anything(), fc.constantFrom('5m', 'PT5M', 3));
    const parts = fc.record({ max: part, delay: part, factor: part, jitter: part, maxAge: part }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(part), parts), (written) => {
        expect(messageOf(written)).toMatch(/^(INVALID_ARGUMENT: Expected |accepted$)/);
      }),
      settings,
    );
  });
});

describe('the delay before the next attempt', () => {
  it.each<[string, unknown, readonly number[]]>([
    ['repeats a single delay', 'R5/PT5M', [5 * MINUTE, 5 * MINUTE, 5 * MINUTE, 5 * MINUTE]],
    ['repeats the last delay of a list', { max: 9, delays: [1, 20, 300] }, [1, 20, 300, 300]],
    ['grows by the factor', { max: 9, delay: 10, factor: 3 }, [10, 30, 90, 270]],
    ['grows by the factor after the end of a list', { max: 9, delays: [500, 10], factor: 2 }, [500, 10, 20, 40]],
    [
      'does not grow beyond 366 days',
      { max: 9, delay: '200d', factor: 2 },
      [200 * DAY, 366 * DAY, 366 * DAY, 366 * DAY],
    ],
    ['is rounded to whole milliseconds', { max: 9, delay: 1, factor: 1.5 }, [1, 2, 2, 3]],
    ['is 0 for every attempt if the first delay is 0', { max: 9, delay: 0, factor: 100, jitter: 1 }, [0, 0, 0, 0]],
  ])('%s', (_, written, expected) => {
    expect(pauses(parse(written), 4)).toEqual(expected);
  });

  it('is at most 366 days, even after a thousand attempts with a factor of 100', () => {
    expect(retryDelay(parse({ max: 1_000, delay: 1, factor: 100 }), 1_000, lowest)).toBe(366 * DAY);
  });

  it('varies in both directions by the jitter', () => {
    const policy = parse({ max: 3, delay: 1_000, factor: 2, jitter: 0.1 });
    expect(pauses(policy, 3, lowest)).toEqual([900, 1_800, 3_600]);
    expect(pauses(policy, 3, highest)).toEqual([1_100, 2_200, 4_400]);
  });

  it('is on average the configured delay, whatever its jitter', () => {
    const policy = parse({ max: 1, delay: 1_000_000, jitter: 1 });
    const delays = Array.from({ length: 4_000 }, () => retryDelay(policy, 1, systemRandom));
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    // The standard deviation is 577,000 / √4,000 = 9,100; the bound is eight times that.
    expect(Math.abs(mean - 1_000_000)).toBeLessThan(73_000);
  });

  it('stays 0 with any factor', () => {
    expect(retryDelay(parse({ max: 1_000, delay: 0, factor: 100 }), 1_000, lowest)).toBe(0);
  });

  it('stays within the jitter and is a whole number of milliseconds', () => {
    const policies = fc.record({
      max: fc.constant(1_000),
      delays: fc.array(fc.integer({ min: 0, max: 366 * DAY }), { minLength: 1, maxLength: 5 }),
      factor: fc.constantFrom(1, 1.5, 2, 10),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 1_000 }), (written, attempt) => {
        const { jitter = 0, ...plain } = parse(written);
        const middle = retryDelay(plain, attempt, lowest);
        const delay = retryDelay({ ...plain, jitter }, attempt, systemRandom);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(middle * (1 - jitter)));
        expect(delay).toBeLessThanOrEqual(Math.ceil(middle * (1 + jitter)));
        expect(Number.isInteger(delay)).toBe(true);
      }),
      settings,
    );
  });
});
