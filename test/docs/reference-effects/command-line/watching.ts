import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeAll, serve, testConsole, testScheduler } from '../../../console/support';
import { startCli } from '../../../support/cli-process';
import { once, type Proofs } from '../support/proof';
import { newFile, newFolder } from '../support/world';
import { command, commandIn } from './command';

let started: ReturnType<typeof startCli> | null = null;

/** A folder as `init` makes it, with an hour between the runs of a job that logs, and its scheduler, which runs. */
const running = once(async () => {
  const folder = newFolder();
  await command(['init', folder]);
  writeFileSync(
    join(folder, 'schedule.yaml'),
    'jobs: [{ name: hello, data: { name: world }, triggers: [{ simple: { interval: PT1H } }] }, { name: report, group: reports, durable: true }]',
  );
  // Asked for from other folders too.
  const config = join(folder, 'quartz.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('./quartz.db', join(folder, 'quartz.db')));
  const scheduler = startCli(['run', '--config', 'quartz.yaml', '--jobs', './jobs.mjs'], folder);
  started = scheduler;
  await scheduler.seen('fired');
  return { folder, scheduler, config, url: `sqlite:${join(folder, 'quartz.db')}` };
});

const linesOf = ({ stdout }: { readonly stdout: string }) =>
  stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const SHORT = ['--for', '1ms', '--json'];

/** What the commands that watch have in common. */
function watchingProofs(name: 'tail' | 'top'): Proofs {
  return {
    async [`${name} --for`]() {
      expect((await command([name, '--for', '1ms', '--config', (await running()).config])).code).toBe(0);
      expect((await command([name, '--for', 'x', '--config', (await running()).config])).code).toBe(2);
    },

    async [`${name} --config`]() {
      expect((await command([name, ...SHORT, '--config', (await running()).config])).code).toBe(0);
      expect((await command([name, ...SHORT, '--config', newFile('none.yaml')])).code).toBe(3);
    },

    async [`${name} --url`]() {
      const { folder } = await running();
      const url = `sqlite:${join(folder, 'quartz.db')}`;
      expect((await command([name, ...SHORT, '--url', url])).code).toBe(0);
      expect((await command([name, ...SHORT, '--url', `sqlite:${newFile()}`])).code).toBe(7);
    },

    async [`${name} --scheduler`]() {
      const { url } = await serve(testConsole(await testScheduler()).listener);
      const of = (scheduler: string) => command([name, ...SHORT, '--server', url, '--scheduler', scheduler]);
      expect([(await of('Reports')).code, (await of('Other')).code]).toEqual([0, 9]);
      await closeAll();
    },

    async [`${name} --server`]() {
      const { url } = await serve(testConsole(await testScheduler()).listener);
      expect((await command([name, ...SHORT, '--server', url])).code).toBe(0);
      expect((await command([name, ...SHORT, '--server', 'http://127.0.0.1:1'])).code).toBe(12);
      await closeAll();
    },

    async [`${name} --token-file`]() {
      const token = newFile('token');
      writeFileSync(token, 'secret-token\n');
      const auth = {
        authenticate: async ({ headers }: Request) =>
          headers.get('authorization') === 'Bearer secret-token'
            ? ({ name: 'ops', role: 'viewer', via: 'http', from: null } as const)
            : null,
      };
      const { url } = await serve(testConsole(await testScheduler(), { auth }).listener);
      expect((await command([name, ...SHORT, '--server', url, '--token-file', token])).code).toBe(0);
      expect((await command([name, ...SHORT, '--server', url])).code).toBe(11);
      await closeAll();
    },
  };
}

/** Commands that watch a scheduler or begin one. */
export const watchProofs: Proofs = {
  ...watchingProofs('tail'),
  ...watchingProofs('top'),

  async tail() {
    const { folder, config } = await running();
    const tail = startCli(['tail', 'reports/report'], folder);
    const all = startCli(['tail', '--json'], folder);
    let isSeen = false;
    const seen = Promise.all([tail.seen('started'), all.seen('"type":"started"')]).finally(() => {
      isSeen = true;
    });
    // It tells of nothing before its first look: what begins later is told of, whenever that was.
    while (!isSeen) await command(['jobs', 'fire', 'reports/report', '--config', config]);
    await seen;
    await Promise.all([tail.seen('succeeded'), all.seen('"type":"ended"')]);
    tail.child.kill('SIGINT');
    all.child.kill('SIGINT');
    const { code, stdout } = await tail.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+Z {2}started {6}reports\/report/m);
    // Other runs go on beside it, whose lines may come between.
    expect(stdout).toMatch(/ info +reports\/report +written\n(?:.*\n)*\S+ {2}succeeded/);
    expect(stdout).not.toContain('hello');
    const types = linesOf(await all.ended).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['started', 'line', 'ended']));
  },

  async 'tail --json'() {
    const { config } = await running();
    let isOver = false;
    const watching = command(['tail', 'hello', '--for', '3s', '--json', '--config', config]).finally(() => {
      isOver = true;
    });
    // It tells of nothing before its first look, and a short run may begin and end before that.
    while (!isOver) await command(['jobs', 'fire', 'hello', '--config', config]);
    const lines = linesOf(await watching);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'line', message: 'hello world' }),
        expect.objectContaining({ type: 'ended', outcome: 'succeeded', job: { group: 'DEFAULT', name: 'hello' } }),
      ]),
    );
  },

  async top() {
    const { config } = await running();
    // What the proofs before this one fired may still wait or run; its trigger is deleted when it has ended.
    const triggers = async () => JSON.parse((await command(['triggers', 'list', '--json', '--config', config])).stdout);
    while ((await triggers()).items.length > 1);
    const { stdout } = await command(['top', '--for', '1ms', '--config', config]);
    expect(stdout).toMatch(
      /^\S+ {2}1 node, 0 running; next fire time \S+ of DEFAULT\/hello\na minute: [\d.]+ fired, \S+ failed; lateness p50 /,
    );
    expect(stdout).toMatch(/^node +state +running +workers +fired\/min .*\n\S+ +alive +0 +\d+ +[\d.]+ /m);
  },

  async 'top --json'() {
    const { stdout } = await command(['top', '--for', '1s', '--json', '--config', (await running()).config]);
    const looks = linesOf({ stdout });
    expect(looks.length).toBeGreaterThan(1);
    expect(Object.keys(looks[0] ?? {})).toEqual(['at', 'nodes', 'running', 'load', 'next']);
    expect(looks[0]).toMatchObject({ nodes: [{ state: 'alive', running: 0 }], running: { total: 0 } });
  },

  async init() {
    const folder = join(newFolder(), 'new');
    expect(await command(['init', folder])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('quartz run'),
    });
    const run = startCli(['run', '--config', 'quartz.yaml', '--jobs', './jobs.mjs'], folder);
    await run.seen('fired   DEFAULT/hello');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') });
    const before = readFileSync(join(folder, 'jobs.mjs'), 'utf8');
    expect((await command(['init', folder])).code).toBe(10);
    expect(readFileSync(join(folder, 'jobs.mjs'), 'utf8')).toBe(before);
    expect((await command(['validate', join(folder, 'quartz.yaml')])).code).toBe(0);
  },

  async 'init --json'() {
    const folder = newFolder();
    const { files } = JSON.parse((await commandIn({ env: {}, folder }, ['init', '--json'])).stdout) as {
      files: string[];
    };
    expect(files).toEqual(['quartz.yaml', 'schedule.yaml', 'jobs.mjs'].map((name) => join(folder, name)));
    expect(files.every((file) => existsSync(file))).toBe(true);
  },

  async completion() {
    const script = newFile('completion.bash');
    writeFileSync(script, (await command(['completion', 'bash'])).stdout);
    const completed = (...words: readonly string[]) =>
      execFileSync(
        'bash',
        [
          '-uc',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's
          'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _quartz; echo "${COMPREPLY[*]-}"',
          script,
          ...words,
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(completed('quartz', 'trig')).toBe('triggers');
    expect(completed('quartz', 'pause', '')).toBe('job trigger all group --help');
    expect(completed('quartz', 'triggers', 'list', '--st')).toBe('--state');
    expect(completed('quartz', 'triggers', 'list', '--state', 'PAUS')).toBe('PAUSED PAUSED_BLOCKED');
    expect(completed('quartz', 'jobs', '--config', '')).toBe('');
    expect(completed('quartz', 'completion', 'f')).toBe('fish');
    for (const shell of ['zsh', 'fish']) expect((await command(['completion', shell])).stdout).toContain('set-retries');
    expect((await command(['completion', 'tcsh'])).code).toBe(2);
  },
};

/** Ends what the proofs have started. */
export async function endWatched(): Promise<void> {
  started?.child.kill('SIGTERM');
  await started?.ended;
}
