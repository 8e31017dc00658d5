import { randomBytes } from 'node:crypto';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { ask } from './supervisor-client';

interface ServerFacts {
  readonly id: number | null;
  readonly url: string;
  readonly pid: number | null;
}

/** A MySQL or MariaDB server of this run. */
export interface DatabaseServer {
  /** Without a database: `mysql://user:password@host:port`. */
  readonly url: string;
}

/** A server that one test file has for itself, so that it may stop or kill it. Keeps its port. */
export interface PrivateServer extends DatabaseServer {
  /** `kill -9`, as when its machine dies. */
  kill(): Promise<void>;
  /** `kill -9` and start again on the same data; with SIGTERM, it ends in order first. */
  restart(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** SIGSTOP: it is there, and does not answer. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** For good. */
  stop(): Promise<void>;
}

/** A database of one test file. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Runs a statement on a connection of its own: what a bystander sees, or does. */
  query<Row = RowDataPacket>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Whether the tests on a real server are left out: `TEST_MYSQL=skip`; the last line of the run counts them. */
export const isServerSkipped = process.env.TEST_MYSQL === 'skip';
/** Outside of Jest there are none. */
export const describeOnServer = isServerSkipped ? globalThis.describe?.skip : globalThis.describe;

/** The server that test files share, each in its own database. */
export function sharedServer(): Promise<DatabaseServer> {
  return ask<ServerFacts>('shared');
}

/** A server of one's own; `options` go to its command line: `--transaction-isolation=REPEATABLE-READ`. */
export async function startServer(options: readonly string[] = []): Promise<PrivateServer> {
  const { id: server, url } = await ask<ServerFacts>('start', { options });
  return {
    url,
    kill: () => ask('kill', { server }),
    restart: (signal) => ask('restart', { server, signal }),
    pause: () => ask('signal', { server, signal: 'SIGSTOP' }),
    resume: () => ask('signal', { server, signal: 'SIGCONT' }),
    stop: () => ask('stop', { server }),
  };
}

/** A new, empty database; `defaults`: its character set and collation, as `latin1` or `utf8mb4 COLLATE utf8mb4_general_ci`. */
export async function createDatabase(server: DatabaseServer, defaults = 'utf8mb4'): Promise<TestDatabase> {
  const name = `quartz_test_${randomBytes(6).toString('hex')}`;
  await run(server.url, `CREATE DATABASE ${name} CHARACTER SET ${defaults}`);
  const url = new URL(`/${name}`, server.url).href;
  return {
    name,
    url,
    query: (text, values = []) => run(url, text, values),
    drop: async () => {
      await run(server.url, `DROP DATABASE ${name}`);
    },
  };
}

async function run<Row>(url: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const connection = await createConnection({ uri: url, charset: 'utf8mb4' });
  try {
    const [rows] = await connection.query(text, [...values]);
    return rows as Row[];
  } finally {
    await connection.end();
  }
}
