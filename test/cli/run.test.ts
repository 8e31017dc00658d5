import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliEnd, type CliProcess, runClis, startCli } from '../support/cli-process';
import { freshDist } from '../support/fresh-dist';
import { proves } from '../support/proves';

/** Jobs without timers: the test decides when each ends. */
const JOBS = `
const ready = await Promise.resolve(true); // top-level await: an ES module that require() could not load
export const jobs = {
  quick: async ({ data }) => { if (data.fail) throw new Error('boom'); },
  'until-sigterm': () => new Promise((resolve) => {
    process.once('SIGTERM', () => { process.stdout.write('job saw SIGTERM\\n'); setImmediate(() => { process.stdout.write('job done\\n'); resolve(); }); });
    process.stdout.write('job started\\n');
  }),
  endless: () => { process.stdout.write('job started\\n'); return new Promise(() => {}); },
};`;

const CONFIG = (schedule: string) => `
scheduler.logLevel: info
scheduler.shutdownDeadline: \${DEADLINE:-10000}
plugin.schedule: {class: scheduleFile, fileNames: ${schedule}}
plugin.hook.class: shutdownHook`;

const once = (type: string) =>
  `jobs:\n  - {name: ${type}, type: ${type}, triggers: [{name: now, simple: {repeatCount: 0}}]}\n`;

