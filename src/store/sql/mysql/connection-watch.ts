import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';
import { SqlError } from '../runtime/sql-driver';

/** What happens when a call takes long. */
export interface CallWatcher {
  /** Called once, when a call had no answer within its timeout. */
  readonly onSilence: (timeoutMs: number) => void;
  /** How long a call waits before `onLongWait` is called, and between two such calls; default: it is never called. */
  readonly longWaitMs?: number | undefined;
  readonly onLongWait?: () => void;
}

/**
 * Detects calls that had no answer for too long. One timer for a busy connection, not one for every statement: that was half of a
 * statement's cost in this process.
 */
export class CallWatchdog {
  readonly #clock: Clock;
  readonly #watcher: CallWatcher;
  readonly #longWaitMs: number;
  readonly #stopped = new AbortController();
  #timeoutMs = 0;
  #startedAt: number | null = null;
  /** When `onLongWait` is due next. */
  #longAt = 0;
  #isWatching = false;

  constructor(clock: Clock, watcher: CallWatcher) {
    this.#clock = clock;
    this.#watcher = watcher;
    this.#longWaitMs = watcher.longWaitMs ?? Number.POSITIVE_INFINITY;
  }

  /** Starts watching a call; the previous one has ended. */
  begin(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    this.#startedAt = this.#clock.monotonic();
    this.#longAt = this.#startedAt + this.#longWaitMs;
    if (!this.#isWatching) void this.#watch();
  }

  /** How long the current call has waited; null: there is none. */
  get waitedMs(): number | null {
    return this.#startedAt === null ? null : this.#clock.monotonic() - this.#startedAt;
  }

  end(): void {
    this.#startedAt = null;
  }

  /** Stops for good. */
  stop(): void {
    this.#stopped.abort();
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#startedAt !== null && !this.#stopped.signal.aborted) {
      const now = this.#clock.monotonic();
      const end = this.#startedAt + this.#timeoutMs;
      if (now >= end) {
        this.stop();
        this.#watcher.onSilence(this.#timeoutMs);
      } else if (now >= this.#longAt) {
        this.#longAt = now + this.#longWaitMs;
        this.#watcher.onLongWait?.();
      } else {
        await sleepFor(this.#clock, Math.min(end, this.#longAt) - now, this.#stopped.signal);
      }
    }
    this.#isWatching = false;
  }
}

/** One of the server's connections, as SHOW PROCESSLIST describes it; without privileges it lists those of the same user, ours among them. */
export interface ServerProcess {
  readonly Id: number;
  /** `Sleep`: it waits for a statement. */
  readonly Command: string;
  /** Whole seconds since that has changed. */
  readonly Time: number;
  /** The text of its statement. */
  readonly Info: string | null;
}

/** All connections of the server, and the number of the connection that asked. */
export interface ServerView {
  readonly asker: number;
  readonly processes: readonly ServerProcess[];
}

/** After this time no answer is on its way any more; the server rounds. */
const MIN_IDLE_SECONDS = 2;

/**
 * Whether the server still owes the connection `id` an answer: only the server can distinguish waiting for a lock from a network that
 * dropped the connection. Null: unknown, because a proxy gives its connections other numbers.
 */
export function owesAnswer(id: number, { asker, processes }: ServerView): boolean | null {
  const asking = processes.find(({ Id }) => Id === asker);
  if (!asking?.Info?.startsWith('SHOW PROCESSLIST')) return null;
  const found = processes.find(({ Id }) => Id === id);
  return found !== undefined && !(found.Command === 'Sleep' && found.Time >= MIN_IDLE_SECONDS);
}

/** Only waiting for a lock takes longer than this. */
const LONG_SILENCE_MS = 1_000;

/** A connection as far as it can be watched. */
export interface WatchedSession {
  /** The server's number of the connection. */
  readonly id: number;
  /** How long it has waited for an answer; infinite when it is idle. */
  readonly silenceMs: number;
  discard(reason: SqlError): void;
}

/**
 * The connections of one node, except the one that checks in. A network that drops connections (a firewall, a fail-over) reports
 * nothing: without this, each connection would wait by itself for as long as a slow statement may take.
 */
export class OpenSessions {
  readonly #sessions = new Set<WatchedSession>();
  readonly #askServer: () => Promise<ServerView>;
  #asking: Promise<ServerView> | null = null;

  /** `askServer` asks on a connection that is none of these. */
  constructor(askServer: () => Promise<ServerView>) {
    this.#askServer = askServer;
  }

  add(session: WatchedSession): void {
    this.#sessions.add(session);
  }

  delete(session: WatchedSession): void {
    this.#sessions.delete(session);
  }

  /** To be called after the network or the server was away: drops the connections that are idle or have waited long for an answer. */
  dropSilent(): void {
    for (const session of [...this.#sessions]) {
      if (session.silenceMs >= LONG_SILENCE_MS)
        session.discard(silent('no answer while the node had lost the database'));
    }
  }

  /** Whether the server owes no answer on this connection. False where it cannot be asked. */
  async isForgotten({ id }: WatchedSession): Promise<boolean> {
    this.#asking ??= this.#askServer().finally(() => {
      this.#asking = null;
    });
    const view = await this.#asking.catch(() => null);
    return view !== null && owesAnswer(id, view) === false;
  }
}

/** Why a connection that did not answer was dropped. */
export function silent(reason: string): SqlError {
  const message = `${reason}; the connection was dropped`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}
