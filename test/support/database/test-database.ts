import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { IS_LONG } from '../long-forms';
import { ask } from './supervisor-client';

interface ServerFacts {
  readonly id: number | null;
  readonly url: string;
  readonly pid: number | null;
}

/** A MySQL or MariaDB server of this run. */
export interface DatabaseServer {
  /** URL without a database: `mysql://user:password@host:port`. */
  readonly url: string;
}

/** A private server of one test file, which may stop or kill it. It keeps its port. */
export interface PrivateServer extends DatabaseServer {
  /** Sends SIGKILL, as if its machine had failed. */
  kill(): Promise<void>;
  /** Kills the server, or shuts it down with SIGTERM, and starts it again on the same data. */
  restart(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Sends SIGSTOP: the server exists, but does not respond. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Stops and removes the server. */
  stop(): Promise<void>;
}

/** A database of one test file. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Runs a statement on a separate connection. */
  query<Row = RowDataPacket>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Opens a connection for many statements, because opening one is slower than most statements. */
  connect(): Promise<Bystander>;
  drop(): Promise<void>;
}

export interface Bystander extends Pick<TestDatabase, 'query'> {
  close(): Promise<void>;
}

export type Flavour = 'mysql' | 'mariadb';

export const FLAVOUR_NAMES: Readonly<Record<Flavour, string>> = { mysql: 'MySQL', mariadb: 'MariaDB' };

/** True if the tests on a real server are skipped (`TEST_MYSQL=skip`). The last line of the run counts them. */
export const isServerSkipped = process.env.TEST_MYSQL === 'skip';

/** The flavour of the running tests; null: the first server of the run. */
let current: Flavour | null = null;

/** Flavours of the servers of this run: MySQL and MariaDB, if they are available. */
export function flavoursOfRun(): readonly Flavour[] {
  const socket = process.env.QUARTZ_TEST_SUPERVISOR;
  if (socket === undefined) return ['mariadb', 'mysql'];
  const known = join(dirname(socket), 'servers.json');
  if (!existsSync(known)) execFileSync(process.execPath, [resolve(__dirname, 'ask-flavours.mjs'), socket]);
  if (!existsSync(known)) return ['mysql']; // its tests fail with instructions
  return (JSON.parse(readFileSync(known, 'utf8')) as { readonly flavours: readonly Flavour[] }).flavours;
}

/** Uses servers of the flavour in the hooks and tests of `tests`. */
function onFlavour(flavour: Flavour, tests: () => void): void {
  describe(`on ${FLAVOUR_NAMES[flavour]}`, () => {
    beforeAll(() => {
      current = flavour;
    });
    afterAll(() => {
      current = null;
    });
    tests();
  });
}

/** The flavour of the running tests; null for tests that run on one server only. */
export const flavourOfTests = () => current;

type Tests<Args extends readonly unknown[]> = (...args: Args) => void;

/** `describe` for tests whose result may depend on the server: they are registered for each server of the run. */
export function describeOnServer(title: string, tests: () => void): void {
  if (isServerSkipped) describe.skip(title, tests);
  else for (const flavour of flavoursOfRun()) onFlavour(flavour, () => describe(title, tests));
}

/**
 * `describe` for tests with the same result on both servers, because other suites test their statements on each: the short form runs them on
 * one server, which is chosen by the name of their file.
 */
export function describeOnAnyServer(title: string, tests: () => void): void {
  if (isServerSkipped || IS_LONG) {
    describeOnServer(title, tests);
    return;
  }
  const flavours = flavoursOfRun();
  const { testPath = '' } = expect.getState();
  const chosen = [...basename(testPath)].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % flavours.length;
  onFlavour(flavours[chosen] as Flavour, () => describe(title, tests));
}

/** Like `describe.each`, for each server of the run. */
describeOnServer.each =
  <Case>(cases: readonly Case[]) =>
  (title: string, tests: Tests<Case extends readonly unknown[] ? Case : [Case]>): void => {
    const register = () => describe.each(cases as readonly unknown[])(title, tests as () => void);
    if (isServerSkipped) describe.skip.each(cases as readonly unknown[])(title, tests as () => void);
    else for (const flavour of flavoursOfRun()) onFlavour(flavour, register);
  };

/** `describe` for tests of one flavour only. Registers nothing if the run has no such server. */
export function describeOnFlavour(flavour: Flavour, title: string, tests: () => void): void {
  if (isServerSkipped) describe.skip(title, tests);
  else if (flavoursOfRun().includes(flavour)) onFlavour(flavour, () => describe(title, tests));
}

/** `describe` for tests that need any server: they run on the first one. */
export function describeOnOneServer(title: string, tests: () => void): void {
  if (isServerSkipped) describe.skip(title, tests);
  else describe(title, tests);
}

/** The server that test files share, each with its own database. Default: the flavour of the running tests. */
export function sharedServer(flavour = current): Promise<DatabaseServer> {
  return ask<ServerFacts>('shared', flavour === null ? {} : { flavour });
}

/** Starts a private server. `options` are added to its command line: `--transaction-isolation=REPEATABLE-READ`. */
export async function startServer(options: readonly string[] = [], flavour = current): Promise<PrivateServer> {
  const { id: server, url } = await ask<ServerFacts>('start', { options, ...(flavour === null ? {} : { flavour }) });
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
    connect: () => connect(url),
    drop: async () => {
      await run(server.url, `DROP DATABASE ${name}`);
    },
  };
}

async function run<Row>(url: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const { query, close } = await connect(url);
  try {
    return await query<Row>(text, values);
  } finally {
    await close();
  }
}

async function connect(url: string): Promise<Bystander> {
  const connection = await createConnection({ uri: url, charset: 'utf8mb4' });
  return {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      const [rows] = await connection.query(text, [...values]);
      return rows as Row[];
    },
    close: () => connection.end(),
  };
}
