import type { RunLine } from '../../api/runs';
import type { Clock } from '../../base/clock';
import { maskValue } from '../../base/secrets';
import { sleepFor } from '../../base/sleep';
import { Problem } from '../../operations/problem';
import type { RunNews } from '../../scheduler/tail-run';
import type { ServedScheduler } from '../served-schedulers';
import { EventClient, type EventClientOptions, endUnlessAllowed, requireFewOf } from './event-client';

/** Limits per scheduler: streams of run output, and followed runs, each of which is polled once a second. */
export const MAX_FOLLOWERS = 200;
export const MAX_FOLLOWED_RUNS = 100;

export class RunFeeds {
  readonly #served: ServedScheduler;
  readonly #clock: Clock;
  readonly #feeds = new Map<string, RunFeed>();
  #isClosed = false;

  constructor(served: ServedScheduler, clock: Clock) {
    this.#served = served;
    this.#clock = clock;
  }

  /**
   * Opens a stream with the log lines and progress of a run. Rejects with NOT_FOUND if the run is not executing, with TOO_MANY_REQUESTS if a limit on
   * streams or followed runs is reached, with SCHEDULER_STATE if the console or the scheduler was shut down, or with STORE_FAILURE.
   */
  async open(runId: string, options: OpenFeedOptions): Promise<ReadableStream<Uint8Array>> {
    const feed = this.#feeds.get(runId) ?? this.#begin(runId);
    if (!(await feed.isFound)) {
      throw new Problem(
        'NOT_FOUND',
        'No run with this id is executing. If the run has ended and was recorded, `runs show` shows its log lines.',
      );
    }
    const followers = [...this.#feeds.values()].flatMap(({ clients }) => [...clients]);
    if (followers.length >= MAX_FOLLOWERS) throw tooMany(`${MAX_FOLLOWERS} streams of run output`);
    requireFewOf(options.actor, followers);
    return feed.open(options);
  }

  close(): void {
    this.#isClosed = true;
    for (const feed of this.#feeds.values()) feed.close();
  }

  #begin(runId: string): RunFeed {
    const { scheduler, control } = this.#served;
    if (this.#isClosed || scheduler.isShutdown()) {
      throw new Problem('SCHEDULER_STATE', 'Runs cannot be followed: the scheduler or the console was shut down.');
    }
    if (this.#feeds.size >= MAX_FOLLOWED_RUNS) throw tooMany(`${MAX_FOLLOWED_RUNS} followed runs`);
    const feed: RunFeed = new RunFeed({
      clock: this.#clock,
      follow: (onNews, signal) => control.followRun(runId, onNews, signal),
      onOver: () => {
        if (this.#feeds.get(runId) === feed) this.#feeds.delete(runId);
      },
    });
    this.#feeds.set(runId, feed);
    return feed;
  }
}

function tooMany(limit: string): Problem {
  return new Problem('TOO_MANY_REQUESTS', `Expected at most ${limit} of this scheduler. Close one first.`);
}

/** Maximum size in bytes of the recent lines that are stored per run, for clients that join later or reconnect. */
export const KEPT_LINE_BYTES = 262_144;

/** Polls, one a second, between two comments that prevent proxies from closing the connection, and between two access checks. */
const POLLS_PER_PING = 15;
const POLLS_PER_CHECK = 60;
/** Polls after which a run without clients is no longer followed. Until then, a client can reconnect. */
const POLLS_UNWATCHED = 10;
/** Time in milliseconds for which the stored lines remain available after the run has ended, for clients that reconnect. */
export const KEPT_AFTER_END_MS = 30_000;

/** First part of the stream: sets the delay in milliseconds after which a browser reconnects. */
const GREETING = 'retry: 1000\n\n';

interface RunFeedParts {
  readonly clock: Clock;
  readonly follow: (onNews: (news: RunNews) => void, signal: AbortSignal) => Promise<boolean>;
  /** Called when the feed has ended and can be removed. */
  readonly onOver: () => void;
}

interface OpenFeedOptions extends Omit<EventClientOptions, 'onGone'> {
  /** Number of lines of the run that the client already has. */
  readonly after: number;
}

interface KeptLine {
  /** Number of the run's lines before this line. */
  readonly number: number;
  readonly text: string;
}

const encoder = new TextEncoder();

/** Sends the log lines and progress of one run to all its clients. Polls the store once a second, regardless of their number. */
export class RunFeed {
  /** Resolves to true when the run has been found, or to false if the run is not executing. Rejects with the store's error. */
  readonly isFound: Promise<boolean>;
  readonly #parts: RunFeedParts;
  readonly #clients = new Set<EventClient>();
  readonly #closing = new AbortController();
  readonly #kept: KeptLine[] = [];
  #keptBytes = 0;
  /** Number of lines that the run had logged at the last poll. */
  #next = 0;
  /** Text of the last progress message. Empty if the run has reported no progress. */
  #progress = '';
  #polls = 0;
  #unwatched = 0;
  #isEnded = false;

  constructor(parts: RunFeedParts) {
    this.#parts = parts;
    this.isFound = new Promise((resolve, reject) => {
      const onNews = (news: RunNews) => {
        this.#take(news);
        resolve(true);
      };
      this.#run(onNews).then((hasRun) => resolve(hasRun), reject);
    });
    this.isFound.catch(() => undefined); // `RunFeeds.open` reports the rejection
  }

  get clients(): ReadonlySet<EventClient> {
    return this.#clients;
  }

  /** Opens a stream for a client. Starts with the stored lines that the client does not have. */
  open({ after, ...options }: OpenFeedOptions): ReadableStream<Uint8Array> {
    const client = new EventClient({ ...options, onGone: (gone) => this.#clients.delete(gone) });
    client.send(encoder.encode(`${GREETING}${this.#since(after)}${this.#progress}${this.#isEnded ? END : ''}`));
    if (this.#isEnded) client.end();
    else this.#clients.add(client);
    return client.stream;
  }

  close(): void {
    this.#closing.abort();
    for (const client of this.#clients) client.end();
  }

  async #run(onNews: (news: RunNews) => void): Promise<boolean> {
    const { signal } = this.#closing;
    try {
      const hasRun = await this.#parts.follow(onNews, signal);
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

  /** Ends all streams and removes this feed. Clients reconnect to a new feed if the run is still executing. */
  #over(): void {
    this.close();
    this.#parts.onOver();
  }

  #take({ first, lines, progress }: RunNews): void {
    const kept = lines.map((line, index) => ({ number: first + index, text: textOf(line, first + index + 1) }));
    const gap = first > this.#next ? gapOf(first - this.#next, first) : '';
    this.#next = first + lines.length;
    for (const line of kept) this.#keep(line);
    const sent =
      progress === null ? '' : messageOf('progress', { ...progress, at: new Date(progress.at).toISOString() });
    const isNew = sent !== this.#progress;
    this.#progress = sent;
    this.#send(`${gap}${kept.map(({ text }) => text).join('')}${isNew ? sent : ''}`);
    this.#beat();
  }

  #keep(line: KeptLine): void {
    this.#kept.push(line);
    this.#keptBytes += Buffer.byteLength(line.text);
    while (this.#keptBytes > KEPT_LINE_BYTES) this.#keptBytes -= Buffer.byteLength(this.#kept.shift()?.text ?? '');
  }

  /** Returns the stored lines after the first `after` lines, preceded by a `gap` message if some of them are no longer stored. */
  #since(after: number): string {
    const lines = this.#kept.filter(({ number }) => number >= after);
    const first = lines[0]?.number ?? this.#next;
    return `${first > after ? gapOf(first - after, first) : ''}${lines.map(({ text }) => text).join('')}`;
  }

  #beat(): void {
    this.#polls++;
    this.#unwatched = this.#clients.size === 0 ? this.#unwatched + 1 : 0;
    if (this.#unwatched === POLLS_UNWATCHED) this.#closing.abort();
    if (this.#polls % POLLS_PER_PING === 0) this.#send(': ping\n\n');
    if (this.#polls % POLLS_PER_CHECK === 0) for (const client of this.#clients) void endUnlessAllowed(client);
  }

  #send(text: string): void {
    if (text === '') return;
    const bytes = encoder.encode(text);
    for (const client of this.#clients) client.send(bytes);
  }
}

/** Formats a log line. `id` is the number of lines up to and including this line. */
function textOf({ at, level, message, data }: RunLine, id: number): string {
  return messageOf('line', { at: at.toISOString(), level, message, data }, id);
}

const gapOf = (lines: number, next: number): string => messageOf('gap', { lines }, next);

const END = messageOf('end', {});

/** Formats a message of the stream. The data is a single line, because JSON escapes line breaks. */
function messageOf(name: string, data: object, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(maskValue(data))}\n\n`;
}
