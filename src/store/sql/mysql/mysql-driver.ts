import type { Clock } from '../../../base/clock';
import { type StoreActivity, summedUp } from '../../store-activity';
import { ConnectionQueue, execute, runScript, runTransaction } from '../runtime/session';
import type {
  ConnectionReading,
  ConnectionRole,
  SqlDialect,
  SqlDriver,
  SqlParams,
  SqlTransaction,
  TransactionOptions,
} from '../runtime/sql-driver';
import type { StatementName } from '../runtime/statement-names';
import type { Statements } from '../runtime/statements';
import { OpenSessions } from './connection-watch';
import { MysqlBell, ringStep } from './mysql-bell';
import { type ConnectionOptions, connectBell, connectFor, readProcesses, readSettings } from './mysql-connections';
import type { MysqlSession } from './mysql-session';

const CHECK_IN_TIMEOUT_MS = 5_000;

/** Separate connections per role: in a shared pool, a burst of one caller would starve the others. Each is opened when first needed. */
export class MysqlDriver implements SqlDriver {
  readonly dialect: SqlDialect;
  readonly bell: MysqlBell;
  readonly script?: SqlDriver['script'];
  readonly #statements: Statements;
  readonly #queues: Readonly<Record<ConnectionRole, readonly ConnectionQueue<MysqlSession>[]>>;
  readonly #sessions: OpenSessions;
  readonly #clock: Clock;

  /** Uses up to `maxConnections` connections. Three of them write and two serve rings; the rest, at least one, read. */
  constructor(options: ConnectionOptions, statements: Statements, maxConnections: number) {
    this.dialect = {
      name: options.flavour,
      losesCommits: true,
      hasSeveralWriters: options.writers === 'several',
    };
    this.#statements = statements;
    this.#clock = options.clock;
    this.script = (role, steps, { rings = [], schedName } = {}) => {
      // Only a compound statement continues if the node to ring to has left.
      const within = options.flavour === 'mariadb' ? rings.map(ringStep) : [];
      if (options.flavour === 'mysql') void this.bell.ring(rings).catch(() => undefined);
      return this.#queue(role).use((session) => runScript(session, statements, steps, { rings: within, schedName }));
    };
    const longWaitMs = options.checkInTimeoutMs ?? CHECK_IN_TIMEOUT_MS;
    const checkIn = this.#checkInQueue(options, longWaitMs);
    // The server is queried on the check-in connection, which never waits long for a lock.
    this.#sessions = new OpenSessions(() => checkIn.use(readProcesses));
    const queueOf = (role: ConnectionRole) =>
      new ConnectionQueue(async () => {
        const session = await connectFor(role, options, { ...scriptsOn(options), among: this.#sessions, longWaitMs });
        if (role !== 'read') this.#sessions.arrived(role, session.server);
        return session;
      });
    this.#queues = {
      scheduler: [queueOf('scheduler')],
      completions: [queueOf('completions')],
      checkIn: [checkIn],
      read: Array.from({ length: Math.max(1, maxConnections - 5) }, () => queueOf('read')),
    };
    this.bell = new MysqlBell({
      clock: options.clock,
      connect: () => connectBell(options, this.#sessions),
      use: (work) => this.#queue('read').use(work),
      changes: options.flavour === 'mariadb' ? statements.get('selectChanges') : undefined,
    });
  }

  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    return this.#queue(role).use((session) => runTransaction(session, this.#statements, work, options));
  }

  async select<Row>(name: StatementName, params?: SqlParams, schedName?: string): Promise<Row[]> {
    const read = (session: MysqlSession) => execute(session, this.#statements, name, { params, schedName });
    return (await this.#queue('read').use(read)).rows as Row[];
  }

  readActivity(): Pick<StoreActivity, 'connections'> {
    const connections = Object.entries(this.#queues).map(([role, queues]) => {
      const parts = queues.map((queue) => queue.read());
      return summedUp(role, parts);
    });
    return { connections };
  }

  readConnections(timeoutMs: number): Promise<readonly ConnectionReading[]> {
    const entries = Object.entries(this.#queues) as [ConnectionRole, readonly ConnectionQueue<MysqlSession>[]][];
    const polled = entries.flatMap(([role, queues]) => queues.map((queue) => ({ role, queue, load: queue.load })));
    return Promise.all(
      polled.map(async ({ role, queue, load }) => {
        if (!queue.isConnected) return { role, load, settings: null };
        const settings = await queue.tryUse(this.#clock, timeoutMs, async (session) => {
          const found = await readSettings(session);
          if (role !== 'read') await session.rollback(); // reading the settings may have begun a transaction
          return found;
        });
        return { role, load, settings };
      }),
    );
  }

  abort(): void {
    for (const queue of Object.values(this.#queues).flat()) queue.abort();
    this.bell.abort();
  }

  dropSilent(): void {
    this.#sessions.dropSilent();
  }

  async close(): Promise<void> {
    const queues = Object.values(this.#queues).flat();
    this.bell.abort();
    await Promise.all(queues.map((queue) => queue.close()));
  }

  #queue(role: ConnectionRole): ConnectionQueue<MysqlSession> {
    return this.#queues[role].reduce((leastLoaded, queue) => (queue.load < leastLoaded.load ? queue : leastLoaded));
  }

  /**
   * Creates the queue of the check-in connection. It has regular calls and the shortest timeout, so it is the first to detect dropped connections.
   * After a timeout and a successful reconnect, the driver drops the node's other silent connections.
   */
  #checkInQueue(options: ConnectionOptions, answerTimeoutMs: number) {
    let fellSilent = false;
    const onSilence = () => {
      fellSilent = true;
    };
    return new ConnectionQueue(async () => {
      const session = await connectFor('checkIn', options, { ...scriptsOn(options), answerTimeoutMs, onSilence });
      this.#sessions.arrived('checkIn', session.server);
      if (fellSilent) this.#sessions.dropSilent();
      fellSilent = false;
      return session;
    });
  }
}

const scriptsOn = ({ flavour }: ConnectionOptions) =>
  ({ scripts: flavour === 'mariadb' ? 'compound' : 'text' }) as const;
