import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';
import { SqlError } from '../runtime/sql-driver';

interface CallWatcher {
  /** Called once, when a call has had no answer within its timeout. */
  readonly onSilence: (timeoutMs: number) => void;
  /** Waiting time in milliseconds before `onLongWait` is called, and the interval of further calls. Default: it is never called. */
  readonly longWaitMs?: number | undefined;
  readonly onLongWait?: () => void;
}

/** Detects calls without an answer. Uses one timer per busy connection: a timer per statement took half of a statement's CPU time. */
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

  /** The previous call must have ended. */
  begin(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    this.#startedAt = this.#clock.monotonic();
    this.#longAt = this.#startedAt + this.#longWaitMs;
    if (!this.#isWatching) void this.#watch();
  }

  /** Time that the current call has waited, in milliseconds; null if no call waits. */
  get waitedMs(): number | null {
    return this.#startedAt === null ? null : this.#clock.monotonic() - this.#startedAt;
  }

  end(): void {
    this.#startedAt = null;
  }

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

/** One of the server's connections, from SHOW PROCESSLIST. Without privileges, the list contains only connections of the same user. */
export interface ServerProcess {
  readonly Id: number;
  /** `Sleep` if the connection is idle. */
  readonly Command: string;
  /** Whole seconds since `Command` last changed. */
  readonly Time: number;
  /** Text of the running statement; null if there is none. */
  readonly Info: string | null;
}

/** All connections of the server. `reader`: id of the connection that listed them. */
export interface ServerView {
  readonly reader: number;
  readonly processes: readonly ServerProcess[];
}

/** Idle time in seconds after which no answer can still be in transit. The server rounds to whole seconds. */
const MIN_IDLE_SECONDS = 2;

/**
 * True if the server still has to answer the connection `id`; false if the connection is idle or closed. Null if unknown, because a proxy assigns
 * other connection ids. Only the server can distinguish a wait for a lock from a connection that the network has dropped.
 */
export function owesAnswer(id: number, { reader, processes }: ServerView): boolean | null {
  const own = processes.find(({ Id }) => Id === reader);
  if (!own?.Info?.startsWith('SHOW PROCESSLIST')) return null;
  const found = processes.find(({ Id }) => Id === id);
  return found !== undefined && !(found.Command === 'Sleep' && found.Time >= MIN_IDLE_SECONDS);
}

/** Waiting time in milliseconds that normally only a wait for a lock exceeds. */
const LONG_SILENCE_MS = 1_000;

export interface WatchedSession {
  /** Id that the server assigned to the connection. */
  readonly id: number;
  /** Identity of the server; null if unknown. */
  readonly server: string | null;
  /** Time that the connection has waited for an answer, in milliseconds; infinite if it is idle. */
  readonly silenceMs: number;
  discard(reason: SqlError): void;
}

/**
 * The connections of one node, except the check-in connection. When a network drops connections (a firewall, a failover), the client
 * receives no error. Without `OpenSessions`, each connection would wait separately, for as long as a slow statement may take.
 */
export class OpenSessions {
  readonly #sessions = new Set<WatchedSession>();
  /** Server of the last connection of each role that writes. */
  readonly #servers = new Map<string, string>();
  readonly #readServer: () => Promise<ServerView>;
  #reading: Promise<ServerView> | null = null;

  /** `readServer` must use a connection that is not in this set. */
  constructor(readServer: () => Promise<ServerView>) {
    this.#readServer = readServer;
  }

  add(session: WatchedSession): void {
    this.#sessions.add(session);
  }

  delete(session: WatchedSession): void {
    this.#sessions.delete(session);
  }

  /**
   * Records that a new connection of a role that writes leads to `server`. If the role wrote on another server before, that one was replaced: drops all
   * connections that still lead to it. A replaced server may stay up as a read-only replica, whose readers would never notice.
   */
  arrived(role: string, server: string | null): void {
    const before = this.#servers.get(role);
    if (server === null) return;
    this.#servers.set(role, server);
    if (before === undefined || before === server) return;
    for (const session of [...this.#sessions]) {
      if (session.server === before || session.server === null)
        session.discard(silent('another server has taken over the writes'));
    }
  }

  /** Drops connections that are idle or have waited for at least a second. Call this after the network or server was unavailable. */
  dropSilent(): void {
    for (const session of [...this.#sessions]) {
      if (session.silenceMs >= LONG_SILENCE_MS) session.discard(silent('no answer while the database was unreachable'));
    }
  }

  /** True if the server has no answer to send on this connection. False if an answer is pending, or if the server's view is unknown. */
  async isForgotten({ id }: WatchedSession): Promise<boolean> {
    this.#reading ??= this.#readServer().finally(() => {
      this.#reading = null;
    });
    const view = await this.#reading.catch(() => null);
    return view !== null && owesAnswer(id, view) === false;
  }
}

/** Returns the error for a connection that was dropped because it received no answer. */
export function silent(reason: string): SqlError {
  const message = `${reason}; the connection was dropped`;
  return new SqlError({ kind: 'connectionLost', databaseCode: 'SILENT', statement: null, message });
}
