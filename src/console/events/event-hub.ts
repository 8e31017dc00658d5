import type { Clock } from '../../base/clock';
import { LoopService } from '../../base/service';
import { sleepFor } from '../../base/sleep';
import { Problem } from '../../operations/problem';
import type { ServedScheduler } from '../served-schedulers';
import { EventClient, type EventClientOptions, endUnlessAllowed, requireFewOf } from './event-client';
import { EventRecord, type Message } from './event-record';
import { ReportedEvents } from './reported-events';

/** So many may watch one scheduler at a time. */
export const MAX_CLIENTS = 200;

const PULSE_INTERVAL_MS = 1_000;
/** Pulses between two comments that keep connections open: proxies close those on which nothing comes, often after 30 s. */
const PULSES_PER_PING = 15;
/** Pulses between two looks at whether each client may still be told. */
const PULSES_PER_CHECK = 60;
/** Pulses for which events are kept after the last client has gone: it may only have lost its connection. */
const PULSES_UNWATCHED = 30;

/** Pulses between two calls to look again at what no event tells, such as a lease that runs out. All look at once, so that one answer does for all. */
const PULSES_PER_LOOK = 5;
/** When nothing has happened for a while: pulses between two such calls, and between two looks at what other nodes have changed. */
const PULSES_PER_QUIET_LOOK = 10;
const PULSES_PER_QUIET_READING = 3;
const QUIET_AFTER_PULSES = 60;

/** Has no id: whoever has missed it has missed nothing. */
const LOOK = 'event: time\ndata: {}\n\n';

/** Messages that a client can be given again: two minutes of a scheduler that is not busy. */
const RECORD_SIZE = 500;

/** How long a browser waits before it connects again, in milliseconds: part of the stream. */
const GREETING = 'retry: 3000\n\n';

const encoder = new TextEncoder();

export interface EventHubParts {
  readonly served: ServedScheduler;
  readonly clock: Clock;
  /** Begins the ids of messages; another one each time. */
  readonly newEpoch: () => string;
}

export interface OpenOptions extends Omit<EventClientOptions, 'onGone'> {
  /** Of the last message that the client has; null: it has none. */
  readonly lastEventId: string | null;
}

/** Tells all clients what happens to one scheduler. As long as nobody listens it costs nothing. */
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

  /** A stream for one more client. Throws TOO_MANY_REQUESTS, or SCHEDULER_STATE when the console or the scheduler has ended. */
  open({ lastEventId, ...options }: OpenOptions): ReadableStream<Uint8Array> {
    if (this.#isClosed || this.#parts.served.scheduler.isShutdown()) {
      throw new Problem('SCHEDULER_STATE', 'There are no events any more: it has been shut down.');
    }
    if (this.#clients.size >= MAX_CLIENTS) {
      throw new Problem(
        'TOO_MANY_REQUESTS',
        `${MAX_CLIENTS} clients watch this scheduler; no more may do so at a time.`,
      );
    }
    requireFewOf(options.actor, this.#clients);
    const client = new EventClient({ ...options, onGone: (gone) => this.#clients.delete(gone) });
    // What was collected before is no news for this client.
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

  /** Ends all streams; no further one opens. */
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

  /** Goes on when nobody watches any more: a timer a second is nothing, and an end would meet the next beginning. */
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

  /** One reading for all clients, and never two at once. The first reading that fails sends all pages to look: they then show the outage. */
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
