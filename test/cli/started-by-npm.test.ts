import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWithPackage } from '../support/folder-with-package';

/** A job that prints its process id, and ends when its process receives a signal to stop. */
const JOBS = `
export const jobs = {
  long: ({ signal }) => new Promise((resolve) => {
    signal.addEventListener('abort', () => { console.log('job aborted'); resolve(); });
    console.log('job runs in process ' + process.pid);
  }),
};`;

describe('a scheduler started by npm', () => {
  let folder: string;
  const started: ChildProcess[] = [];
  const schedulers = new Set<number>();

  beforeAll(() => {
    folder = folderWithPackage('npm');
    const run = 'quartz run --config quartz.yaml --jobs ./jobs.mjs';
    const files: Readonly<Record<string, string>> = {
      'package.json': JSON.stringify({
        private: true,
        scripts: { start: run, detached: 'node detached.js' },
      }),
      'jobs.mjs': JOBS,
      'quartz.yaml': 'scheduler.shutdownDeadline: 100\nplugin.p: { class: scheduleFile, fileNames: s.yaml }',
      's.yaml': 'jobs: [{ name: long, triggers: [{ simple: { repeatCount: 0 } }] }]',
      'detached.js': `require('child_process').spawn('quartz', ${JSON.stringify(run.split(' ').slice(1))}, { detached: true, stdio: 'inherit' }).unref();`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });

  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    for (const pid of schedulers) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Resolves when the job runs, with the process id of the scheduler. */
  async function start(args: readonly string[]) {
    const child = spawn('npm', ['--offline', '--no-update-notifier', ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let text = '';
    // Closed when npm, its shell and the scheduler have all ended: they share these pipes.
    const closed = new Promise<string>((done) => child.once('close', () => done(text)));
    const pid = await new Promise<number>((found, reject) => {
      const read = (chunk: Buffer) => {
        text += chunk;
        const [, number] = /job runs in process (\d+)/.exec(text) ?? [];
        if (number !== undefined) found(Number(number));
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      void closed.then(() => reject(new Error(`The job never ran:\n${text}`)));
    });
    schedulers.add(pid);
    return { child, pid, closed };
  }

  const EXEC = ['exec', '--', 'quartz', 'run', '--config', 'quartz.yaml', '--jobs', './jobs.mjs'];

  it.each([
    ['npx', EXEC, 'SIGTERM'],
    ['npx', EXEC, 'SIGKILL'],
    ['npm start', ['start'], 'SIGTERM'],
    ['npm start', ['start'], 'SIGKILL'],
  ] as const)('(%s %j) shuts down gracefully when npm ends by %s', async (_, args, signal) => {
    const { child, closed } = await start(args);
    child.kill(signal);
    const text = await closed;
    expect(text).toMatch(
      /npm, which started this process, has ended: waiting for running jobs to finish|SIGTERM: waiting/,
    );
    expect(text).toContain('job aborted');
  });

  it('continues when npm ends if it is detached', async () => {
    const { child, pid, closed } = await start(['run', 'detached']);
    await new Promise((ended) => (child.exitCode === null ? child.once('exit', ended) : ended(null)));
    // The watch polls twice a second, so it would have detected the end of npm within this time.
    await new Promise((passed) => setTimeout(passed, 1_500));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGTERM');
    expect(await closed).toContain('SIGTERM: waiting for running jobs to finish');
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
