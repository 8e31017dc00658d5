import fc from 'fast-check';
import { checkRate, momentOf, type RateRule, spacingOf, takeSlot } from '../../../src/domain/rate-limit';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.UTC(2026, 0, 1);

const rate = (given: object) => checkRate(given, 'a job');

describe('a rate', () => {
  it('is of the job alone, and without bursts, unless it says more', () => {
    expect(rate({ limit: 100, per: 'PT1M' })).toEqual({
      key: 'job {job.group}/{job.name}',
      limit: 100,
      per: MINUTE,
      burst: 1,
    });
    const whole = { key: 'api-{data.host}', limit: 5, per: SECOND, burst: 5 };
    expect(rate(whole)).toEqual(whole);
    expect(rate(rate(whole))).toEqual(whole);
  });

  it.each([
    [{ limit: 0, per: '1m' }, /whole number from 1 to 10000/],
    [{ limit: 10_001, per: '1m' }, /whole number from 1 to 10000/],
    [{ limit: 1.5, per: '1m' }, /whole number/],
    [{ limit: 1, per: '999' }, /duration/],
    [{ limit: 1, per: 999 }, /at least 1 second/],
    [{ limit: 1, per: 'P367D' }, /at most 366 days/],
    [{ limit: 2, per: '1m', burst: 3 }, /from 1 to 2 as the burst/],
    [{ limit: 2, per: '1m', key: 'a {b}' }, /\{data\.…\}/],
    [{ limit: 2, per: '1m', key: '' }, /the key of the rate of a job/],
    [{ limit: 2, per: '1m', every: 3 }, /\{ key, limit, per, burst \}/],
    [{ limit: 2 }, /\{ key, limit, per, burst \}/],
    [5 as unknown as object, /\{ key, limit, per, burst \}/],
  ])('refuses %p', (given, message) => {
    expect(() => rate(given)).toThrow(message);
  });
});

describe('the slots of a rate', () => {
  const rule: RateRule = { limit: 6, per: MINUTE, burst: 1 };

  /** One after the other, at these moments. */
  function slots(of: RateRule, arrivals: readonly number[]): readonly number[] {
    let next: number | null = null;
    return arrivals.map((now) => {
      const slot = takeSlot(of, next, now);
      next = slot.next;
      return slot.at;
    });
  }

  it('are now where the key was not used, and then evenly spread', () => {
    const apart = spacingOf(rule) / 1_000;
    expect(apart).toBeGreaterThan(MINUTE / 6);
    expect(slots(rule, [START, START, START])).toEqual([START, START + apart, START + 2 * apart].map(Math.ceil));
  });

  it('let so many begin at once, and as many as the limit says in all', () => {
    const of = { ...rule, burst: 4 };
    const found = slots(of, Array(7).fill(START)).map((at) => at - START);
    expect(found.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(found.filter((at) => at < MINUTE)).toHaveLength(6);
  });

  it('come several in a millisecond where the rate is that high', () => {
    const found = slots({ limit: 10_000, per: SECOND, burst: 1 }, Array(10_000).fill(START));
    const last = (found.at(-1) as number) - START;
    expect(last).toBeGreaterThan(1_050);
    expect(last).toBeLessThanOrEqual(1_100);
  });

  const rules = fc
    .record({
      limit: fc.integer({ min: 1, max: 40 }),
      per: fc.integer({ min: 1_000, max: 10 * MINUTE }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ limit, per, share }): RateRule => ({ limit, per, burst: 1 + Math.floor(share * (limit - 1)) }));
  /** Pauses before arrivals, as shares of the span; crowds, trickles and breaks in between. */
  const pauses = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.2, noNaN: true }), fc.constant(3)), {
    minLength: 2,
    maxLength: 200,
  });

  /** The most of these that lie in any half-open time of that length. */
  function most(times: readonly number[], length: number): number {
    const sorted = [...times].sort((a, b) => a - b);
    let first = 0;
    let found = 0;
    for (const [index, time] of sorted.entries()) {
      while (time - (sorted[first] as number) >= length) first++;
      found = Math.max(found, index - first + 1);
    }
    return found;
  }

  it('are never more than the limit in any time of the span, however firings arrive and however late in its slot each begins', () => {
    fc.assert(
      fc.property(
        rules,
        pauses,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (of, gaps, lateness) => {
          let now = START;
          const arrivals = gaps.map((gap) => (now += Math.floor(gap * of.per)));
          const found = slots(of, arrivals);
          for (const [index, at] of found.entries()) expect(at).toBeGreaterThanOrEqual(arrivals[index] as number);
          const begun = found.map((at) => at + Math.floor((lateness.next().value as number) * momentOf(of)));
          expect(most(found, of.per + momentOf(of))).toBeLessThanOrEqual(of.limit);
          expect(most(begun, of.per)).toBeLessThanOrEqual(of.limit);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are as many as the limit, less what the moment takes, where more than enough arrives', () => {
    fc.assert(
      fc.property(rules, (of) => {
        const found = slots(of, Array(of.limit * 3).fill(START));
        expect(found.filter((at) => at < START + of.per + momentOf(of))).toHaveLength(of.limit);
      }),
    );
  });

  it('are those of nobody who arrives later, although several share a key with rates of their own', () => {
    const slow = { ...rule, limit: 1 };
    const first = takeSlot(slow, null, START);
    expect(takeSlot(rule, first.next, START).at).toBe(START + MINUTE + momentOf(rule));
  });
});
