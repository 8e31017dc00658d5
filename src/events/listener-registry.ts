import { checkObject } from '../api/builders/check-arguments';
import type { JobListener, ListenerManager, Matcher, SchedulerListener, TriggerListener } from '../api/scheduler';
import { invalidArgument } from '../domain/check-text';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { EventBus } from './event-bus';
import { notifySchedulerListener, SCHEDULER_LISTENER_EVENTS } from './listeners';
import { everything, sameMatcher } from './matchers';

export interface ListenerRegistry extends ListenerManager {
  readonly jobListeners: MatchedListeners<JobListener, JobKey>;
  readonly triggerListeners: MatchedListeners<TriggerListener, TriggerKey>;
}

/** Creates a registry. Scheduler listeners are subscribed to the bus. `ListenerDispatch` calls job and trigger listeners. */
export function createListenerRegistry(bus: EventBus): ListenerRegistry {
  const jobs = new MatchedListeners<JobListener, JobKey>('job');
  const triggers = new MatchedListeners<TriggerListener, TriggerKey>('trigger');
  /** Functions that end the subscriptions, by scheduler listener. */
  const schedulerListeners = new Map<SchedulerListener, () => void>();
  return {
    jobListeners: jobs,
    addJobListener: (listener, ...matchers) => jobs.add(listener, matchers),
    addJobListenerMatcher: (name, matcher) => jobs.addMatcher(name, matcher),
    removeJobListenerMatcher: (name, matcher) => jobs.removeMatcher(name, matcher),
    setJobListenerMatchers: (name, matchers) => jobs.setMatchers(name, matchers),
    getJobListenerMatchers: (name) => jobs.matchersOf(name),
    removeJobListener: (name) => jobs.remove(name),
    getJobListeners: () => jobs.all(),
    getJobListener: (name) => jobs.get(name),

    triggerListeners: triggers,
    addTriggerListener: (listener, ...matchers) => triggers.add(listener, matchers),
    addTriggerListenerMatcher: (name, matcher) => triggers.addMatcher(name, matcher),
    removeTriggerListenerMatcher: (name, matcher) => triggers.removeMatcher(name, matcher),
    setTriggerListenerMatchers: (name, matchers) => triggers.setMatchers(name, matchers),
    getTriggerListenerMatchers: (name) => triggers.matchersOf(name),
    removeTriggerListener: (name) => triggers.remove(name),
    getTriggerListeners: () => triggers.all(),
    getTriggerListener: (name) => triggers.get(name),

    addSchedulerListener(listener) {
      checkObject(listener, 'an object as scheduler listener');
      if (schedulerListeners.has(listener)) return;
      const unsubscribe = bus.subscribe((event) => notifySchedulerListener(listener, event), SCHEDULER_LISTENER_EVENTS);
      schedulerListeners.set(listener, unsubscribe);
    },
    removeSchedulerListener(listener) {
      schedulerListeners.get(listener)?.();
      return schedulerListeners.delete(listener);
    },
    getSchedulerListeners: () => [...schedulerListeners.keys()],
  };
}

interface Entry<Listener, Key extends JobKey | TriggerKey> {
  readonly listener: Listener;
  /** Matchers of the listener. The listener is called if at least one of them matches. */
  readonly matchers: readonly Matcher<Key>[];
}

/** Named listeners of one kind, with their matchers. In the order in which the listeners were added. */
export class MatchedListeners<Listener extends { readonly name: string }, Key extends JobKey | TriggerKey> {
  readonly kind: 'job' | 'trigger';
  readonly #entries = new Map<string, Entry<Listener, Key>>();

  constructor(kind: 'job' | 'trigger') {
    this.kind = kind;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Adds a listener, or replaces one of that name, as in Quartz. Without matchers, it matches every key. Throws INVALID_ARGUMENT without a name. */
  add(listener: Listener, matchers: readonly Matcher<Key>[]): void {
    const name: unknown = listener?.name;
    if (typeof name !== 'string' || name === '') throw invalidArgument(`a ${this.kind} listener with a name`, name);
    const checked = matchers.length === 0 ? [everything()] : matchers.map(checkMatcher);
    this.#entries.set(name, { listener, matchers: checked });
  }

  /** Adds a matcher to a listener. Returns false if there is no listener called `name`. */
  addMatcher(name: string, matcher: Matcher<Key>): boolean {
    const entry = this.#entries.get(name);
    return entry !== undefined && this.setMatchers(name, [...entry.matchers, matcher]);
  }

  /** Removes an equal matcher. Returns false if there is no such listener or matcher. A listener without any matcher is not called. */
  removeMatcher(name: string, matcher: Matcher<Key>): boolean {
    const matchers = this.#entries.get(name)?.matchers ?? [];
    const index = matchers.findIndex((other) => sameMatcher(other, matcher));
    return index >= 0 && this.setMatchers(name, matchers.toSpliced(index, 1));
  }

  setMatchers(name: string, matchers: readonly Matcher<Key>[]): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.#entries.set(name, { listener: entry.listener, matchers: matchers.map(checkMatcher) });
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

  /** Returns the listeners whose matchers match `key`. A matcher that throws does not match, and its error is passed to `onError`. */
  matching(key: Key, onError: (listener: Listener, error: unknown) => void): readonly Listener[] {
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
}

function checkMatcher<Key extends JobKey | TriggerKey>(matcher: Matcher<Key>): Matcher<Key> {
  if (typeof matcher?.isMatch === 'function') return matcher;
  throw invalidArgument('a matcher such as keyEquals(key) or inGroups(group)', matcher);
}
