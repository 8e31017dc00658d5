import type { RunLine } from '../../api/runs';
import type { Clock } from '../../base/clock';
import { maskValue } from '../../base/secrets';
import { sleepFor } from '../../base/sleep';
import type { RunNews } from '../../scheduler/tail-run';
import { EventClient, type EventClientOptions, endUnlessAllowed } from './event-client';

/** Of the lines of one run, as they are sent, the newest are kept for those who come later or come back. Bytes. */
export const KEPT_LINE_BYTES = 262_144;

/** Looks, one a second, between two comments that keep connections open, and between two looks at whether each client may still be told. */
const LOOKS_PER_PING = 15;
const LOOKS_PER_CHECK = 60;
/** Looks for which a run is followed after its last client has gone: it may only have lost its connection. */
const LOOKS_UNWATCHED = 10;
/** For how long what a run said last is kept after its end, for those who come back. Milliseconds. */
export const KEPT_AFTER_END_MS = 30_000;

/** How long a browser waits before it connects again, in milliseconds: part of the stream. */
const GREETING = 'retry: 1000\n\n';

export interface RunFeedParts {
  readonly clock: Clock;
  /** As `SchedulerControl.followRun`, of the one run. */
  readonly follow: (onLook: (news: RunNews) => void, signal: AbortSignal) => Promise<boolean>;
  /** There is nothing more to be had here. */
  readonly onOver: () => void;
}

export interface OpenFeedOptions extends Omit<EventClientOptions, 'onGone'> {
  /** How many lines of the run the client has; 0: none. */
  readonly after: number;
}

/** A line as it is sent. */
interface KeptLine {
  /** How many lines came before it. */
  readonly number: number;
  readonly text: string;
}

const encoder = new TextEncoder();

/** What one run says, for all who follow it: one reading of the store a second, however many they are. */
export class RunFeed {
  /** True once the run was found; false: it does not execute. */
  readonly begun: Promise<boolean>;
  readonly #parts: RunFeedParts;
  readonly #clients = new Set<EventClient>();
  readonly #closing = new AbortController();
  readonly #kept: KeptLine[] = [];
  #keptBytes = 0;
  /** How many lines the run has logged, as far as is known. */
  #next = 0;
  /** As it is sent; empty: the run has not said how far it is. */
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
    this.begun.catch(() => undefined); // whoever opened it hears of that
  }

  get clients(): ReadonlySet<EventClient> {
    return this.#clients;
  }

  /** A stream for one more client: what it has missed, and what follows. */
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

  /** Whoever still listens comes back, and begins anew. */
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

  /** The lines behind the first `after`. */
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

/** The id of a line is how many lines a client has that got it. */
function textOf({ at, level, message, data }: RunLine, id: number): string {
  return messageOf('line', { at: at.toISOString(), level, message, data }, id);
}

const gapOf = (lines: number, next: number): string => messageOf('gap', { lines }, next);

const END = messageOf('end', {});

/** JSON has no line break outside of its texts, and escapes those within. */
function messageOf(name: string, data: object, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(maskValue(data))}\n\n`;
}
