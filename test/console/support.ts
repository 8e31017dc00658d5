import { rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Jobs, Scheduler } from '../../src/api/scheduler';
import { type Clock, SystemClock } from '../../src/base/clock';
import { systemRandom } from '../../src/base/ids';
import type { Authenticator } from '../../src/console/authenticator';
import type { Console, ConsoleOptions } from '../../src/console/console-options';
import { assembleConsole, type ConsoleParts } from '../../src/console/create-console';
import type { Actor } from '../../src/operations/operation';
import type { Role } from '../../src/operations/role';
import { createScheduler } from '../../src/scheduler/create-scheduler';

export type Store = 'memory' | 'sqlite';

/** Authenticates every request as the same actor. */
export function everybodyIs(role: Role, name = 'somebody'): Authenticator {
  const actor: Actor = { name, role, via: 'http', from: null };
  return { authenticate: async () => actor };
}

const open: (() => Promise<unknown>)[] = [];

/** Closes all schedulers, consoles and servers. Call it in `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

/** A scheduler on a new store, not started, with the job type `noop`. */
export async function testScheduler(
  options: {
    readonly store?: Store;
    readonly name?: string;
    /** Default: a generated id. */
    readonly instanceId?: string;
    readonly jobs?: Jobs;
    readonly file?: string;
    /** Default: the system clock. */
    readonly clock?: Clock;
  } = {},
): Promise<Scheduler> {
  const { store = 'memory', name = 'Reports', jobs = {} } = options;
  const { file = join(tmpdir(), `quartz-ts-console-${systemRandom.token(12)}.db`) } = options;
  const jobStore = store === 'memory' ? {} : { jobStore: { class: 'sqlite', path: file, storeThread: false } };
  const node = options.instanceId === undefined ? {} : { instanceId: options.instanceId };
  const config = { scheduler: { instanceName: name, ...node, logLevel: 'silent' }, ...jobStore };
  const { clock } = options;
  const given = { jobs: { noop: async () => {}, ...jobs }, ...(clock === undefined ? {} : { clock }) };
  const scheduler = await createScheduler(config as never, given);
  open.push(async () => {
    await scheduler.shutdown();
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  });
  return scheduler;
}

/** A console of the scheduler. Every request is authenticated as `admin`, unless the options set users. */
export function testConsole(
  scheduler: Scheduler | readonly Scheduler[],
  options: ConsoleOptions = {},
  parts: Partial<ConsoleParts> = {},
): Console {
  const clock = new SystemClock({ keepsAlive: false });
  const built = { clock, random: systemRandom, ...parts };
  const shown = assembleConsole(scheduler, { auth: everybodyIs('admin'), ...options }, built);
  open.push(() => shown.close());
  return shown;
}

/** Starts a server on a free local port. The URL has no slash at the end. */
export async function serve(listener: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Sends a request to the console directly, without a server. */
export async function ask(
  { fetch }: Pick<Console, 'fetch'>,
  address: string,
  { method = 'GET', body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
) {
  const response = await fetch(
    new Request(`http://localhost/${address}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: /json/.test(type) && text !== '' ? JSON.parse(text) : null,
  };
}
