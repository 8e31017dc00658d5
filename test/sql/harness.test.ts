import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
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
  it('end with the run, with all their data, even when it is killed', async () => {
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

/** The supervisor listens a moment after it was started. */
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
