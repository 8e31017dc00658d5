import { StoreClosedError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import type { SchedulerEvent } from '../domain/scheduler-event';

export type EventType = SchedulerEvent['type'];

/** Called synchronously with each published event. An error that the subscriber throws is reported as a `schedulerError`. */
export type EventSubscriber = (event: SchedulerEvent) => void;

interface Subscription {
  readonly subscriber: EventSubscriber;
  /** Subscribed types, or null for all types. */
  readonly types: ReadonlySet<EventType> | null;
}

/** Delivers each event to the subscribers of its type. Publish events after a commit, never inside a transaction. */
export class EventBus {
  #subscriptions: readonly Subscription[] = [];
  /** Subscribers by event type. Computed on first use, and cleared when subscriptions change. */
  readonly #subscribers = new Map<EventType, readonly EventSubscriber[]>();

  /** Subscribes to the given types, or to all events. Returns a function that ends the subscription. */
  subscribe(subscriber: EventSubscriber, types?: readonly EventType[]): () => void {
    const subscription: Subscription = { subscriber, types: types === undefined ? null : new Set(types) };
    this.#change([...this.#subscriptions, subscription]);
    return () => this.#change(this.#subscriptions.filter((other) => other !== subscription));
  }

  /** Returns true if the type has subscribers. Call this before creating an event on the hot path. */
  has(type: EventType): boolean {
    return this.#subscriptions.length > 0 && this.#subscribersOf(type).length > 0;
  }

  /** Calls the subscribers in order of subscription. Never throws. Drops a StoreClosedError: the closing code reports unfinished work. */
  publish(event: SchedulerEvent): void {
    if (event.type === 'schedulerError' && event.error instanceof StoreClosedError) return;
    for (const subscriber of this.#subscribersOf(event.type)) this.#deliver(subscriber, event);
  }

  #change(subscriptions: readonly Subscription[]): void {
    this.#subscriptions = subscriptions;
    this.#subscribers.clear();
  }

  #subscribersOf(type: EventType): readonly EventSubscriber[] {
    const known = this.#subscribers.get(type);
    if (known !== undefined) return known;
    const subscribers = this.#subscriptions
      .filter(({ types }) => types === null || types.has(type))
      .map(({ subscriber }) => subscriber);
    this.#subscribers.set(type, subscribers);
    return subscribers;
  }

  #deliver(subscriber: EventSubscriber, event: SchedulerEvent): void {
    try {
      // TypeScript accepts an async function as a subscriber. An unhandled rejection would end the process.
      const answer: unknown = subscriber(event);
      if (isThenable(answer)) answer.then(undefined, (error) => this.#reportFailure(event, error));
    } catch (error) {
      this.#reportFailure(event, error);
    }
  }

  #reportFailure(event: SchedulerEvent, thrown: unknown): void {
    const error = toError(thrown);
    if (event.type === 'schedulerError') {
      // Publishing this error would call the failing subscriber again, in an endless loop. Therefore the error is emitted as a process warning.
      process.emitWarning(error);
      return;
    }
    this.publish({ type: 'schedulerError', at: event.at, during: `notifying a subscriber of ${event.type}`, error });
  }
}
