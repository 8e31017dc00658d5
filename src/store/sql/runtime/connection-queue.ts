import type { Clock } from '../../../base/clock';
import { settlesWithin } from '../../../base/sleep';
import type { ConnectionActivity } from '../../store-activity';
import type { Session } from './session';
import { CLOSED, SqlError } from './sql-driver';

/** One connection and the queue of its callers. It connects when first needed, and again after the connection was lost. */
export class ConnectionQueue<Connection extends Session = Session> {
  readonly #connect: () => Promise<Connection>;
  #session: Connection | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #load = 0;
  /** Activity of closed connections. */
  readonly #before = { statements: 0, commits: 0 };
  #isClosed = false;
  #isCut = false;

  constructor(connect: () => Promise<Connection>) {
    this.#connect = connect;
  }

  /** Number of callers that use the connection or wait for it. */
  get load(): number {
    return this.#load;
  }

  /** Returns its activity. */
  read(): Omit<ConnectionActivity, 'connection'> {
    const { statements = 0, commits = 0 } = this.#session?.counts ?? {};
    return {
      open: this.#session?.usable ? 1 : 0,
      inUse: Math.min(this.#load, 1),
      waiting: Math.max(0, this.#load - 1),
      statements: this.#before.statements + statements,
      commits: this.#before.commits + commits,
    };
  }

  /** True if a connection is open that has not been lost. */
  get isConnected(): boolean {
    return this.#session?.usable === true;
  }

  /** Runs `ask` after the callers before it. Returns null if the connection did not get to it within `timeoutMs`. Connects if needed. */
  async tryUse<T>(clock: Clock, timeoutMs: number, ask: (session: Connection) => Promise<T>): Promise<T | null> {
    const answer = this.use(ask);
    if (await settlesWithin(clock, timeoutMs, answer)) return answer;
    answer.catch(() => undefined);
    return null;
  }

  /** Runs `work` on a working connection, after all callers before it. */
  async use<T>(work: (session: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedError();
    this.#load++;
    const turn = this.#last.then(async () => work(await this.#open()));
    const done = turn.finally(() => this.#load--);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Drops the connection. Running work fails, and no further work begins. */
  cut(): void {
    this.#isClosed = true;
    this.#isCut = true;
    this.#session?.discard();
  }

  /** Waits for the callers before it, then closes the connection. Later callers are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#session?.close();
    this.#forget();
  }

  async #open(): Promise<Connection> {
    if (this.#session?.usable) return this.#session;
    this.#forget();
    if (this.#isCut) throw closedError();
    this.#session = await this.#connect();
    if (this.#isCut) this.#session.discard();
    return this.#session;
  }

  #forget(): void {
    this.#before.statements += this.#session?.counts.statements ?? 0;
    this.#before.commits += this.#session?.counts.commits ?? 0;
    this.#session = null;
  }
}

function closedError(): SqlError {
  return new SqlError({ kind: 'other', databaseCode: CLOSED, statement: null, message: 'The store is closed.' });
}
