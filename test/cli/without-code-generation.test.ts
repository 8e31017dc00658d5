import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folderWithPackage } from '../support/folder-with-package';

/** Node's counterpart of a content security policy without `unsafe-eval`. Threads of the process inherit it. */
const FLAG = '--disallow-code-generation-from-strings';

const SCHEDULE = resolve(__dirname, '../../config/schedule.yaml');

const PROGRAM = `import { createScheduler, workerJob } from 'quartz-ts';
import 'quartz-ts/console';
import 'quartz-ts/testing';

const scheduler = await createScheduler(
  { scheduler: { logLevel: 'silent' }, jobStore: { class: 'sqlite', path: './jobs.db', history: 'all' } },
  { jobs: { count: workerJob(new URL('./jobs.mjs', import.meta.url)) } },
);
const ended = new Promise((resolve) => scheduler.subscribe(resolve, ['triggerCompleted']));
await scheduler.schedule('count', { at: new Date() });
await scheduler.start();
await ended;
const outcome = async () => (await scheduler.listRuns()).items[0]?.outcome;
while ((await outcome()) === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
console.log(await outcome());
await scheduler.shutdown();
`;

describe('with --disallow-code-generation-from-strings', () => {
  let folder: string;

  beforeAll(() => {
    folder = folderWithPackage('without-code-generation');
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    writeFileSync(join(folder, 'jobs.mjs'), 'await null;\nexport default async () => ({ summary: "counted" });');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [FLAG, ...args], { cwd: folder, encoding: 'utf8', timeout: 50_000 });

  it('the package runs jobs on a database and in threads', () => {
    expect(run('program.mjs')).toBe('succeeded\n');
  });

  it('the command reads schedule files', () => {
    const command = join(folder, 'node_modules/quartz-ts/dist/cli/main.js');
    expect(run(command, 'validate', SCHEDULE)).toMatch(/schedule\.yaml/);
  });
});