describe('run', () => {
  let folder: string;
  const running: CliProcess[] = [];

  beforeAll(() => {
    freshDist();
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-run-'));
    const files: Record<string, string> = {
      'jobs.mjs': JOBS,
      'jobs.cjs': 'exports.quick = async () => {}; exports.VERSION = 1;',
      'nothing.mjs': 'export const VERSION = 1;',
      'stuck.mjs': 'await new Promise(() => {}); export const jobs = {};',
      'broken.mjs': 'throw new Error("cannot start");',
      'every.schedule.yaml':
        'jobs:\n' +
        '  - {name: good, type: quick, triggers: [{name: often, simple: {interval: PT0.1S}}]}\n' +
        '  - {name: bad, type: quick, data: {fail: true}, triggers: [{name: once, simple: {repeatCount: 0}}]}\n',
      'unknown.schedule.yaml': once('nobody-exports-this'),
      'empty.yaml': 'threadPool.threadCount: 1',
      'bad.yaml': 'threadPool.threadCuont: 1',
      'folder.yaml': 'jobStore: {class: sqlite, path: /nowhere/at/all.db}',
      'fenced.yaml':
        'jobStore: {class: sqlite, path: fenced.db, clusterCheckinInterval: 500, clusterCheckinGrace: 500}\nplugin.s: {class: scheduleFile, fileNames: endless.schedule.yaml}',
      'server.yaml': 'jobStore: {class: mysql, dataSource: d}\ndataSource.d.URL: mysql://127.0.0.1:1/quartz',
      'abandon.yaml': `${CONFIG('endless.schedule.yaml')}`.replace('10000', '1'),
    };
    files['names.schedule.yaml'] =
      'jobs: [{name: "a\\e[31m\\nb", type: quick, triggers: [{simple: {repeatCount: 0}}]}]';
    for (const type of ['until-sigterm', 'endless']) files[`${type}.schedule.yaml`] = once(type);
    for (const name of ['every', 'unknown', 'names', 'until-sigterm', 'endless'])
      files[`${name}.yaml`] = CONFIG(`${name}.schedule.yaml`);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });

  afterAll(() => {
    for (const { child } of running) if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const argsOf = (config: string, options: readonly string[]) => {
    const jobs = options.includes('--jobs') ? [] : ['--jobs', './jobs.mjs'];
    return ['run', '--config', config, ...jobs, ...options];
  };
  const run = (config: string, ...options: readonly string[]) => {
    const started = startCli(argsOf(config, options), folder);
    running.push(started);
    return started;
  };

  it('prints each firing, each failure and a summary, and ends with code 0', async () => {
    proves('command-line', 'run', 'run --config', 'run --jobs', 'run --for', 'exit code 0');
    const { code, stdout, stderr } = await run('every.yaml', '--for', '1s').ended;
    expect(stderr).toBe('every.schedule.yaml: 4 created, 0 replaced, 0 unchanged, 0 deleted\n');
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}fired {3}DEFAULT\/good +by DEFAULT\/often +\S+ m?s late$/m);
    expect(stdout).toMatch(/failed {2}DEFAULT\/bad: .*boom$/m);
    expect(stdout).toMatch(/^trigger +firings +failures +misfires +late p50 +p99 +max$/m);
    expect(stdout).toMatch(/^DEFAULT\/once +1 +1 +0 /m);
    expect(code).toBe(0);
  });

  it('--json prints events and the summary as JSON lines, and nothing else; --log writes the log to standard error', async () => {
    proves('command-line', 'run --json', 'run --log');
    const { code, stdout, stderr } = await run('every.yaml', '--for', '1s', '--json', '--log').ended;
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; firings?: number });
    expect(lines.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['schedulerStarted', 'jobStarted', 'triggerCompleted', 'schedulerShutdown']),
    );
    expect(lines.at(-1)).toMatchObject({ type: 'summary', failures: 1, abandonedJobs: 0 });
    expect(lines.at(-1)?.firings).toBeGreaterThan(3);
    expect(stderr).toMatch(/^\{.*"code":"QTZ102".*\}$/m);
    expect(code).toBe(0);
  });

  it('lets a running job finish on SIGTERM, then ends with code 0', async () => {
    const { child, seen, ended } = run('until-sigterm.yaml');
    await seen('job started');
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect(stdout).toContain('job done');
    expect(stderr).toMatch(/SIGTERM: waiting for running jobs to finish/);
    expect(stdout).toMatch(/^total +1 +0 +0 /m);
    expect(code).toBe(0);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('stops at once at a second signal: %s gives %d', async (signal, expected) => {
    proves('command-line', 'exit code 130', 'exit code 143');
    const { child, seen, ended } = run('endless.yaml');
    await seen('job started');
    child.kill('SIGTERM');
    await seen('stops the process immediately');
    child.kill(signal);
    expect((await ended).code).toBe(expected);
  });

  it('abandons a job at the shutdown deadline, and ends with code 6', async () => {
    proves('command-line', 'exit code 6');
    const { child, seen, ended } = run('abandon.yaml');
    await seen('job started');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(stderr).toMatch(/Running jobs abandoned at the shutdown deadline: 1\./);
    expect(code).toBe(6);
  });

  it('reports a lost lease on standard error before it ends by SIGKILL', async () => {
    proves('command-line', 'exit code 137');
    const { child, seen, ended } = run('fenced.yaml');
    await seen('job started');
    child.kill('SIGSTOP');
    await new Promise((passed) => setTimeout(passed, 1_200)); // longer than the lease, which expires in real time
    child.kill('SIGCONT');
    const { stderr } = await ended;
    expect(child.signalCode).toBe('SIGKILL');
    expect(stderr).toContain('error: This node lost its lease and kills its process with SIGKILL');
  });

  it('continues after its output is closed', async () => {
    const { child, seen, ended } = run('every.yaml', '--for', '1s');
    await seen('fired');
    child.stdout?.destroy();
    expect((await ended).code).toBe(0);
  });

  it('refuses a module whose top-level await never completes', async () => {
    const { code, stdout, stderr } = await run('every.yaml', '--jobs', './stuck.mjs').ended;
    expect(stderr).toMatch(/cannot be loaded: its top-level await never completes/);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  });

  const REFUSED = [
    [
      'a configuration with a mistake',
      ['bad.yaml'],
      3,
      /bad\.yaml:1:1 threadPool\.threadCuont: .*did you mean 'threadCount'/,
    ],
    ['a missing configuration', ['missing.yaml'], 3, /missing\.yaml: expected a file, found none/],
    ['a store in a missing folder', ['folder.yaml'], 3, /found the missing folder \/nowhere\/at/],
    ['an unreachable server', ['server.yaml'], 7, /ECONNREFUSED/],
    [
      'a schedule with a job type that the module does not export',
      ['unknown.yaml'],
      3,
      /^error: unknown\.schedule\.yaml:2:5 jobs\[0\]: .*nobody-exports-this[\s\S]* Export it from the module of --jobs/,
    ],
    [
      'a missing module',
      ['every.yaml', '--jobs', './missing.mjs'],
      5,
      /Expected a module at '\.\/missing\.mjs', found none/,
    ],
    ['a module that throws', ['every.yaml', '--jobs', './broken.mjs'], 5, /cannot be loaded: cannot start/],
    ['a module without jobs', ['every.yaml', '--jobs', './nothing.mjs'], 5, /to export jobs, found none/],
  ] as const;
  const RUN = {
    names: ['names.yaml', '--for', '200ms'],
    commonJs: ['every.yaml', '--for', '200ms', '--jobs', 'jobs.cjs'],
    jsonNotes: ['empty.yaml', '--for', '10ms', '--json'],
    empty: ['empty.yaml', '--for', '10ms'],
  } as const;

  describe('in a shared process', () => {
    let ends: readonly CliEnd[];
    const names = Object.keys(RUN) as (keyof typeof RUN)[];
    beforeAll(async () => {
      const commands = [...REFUSED.map(([, command]) => command), ...Object.values(RUN)];
      ends = await runClis(
        commands.map(([config, ...options]) => argsOf(config, options)),
        folder,
      );
    });
    const endOf = (name: keyof typeof RUN) => ends[REFUSED.length + names.indexOf(name)] as CliEnd;

    it('escapes control characters in names', () => {
      const { stdout } = endOf('names');
      expect(stdout).toMatch(/fired {3}DEFAULT\/a\ufffd\[31m\ufffdb +by DEFAULT\/a\ufffd\[31m\ufffdb /);
      expect(stdout).not.toContain('\u001b');
    });

    it('loads jobs from CommonJS', () => {
      expect(endOf('commonJs').code).toBe(0);
    });

    it('--json prints notes as JSON too', () => {
      expect(JSON.parse(endOf('jsonNotes').stderr)).toEqual({ note: expect.stringMatching(/^Nothing is scheduled\./) });
    });

    it('reports that nothing is scheduled', () => {
      expect(endOf('empty')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Nothing is scheduled\./) });
    });

    it.each(
      REFUSED.map((each, index) => [...each, index] as const),
    )('refuses %s', (_, __, expected, message, index) => {
      proves('command-line', 'exit code 3', 'exit code 5', 'exit code 7');
      const { code, stdout, stderr } = ends[index] as CliEnd;
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    });
  });
});
