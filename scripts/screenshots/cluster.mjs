/** The cluster that the pictures show: three real processes on one SQLite file, with a day of history. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { writeHistory } from './history.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const MAIN = resolve(HERE, '../../dist/cli/main.js');
const NAME = 'Shop';

/** Starts it. Close it at the end. */
export async function startShop() {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-shop-'));
  const file = join(folder, 'quartz.db');
  const nodes = [];
  const close = async () => {
    for (const { child } of nodes) child.kill('SIGKILL');
    await Promise.all(nodes.map(({ exited }) => exited));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const [name, labels] of [
      ['shop-a', ['disk']],
      ['shop-b', []],
      ['shop-c', ['gpu']],
    ]) {
      nodes.push(await startNode(folder, file, { name, labels }));
      if (nodes.length === 1) writeHistory(file, NAME, Date.now());
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { nodes, close };
}

/** One process, when its console answers. */
async function startNode(folder, file, { name, labels }) {
  const config = join(folder, `${name}.yaml`);
  writeFileSync(config, JSON.stringify(configOf(file, name, labels)));
  const args = [MAIN, 'run', '--config', config, '--jobs', join(HERE, 'jobs.mjs'), '--http', '0', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const ended = exited.then(() => Promise.reject(new Error(`${name} has ended before it could be used.`)));
  ended.catch(() => {});
  return { name, child, exited, url: await Promise.race([addressIn(child.stderr), ended]) };
}

/** What the process says of its console, with the token that opens it. What it says later is read and dropped. */
function addressIn(stream) {
  return new Promise((resolve) => {
    createInterface({ input: stream }).on('line', (line) => {
      if (!line.includes('"token"')) return;
      const { url, token } = JSON.parse(line);
      resolve(`${url}#token=${token}`);
    });
  });
}

const configOf = (path, instanceId, labels) => ({
  scheduler: { instanceName: NAME, instanceId, labels, logLevel: 'silent' },
  threadPool: { threadCount: 8 },
  jobStore: { class: 'sqlite', path, schema: 'create', clusterCheckinInterval: 2_500, clusterCheckinGrace: 5_000 },
  plugin: { schedule: { class: 'scheduleFile', fileNames: join(HERE, 'schedule.yaml') } },
});
