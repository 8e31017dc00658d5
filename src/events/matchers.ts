import type { Matcher } from '../api/scheduler';
import { invalidArgument } from '../domain/check-text';
import { GroupMatcher, type JobKey, matchesGroup, parseKey, sameKey, type TriggerKey } from '../domain/keys';

type AnyKey = JobKey | TriggerKey;

/** Matcher with a description. Equal descriptions identify equal matchers, so that a matcher can be removed. */
interface DescribedMatcher extends Matcher<AnyKey> {
  /** Null if the matcher, or a matcher inside it, was not created by a function of this file. */
  readonly description: string | null;
}

/** Creates a matcher that selects every key. */
export function everything(): Matcher<AnyKey> {
  return describe('everything', () => true);
}

/** Creates a matcher that selects every job, including jobs that are added later. */
export const allJobs = everything;

/** Creates a matcher that selects every trigger, including triggers that are added later. */
export const allTriggers = everything;

/** Creates a matcher that selects exactly this key, also given as `group/name`. Throws INVALID_ARGUMENT for an invalid key. */
export function keyEquals(given: AnyKey | string): Matcher<AnyKey> {
  const key = typeof given === 'string' && given !== '' ? parseKey(given) : given;
  if (typeof key !== 'object' || typeof key?.name !== 'string' || typeof key.group !== 'string')
    throw invalidArgument("a key, as 'group/name' or { group, name }", given);
  return describe(`key ${JSON.stringify([key.group, key.name])}`, (other) => sameKey(key, other));
}

/** Creates a matcher that selects keys with this name, in any group. Throws INVALID_ARGUMENT for an invalid name. */
export function nameEquals(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupEquals(value));
}

/** Creates a matcher that selects keys whose name starts with `value`. Throws INVALID_ARGUMENT for an invalid `value`. */
export function nameStartsWith(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupStartsWith(value));
}

/** Creates a matcher that selects keys whose name ends with `value`. Throws INVALID_ARGUMENT for an invalid `value`. */
export function nameEndsWith(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupEndsWith(value));
}

/** Creates a matcher that selects keys whose name contains `value`. Throws INVALID_ARGUMENT for an invalid `value`. */
export function nameContains(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupContains(value));
}

/** Creates a matcher for keys in a group or in a `GroupMatcher`'s groups (as for `pauseTriggers`). Throws INVALID_ARGUMENT for invalid groups. */
export function inGroups(groups: string | GroupMatcher): Matcher<AnyKey> {
  const matcher: Partial<GroupMatcher> | null = typeof groups === 'string' ? GroupMatcher.groupEquals(groups) : groups;
  if (typeof matcher?.operator !== 'string') throw invalidArgument('a group or a GroupMatcher', groups);
  return textMatcher('group', matcher as GroupMatcher);
}

/** Creates a matcher that selects keys that all given matchers select. Throws INVALID_ARGUMENT. */
export function and(...matchers: readonly Matcher<AnyKey>[]): Matcher<AnyKey> {
  return describe(describeAll('and', matchers), (key) => matchers.every((matcher) => matcher.isMatch(key)));
}

/** Creates a matcher that selects keys that at least one given matcher selects. Throws INVALID_ARGUMENT. */
export function or(...matchers: readonly Matcher<AnyKey>[]): Matcher<AnyKey> {
  return describe(describeAll('or', matchers), (key) => matchers.some((matcher) => matcher.isMatch(key)));
}

/** Creates a matcher that selects keys that the given matcher does not select. Throws INVALID_ARGUMENT. */
export function not(matcher: Matcher<AnyKey>): Matcher<AnyKey> {
  return describe(describeAll('not', [matcher]), (key) => !matcher.isMatch(key));
}

/** Returns true if both matchers are the same object, or if functions of this file created them with equal arguments. */
export function sameMatcher(a: Matcher<AnyKey>, b: Matcher<AnyKey>): boolean {
  if (a === b) return true;
  const description = descriptionOf(a);
  return description !== null && description === descriptionOf(b);
}

function textMatcher(part: 'name' | 'group', matcher: GroupMatcher): Matcher<AnyKey> {
  const { operator, value } = matcher;
  if (typeof value !== 'string') {
    throw invalidArgument(`a string to compare a ${part} with`, value);
  }
  return describe(`${part} ${operator} ${JSON.stringify(value)}`, (key) => matchesGroup(matcher, key[part]));
}

function describe(description: string | null, isMatch: (key: AnyKey) => boolean): DescribedMatcher {
  return Object.freeze({ description, isMatch });
}

function describeAll(operator: string, matchers: readonly Matcher<AnyKey>[]): string | null {
  const wrong = matchers.findIndex((matcher) => typeof matcher?.isMatch !== 'function');
  if (wrong >= 0) throw invalidArgument(`matchers in ${operator}(…)`, matchers[wrong]);
  const descriptions = matchers.map(descriptionOf);
  return descriptions.includes(null) ? null : `${operator}(${descriptions.join(', ')})`;
}

function descriptionOf(matcher: Matcher<AnyKey>): string | null {
  return (matcher as Partial<DescribedMatcher>).description ?? null;
}
