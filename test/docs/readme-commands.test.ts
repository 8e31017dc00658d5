import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  createDatabase,
  describeOnOneServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { folderWithPackage, variablesOf } from '../support/folder-with-package';
import { readmeCommands } from '../support/readme';

const ROOT = resolve(__dirname, '../..');
const MAIN = `'${process.execPath}' '${join(ROOT, 'dist/cli/main.js')}'`;
const MINUTE = 60_000;
const { scripts } = require('../../package.json') as { scripts: Record<string, string> };

const FIRST = 'npm ci && npm start';
/** Commands that set up the machine. The tests use their own database instead. */
const OF_THE_MACHINE = /^(npm install quartz-ts$|npm ci && npm test$|docker compose |export )/;
/** Copies the files that the later commands name. */
const COPY = readmeCommands().find((line) => line.startsWith('cp ')) ?? '';
/** The demo, which `npm start` runs too. test/cli/demo.test.ts compares its output with the guide of the cluster. */
const DEMO = /^npx quartz-ts demo\b/;

const others = readmeCommands().filter(
  (line) => line !== FIRST && line !== COPY && !DEMO.test(line) && !OF_THE_MACHINE.test(line),
);
const clustered = others.filter((line) => line.includes('cluster.yaml'));
const local = others.filter((line) => !clustered.includes(line));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
type Environment = Readonly<Record<string, string>>;

/** Working folder of the commands, with the files that they name. It is removed at the end. */
let folder: string;
const running = new Set<ChildProcess>();

/** Runs a command. A `run` without --for is stopped with SIGTERM after its first firing. */
function type(command: string, env: Environment = {}): Promise<Ended> {
  const line = command.replace('--for 30s', '--for 3s');
  const inShell = `exec ${line.replace(/^npx quartz-ts/, MAIN)}`;
  const child = spawn('sh', ['-c', inShell], { cwd: folder, env: { ...process.env, NO_COLOR: '1', ...env } });
  running.add(child);
  const printed = { stdout: '', stderr: '' };
  let isEndless = line.includes(' run ') && !line.includes('--for');
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      if (!isEndless || !printed.stdout.includes('  fired  ')) return;
      isEndless = false; // a second signal would kill the process
      child.kill('SIGTERM');
    });
  }
  return new Promise((done) => {
    child.once('close', (code) => {
      running.delete(child);
      done({ code, ...printed });
    });
  });
}

beforeAll(() => {
  folder = folderWithPackage('readme');
  execFileSync('sh', ['-c', COPY], { cwd: folder });
});

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the commands of README', () => {
  it('are all run by this test', () => {
    expect(others.filter((line) => !line.startsWith('npx quartz-ts '))).toEqual([]);
    expect(scripts.start).toBe('node dist/cli/main.js demo');
    expect(readmeCommands()).toContain('npx quartz-ts demo --config config/cluster.yaml');
    expect(local.length).toBeGreaterThan(4);
    expect(clustered.length).toBeGreaterThan(1);
  });

  describeOnOneServer('on a database', () => {
    const databases: TestDatabase[] = [];
    const environments = new Map<string, Environment>();

    beforeAll(async () => {
      const server = await sharedServer();
      for (const command of clustered) {
        const database = await createDatabase(server);
        databases.push(database);
        environments.set(command, variablesOf(database.url));
      }
    });
    afterAll(async () => {
      for (const database of databases) await database.drop();
    });

    it.each(clustered)(
      'end with code 0: %s',
      async (command) => {
        const { code, stdout } = await type(command, environments.get(command));
        expect(code).toBe(0);
        expect(stdout).toMatch(/fired|CREATE TABLE/);
      },
      2 * MINUTE,
    );
  });

  it.each(local)(
    'end with code 0: %s',
    async (command) => {
      const { code, stdout } = await type(command);
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
    },
    2 * MINUTE,
  );
});
