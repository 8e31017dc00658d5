import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

const IMAGES = {
  mariadb: process.env.TEST_MARIADB_IMAGE ?? 'mariadb:11.8',
  mysql: process.env.TEST_MYSQL_IMAGE ?? 'mysql:9.7',
};
const START_PATIENCE = 120_000;

/** Returns true if a Docker engine responds at once. */
export function hasDocker() {
  try {
    execFileSync('docker', ['info'], { timeout: 2_000, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A server in a separate container, if no other server is available. It has the same methods as ServerProcess. */
export class DockerServer {
  #image;
  #options;
  #container = null;
  #port = 0;

  /** @param {import('./locate-server.mjs').Flavour} flavour */
  constructor(flavour, options) {
    this.#image = IMAGES[flavour];
    this.#options = options;
  }

  get description() {
    return `Docker image ${this.#image}`;
  }

  get pid() {
    return null;
  }

  get port() {
    return this.#port;
  }

  initialise() {}

  async start() {
    if (this.#container === null) {
      const secrets = [
        '-e',
        'MARIADB_ROOT_PASSWORD=quartz',
        '-e',
        'MYSQL_ROOT_PASSWORD=quartz',
        '-e',
        'MYSQL_ROOT_HOST=%',
      ];
      const options = ['--character-set-server=utf8mb4', '--skip-log-bin', ...this.#options];
      const args = ['run', '-d', '-p', '127.0.0.1:0:3306', ...secrets, this.#image, ...options];
      this.#container = docker(args).trim();
    } else {
      docker(['start', this.#container]);
    }
    this.#port = Number(docker(['port', this.#container, '3306/tcp']).trim().split('\n')[0].split(':').at(-1));
    for (const end = Date.now() + START_PATIENCE; !(await this.#answers()); await delay(200)) {
      if (Date.now() > end) throw new Error(`The container of ${this.#image} did not start.`);
    }
  }

  signal(name) {
    docker(['kill', '--signal', name, this.#container]);
  }

  /** Keeps the container, so that its data survives a restart. */
  async kill(signal = 'SIGKILL') {
    if (this.#container === null) return;
    docker(['kill', '--signal', signal, this.#container]);
  }

  remove() {
    if (this.#container !== null) docker(['rm', '-f', '-v', this.#container]);
    this.#container = null;
  }

  async #answers() {
    let connection;
    try {
      connection = await createConnection({ host: '127.0.0.1', port: this.#port, user: 'root', password: 'quartz' });
      await connection.query("CREATE USER IF NOT EXISTS 'quartz'@'%' IDENTIFIED BY 'quartz'");
      await connection.query("GRANT ALL ON *.* TO 'quartz'@'%' WITH GRANT OPTION");
      return true;
    } catch {
      return false;
    } finally {
      connection?.destroy();
    }
  }
}

function docker(args) {
  return execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
