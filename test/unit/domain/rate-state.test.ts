import fc from 'fast-check';
import type { RateRule } from '../../../src/domain/rate-limit';
import {
  afterBegin,
  capacityAt,
  idleFrom,
  presentState,
  type RateState,
  readRateState,
  spacingOf,
  turnsOf,
  windowOf,
  writeRateState,
} from '../../../src/domain/rate-state';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.UTC(2026, 0, 1);

const RULE: RateRule = { limit: 6, per: MINUTE, burst: 1 };

/** State after firings that arrive at these times and start as soon as they may. */
function begin(rule: RateRule, arrivals: readonly number[]): { state: RateState; begun: number[] } {
  let state = presentState(null, rule, START);
  let now = START;
  const begun = arrivals.map((arrival) => {
    now = Math.max(now, arrival);
    state = presentState(state, rule, now);
    const at = turnsOf(state, rule, now, 1).turns[0] as number;
    state = afterBegin(state, rule, { at, turn: at });
    now = at;
    return at;
  });
  return { state, begun };
}

/** Maximum number of the times within any half-open interval of this length. */
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

const rules = fc
  .record({
    limit: fc.integer({ min: 1, max: 400 }),
    per: fc.integer({ min: 1_000, max: 10 * MINUTE }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ limit, per, share }): RateRule => ({ limit, per, burst: 1 + Math.floor(share * (limit - 1)) }));

describe('the turns of a rate limit', () => {
  it('start immediately for an unused key and are then evenly spaced', () => {
    const apart = spacingOf(RULE) / 1_000;
    expect(begin(RULE, [START, START, START]).begun).toEqual([START, START + apart, START + 2 * apart].map(Math.ceil));
  });

  it('allow a burst immediately, and at most the limit in a period', () => {
    const { begun } = begin({ ...RULE, burst: 4 }, Array(7).fill(START));
    expect(begun.slice(0, 4)).toEqual([START, START, START, START]);
    expect(most(begun, MINUTE)).toBe(6);
  });

  it('never exceed the limit in any period, and use at least 95 % of it under full load', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const { begun } = begin(rule, Array(rule.limit * 3).fill(START));
        expect(most(begun, rule.per)).toBeLessThanOrEqual(rule.limit);
        // Each firing starts up to a millisecond after the exact time.
        const took = (begun.at(-1) as number) - START;
        expect(took).toBeLessThanOrEqual(
          (3 * rule.per) / 0.95 + 3 + (rule.limit > rule.per / 100 ? rule.per / 100 : 0),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('are not delayed by a firing that starts late', () => {
    let state = presentState(null, RULE, START);
    state = afterBegin(state, RULE, { at: START + 9 * SECOND, turn: START });
    expect(turnsOf(state, RULE, START + 9 * SECOND, 1).turns).toEqual([START + Math.ceil(spacingOf(RULE) / 1_000)]);
  });

  it('leave no capacity until the first counted firing has left the window', () => {
    let state = presentState(null, RULE, START);
    for (let count = 0; count < 6; count++) state = afterBegin(state, RULE, { at: START, turn: START - MINUTE });
    expect(capacityAt(state, RULE, START)).toBe(0);
    expect(capacityAt(state, RULE, START + windowOf(RULE) - 1)).toBe(0);
    expect(capacityAt(state, RULE, START + windowOf(RULE))).toBe(6);
    expect(turnsOf(state, RULE, START, 1).turns).toEqual([START + windowOf(RULE)]);
  });

  it('follow a changed rate limit, and count the firings that have started', () => {
    const slow: RateRule = { limit: 1, per: 60 * MINUTE, burst: 1 };
    const { state } = begin(slow, [START]);
    expect(turnsOf(state, slow, START, 2).turns[0]).toBe(START + windowOf(slow));
    const raised = presentState(state, RULE, START);
    expect(turnsOf(raised, RULE, START, 1).turns).toEqual([START + Math.ceil(spacingOf(RULE) / 1_000)]);
    expect(capacityAt(raised, RULE, START)).toBe(5);
    const lowered = presentState(raised, slow, START + MINUTE);
    expect(capacityAt(lowered, slow, START + MINUTE)).toBe(0);
  });

  it('are available again one period after the clock was set back by hours', () => {
    const { state } = begin({ ...RULE, burst: 6 }, Array(6).fill(START));
    const back = START - 5 * 60 * MINUTE;
    const present = presentState(state, { ...RULE, burst: 6 }, back);
    expect(capacityAt(present, RULE, back)).toBe(0);
    expect(capacityAt(present, RULE, back + windowOf(RULE))).toBe(6);
  });
});

describe('the stored state of a rate limit', () => {
  it('is the same after writing and reading, and stays short after many firings', () => {
    const rule: RateRule = { limit: 10_000, per: MINUTE, burst: 10_000 };
    const { state } = begin(
      rule,
      Array.from({ length: 12_000 }, (_, at) => START + at * 7),
    );
    expect(readRateState(writeRateState(state))).toEqual(state);
    expect(writeRateState(state).length).toBeLessThan(4_000);
    expect(idleFrom(state)).toBeGreaterThan(START + 12_000 * 7);
  });

  it('is null if it cannot be read', () => {
    for (const text of ['', 'x', '{}', 'null', '[1]']) expect(readRateState(text)).toBeNull();
  });
});
