import type { Matcher } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import { GroupMatcher, type JobKey, matchesGroup, sameKey, type TriggerKey } from '../domain/keys';

type AnyKey = JobKey | TriggerKey;

/** A matcher with a description, by which an equal matcher can be found for removal. */
interface DescribedMatcher extends Matcher<AnyKey> {
  /** Null if a part of the matcher was not created by this file. */
  readonly description: string | null;
}

/** Matches every key. */
export function everything(): Matcher<AnyKey> {
  return describe('everything', () => true);
}

/** Matches every job, including future ones. */
export const allJobs = everything;

/** Matches every trigger, including future ones. */
export const allTriggers = everything;

/** Matches exactly this key. */
export function keyEquals(key: AnyKey): Matcher<AnyKey> {
  if (typeof key?.name !== 'string' || typeof key.group !== 'string') throw invalid('a key {group, name}', key);
  return describe(`key ${JSON.stringify([key.group, key.name])}`, (other) => sameKey(key, other));
}

/** Matches keys with this name in any group. */
export function nameEquals(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupEquals(value));
}

/** Matches keys whose name begins with `value`. */
export function nameStartsWith(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupStartsWith(value));
}

/** Matches keys whose name ends with `value`. */
export function nameEndsWith(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupEndsWith(value));
}

/** Matches keys whose name contains `value`. */
export function nameContains(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupContains(value));
}

/** Matches keys of a group, or of the groups that a `GroupMatcher` selects (as for `pauseTriggers`). */
export function inGroups(groups: string | GroupMatcher): Matcher<AnyKey> {
  const matcher: Partial<GroupMatcher> | null = typeof groups === 'string' ? GroupMatcher.groupEquals(groups) : groups;
  if (typeof matcher?.operator !== 'string') throw invalid('a group or a GroupMatcher', groups);
  return textMatcher('group', matcher as GroupMatcher);
}

/** Matches keys that all of the matchers match. */
export function and(...matchers: readonly Matcher<AnyKey>[]): Matcher<AnyKey> {
  return describe(describeAll('and', matchers), (key) => matchers.every((matcher) => matcher.isMatch(key)));
}

/** Matches keys that at least one of the matchers matches. */
export function or(...matchers: readonly Matcher<AnyKey>[]): Matcher<AnyKey> {
  return describe(describeAll('or', matchers), (key) => matchers.some((matcher) => matcher.isMatch(key)));
}

/** Matches keys that the matcher does not match. */
export function not(matcher: Matcher<AnyKey>): Matcher<AnyKey> {
  return describe(describeAll('not', [matcher]), (key) => !matcher.isMatch(key));
}

/** True if the matchers are the same object, or if functions of this file created both with equal arguments. */
export function sameMatcher(a: Matcher<AnyKey>, b: Matcher<AnyKey>): boolean {
  if (a === b) return true;
  const description = descriptionOf(a);
  return description !== null && description === descriptionOf(b);
}

function textMatcher(part: 'name' | 'group', matcher: GroupMatcher): Matcher<AnyKey> {
  const { operator, value } = matcher;
  if (typeof value !== 'string') {
    throw invalid(`a string to compare a ${part} with`, value);
  }
  return describe(`${part} ${operator} ${JSON.stringify(value)}`, (key) => matchesGroup(matcher, key[part]));
}

function describe(description: string | null, isMatch: (key: AnyKey) => boolean): DescribedMatcher {
  return Object.freeze({ description, isMatch });
}

function describeAll(operator: string, matchers: readonly Matcher<AnyKey>[]): string | null {
  const wrong = matchers.findIndex((matcher) => typeof matcher?.isMatch !== 'function');
  if (wrong >= 0) throw invalid(`matchers in ${operator}(…)`, matchers[wrong]);
  const descriptions = matchers.map(descriptionOf);
  return descriptions.includes(null) ? null : `${operator}(${descriptions.join(', ')})`;
}

function descriptionOf(matcher: Matcher<AnyKey>): string | null {
  return (matcher as Partial<DescribedMatcher>).description ?? null;
}

function invalid(expected: string, found: unknown): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', `Expected ${expected}, found ${describeValue(found)}.`);
}
