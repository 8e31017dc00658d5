import type { Matcher } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import type { JobKey, TriggerKey } from '../domain/keys';
import { everything, sameMatcher } from './matchers';

interface Entry<Listener, Key extends JobKey | TriggerKey> {
  readonly listener: Listener;
  /** Heard when any of them matches. */
  readonly matchers: readonly Matcher<Key>[];
}

/** Named listeners of one kind with their matchers, in the order in which they were added. */
export class MatchedListeners<Listener extends { readonly name: string }, Key extends JobKey | TriggerKey> {
  readonly #kind: string;
  readonly #entries = new Map<string, Entry<Listener, Key>>();

  constructor(kind: 'job' | 'trigger') {
    this.#kind = kind;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** One of that name is replaced, as in Quartz. Without matchers it hears of everything. */
  add(listener: Listener, matchers: readonly Matcher<Key>[]): void {
    const name: unknown = listener?.name;
    if (typeof name !== 'string' || name === '') {
      throw new SchedulerError(
        'INVALID_ARGUMENT',
        `Expected a ${this.#kind} listener with a name, found ${describeValue(name)}.`,
      );
    }
    this.#entries.set(name, { listener, matchers: matchers.length === 0 ? [everything()] : this.#checked(matchers) });
  }

  /** False when there is no listener of that name, as with all that follow. */
  addMatcher(name: string, matcher: Matcher<Key>): boolean {
    const entry = this.#entries.get(name);
    return entry !== undefined && this.setMatchers(name, [...entry.matchers, matcher]);
  }

  /** Also false when it has no such matcher. A listener whose last matcher is gone hears of nothing. */
  removeMatcher(name: string, matcher: Matcher<Key>): boolean {
    const matchers = this.#entries.get(name)?.matchers ?? [];
    const index = matchers.findIndex((other) => sameMatcher(other, matcher));
    return index >= 0 && this.setMatchers(name, matchers.toSpliced(index, 1));
  }

  setMatchers(name: string, matchers: readonly Matcher<Key>[]): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.set(name, { listener: entry.listener, matchers: this.#checked(matchers) });
    return true;
  }

  matchersOf(name: string): readonly Matcher<Key>[] | null {
    return this.#entries.get(name)?.matchers ?? null;
  }

  remove(name: string): boolean {
    return this.#entries.delete(name);
  }

  get(name: string): Listener | null {
    return this.#entries.get(name)?.listener ?? null;
  }

  all(): readonly Listener[] {
    return [...this.#entries.values()].map(({ listener }) => listener);
  }

  /** Those that hear of `key`. A matcher that throws matches nothing; `onError` hears why. */
  hearing(key: Key, onError: (listener: Listener, error: unknown) => void): readonly Listener[] {
    const found: Listener[] = [];
    for (const { listener, matchers } of this.#entries.values()) {
      try {
        if (matchers.some((matcher) => matcher.isMatch(key))) found.push(listener);
      } catch (error) {
        onError(listener, error);
      }
    }
    return found;
  }

  #checked(matchers: readonly Matcher<Key>[]): readonly Matcher<Key>[] {
    for (const matcher of matchers) {
      if (typeof matcher?.isMatch === 'function') continue;
      throw new SchedulerError(
        'INVALID_ARGUMENT',
        `Expected a matcher such as keyEquals(key) or groupEquals(group), found ${describeValue(matcher)}.`,
      );
    }
    return [...matchers];
  }
}
