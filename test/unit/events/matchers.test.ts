import type { Matcher } from '../../../src/api/scheduler';
import { jobKey } from '../../../src/domain/keys';
import * as matchers from '../../../src/events/matchers';

const { allJobs, allTriggers, and, anyGroup, everything, keyEquals, not, or, sameMatcher } = matchers;

const KEYS = [
  jobKey('report', 'night'),
  jobKey('report-2', 'night-2'),
  jobKey('big-report', 'mid-night'),
  jobKey('x', 'y'),
];

/** The names of the keys a matcher matches. */
const matched = (matcher: Matcher<(typeof KEYS)[number]>) =>
  KEYS.filter((key) => matcher.isMatch(key)).map(({ name }) => name);

describe('matchers', () => {
  it.each([
    ['everything', everything(), ['report', 'report-2', 'big-report', 'x']],
    ['allJobs', allJobs(), ['report', 'report-2', 'big-report', 'x']],
    ['allTriggers', allTriggers(), ['report', 'report-2', 'big-report', 'x']],
    ['anyGroup', anyGroup(), ['report', 'report-2', 'big-report', 'x']],
    ['keyEquals', keyEquals(jobKey('report', 'night')), ['report']],
    ['keyEquals of the same name in another group', keyEquals(jobKey('report', 'day')), []],
    ['nameEquals', matchers.nameEquals('report'), ['report']],
    ['nameStartsWith', matchers.nameStartsWith('report'), ['report', 'report-2']],
    ['nameEndsWith', matchers.nameEndsWith('report'), ['report', 'big-report']],
    ['nameContains', matchers.nameContains('report'), ['report', 'report-2', 'big-report']],
    ['groupEquals', matchers.groupEquals('night'), ['report']],
    ['groupStartsWith', matchers.groupStartsWith('night'), ['report', 'report-2']],
    ['groupEndsWith', matchers.groupEndsWith('night'), ['report', 'big-report']],
    ['groupContains', matchers.groupContains('night'), ['report', 'report-2', 'big-report']],
    ['and', and(matchers.nameContains('report'), matchers.groupEquals('night')), ['report']],
    ['or', or(matchers.nameEquals('x'), matchers.groupEquals('night')), ['report', 'x']],
    ['not', not(matchers.groupContains('night')), ['x']],
    ['and of nothing', and(), ['report', 'report-2', 'big-report', 'x']],
    ['or of nothing', or(), []],
  ])('%s matches what it says', (_, matcher, expected) => {
    expect(matched(matcher)).toEqual(expected);
  });

  it('are the same when they were made alike', () => {
    expect(sameMatcher(matchers.groupEquals('a'), matchers.groupEquals('a'))).toBe(true);
    expect(sameMatcher(matchers.groupEquals('a'), matchers.nameEquals('a'))).toBe(false);
    expect(sameMatcher(keyEquals(jobKey('a", "b', 'c')), keyEquals(jobKey('b', 'c", "a')))).toBe(false);
    expect(sameMatcher(not(and(everything(), anyGroup())), not(and(everything(), anyGroup())))).toBe(true);
    expect(sameMatcher(and(everything()), or(everything()))).toBe(false);
  });

  it('made elsewhere are the same only as one object', () => {
    const own: Matcher<(typeof KEYS)[number]> = { isMatch: () => true };
    expect(sameMatcher(own, own)).toBe(true);
    expect(sameMatcher(own, { isMatch: () => true })).toBe(false);
    expect(sameMatcher(not(own), not(own))).toBe(false);
  });

  it.each([
    ['no key', () => keyEquals(undefined as never)],
    ['a key without a group', () => keyEquals({ name: 'n' } as never)],
    ['nothing in and', () => and(everything(), undefined as never)],
    ['a name in or', () => or('name' as never)],
    ['an empty object in not', () => not({} as never)],
  ])('refuse %s when they are made, not when they are asked', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('refuse to compare with anything but a string', () => {
    expect(() => matchers.groupEquals(undefined as unknown as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});
