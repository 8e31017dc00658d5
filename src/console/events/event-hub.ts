import type { Clock } from '../../base/clock';
import { LoopService } from '../../base/service';
import { sleepFor } from '../../base/sleep';
import { Problem } from '../../operations/problem';
import type { ServedScheduler } from '../served-schedulers';
import { EventClient, type EventClientOptions, endUnlessAllowed, requireFewOf } from './event-client';
import { EventRecord, type Message } from './event-record';
import { ReportedEvents } from './reported-events';

/** Maximum number of clients that watch one scheduler. */
export const MAX_CLIENTS = 200;

const PULSE_INTERVAL_MS = 1_000;
/** Pulses between two comments that keep connections open. Proxies close idle connections, often after 30 s. */
const PULSES_PER_PING = 15;
/** Pulses between two checks that each client may still receive events. */
const PULSES_PER_CHECK = 60;
/** Pulses for which events are kept after the last client has gone, because it may only have lost its connection. */
const PULSES_UNWATCHED = 30;

/**
 * Pulses between two `time` events, at which pages poll for changes without an event, such as an expired lease. All pages poll at once and
 * share one response.
 */
const PULSES_PER_LOOK = 5;
/** Pulses between two `time` events, and between two polls for changes by other nodes, when nothing has happened for a while. */
const PULSES_PER_QUIET_LOOK = 10;
const PULSES_PER_QUIET_READING = 3;
const QUIET_AFTER_PULSES = 60;

/** Has no id, because a client that missed it needs no other message. */
const LOOK = 'event: time\ndata: {}\n\n';

/** Number of messages that can be sent again: about two minutes of a scheduler that is not busy. */
const RECORD_SIZE = 500;

/** Part of the stream: the time in milliseconds after which a browser reconnects. */
const GREETING = 'retry: 3000\n\n';

const encoder = new TextEncoder();

export interface EventHubParts {
  readonly served: ServedScheduler;
  readonly clock: Clock;
  /** Returns a new prefix for message ids with each call. */
  readonly newEpoch: () => string;
}

export interface OpenOptions extends Omit<EventClientOptions, 'onGone'> {
  /** Id of the last message that the client received. Null: none. */
  readonly lastEventId: string | null;
}

/** Sends the events of one scheduler to all clients. Costs nothing while no client is connected. */
export class EventHub {
  readonly #parts: EventHubParts;
  readonly #clients = new Set<EventClient>();
  readonly #told: ReportedEvents;
  readonly #pulse: LoopService;
  #record: EventRecord;
  #mark: string | null = null;
  #quietPulses = 0;
  #isReading = false;
  #isClosed = false;

  constructor(parts: EventHubParts) {
    this.#parts = parts;
    const { scheduler } = parts.served;
    this.#told = new ReportedEvents({ scheduler, clock: parts.clock, tell: (messages) => this.#tell(messages) });
    this.#pulse = new LoopService('console-events', (signal) => this.#run(signal));
    this.#record = this.#newRecord();
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Opens a stream for a client. Throws TOO_MANY_REQUESTS, or SCHEDULER_STATE if the console or the scheduler has ended. */
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
    // Events collected so far are not news for this client.
    this.#told.flush();
    const missed = lastEventId === null ? '' : this.#record.since(lastEventId);
    this.#clients.add(client);
    this.#told.start();
    void this.#pulse.start();
    client.send(
      encoder.encode(`${GREETING}${missed ?? this.#record.add({ name: 'changed', data: { reason: 'missed' } })}`),
    );
    return client.stream;
  }

  /** Ends all streams and refuses new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#told.stop();
    for (const client of this.#clients) client.end();
    await this.#pulse.stop();
  }

  #tell(messages: readonly Message[]): void {
    this.#quietPulses = 0;
    this.#send(messages.map((message) => this.#record.add(message)).join(''));
    if (messages.some(({ data }) => (data as { type?: unknown }).type === 'schedulerShutdown')) void this.close();
  }

  #send(text: string): void {
    const bytes = encoder.encode(text);
    for (const client of this.#clients) client.send(bytes);
  }

  /** Keeps running without clients: a timer per second costs little, and stopping could collide with the next start. */
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
    this.#told.stop();
    this.#mark = null;
    this.#record = this.#newRecord();
  }

  #beat(pulse: number): void {
    const isQuiet = this.#quietPulses++ >= QUIET_AFTER_PULSES;
    if (!isQuiet || pulse % PULSES_PER_QUIET_READING === 0) void this.#lookElsewhere();
    if (pulse % (isQuiet ? PULSES_PER_QUIET_LOOK : PULSES_PER_LOOK) === 0) this.#send(LOOK);
    if (pulse % PULSES_PER_PING === 0) this.#send(': ping\n\n');
    if (pulse % PULSES_PER_CHECK === 0) for (const client of this.#clients) void endUnlessAllowed(client);
  }

  /** Polls for changes once for all clients, never twice at the same time. The first failure lets all pages poll, so that they show the outage. */
  async #lookElsewhere(): Promise<void> {
    const { readChangeMark } = this.#parts.served.control;
    if (readChangeMark === null || this.#isReading) return;
    this.#isReading = true;
    try {
      const mark = await readChangeMark();
      if (this.#mark !== null && mark !== this.#mark) this.#tell([{ name: 'changed', data: { reason: 'store' } }]);
      this.#mark = mark;
    } catch {
      if (this.#mark !== '') this.#send(LOOK);
      this.#mark = '';
    } finally {
      this.#isReading = false;
    }
  }

  #newRecord(): EventRecord {
    return new EventRecord(this.#parts.newEpoch(), RECORD_SIZE);
  }
}
