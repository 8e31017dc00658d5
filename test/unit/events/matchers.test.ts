import type { Matcher } from '../../../src/api/scheduler';
import { GroupMatcher, jobKey } from '../../../src/domain/keys';
import * as matchers from '../../../src/events/matchers';

const { allJobs, allTriggers, and, inGroups, everything, keyEquals, not, or, sameMatcher } = matchers;

const KEYS = [
  jobKey('report', 'night'),
  jobKey('report-2', 'night-2'),
  jobKey('big-report', 'mid-night'),
  jobKey('x', 'y'),
];

/** Names of the keys that a matcher matches. */
const matched = (matcher: Matcher<(typeof KEYS)[number]>) =>
  KEYS.filter((key) => matcher.isMatch(key)).map(({ name }) => name);

describe('matchers', () => {
  it.each([
    ['everything', everything(), ['report', 'report-2', 'big-report', 'x']],
    ['allJobs', allJobs(), ['report', 'report-2', 'big-report', 'x']],
    ['allTriggers', allTriggers(), ['report', 'report-2', 'big-report', 'x']],
    ['inGroups, any', inGroups(GroupMatcher.anyGroup()), ['report', 'report-2', 'big-report', 'x']],
    ['keyEquals', keyEquals(jobKey('report', 'night')), ['report']],
    ['keyEquals of group/name', keyEquals('night/report'), ['report']],
    ['keyEquals of a name in DEFAULT', keyEquals('report'), []],
    ['keyEquals of the same name in another group', keyEquals(jobKey('report', 'day')), []],
    ['nameEquals', matchers.nameEquals('report'), ['report']],
    ['nameStartsWith', matchers.nameStartsWith('report'), ['report', 'report-2']],
    ['nameEndsWith', matchers.nameEndsWith('report'), ['report', 'big-report']],
    ['nameContains', matchers.nameContains('report'), ['report', 'report-2', 'big-report']],
    ['inGroups', inGroups('night'), ['report']],
    ['inGroups, groupStartsWith', inGroups(GroupMatcher.groupStartsWith('night')), ['report', 'report-2']],
    ['inGroups, groupEndsWith', inGroups(GroupMatcher.groupEndsWith('night')), ['report', 'big-report']],
    ['inGroups, groupContains', inGroups(GroupMatcher.groupContains('night')), ['report', 'report-2', 'big-report']],
    ['and', and(matchers.nameContains('report'), inGroups('night')), ['report']],
    ['or', or(matchers.nameEquals('x'), inGroups('night')), ['report', 'x']],
    ['not', not(inGroups(GroupMatcher.groupContains('night'))), ['x']],
    ['and without matchers', and(), ['report', 'report-2', 'big-report', 'x']],
    ['or without matchers', or(), []],
  ])('select the right keys: %s', (_, matcher, expected) => {
    expect(matched(matcher)).toEqual(expected);
  });

  it('are equal if they have the same kind and values', () => {
    expect(sameMatcher(inGroups('a'), inGroups('a'))).toBe(true);
    expect(sameMatcher(inGroups('a'), matchers.nameEquals('a'))).toBe(false);
    expect(sameMatcher(keyEquals(jobKey('a", "b', 'c')), keyEquals(jobKey('b', 'c", "a')))).toBe(false);
    expect(sameMatcher(not(and(everything(), inGroups('a'))), not(and(everything(), inGroups('a'))))).toBe(true);
    expect(sameMatcher(and(everything()), or(everything()))).toBe(false);
  });

  it('written by the user are equal only if they are the same object', () => {
    const own: Matcher<(typeof KEYS)[number]> = { isMatch: () => true };
    expect(sameMatcher(own, own)).toBe(true);
    expect(sameMatcher(own, { isMatch: () => true })).toBe(false);
    expect(sameMatcher(not(own), not(own))).toBe(false);
  });

  it.each([
    ['no key', () => keyEquals(undefined as never)],
    ['a key without a group', () => keyEquals({ name: 'n' } as never)],
    ['undefined in and', () => and(everything(), undefined as never)],
    ['a name in or', () => or('name' as never)],
    ['an empty object in not', () => not({} as never)],
  ])('refuse %s when they are created', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  it('refuse to compare with anything but a string', () => {
    expect(() => inGroups(undefined as unknown as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});
