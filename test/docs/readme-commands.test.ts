import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
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
/** Done by whoever runs these tests; the database is that of the tests instead. */
const OF_THE_MACHINE = /^(npm install quartz-ts$|npm ci && npm test$|docker compose |export )/;
/** Where the package is installed, this makes the files that the commands below it name. */
const COPY = readmeCommands().find((line) => line.startsWith('cp ')) ?? '';
/** The guide that shows what the demo prints. */
const CLUSTER_GUIDE = readFileSync(join(ROOT, 'docs/guides/cluster.md'), 'utf8');
/** These run for half a minute, most of it waiting: they are started together. */
const LONG = /^npx quartz-ts demo |--for 30s/;

const others = readmeCommands().filter((line) => line !== FIRST && line !== COPY && !OF_THE_MACHINE.test(line));
const clustered = others.filter((line) => line.includes('cluster.yaml'));
// `npx quartz-ts demo` is what npm start runs.
const local = others.filter((line) => !clustered.includes(line) && line !== 'npx quartz-ts demo');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}
type Environment = Readonly<Record<string, string>>;

/** Where the commands are typed: the files they name are there, and what they write is gone afterwards. */
let folder: string;
const running = new Set<ChildProcess>();

/** Runs a command; one that would run for ever is asked to end after its first firing. */
function type(command: string, env: Environment = {}): Promise<Ended> {
  const line = command === FIRST ? (scripts.start ?? '') : command;
  const inShell = `exec ${line.replace(/^(npx quartz-ts|node dist\/cli\/main\.js)/, MAIN)}`;
  const startedAt = process.hrtime.bigint();
  const child = spawn('sh', ['-c', inShell], { cwd: folder, env: { ...process.env, NO_COLOR: '1', ...env } });
  running.add(child);
  const printed = { stdout: '', stderr: '' };
  let isEndless = line.includes(' run ') && !line.includes('--for');
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      if (!isEndless || !printed.stdout.includes('  fired  ')) return;
      isEndless = false; // a second signal would end it at once
      child.kill('SIGTERM');
    });
  }
  return new Promise((done) => {
    child.once('close', (code) => {
      running.delete(child);
      done({ code, ...printed, seconds: Number(process.hrtime.bigint() - startedAt) / 1e9 });
    });
  });
}

/** Each command typed once, whichever test asks for it. */
const typed = new Map<string, Promise<Ended>>();
function typeOnce(command: string, env?: Environment): Promise<Ended> {
  const ended = typed.get(command) ?? type(command, env);
  typed.set(command, ended);
  return ended;
}

/** The words of a line of the demo, whatever its figures. */
const wordsOf = (line: string) =>
  [
    ...new Set(
      line
        .replace(/^(node-\d+ +\d+ +\w+).*/, '$1')
        .replace(/\d ms\b/g, '')
        .replace(/#token=.*/, '#token')
        .match(/[a-z]{2,}/gi),
    ),
  ].join(' ');

beforeAll(() => {
  folder = folderWithPackage('readme');
  execFileSync('sh', ['-c', COPY], { cwd: folder });
  for (const command of [FIRST, ...local.filter((line) => LONG.test(line))]) void typeOnce(command);
});

afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the commands of README', () => {
  it('are all known here', () => {
    expect(others.filter((line) => !line.startsWith('npx quartz-ts '))).toEqual([]);
    expect(others.filter((line) => LONG.test(line))).toHaveLength(2);
    expect(local.length).toBeGreaterThan(4);
    expect(clustered.length).toBeGreaterThan(2);
  });

  describeOnOneServer('on a database:', () => {
    const databases: TestDatabase[] = [];
    const environments = new Map<string, Environment>();

    beforeAll(async () => {
      const server = await sharedServer();
      for (const command of clustered) {
        const database = await createDatabase(server);
        databases.push(database);
        environments.set(command, variablesOf(database.url));
      }
      for (const command of clustered.filter((line) => LONG.test(line)))
        void typeOnce(command, environments.get(command));
    });
    afterAll(async () => {
      for (const database of databases) await database.drop();
    });

    it.each(clustered)(
      '%s',
      async (command) => {
        const { code, stdout } = await typeOnce(command, environments.get(command));
        expect(code).toBe(0);
        expect(stdout).toMatch(/fired|CREATE TABLE/);
      },
      2 * MINUTE,
    );
  });

  it.each(local)(
    '%s',
    async (command) => {
      const { code, stdout } = await typeOnce(command);
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
    },
    2 * MINUTE,
  );

  it(
    'the first one ends by itself after about half a minute with code 0, and looks as the guide of the cluster shows it',
    async () => {
      const { code, stdout, stderr, seconds } = await typeOnce(FIRST);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toContain('\u001b');
      expect(seconds).toBeGreaterThan(20);
      expect(seconds).toBeLessThan(45);
      const said = stdout.split('\n').map(wordsOf);
      const shown = (/```text\n(Console: [\s\S]*?)```/.exec(CLUSTER_GUIDE)?.[1] ?? '').trim().split('\n').map(wordsOf);
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.filter((line) => !said.includes(line))).toEqual([]);
    },
    2 * MINUTE,
  );
});
