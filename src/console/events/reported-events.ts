import type { Scheduler } from '../../api/scheduler';
import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import type { Message } from './event-record';
import { plainEvent, REPORTED_EVENTS } from './plain-event';

/** Interval in milliseconds at which collected events are sent together, so that a thousand events a second cost as little as two messages. */
const FLUSH_INTERVAL_MS = 500;

/** Maximum number of events per interval that are sent individually. One message reports the number of further events. */
export const MAX_PER_FLUSH = 25;

export interface ReportedEventsParts {
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly publish: (messages: readonly Message[]) => void;
}

/** Collects this node's events and sends them in batches. Each event costs one list entry or the increment of a counter. */
export class ReportedEvents {
  readonly #parts: ReportedEventsParts;
  #events: SchedulerEvent[] = [];
  #leftOut = 0;
  #unsubscribe: (() => void) | null = null;
  #sleep: AbortController | null = null;

  constructor(parts: ReportedEventsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#unsubscribe ??= this.#parts.scheduler.subscribe((event) => this.#take(event), REPORTED_EVENTS);
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.flush();
  }

  flush(): void {
    this.#sleep?.abort();
    this.#sleep = null;
    const [events, leftOut] = [this.#events, this.#leftOut];
    this.#events = [];
    this.#leftOut = 0;
    if (events.length === 0) return;
    const more: readonly Message[] = leftOut === 0 ? [] : [{ name: 'changed', data: { reason: 'many', leftOut } }];
    this.#parts.publish([...events.map((event) => ({ data: plainEvent(event) })), ...more]);
  }

  #take(event: SchedulerEvent): void {
    if (this.#events.length < MAX_PER_FLUSH) this.#events.push(event);
    else this.#leftOut++;
    if (this.#sleep === null) void this.#flushSoon();
  }

  async #flushSoon(): Promise<void> {
    const sleep = new AbortController();
    this.#sleep = sleep;
    await sleepFor(this.#parts.clock, FLUSH_INTERVAL_MS, sleep.signal);
    if (!sleep.signal.aborted) this.flush();
  }
}
