import { StoreClosedError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import type { SchedulerEvent } from '../domain/scheduler-event';

export type EventType = SchedulerEvent['type'];

/** Hears of events at the moment they are published. What it throws is reported as `schedulerError`. */
export type EventSubscriber = (event: SchedulerEvent) => void;

interface Subscription {
  readonly subscriber: EventSubscriber;
  /** Null: every type. */
  readonly types: ReadonlySet<EventType> | null;
}

/** Hands every event to those who asked for its type. Publish after commit, never inside a transaction. */
export class EventBus {
  #subscriptions: readonly Subscription[] = [];
  /** Who hears of a type; filled on first use, emptied when subscriptions change. */
  readonly #subscribers = new Map<EventType, readonly EventSubscriber[]>();

  /** Hears of `types`, or of everything. Returns the function that ends it. */
  subscribe(subscriber: EventSubscriber, types?: readonly EventType[]): () => void {
    const subscription: Subscription = { subscriber, types: types === undefined ? null : new Set(types) };
    this.#change([...this.#subscriptions, subscription]);
    return () => this.#change(this.#subscriptions.filter((other) => other !== subscription));
  }

  /** Whether anybody listens: ask before building an event on the hot path. */
  has(type: EventType): boolean {
    return this.#subscriptions.length > 0 && this.#subscribersOf(type).length > 0;
  }

  /**
   * Delivers in the order of subscription. Never throws. What fails because this process has closed its store is no news: who closed it
   * says what is left undone.
   */
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
      // An async function is a valid subscriber to TypeScript, and its rejection would end the process.
      const answer: unknown = subscriber(event);
      if (isThenable(answer)) answer.then(undefined, (error) => this.#reportFailure(event, error));
    } catch (error) {
      this.#reportFailure(event, error);
    }
  }

  #reportFailure(event: SchedulerEvent, thrown: unknown): void {
    const error = toError(thrown);
    if (event.type === 'schedulerError') {
      // Publishing would call the failing subscriber again, without end. Node's own channel is the last resort.
      process.emitWarning(error);
      return;
    }
    this.publish({ type: 'schedulerError', at: event.at, during: `notifying a subscriber of ${event.type}`, error });
  }
}
