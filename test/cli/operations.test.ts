import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program';
import { type CliProcess, startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';
import { memoryOutput } from '../support/memory-output';
import { proves } from '../support/proves';

/*
 * The commands of the operations, against a database and against the server of a node, which is a separate process. All tests share one store and
 * one node, and depend on their order.
 */

const JOBS = `
const untilStopped = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
export const jobs = {
  quick: async () => {},
  long: untilStopped,
  fails: async () => { throw new Error('red: \\u001b[31m'); },
};
`;
const configOf = (database: string) =>
  `scheduler: { instanceName: Reports, timeZone: UTC }\njobStore: { class: sqlite, path: ${JSON.stringify(database)} }\n`;
const MAIN = join(__dirname, '../../dist/cli/main.js');
const TRIGGER = 'g/任务 ';

let folder: string;
let node: CliProcess;
let server: Record<string, string>;

beforeAll(async () => {
  freshDist();
  folder = mkdtempSync(join(tmpdir(), 'quartz-ts-operations-cli-'));
  writeFileSync(join(folder, 'jobs.mjs'), JOBS);
  writeFileSync(join(folder, 'quartz.yaml'), configOf(join(folder, 'quartz.db')));
  node = startCli(['run', '--config', 'quartz.yaml', '--jobs', './jobs.mjs', '--http', '0', '--json'], folder);
  await node.seen('"token"');
  await node.seen('"schedulerStarted"');
  const line = node
    .output()
    .split('\n')
    .find((each) => each.includes('"token"'));
  const { url, token } = JSON.parse(line ?? '') as { readonly url: string; readonly token: string };
  server = { QUARTZ_SERVER: url, QUARTZ_TOKEN: token };
});

afterAll(async () => {
  node.child.kill('SIGTERM');
  const { code } = await node.ended;
  rmSync(folder, { recursive: true, force: true });
  expect(code).toBe(0);
});

async function typed(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { output, stdout, stderr } = memoryOutput();
  const code = await runProgram(args, { output, env, folder });
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs a command with --json, and returns its output. Throws if the command fails. */
async function answer(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await typed([...args, '--json'], env);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

const onServer = (...args: readonly string[]) => answer(args, server);

/** Repeats a command on the server until `find` returns a value. */
async function until<T>(args: readonly string[], find: (found: never) => T | undefined): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = find((await onServer(...args)) as never);
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${args.join(' ')} did not come to it within 30 s.`);
  }
}

/** Runs a command at a terminal, and answers its question. */
function atTerminal(args: readonly string[], said: string) {
  const command = [process.execPath, MAIN, ...args].map((each) => `'${each}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  let isAsked = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (isAsked || !output.includes('[y/N]')) return;
    isAsked = true;
    child.stdin.write(`${said}\n`);
  });
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

interface Listed<Item> {
  readonly items: readonly Item[];
}

test('jobs, triggers and calendars are added, shown, listed and edited in a database', async () => {
  const description = '\u001b[31mred\u0007';
  expect(
    await answer(['jobs', 'add', 'g/nightly', '--type', 'quick', '--durable', '--description', description]),
  ).toEqual({ version: expect.any(String) });
  await answer(['calendars', 'add', 'holidays', '--type', 'annual', '--excluded-days', '[12-25]']);
  const cron = ['--cron', '0 0 2 1 1 ?', '--calendar', 'holidays'];
  expect(await answer(['triggers', 'add', TRIGGER, 'g/nightly', ...cron])).toMatchObject({
    key: { group: 'g', name: '任务 ' },
  });
  const [jobs, shown, calendar, days] = await Promise.all([
    typed(['jobs']),
    typed(['triggers', 'show', TRIGGER]),
    answer(['calendars', 'show', 'holidays']),
    typed(['calendars', 'show', 'holidays']),
  ]);
  expect(jobs).toMatchObject({ code: 0, stderr: '' });
  expect(jobs.stdout).toMatch(/^name +type +durable.*\ng\/nightly +quick +yes .*red/m);
  expect(shown.stdout).toMatch(/^key +g\/任务$/m);
  expect(shown.stdout).toMatch(/^job +g\/nightly$/m);
  for (const { stdout } of [jobs, shown]) expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(calendar).toMatchObject({
    triggers: [{ group: 'g', name: '任务 ' }],
    definition: { excludedDays: [[12, 25]] },
  });
  expect(days.stdout).toMatch(/^ +- 12-25$/m);
  expect(await answer(['jobs', 'edit', 'g/nightly', '--description', 'Each night', '--history', 'all'])).toMatchObject({
    status: 'replaced',
  });
  expect((await answer(['jobs', 'show', 'g/nightly'])).description).toBe('Each night');
});

test('a pause shows its reason and end time, and ends when resumed', async () => {
  await answer(['pause', 'trigger', TRIGGER, '--reason', 'the source is down', '--until', '+2h']);
  const { items } = await answer(['pauses']);
  expect(items).toMatchObject([{ reason: 'the source is down', target: { key: { name: '任务 ' } } }]);
  const until = Date.parse(items[0].until) - Date.now();
  expect(until).toBeGreaterThan(3_600_000);
  expect(until).toBeLessThan(7_200_001);
  await answer(['resume', 'trigger', TRIGGER]);
  expect((await answer(['triggers', 'list'])).items).toMatchObject([{ state: 'WAITING', pause: null }]);
});

test('runs are fired, found and interrupted on a server', async () => {
  proves('command-line', 'QUARTZ_SERVER', 'QUARTZ_TOKEN', 'Operations --json');
  await onServer('fire', 'g/nightly');
  const runs = ['runs', '--job', 'g/nightly', '--outcome', 'succeeded'];
  const run = await until(runs, ({ items: [first] }: Listed<{ readonly runId: string }>) => first);
  expect(await onServer('runs', 'show', run.runId)).toMatchObject({ job: { name: 'nightly' }, attempt: 1 });
  await onServer('jobs', 'add', 'g/long', '--type', 'long', '--durable');
  await onServer('fire', 'g/long');
  const id = await until(['firings'], ({ items: [first] }: Listed<{ readonly runId: string }>) => first?.runId);
  expect(await onServer('interrupt', id)).toEqual({ interrupted: true });
});

test('dead letters are listed without control characters, and are rerun', async () => {
  await onServer('jobs', 'add', 'g/upload', '--type', 'fails', '--durable', '--retry', 'R1/PT0.001S');
  await onServer('fire', 'g/upload');
  const id = await until(['deadletters'], ({ items: [first] }: Listed<{ readonly runId: string }>) => first?.runId);
  const { stdout } = await typed(['deadletters'], server);
  expect(stdout).toContain('red: ');
  expect(stdout).not.toContain('\u001b');
  expect(await onServer('rerun', id)).toEqual({ count: 1 });
});

test('past fire times are backfilled, and the remaining ones are dropped', async () => {
  const span = ['--from', '2015-01-01T00:00Z', '--to', '2020-01-01T00:00Z', '--spacing', 'PT24H'];
  const { group, count } = await onServer('backfills', 'add', TRIGGER, ...span);
  expect(count).toBe(5);
  expect((await answer(['backfills'])).items).toMatchObject([{ group }]);
  const dropped = await answer(['backfills', 'drop', group, '--yes']);
  expect(dropped.count).toBeGreaterThan(0);
  expect((await answer(['backfills'])).items).toEqual([]);
});

test('a node is drained and undrained from another process', async () => {
  const [only] = (await answer(['nodes'])).items;
  expect(only).toMatchObject({ state: 'alive', isDraining: false, processId: node.child.pid });
  const [nodes, overview] = await Promise.all([typed(['nodes']), typed(['overview'])]);
  expect(nodes.stdout).toMatch(/^node +state .*\n\S+ +alive .* \d+\/25 /);
  expect(overview.stdout).toMatch(/^fired in 15 min +[▁-█]{30} {2}at most \d+ in 30 s$/m);
  expect(await answer(['drain', only.instanceId])).toMatchObject({ drained: true });
  await until(['nodes'], ({ items: [first] }: Listed<{ readonly isDraining: boolean }>) =>
    first?.isDraining ? true : undefined,
  );
  expect(await answer(['nodes', 'undrain', only.instanceId])).toEqual({ undrained: true });
  for (const words of [['drain'], ['nodes', 'undrain']])
    expect(await typed([...words, 'nobody'])).toMatchObject({ code: 9, stderr: expect.stringContaining("'nobody'") });
});

test('destructive commands ask for confirmation at a terminal, and elsewhere need --yes', async () => {
  proves('command-line', 'exit code 13', 'Operations --yes');
  const remove = ['triggers', 'remove', TRIGGER];
  const [refused, declined] = await Promise.all([typed(remove), atTerminal(remove, 'n')]);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
  expect(declined.code).toBe(13);
  expect(declined.output).toContain('triggers remove g/任务 : Deletes a trigger');
  expect((await answer(['triggers', 'list'])).items).toHaveLength(1);
  expect(await atTerminal(remove, 'y')).toMatchObject({ code: 0 });
  expect((await answer(['triggers', 'list'])).items).toEqual([]);
  await Promise.all([
    answer(['jobs', 'remove', 'g/nightly', '--yes']),
    answer(['calendars', 'remove', 'holidays', '--yes']),
  ]);
});

test('the exit code shows the reason of a failure, and standard error prints it as text or JSON', async () => {
  proves('command-line', 'exit code 9', 'exit code 10', 'exit code 11', 'exit code 12');
  const nobody = { ...server, QUARTZ_TOKEN: 'x' };
  const ended = await Promise.all([
    typed(['jobs', 'show', 'g/nightly', '--json']),
    typed(['jobs', 'add', 'g/long', '--type', 'long', '--durable']),
    typed(['jobs', 'list', '--limit', '0']),
    typed(['jobs', 'list', '--colour', 'red']),
    typed(['interrupt', 'nope']),
  ]);
  expect(ended.map(({ code }) => code)).toEqual([9, 10, 2, 2, 9]);
  const more = await Promise.all([
    typed(['triggers', 'add', 't', 'g/long', '--cron', '0 0 99 * * ?']),
    typed(['jobs'], nobody),
    typed(['jobs', '--server', 'http://127.0.0.1:9']),
    typed(['jobs', '--config', 'none.yaml']),
    typed(['triggers', 'add', 't', '--cron', '0 0 9 * * ?']),
  ]);
  expect(more.map(({ code }) => code)).toEqual([2, 11, 12, 3, 2]);
  expect(more[4]?.stderr).toBe('error: <job>: expected a value, found none\n');
  for (const { stdout } of [...ended, ...more]) expect(stdout).toBe('');
  expect(JSON.parse(ended[0]?.stderr ?? '')).toMatchObject({ error: { exitCode: 9, code: 'JOB_NOT_FOUND' } });
  expect(ended[2]?.stderr).toMatch(/^error: --limit: /);
  expect(more[0]?.stderr).toMatch(/^error: --cron: .*99/);
});
