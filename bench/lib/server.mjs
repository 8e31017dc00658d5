import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { startSupervisor } from '../../test/support/database/start-supervisor.mjs';
import { UsageError } from './options.mjs';

/** A durable server: every commit is on the disk before it is answered. */
const OPTIONS = [
  '--innodb-flush-log-at-trx-commit=1',
  '--innodb-buffer-pool-size=1G',
  '--loose-innodb-log-file-size=512M', // MariaDB; MySQL 9.3 and later know only the next one
  '--loose-innodb-redo-log-capacity=512M',
  '--max-connections=1200',
];

/**
 * The server to measure on: the one of `url`, or a private one (`mariadb` or `mysql`) that ends with this process, whichever way that ends.
 * `pid` is null where its CPU time cannot be read.
 */
export async function databaseServer(url, flavour = 'mariadb') {
  if (url !== undefined) return { url, ...(await reached(url)), stop: async () => {} };
  const { socket, stop } = startSupervisor();
  const { url: own, pid } = await request(socket, { request: 'start', options: OPTIONS, flavour });
  return { url: own, ...(await facts(own, pid)), stop };
}

/** Sends a request to the process that owns the private server. */
async function request(path, message) {
  const socket = await opened(path);
  socket.write(`${JSON.stringify({ id: 1, ...message })}\n`);
  for await (const line of createInterface({ input: socket })) {
    const { result, error } = JSON.parse(line);
    socket.end();
    if (error) throw new Error(error);
    return result;
  }
  throw new Error('The process that owns the database server has ended.');
}

async function opened(path) {
  for (let attempt = 1; ; attempt++) {
    const socket = connect(path);
    const problem = await new Promise((resolve) => {
      socket.once('connect', () => resolve(null));
      socket.once('error', resolve);
    });
    if (problem === null) return socket;
    if (attempt === 500) throw problem;
    await pause(20);
  }
}

async function reached(url) {
  if (!URL.canParse(url)) throw new UsageError(`--url ${url}: expected mysql://user:password@host:port.`);
  try {
    return await facts(url, null);
  } catch (error) {
    throw new UsageError(`--url ${new URL(url).host}: ${error.message || error.code}`);
  }
}

async function facts(url, pid) {
  const connection = await createConnection(url);
  const [[{ version, flush, file }]] = await connection.query(
    'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush, @@pid_file AS file',
  );
  await connection.end();
  return { version, durable: Number(flush) === 1, pid: pid ?? pidOf(url, file) };
}

/** Of a server on this machine. */
function pidOf(url, file) {
  try {
    const local = ['127.0.0.1', 'localhost'].includes(new URL(url).hostname);
    return local ? Number(readFileSync(file, 'utf8')) || null : null;
  } catch {
    return null;
  }
}

let hertz;

/** CPU time that a process has used so far, user and system, in milliseconds; null where there is no /proc for it. */
export function cpuMs(pid) {
  if (pid === null) return null;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [utime, stime] = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    hertz ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    return ((Number(utime) + Number(stime)) * 1_000) / hertz;
  } catch {
    return null;
  }
}
