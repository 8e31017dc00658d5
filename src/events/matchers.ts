import type { Matcher } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import { GroupMatcher, type JobKey, matchesGroup, sameKey, type TriggerKey } from '../domain/keys';

type AnyKey = JobKey | TriggerKey;

/** Knows how it was made, so that an equal matcher can stand for it when one is removed. */
interface DescribedMatcher extends Matcher<AnyKey> {
  /** Null when a part of it was made elsewhere. */
  readonly description: string | null;
}

/** Every key. */
export function everything(): Matcher<AnyKey> {
  return describe('everything', () => true);
}

/** Every job, also those to come. */
export const allJobs = everything;

/** Every trigger, also those to come. */
export const allTriggers = everything;

/** Exactly this key. */
export function keyEquals(key: AnyKey): Matcher<AnyKey> {
  if (typeof key?.name !== 'string' || typeof key.group !== 'string') throw invalid('a key {group, name}', key);
  return describe(`key ${JSON.stringify([key.group, key.name])}`, (other) => sameKey(key, other));
}

/** Keys of that name, in any group. */
export function nameEquals(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupEquals(value));
}

/** Keys whose name begins with `value`. */
export function nameStartsWith(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupStartsWith(value));
}

/** Keys whose name ends with `value`. */
export function nameEndsWith(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupEndsWith(value));
}

/** Keys whose name contains `value`. */
export function nameContains(value: string): Matcher<AnyKey> {
  return textMatcher('name', GroupMatcher.groupContains(value));
}

/** Keys of these groups: one by its name, or those that a `GroupMatcher` selects, as for `pauseTriggers`. */
export function inGroups(groups: string | GroupMatcher): Matcher<AnyKey> {
  const matcher: Partial<GroupMatcher> | null = typeof groups === 'string' ? GroupMatcher.groupEquals(groups) : groups;
  if (typeof matcher?.operator !== 'string') throw invalid('a group or a GroupMatcher', groups);
  return textMatcher('group', matcher as GroupMatcher);
}

/** Keys that all of the matchers match. */
export function and(...matchers: readonly Matcher<AnyKey>[]): Matcher<AnyKey> {
  return describe(describeAll('and', matchers), (key) => matchers.every((matcher) => matcher.isMatch(key)));
}

/** Keys that at least one of the matchers matches. */
export function or(...matchers: readonly Matcher<AnyKey>[]): Matcher<AnyKey> {
  return describe(describeAll('or', matchers), (key) => matchers.some((matcher) => matcher.isMatch(key)));
}

/** Keys that the matcher does not match. */
export function not(matcher: Matcher<AnyKey>): Matcher<AnyKey> {
  return describe(describeAll('not', [matcher]), (key) => !matcher.isMatch(key));
}

/** Whether two matchers are one and the same, or were made alike by the functions of this file. */
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
