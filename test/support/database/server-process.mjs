import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

const START_PATIENCE = 30_000;

/** Fast instead of durable settings, because tests use `kill -9`, but no power failures. */
const OPTIONS = [
  '--bind-address=127.0.0.1',
  '--skip-name-resolve',
  '--skip-log-bin',
  '--performance-schema=OFF',
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-buffer-pool-size=64M',
  '--character-set-server=utf8mb4',
];

/** MySQL of distributions needs a folder that only a full installation creates. Small data files, because they are copied for each server. */
const MYSQL_OPTIONS = [
  '--mysqlx=OFF',
  '--secure-file-priv=NULL',
  '--innodb-redo-log-capacity=8M',
  '--log-error-verbosity=1',
];

const isRoot = process.getuid?.() === 0;

/** A private server with its own data, socket and port. */
export class ServerProcess {
  #program;
  #folder;
  #options;
  #child = null;
  #port = 0;

  /**
   * @param {import('./locate-server.mjs').ServerProgram} program
   * @param {string} folder for the data; short, because it also holds the socket
   * @param {readonly string[]} options added to the server's command line
   */
  constructor(program, folder, options) {
    this.#program = program;
    this.#folder = folder;
    this.#options = options;
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  get port() {
    return this.#port;
  }

  /** Creates the data if there is none, as a copy of `template` if it exists. */
  initialise(template) {
    if (!existsSync(template)) makeData(this.#program, template);
    mkdirSync(this.#folder, { recursive: true });
    mkdirSync(this.#temporary, { recursive: true });
    cpSync(template, join(this.#folder, 'data'), { recursive: true });
  }

  /** Starts the server. Resolves when it responds. The port stays the same after a restart. */
  async start() {
    for (let attempt = 1; ; attempt++) {
      if (this.#port === 0) this.#port = await freePort();
      try {
        return await this.#startOnce();
      } catch (error) {
        await this.kill('SIGKILL');
        if (attempt === 3) throw error;
        this.#port = 0; // someone else may have taken it
      }
    }
  }

  signal(name) {
    this.#child?.kill(name);
  }

  async kill(signal = 'SIGKILL') {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    if (signal !== 'SIGKILL') child.kill('SIGCONT');
    await exited;
  }

  async #startOnce() {
    const log = openSync(join(this.#folder, 'log'), 'a');
    const { command, options, environment } = this.#program;
    const [program, ...before] = command;
    const args = [
      ...before,
      '--no-defaults',
      ...options,
      `--datadir=${join(this.#folder, 'data')}`,
      `--socket=${this.#socket}`,
      `--pid-file=${join(this.#folder, 'pid')}`,
      `--port=${this.#port}`,
      // A separate folder, because a starting server deletes files that look like its temporary tables, also those of other servers.
      `--tmpdir=${this.#temporary}`,
      ...(isRoot ? ['--user=root'] : []),
      ...(this.#program.flavour === 'mysql' ? MYSQL_OPTIONS : []),
      ...OPTIONS,
      ...this.#options,
    ];
    const child = spawn(program, args, { stdio: ['ignore', log, log], env: environment });
    this.#child = child;
    for (const end = Date.now() + START_PATIENCE; ; await delay(20)) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > end) throw new Error(this.#lastWords());
      if (await this.#answers()) return;
    }
  }

  /** Also creates the user of the tests, because some servers accept root only by the socket. */
  async #answers() {
    let connection;
    try {
      connection = await createConnection({ socketPath: this.#socket, user: 'root', connectTimeout: 2_000 });
      for (const host of ['%', '127.0.0.1', 'localhost']) {
        await connection.query(`CREATE USER IF NOT EXISTS 'quartz'@'${host}' IDENTIFIED BY 'quartz'`);
        await connection.query(`GRANT ALL ON *.* TO 'quartz'@'${host}' WITH GRANT OPTION`);
      }
      return true;
    } catch {
      return false;
    } finally {
      connection?.destroy();
    }
  }

  get #temporary() {
    return join(this.#folder, 'tmp');
  }

  get #socket() {
    return join(this.#folder, 'socket');
  }

  #lastWords() {
    return `The database server did not start: ${readFileSync(join(this.#folder, 'log'), 'utf8').slice(-2_000)}`;
  }
}

function makeData({ flavour, command, installProgram, options, environment }, folder) {
  const user = isRoot ? ['--user=root'] : [];
  const run = (command, args) => {
    try {
      execFileSync(command, args, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      throw new Error(`${command} failed: ${error.stdout}${error.stderr}`);
    }
  };
  if (flavour === 'mysql') {
    const own = [...options, ...user, ...MYSQL_OPTIONS];
    const [program, ...before] = command;
    run(program, [...before, '--no-defaults', ...own, '--initialize-insecure', `--datadir=${folder}`]);
    return;
  }
  mkdirSync(folder, { recursive: true });
  run(installProgram ?? 'mariadb-install-db', [
    '--no-defaults',
    ...options.filter((option) => option.startsWith('--basedir')),
    ...options.filter((option) => !option.startsWith('--basedir')),
    ...user,
    `--datadir=${folder}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
    '--innodb-log-file-size=8M',
  ]);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
