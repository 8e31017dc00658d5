import type { Clock } from '../../base/clock';
import { LoopService } from '../../base/service';
import { sleepFor } from '../../base/sleep';
import { Problem } from '../../operations/problem';
import type { ServedScheduler } from '../served-schedulers';
import { EventClient, type EventClientOptions, endUnlessAllowed, requireFewOf } from './event-client';
import { EventRecord, type Message } from './event-record';
import { ReportedEvents } from './reported-events';

export const MAX_CLIENTS = 200;

const PULSE_INTERVAL_MS = 1_000;
/** Number of pulses, one a second, between two comments, which prevent proxies from closing idle connections, often after 30 s. */
const PULSES_PER_PING = 15;
/** Number of pulses between two access checks of the clients. */
const PULSES_PER_CHECK = 60;
/** Pulses without clients after which events are no longer recorded. Until then, a client can reconnect without missing events. */
const PULSES_UNWATCHED = 30;

/** Pulses between two `time` events, at which pages poll for unreported changes, such as an expired lease: all together, to share one response. */
const PULSES_PER_POLL = 5;
/** After a minute without events: pulses between two `time` events, and between two polls for changes by other nodes. */
const PULSES_PER_QUIET_POLL = 10;
const PULSES_PER_QUIET_READING = 3;
const QUIET_AFTER_PULSES = 60;

/** Has no id, because a client that missed this event does not need it after it reconnects. */
const POLL_MESSAGE = 'event: time\ndata: {}\n\n';

/** Number of recent messages that can be sent again. Covers about two minutes if the scheduler is not busy. */
const RECORD_SIZE = 500;

/** First part of the stream: sets the delay in milliseconds after which a browser reconnects. */
const GREETING = 'retry: 3000\n\n';

const encoder = new TextEncoder();

interface EventHubParts {
  readonly served: ServedScheduler;
  readonly clock: Clock;
  /** Returns a new random prefix for message ids at each call. */
  readonly newEpoch: () => string;
}

export interface OpenOptions extends Omit<EventClientOptions, 'onGone'> {
  readonly lastEventId: string | null;
}

/** Sends the events of one scheduler to all clients. Subscribes when the first connects, and unsubscribes 30 s after the last has disconnected. */
export class EventHub {
  readonly #parts: EventHubParts;
  readonly #clients = new Set<EventClient>();
  readonly #reported: ReportedEvents;
  readonly #pulse: LoopService;
  #record: EventRecord;
  #mark: string | null = null;
  #quietPulses = 0;
  #isReading = false;
  #isClosed = false;

  constructor(parts: EventHubParts) {
    this.#parts = parts;
    const { scheduler } = parts.served;
    this.#reported = new ReportedEvents({
      scheduler,
      clock: parts.clock,
      publish: (messages) => this.#publish(messages),
    });
    this.#pulse = new LoopService('console-events', (signal) => this.#run(signal));
    this.#record = this.#newRecord();
  }

  /** Opens a stream. Throws TOO_MANY_REQUESTS above 200 streams of the scheduler or 50 of the actor, or SCHEDULER_STATE after a shutdown. */
  open({ lastEventId, ...options }: OpenOptions): ReadableStream<Uint8Array> {
    if (this.#isClosed || this.#parts.served.scheduler.isShutdown()) {
      throw new Problem('SCHEDULER_STATE', 'The event stream is closed: the scheduler or the console was shut down.');
    }
    if (this.#clients.size >= MAX_CLIENTS) {
      throw new Problem(
        'TOO_MANY_REQUESTS',
        `Expected at most ${MAX_CLIENTS} event streams of this scheduler. Close one first.`,
      );
    }
    requireFewOf(options.actor, this.#clients);
    const client = new EventClient({ ...options, onGone: (gone) => this.#clients.delete(gone) });
    // Sends the collected events to the other clients first, because they happened before this client connected.
    this.#reported.flush();
    const missed = lastEventId === null ? '' : this.#record.since(lastEventId);
    this.#clients.add(client);
    this.#reported.start();
    void this.#pulse.start();
    client.send(
      encoder.encode(`${GREETING}${missed ?? this.#record.add({ name: 'changed', data: { reason: 'missed' } })}`),
    );
    return client.stream;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reported.stop();
    for (const client of this.#clients) client.end();
    await this.#pulse.stop();
  }

  #publish(messages: readonly Message[]): void {
    this.#quietPulses = 0;
    this.#send(messages.map((message) => this.#record.add(message)).join(''));
    if (messages.some(({ data }) => (data as { type?: unknown }).type === 'schedulerShutdown')) void this.close();
  }

  #send(text: string): void {
    const bytes = encoder.encode(text);
    for (const client of this.#clients) client.send(bytes);
  }

  /** Sends the periodic messages until `signal` aborts, even without clients: a timer costs little, and a stop could collide with a start. */
  async #run(signal: AbortSignal): Promise<void> {
    for (let pulse = 1, unwatched = 0; ; pulse++) {
      await sleepFor(this.#parts.clock, PULSE_INTERVAL_MS, signal);
      if (signal.aborted) return;
      unwatched = this.#clients.size === 0 ? unwatched + 1 : 0;
      if (unwatched === 0) this.#beat(pulse);
      if (unwatched === PULSES_UNWATCHED) this.#forget();
    }
  }

  #forget(): void {
    this.#reported.stop();
    this.#mark = null;
    this.#record = this.#newRecord();
  }

  #beat(pulse: number): void {
    const isQuiet = this.#quietPulses++ >= QUIET_AFTER_PULSES;
    if (!isQuiet || pulse % PULSES_PER_QUIET_READING === 0) void this.#pollStore();
    if (pulse % (isQuiet ? PULSES_PER_QUIET_POLL : PULSES_PER_POLL) === 0) this.#send(POLL_MESSAGE);
    if (pulse % PULSES_PER_PING === 0) this.#send(': ping\n\n');
    if (pulse % PULSES_PER_CHECK === 0) for (const client of this.#clients) void endUnlessAllowed(client);
  }

  /**
   * Polls the store for changes by other nodes, once for all clients. Does nothing while the previous poll is in
   * progress. At the first failure, sends a `time` event: all pages then poll and show the outage.
   */
  async #pollStore(): Promise<void> {
    const { readChangeMark } = this.#parts.served.control;
    if (readChangeMark === null || this.#isReading) return;
    this.#isReading = true;
    try {
      const mark = await readChangeMark();
      if (this.#mark !== null && mark !== this.#mark) this.#publish([{ name: 'changed', data: { reason: 'store' } }]);
      this.#mark = mark;
    } catch {
      if (this.#mark !== '') this.#send(POLL_MESSAGE);
      this.#mark = '';
    } finally {
      this.#isReading = false;
    }
  }

  #newRecord(): EventRecord {
    return new EventRecord(this.#parts.newEpoch(), RECORD_SIZE);
  }
}
