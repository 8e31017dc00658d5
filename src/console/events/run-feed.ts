import type { RunLine } from '../../api/runs';
import type { Clock } from '../../base/clock';
import { maskValue } from '../../base/secrets';
import { sleepFor } from '../../base/sleep';
import type { RunNews } from '../../scheduler/tail-run';
import { EventClient, type EventClientOptions, endUnlessAllowed } from './event-client';

/** Size in bytes of the newest lines of one run that are kept for clients that join later or reconnect. */
export const KEPT_LINE_BYTES = 262_144;

/** Polls, one per second, between two comments that keep connections open, and between two checks that each client may still receive lines. */
const LOOKS_PER_PING = 15;
const LOOKS_PER_CHECK = 60;
/** Polls for which a run is followed after its last client has gone, because it may only have lost its connection. */
const LOOKS_UNWATCHED = 10;
/** Time in milliseconds for which the last lines are kept after the run has ended, for clients that reconnect. */
export const KEPT_AFTER_END_MS = 30_000;

/** Part of the stream: the time in milliseconds after which a browser reconnects. */
const GREETING = 'retry: 1000\n\n';

export interface RunFeedParts {
  readonly clock: Clock;
  /** Like `SchedulerControl.followRun` for this run. */
  readonly follow: (onLook: (news: RunNews) => void, signal: AbortSignal) => Promise<boolean>;
  /** Called when the feed has ended and can be removed. */
  readonly onOver: () => void;
}

export interface OpenFeedOptions extends Omit<EventClientOptions, 'onGone'> {
  /** Number of lines of the run that the client already has. */
  readonly after: number;
}

/** A line in the form in which it is sent. */
interface KeptLine {
  /** Number of lines before this one. */
  readonly number: number;
  readonly text: string;
}

const encoder = new TextEncoder();

/** Sends the lines and the progress of one run to all its clients, with one poll of the store per second for all of them. */
export class RunFeed {
  /** Resolves to true when the run is found, to false if it is not running. */
  readonly begun: Promise<boolean>;
  readonly #parts: RunFeedParts;
  readonly #clients = new Set<EventClient>();
  readonly #closing = new AbortController();
  readonly #kept: KeptLine[] = [];
  #keptBytes = 0;
  /** Number of lines that the run has logged, as far as known. */
  #next = 0;
  /** Last progress message as sent. Empty: the run has reported no progress. */
  #progress = '';
  #looks = 0;
  #unwatched = 0;
  #isEnded = false;

  constructor(parts: RunFeedParts) {
    this.#parts = parts;
    this.begun = new Promise((resolve, reject) => {
      const onLook = (news: RunNews) => {
        this.#take(news);
        resolve(true);
      };
      this.#run(onLook).then((hasRun) => resolve(hasRun), reject);
    });
    this.begun.catch(() => undefined); // the caller that opened the feed handles the rejection
  }

  get clients(): ReadonlySet<EventClient> {
    return this.#clients;
  }

  /** Opens a stream for a client: first the lines that it missed, then new ones. */
  open({ after, ...options }: OpenFeedOptions): ReadableStream<Uint8Array> {
    const client = new EventClient({ ...options, onGone: (gone) => this.#clients.delete(gone) });
    client.send(encoder.encode(`${GREETING}${this.#since(after)}${this.#progress}${this.#isEnded ? END : ''}`));
    if (this.#isEnded) client.end();
    else this.#clients.add(client);
    return client.stream;
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
    for (const client of this.#clients) client.end();
  }

  async #run(onLook: (news: RunNews) => void): Promise<boolean> {
    const { signal } = this.#closing;
    try {
      const hasRun = await this.#parts.follow(onLook, signal);
      if (hasRun && !signal.aborted) {
        this.#isEnded = true;
        this.#send(END);
        for (const client of this.#clients) client.end();
        void sleepFor(this.#parts.clock, KEPT_AFTER_END_MS, signal).then(this.#parts.onOver);
      } else this.#over();
      return hasRun;
    } catch (error) {
      this.#over();
      throw error;
    }
  }

  /** Clients that still listen reconnect, and start with a new feed. */
  #over(): void {
    this.close();
    this.#parts.onOver();
  }

  #take({ first, lines, progress }: RunNews): void {
    const kept = lines.map((line, index) => ({ number: first + index, text: textOf(line, first + index + 1) }));
    const gap = first > this.#next ? gapOf(first - this.#next, first) : '';
    this.#next = first + lines.length;
    for (const line of kept) this.#keep(line);
    const said =
      progress === null ? '' : messageOf('progress', { ...progress, at: new Date(progress.at).toISOString() });
    const isNew = said !== this.#progress;
    this.#progress = said;
    this.#send(`${gap}${kept.map(({ text }) => text).join('')}${isNew ? said : ''}`);
    this.#beat();
  }

  #keep(line: KeptLine): void {
    this.#kept.push(line);
    this.#keptBytes += Buffer.byteLength(line.text);
    while (this.#keptBytes > KEPT_LINE_BYTES) this.#keptBytes -= Buffer.byteLength(this.#kept.shift()?.text ?? '');
  }

  /** Returns the kept lines after the first `after` lines. */
  #since(after: number): string {
    const lines = this.#kept.filter(({ number }) => number >= after);
    const first = lines[0]?.number ?? this.#next;
    return `${first > after ? gapOf(first - after, first) : ''}${lines.map(({ text }) => text).join('')}`;
  }

  #beat(): void {
    this.#looks++;
    this.#unwatched = this.#clients.size === 0 ? this.#unwatched + 1 : 0;
    if (this.#unwatched === LOOKS_UNWATCHED) this.#closing.abort();
    if (this.#looks % LOOKS_PER_PING === 0) this.#send(': ping\n\n');
    if (this.#looks % LOOKS_PER_CHECK === 0) for (const client of this.#clients) void endUnlessAllowed(client);
  }

  #send(text: string): void {
    if (text === '') return;
    const bytes = encoder.encode(text);
    for (const client of this.#clients) client.send(bytes);
  }
}

/** The id of a line is the number of lines up to and including it. */
function textOf({ at, level, message, data }: RunLine, id: number): string {
  return messageOf('line', { at: at.toISOString(), level, message, data }, id);
}

const gapOf = (lines: number, next: number): string => messageOf('gap', { lines }, next);

const END = messageOf('end', {});

/** JSON escapes line breaks, so the data is always on one line. */
function messageOf(name: string, data: object, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(maskValue(data))}\n\n`;
}
