import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describeOnServer, flavourOfTests } from '../support/database/test-database';

const SCRIPT = resolve(__dirname, '../support/database/start-supervisor.mjs');

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describeOnServer('the database servers of a test run', () => {
  it('end with the run and delete their data, even if the run is killed', async () => {
    const code = `import { startSupervisor } from ${JSON.stringify(SCRIPT)};
      console.log(startSupervisor().socket);
      setInterval(() => undefined, 60_000);`;
    const run = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(createInterface({ input: run.stdout }), 'line')) as [string];
    const supervisor = await connected(line);
    const answer = once(createInterface({ input: supervisor }), 'line');
    const options = ['--innodb-buffer-pool-size=32M'];
    supervisor.write(`${JSON.stringify({ id: 1, request: 'start', flavour: flavourOfTests(), options })}\n`);
    const [reply] = (await answer) as [string];
    const { pid } = (JSON.parse(reply) as { result: { pid: number } }).result;
    expect(isAlive(pid)).toBe(true);

    const ended = once(supervisor, 'close');
    run.kill('SIGKILL');
    await ended;
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(dirname(line))).toBe(false);
  });
});

describe('the summary of a test run', () => {
  it('names the servers with their versions, and the missing ones', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quartz-harness-'));
    const servers = {
      flavours: ['mariadb'],
      descriptions: ['MariaDB 10.11.18 (here)'],
      leftOut: ['no MySQL was to be had'],
    };
    writeFileSync(join(folder, 'servers.json'), JSON.stringify(servers));
    const reporter = resolve(__dirname, '../support/closing-line-reporter.js');
    const counts = {
      numPassedTests: 5,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 0,
      numPendingTests: 0,
      numTodoTests: 0,
    };
    const code = `new (require(${JSON.stringify(reporter)}))().onRunComplete([], ${JSON.stringify(counts)});
      process.stderr.write("Jest's summary\\n");`;
    const env = { ...process.env, QUARTZ_TEST_SUPERVISOR: join(folder, 'supervisor') };
    const { stderr } = spawnSync(process.execPath, ['-e', code], { env, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stderr.trim().split('\n').slice(-2)).toEqual([
      'SQL tests ran on MariaDB 10.11.18 (here)',
      '5 passed, 1 failed; no MySQL was to be had',
    ]);
  });
});

/** Connects to the supervisor, which listens only some time after its start. */
async function connected(path: string) {
  for (;;) {
    const socket = connect(path);
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
    if (isOpen) return socket;
  }
}
