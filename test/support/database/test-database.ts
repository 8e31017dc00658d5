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
  /** A connection of its own for hundreds of statements, one after the other: opening one costs more than most of them. */
  connect(): Promise<Bystander>;
  drop(): Promise<void>;
}

export interface Bystander extends Pick<TestDatabase, 'query'> {
  close(): Promise<void>;
}

export type Flavour = 'mysql' | 'mariadb';

export const FLAVOUR_NAMES: Readonly<Record<Flavour, string>> = { mysql: 'MySQL', mariadb: 'MariaDB' };

/** Whether the tests on a real server are left out: `TEST_MYSQL=skip`; the last line of the run counts them. */
export const isServerSkipped = process.env.TEST_MYSQL === 'skip';

/** The flavour of the tests that are running; null: of the first server of the run. */
let current: Flavour | null = null;

/** The servers on which the tests of this run are played: MySQL and MariaDB, as far as they are to be had. */
export function flavoursOfRun(): readonly Flavour[] {
  const socket = process.env.QUARTZ_TEST_SUPERVISOR;
  if (socket === undefined) return ['mariadb', 'mysql'];
  const known = join(dirname(socket), 'servers.json');
  if (!existsSync(known)) execFileSync(process.execPath, [resolve(__dirname, 'ask-flavours.mjs'), socket]);
  if (!existsSync(known)) return ['mysql']; // its tests fail, and say how to get a server
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

/** The flavour of the tests that are running; null: of those that run on one server only. */
export const flavourOfTests = () => current;

type Tests<Args extends readonly unknown[]> = (...args: Args) => void;

/** `describe` for tests that a real server may answer differently: they are registered for each server of the run. */
export function describeOnServer(title: string, tests: () => void): void {
  if (isServerSkipped) describe.skip(title, tests);
  else for (const flavour of flavoursOfRun()) onFlavour(flavour, () => describe(title, tests));
}

/**
 * `describe` for tests that both servers answer the same, because other suites play their statements on each: the short form runs them on
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

/** As `describe.each`, for each server of the run. */
describeOnServer.each =
  <Case>(cases: readonly Case[]) =>
  (title: string, tests: Tests<Case extends readonly unknown[] ? Case : [Case]>): void => {
    const register = () => describe.each(cases as readonly unknown[])(title, tests as () => void);
    if (isServerSkipped) describe.skip.each(cases as readonly unknown[])(title, tests as () => void);
    else for (const flavour of flavoursOfRun()) onFlavour(flavour, register);
  };

/** `describe` for tests of what only one kind of server knows; nothing where the run has none of it. */
export function describeOnFlavour(flavour: Flavour, title: string, tests: () => void): void {
  if (isServerSkipped) describe.skip(title, tests);
  else if (flavoursOfRun().includes(flavour)) onFlavour(flavour, () => describe(title, tests));
}

/** `describe` for tests that need a server, whichever it is: they run on the first one. */
export function describeOnOneServer(title: string, tests: () => void): void {
  if (isServerSkipped) describe.skip(title, tests);
  else describe(title, tests);
}

/** The server of a flavour that test files share, each in its own database; by default of the flavour of the tests that are running. */
export function sharedServer(flavour = current): Promise<DatabaseServer> {
  return ask<ServerFacts>('shared', flavour === null ? {} : { flavour });
}

/** A server of one's own; `options` go to its command line: `--transaction-isolation=REPEATABLE-READ`. */
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
