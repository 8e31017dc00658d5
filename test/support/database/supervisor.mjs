import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createConnection } from 'mysql2/promise';
import { DockerServer, hasDocker } from './docker-server.mjs';
import { locateServer } from './locate-server.mjs';
import { ServerProcess } from './server-process.mjs';

/*
 * The process that owns every database server of a test run. It answers on a socket, one JSON line for each request, and
 * ends with all servers and their data when its standard input ends: when whoever started it is gone, however it went.
 *
 *   node supervisor.mjs FOLDER
 */

const folder = process.argv[2];
const servers = new Map();
let started = 0;
let program; // found when first needed
let shared; // promise of the server that most test files share

const HELP = `No MySQL or MariaDB server for the SQL tests. Any of these gives one:
  - install it: apt-get install -y --no-install-recommends mariadb-server-core mariadb-client-core
    (or brew install mariadb; nothing needs to run, the tests start a private one)
  - TEST_MYSQL_URL=mysql://user:password@host:port for a server that runs already; its user must be allowed to create databases
  - start a Docker engine
TEST_MYSQL=skip leaves these tests out.`;

const REQUESTS = {
  shared: async () => {
    shared ??= sharedServer();
    return shared;
  },
  start: async ({ options }) => startServer(options ?? []),
  signal: async ({ server, signal }) => servers.get(server).signal(signal),
  kill: async ({ server }) => servers.get(server).kill('SIGKILL'),
  restart: async ({ server, signal = 'SIGKILL' }) => {
    await servers.get(server).kill(signal);
    await servers.get(server).start();
  },
  stop: async ({ server }) => {
    await stopServer(servers.get(server));
    servers.delete(server);
  },
};

async function sharedServer() {
  const url = process.env.TEST_MYSQL_URL;
  if (!url) return startServer([]);
  process.stderr.write(`SQL tests run on ${await describeServer(url)}\n`);
  return { id: null, url, pid: null };
}

async function startServer(options) {
  program ??= locateServer();
  const id = ++started;
  const server =
    program === null ? dockerServer(options) : new ServerProcess(program, join(folder, String(id)), options);
  if (id === 1) process.stderr.write(`SQL tests run on ${describe(server)}\n`);
  servers.set(id, server);
  server.initialise(join(folder, 'template'));
  await server.start();
  return { id, url: `mysql://quartz:quartz@127.0.0.1:${server.port}`, pid: server.pid };
}

/** What answers there, without its login. */
async function describeServer(url) {
  const where = `${new URL(url).host}, the server of TEST_MYSQL_URL`;
  try {
    const connection = await createConnection(url);
    const [[{ version }]] = await connection.query('SELECT VERSION() AS version');
    await connection.end();
    return `${/mariadb/i.test(version) ? 'MariaDB' : 'MySQL'} ${version} (${where})`;
  } catch (error) {
    throw new Error(`Expected a MySQL or MariaDB server at ${where}; found: ${error.message || error.code}.`);
  }
}

function dockerServer(options) {
  if (!hasDocker()) throw new Error(HELP);
  return new DockerServer(options);
}

function describe(server) {
  if (server instanceof DockerServer) return server.description;
  return `${program.flavour === 'mariadb' ? 'MariaDB' : 'MySQL'} ${program.version} (${program.program})`;
}

async function stopServer(server) {
  await server.kill('SIGKILL');
  if (server instanceof DockerServer) server.remove();
}

async function answer(line) {
  const { id, request, ...parameters } = JSON.parse(line);
  try {
    return { id, result: (await REQUESTS[request](parameters)) ?? null };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

const listener = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  createInterface({ input: socket }).on('line', async (line) => {
    const reply = await answer(line);
    if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`);
  });
});

async function end() {
  listener.close();
  await Promise.all([...servers.values()].map(stopServer));
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.stdin.on('close', end).resume();
listener.listen(join(folder, 'supervisor'));
