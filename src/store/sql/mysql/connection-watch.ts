import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';
import { SqlError } from '../runtime/sql-driver';

/** Callbacks for calls that take long. */
export interface CallWatcher {
  /** Called once, when a call had no answer within its timeout. */
  readonly onSilence: (timeoutMs: number) => void;
  /** Time that a call waits before `onLongWait` is called, and between two such calls. Milliseconds. Default: it is never called. */
  readonly longWaitMs?: number | undefined;
  readonly onLongWait?: () => void;
}

/**
 * Detects calls that had no answer for too long. Uses one timer per busy connection; a timer per statement took half of a statement's CPU
 * time in this process.
 */
export class CallWatchdog {
  readonly #clock: Clock;
  readonly #watcher: CallWatcher;
  readonly #longWaitMs: number;
  readonly #stopped = new AbortController();
  #timeoutMs = 0;
  #startedAt: number | null = null;
  /** Time at which `onLongWait` is due next. */
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

  /** Time that the current call has waited, in milliseconds; null if there is none. */
  get waitedMs(): number | null {
    return this.#startedAt === null ? null : this.#clock.monotonic() - this.#startedAt;
  }

  end(): void {
    this.#startedAt = null;
  }

  /** Stops permanently. */
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

/**
 * One of the server's connections in SHOW PROCESSLIST. Without privileges, the list contains the connections of the same user, so it
 * includes those of this node.
 */
export interface ServerProcess {
  readonly Id: number;
  /** `Sleep` if the connection waits for a statement. */
  readonly Command: string;
  /** Whole seconds since `Command` last changed. */
  readonly Time: number;
  /** Text of its statement. */
  readonly Info: string | null;
}

/** All connections of the server, and the number of the connection that queried them. */
export interface ServerView {
  readonly asker: number;
  readonly processes: readonly ServerProcess[];
}

/** Idle time after which no answer can still be on its way, in seconds. The server rounds. */
const MIN_IDLE_SECONDS = 2;

/**
 * True if the server still has to answer the connection `id`. Only the server can distinguish a wait for a lock from a connection that the
 * network dropped. Null: unknown, because a proxy numbers its connections differently.
 */
export function owesAnswer(id: number, { asker, processes }: ServerView): boolean | null {
  const asking = processes.find(({ Id }) => Id === asker);
  if (!asking?.Info?.startsWith('SHOW PROCESSLIST')) return null;
  const found = processes.find(({ Id }) => Id === id);
  return found !== undefined && !(found.Command === 'Sleep' && found.Time >= MIN_IDLE_SECONDS);
}

/** Silence that only a wait for a lock exceeds, in milliseconds. */
const LONG_SILENCE_MS = 1_000;

/** The parts of a connection that are needed to watch it. */
export interface WatchedSession {
  /** Number that the server gave the connection. */
  readonly id: number;
  /** Time it has waited for an answer, in milliseconds; infinite if it is idle. */
  readonly silenceMs: number;
  discard(reason: SqlError): void;
}

/**
 * The connections of one node, except the one that checks in. A network that drops connections (a firewall, a failover) reports nothing.
 * Without this class, each connection would wait separately, as long as a slow statement may take.
 */
export class OpenSessions {
  readonly #sessions = new Set<WatchedSession>();
  readonly #askServer: () => Promise<ServerView>;
  #asking: Promise<ServerView> | null = null;

  /** `askServer` must use a connection that is not one of these. */
  constructor(askServer: () => Promise<ServerView>) {
    this.#askServer = askServer;
  }

  add(session: WatchedSession): void {
    this.#sessions.add(session);
  }

  delete(session: WatchedSession): void {
    this.#sessions.delete(session);
  }

  /** Drops connections that are idle or have waited long for an answer. Call it after the network or the server was unavailable. */
  dropSilent(): void {
    for (const session of [...this.#sessions]) {
      if (session.silenceMs >= LONG_SILENCE_MS) session.discard(silent('no answer while the database was unreachable'));
    }
  }

  /** True if the server has no answer to send on this connection. False if it cannot be queried. */
  async isForgotten({ id }: WatchedSession): Promise<boolean> {
    this.#asking ??= this.#askServer().finally(() => {
      this.#asking = null;
    });
    const view = await this.#asking.catch(() => null);
    return view !== null && owesAnswer(id, view) === false;
  }
}

/** Returns the error for a connection that was dropped because it did not answer. */
export function silent(reason: string): SqlError {
  const message = `${reason}; the connection was dropped`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}
