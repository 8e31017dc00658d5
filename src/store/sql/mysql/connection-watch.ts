import type { Clock } from '../../../base/clock';
import { sleepFor } from '../../../base/sleep';
import { SqlError } from '../runtime/sql-driver';

/** What becomes of calls that take their time. */
export interface CallWatcher {
  /** Called once, when a call had no answer within its timeout. */
  readonly onSilence: (timeoutMs: number) => void;
  /** How long a call waits before `onLongWait` is called, and between two such calls; default: for ever. */
  readonly longWaitMs?: number | undefined;
  readonly onLongWait?: () => void;
}

/**
 * Notices that a call has had no answer for too long. One timer for a connection that is busy, not one for every statement:
 * that was half of a statement's cost in this process.
 */
export class CallWatchdog {
  readonly #clock: Clock;
  readonly #watcher: CallWatcher;
  readonly #longWaitMs: number;
  readonly #stopped = new AbortController();
  #timeoutMs = 0;
  #startedAt: number | null = null;
  /** When the call that runs has waited for long, for the next time. */
  #longAt = 0;
  #isWatching = false;

  constructor(clock: Clock, watcher: CallWatcher) {
    this.#clock = clock;
    this.#watcher = watcher;
    this.#longWaitMs = watcher.longWaitMs ?? Number.POSITIVE_INFINITY;
  }

  /** A call begins; the one before has ended. */
  begin(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    this.#startedAt = this.#clock.monotonic();
    this.#longAt = this.#startedAt + this.#longWaitMs;
    if (!this.#isWatching) void this.#watch();
  }

  /** How long the call that runs has waited; null: none runs. */
  get waitedMs(): number | null {
    return this.#startedAt === null ? null : this.#clock.monotonic() - this.#startedAt;
  }

  end(): void {
    this.#startedAt = null;
  }

  /** For good. */
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

/** What the server says of all its connections, and the number of the one that has asked. */
export interface ServerView {
  readonly asker: number;
  readonly processes: readonly ServerProcess[];
}

/** An answer is not on its way any more after this; the server rounds. */
const MIN_IDLE_SECONDS = 2;

/**
 * Whether the server still owes the connection `id` an answer: waiting for a lock does not differ from a network that has forgotten the
 * connection, unless one asks. Null: nobody knows, as a proxy gives its connections other numbers.
 */
export function owesAnswer(id: number, { asker, processes }: ServerView): boolean | null {
  const asking = processes.find(({ Id }) => Id === asker);
  if (!asking?.Info?.startsWith('SHOW PROCESSLIST')) return null;
  const found = processes.find(({ Id }) => Id === id);
  return found !== undefined && !(found.Command === 'Sleep' && found.Time >= MIN_IDLE_SECONDS);
}

/** So long without an answer is normal for nothing but a lock that somebody holds. */
const LONG_SILENCE_MS = 1_000;

/** A connection as far as it can be watched. */
export interface WatchedSession {
  /** The server's number of the connection. */
  readonly id: number;
  /** How long it has not been heard of; infinite when nothing is under way. */
  readonly silenceMs: number;
  discard(reason: SqlError): void;
}

/**
 * The connections of one node, except the one that checks in. Nobody is told when a network forgets connections (a firewall, a
 * fail-over): each would be waited for by itself, for as long as a slow statement may take.
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

  /** The network, or the server, is known to have been away: drops what is idle or has waited long for an answer. */
  dropSilent(): void {
    for (const session of [...this.#sessions]) {
      if (session.silenceMs >= LONG_SILENCE_MS)
        session.discard(silent('no answer while the node had lost the database'));
    }
  }

  /** Whether the server has no answer to give on this connection. False where it cannot be asked. */
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
