import type { JobListener, ListenerManager, Matcher, SchedulerListener, TriggerListener } from '../api/scheduler';
import { SchedulerError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { EventBus } from './event-bus';
import { MatchedListeners } from './matched-listeners';
import { SCHEDULER_LISTENER_EVENTS, tellSchedulerListener } from './tell-scheduler-listener';

/** The listeners of one scheduler. Scheduler listeners hear of events through the bus; the others are called around jobs. */
export class ListenerRegistry implements ListenerManager {
  readonly jobListeners = new MatchedListeners<JobListener, JobKey>('job');
  readonly triggerListeners = new MatchedListeners<TriggerListener, TriggerKey>('trigger');
  readonly #bus: EventBus;
  /** With the function that ends its subscription. */
  readonly #schedulerListeners = new Map<SchedulerListener, () => void>();

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  addJobListener(listener: JobListener, ...matchers: readonly Matcher<JobKey>[]): void {
    this.jobListeners.add(listener, matchers);
  }

  addJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean {
    return this.jobListeners.addMatcher(name, matcher);
  }

  removeJobListenerMatcher(name: string, matcher: Matcher<JobKey>): boolean {
    return this.jobListeners.removeMatcher(name, matcher);
  }

  setJobListenerMatchers(name: string, matchers: readonly Matcher<JobKey>[]): boolean {
    return this.jobListeners.setMatchers(name, matchers);
  }

  getJobListenerMatchers(name: string): readonly Matcher<JobKey>[] | null {
    return this.jobListeners.matchersOf(name);
  }

  removeJobListener(name: string): boolean {
    return this.jobListeners.remove(name);
  }

  getJobListeners(): readonly JobListener[] {
    return this.jobListeners.all();
  }

  getJobListener(name: string): JobListener | null {
    return this.jobListeners.get(name);
  }

  addTriggerListener(listener: TriggerListener, ...matchers: readonly Matcher<TriggerKey>[]): void {
    this.triggerListeners.add(listener, matchers);
  }

  addTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean {
    return this.triggerListeners.addMatcher(name, matcher);
  }

  removeTriggerListenerMatcher(name: string, matcher: Matcher<TriggerKey>): boolean {
    return this.triggerListeners.removeMatcher(name, matcher);
  }

  setTriggerListenerMatchers(name: string, matchers: readonly Matcher<TriggerKey>[]): boolean {
    return this.triggerListeners.setMatchers(name, matchers);
  }

  getTriggerListenerMatchers(name: string): readonly Matcher<TriggerKey>[] | null {
    return this.triggerListeners.matchersOf(name);
  }

  removeTriggerListener(name: string): boolean {
    return this.triggerListeners.remove(name);
  }

  getTriggerListeners(): readonly TriggerListener[] {
    return this.triggerListeners.all();
  }

  getTriggerListener(name: string): TriggerListener | null {
    return this.triggerListeners.get(name);
  }

  addSchedulerListener(listener: SchedulerListener): void {
    if (typeof listener !== 'object' || listener === null) {
      throw new SchedulerError(
        'INVALID_ARGUMENT',
        `Expected an object as scheduler listener, found ${describeValue(listener)}.`,
      );
    }
    if (this.#schedulerListeners.has(listener)) return;
    const unsubscribe = this.#bus.subscribe(
      (event) => tellSchedulerListener(listener, event),
      SCHEDULER_LISTENER_EVENTS,
    );
    this.#schedulerListeners.set(listener, unsubscribe);
  }

  removeSchedulerListener(listener: SchedulerListener): boolean {
    const unsubscribe = this.#schedulerListeners.get(listener);
    unsubscribe?.();
    return this.#schedulerListeners.delete(listener);
  }

  getSchedulerListeners(): readonly SchedulerListener[] {
    return [...this.#schedulerListeners.keys()];
  }
}
