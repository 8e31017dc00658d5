import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createConnection } from 'mysql2/promise';
import { DockerServer, hasDocker } from './docker-server.mjs';
import { locateServer } from './locate-server.mjs';
import { ServerProcess } from './server-process.mjs';

/*
 * The process that owns every database server of a test run. It responds on a socket, one JSON line for each request. When its parent process has
 * ended, and with it the standard input, it removes all servers, their data and the temporary files of the tests, and ends.
 *
 *   node supervisor.mjs FOLDER
 */

const folder = process.argv[2];
const servers = new Map();
let started = 0;

/** @typedef {import('./locate-server.mjs').Flavour} Flavour */

/** Tests that run on one server use the first one: MariaDB creates the tables of a test in a quarter of MySQL's processor time. */
const FLAVOURS = ['mariadb', 'mysql'];
const NAMES = { mysql: 'MySQL', mariadb: 'MariaDB' };

const HELP = `No MySQL and no MariaDB server for the SQL tests. Any of these gives one:
  - install it: apt-get install -y --no-install-recommends mariadb-server-core mariadb-client-core
    (or brew install mysql mariadb; nothing needs to run, the tests start private ones)
  - TEST_MYSQL_URL=mysql://user:password@host:port for a server that runs already; its user must be allowed to create databases
  - start a Docker engine
TEST_MYSQL=skip leaves these tests out.`;

const once = (work) => {
  let answer;
  return () => {
    answer ??= work();
    return answer;
  };
};

/** The server of TEST_MYSQL_URL, if there is one. */
const givenServer = once(async () => {
  const url = process.env.TEST_MYSQL_URL;
  if (!url) return null;
  const where = `${new URL(url).host}, the server of TEST_MYSQL_URL`;
  try {
    const connection = await createConnection(url);
    const [[{ version }]] = await connection.query('SELECT VERSION() AS version');
    await connection.end();
    const flavour = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
    return { url, flavour, description: `${NAMES[flavour]} ${version} (${where})` };
  } catch (error) {
    throw new Error(`Expected a MySQL or MariaDB server at ${where}; found: ${error.message || error.code}.`);
  }
});

/** For each flavour: the program of its private servers, `docker`, or null. It is fetched at its first use. */
const programs = Object.fromEntries(
  FLAVOURS.map((flavour) => [flavour, once(() => locateServer(flavour) ?? (hasDocker() ? 'docker' : null))]),
);

/** Flavours of the servers of this run. */
const flavoursOfRun = once(async () => {
  const only = process.env.TEST_MYSQL;
  const given = await givenServer();
  const isWanted = (flavour) => !FLAVOURS.includes(only) || only === flavour;
  const isThere = (flavour) => given?.flavour === flavour || programs[flavour]() !== null;
  const found = FLAVOURS.filter((flavour) => isWanted(flavour) && isThere(flavour));
  if (found.length === 0) throw new Error(HELP);
  const missing = FLAVOURS.filter((flavour) => !found.includes(flavour));
  const descriptions = found.map((flavour) => (given?.flavour === flavour ? given.description : describe(flavour)));
  const leftOut = missing.map((flavour) =>
    isWanted(flavour) ? `no ${NAMES[flavour]} was to be had` : `${NAMES[flavour]} was left out by TEST_MYSQL=${only}`,
  );
  writeFileSync(join(folder, 'servers.json'), JSON.stringify({ flavours: found, descriptions, leftOut }));
  for (const each of descriptions) process.stderr.write(`SQL tests run on ${each}\n`);
  return found;
});

const shared = Object.fromEntries(
  FLAVOURS.map((flavour) => [
    flavour,
    once(async () => {
      const given = await givenServer();
      return given?.flavour === flavour ? { id: null, url: given.url, pid: null } : startServer(flavour, []);
    }),
  ]),
);

const REQUESTS = {
  flavours: flavoursOfRun,
  shared: async ({ flavour }) => shared[flavour ?? (await flavoursOfRun())[0]](),
  start: async ({ flavour, options }) => startServer(flavour ?? (await flavoursOfRun())[0], options ?? []),
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

async function startServer(flavour, options) {
  const program = programs[flavour]();
  if (program === null) throw new Error(`No ${NAMES[flavour]} to start a private server of.\n${HELP}`);
  const id = ++started;
  const server =
    program === 'docker'
      ? new DockerServer(flavour, options)
      : new ServerProcess(program, join(folder, String(id)), options);
  servers.set(id, server);
  server.initialise(join(folder, `template-${flavour}`));
  await server.start();
  return { id, url: `mysql://quartz:quartz@127.0.0.1:${server.port}`, pid: server.pid };
}

function describe(flavour) {
  const program = programs[flavour]();
  if (program === 'docker') return `${NAMES[flavour]} (${new DockerServer(flavour, []).description})`;
  return `${NAMES[flavour]} ${program.version} (${program.program})`;
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
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); // a process of a test may still write to its folder
  process.exit();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.stdin.on('close', end).resume();
listener.listen(join(folder, 'supervisor'));
