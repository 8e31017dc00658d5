import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCli } from '../../../support/cli-process';
import { freshDist } from '../../../support/fresh-dist';
import { once, type Proofs } from '../support/proof';
import { rowsIn, tablesIn } from '../support/sqlite-file';
import { newFolder } from '../support/world';
import { command } from './command';

const FILES: Readonly<Record<string, string>> = {
  'jobs.mjs':
    'export const jobs = { good: async () => {}, endless: () => { console.log("job started"); return new Promise(() => {}); } };',
  'other-jobs.cjs': 'exports.good = async () => { console.log("the other module"); };',
  'nothing.mjs': 'export const VERSION = 1;',
  'good.schedule.yaml': 'jobs: [{ name: good, triggers: [{ simple: { interval: 100 } }], data: { to: secret } }]',
  'endless.schedule.yaml': 'jobs: [{ name: endless, triggers: [{ simple: { repeatCount: 0 } }] }]',
  'good.yaml': 'scheduler.logLevel: info\nplugin.p: { class: scheduleFile, fileNames: good.schedule.yaml }',
  'endless.yaml': 'plugin.p: { class: scheduleFile, fileNames: endless.schedule.yaml }',
  'abandon.yaml': 'scheduler.shutdownDeadline: 1\nplugin.p: { class: scheduleFile, fileNames: endless.schedule.yaml }',
  'fenced.yaml':
    'jobStore: {class: sqlite, path: fenced.db, clusterCheckinInterval: 500, clusterCheckinGrace: 500}\nplugin.s: {class: scheduleFile, fileNames: endless.schedule.yaml}',
  'demo.yaml': 'jobStore: { class: sqlite, path: ./by-config.db, schema: create }',
};

const folder = once(async () => {
  freshDist();
  const path = newFolder();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text);
  return path;
});

const started = async (...args: readonly string[]) => startCli(args, await folder());
const ended = async (...args: readonly string[]) => (await started(...args)).ended;
const run = (...args: readonly string[]) => ended('run', '--for', '600ms', ...args);

const JOBS = ['--jobs', './jobs.mjs'];
const plainRun = once(() => run('--config', 'good.yaml', ...JOBS));
const jsonRun = once(() => run('--config', 'good.yaml', '--jobs', 'other-jobs.cjs', '--json', '--log'));

/** A run whose job does not end, after these signals, each sent when the text before it has appeared. */
async function endlessRun(config: string, ...signals: readonly NodeJS.Signals[]) {
  const { child, seen, ended: end } = await started('run', '--config', config, ...JOBS);
  await seen('job started');
  for (const [index, signal] of signals.entries()) {
    if (index > 0) await seen('once more to stop at once');
    child.kill(signal);
  }
  return end;
}

/** Two demos at the same time; the longer one is interrupted when the shorter one has ended. */
const demos = once(async () => {
  const [short, long] = [
    await started('demo', '--for', '15s', '--nodes', '2', '--url', 'sqlite:by-url.db', '--json'),
    await started('demo', '--for', '1m', '--config', 'demo.yaml'),
  ];
  await long.seen('node-3 is running');
  const shortEnd = await short.ended;
  const wasLongRunning = long.child.exitCode === null;
  long.child.kill('SIGINT');
  return { short: shortEnd, long: await long.ended, wasLongRunning, folder: await folder() };
});

const summaryOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

const jobsIn = (file: string) => rowsIn(file, 'SELECT * FROM QRTZ_JOB_DETAILS');

/** Commands that start schedulers, as processes. */
export const processProofs: Proofs = {
  async demo() {
    const { short } = await demos();
    expect(short.code).toBe(0);
    expect(summaryOf(short)).toMatchObject({ type: 'summary', missing: 0, unexpected: 0, firedTwice: 0 });
    expect(summaryOf(short).recovered).toBeGreaterThan(0);
  },

  async 'demo --for'() {
    expect((await demos()).wasLongRunning).toBe(true);
    expect((await command(['demo', '--for', '14s'])).code).toBe(2);
  },

  async 'demo --nodes'() {
    const { short, long } = await demos();
    expect([summaryOf(short).nodes, long.stdout.split('\n')[0]]).toEqual([2, expect.stringContaining('3 nodes')]);
  },

  async 'demo --config'() {
    const { long, folder: where } = await demos();
    expect(long.stdout).toContain('3 nodes on sqlite:./by-config.db');
    const file = join(where, 'by-config.db');
    expect([tablesIn(file).includes('QRTZ_TRIGGERS'), jobsIn(file)]).toEqual([true, []]);
  },

  async 'demo --url'() {
    const { folder: where } = await demos();
    const file = join(where, 'by-url.db');
    expect([tablesIn(file).includes('QRTZ_TRIGGERS'), jobsIn(file)]).toEqual([true, []]);
  },

  async 'demo --http'() {
    const { long } = await demos();
    expect(long.stdout).toMatch(/^Console: http:\/\/127\.0\.0\.1:\d+\/#token=/m);
    const { code, stderr } = await command(['demo', '--http', '65536']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--http')]);
  },

  async 'demo --json'() {
    const { short, long } = await demos();
    const types = short.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(['console', 'summary']);
    expect(long.stdout).toContain('node-1 is running as process');
  },

  async run() {
    const { code, stdout } = await plainRun();
    expect(code).toBe(0);
    expect(stdout).toMatch(/fired {3}DEFAULT\/good +by DEFAULT\/good/);
    expect(stdout).toMatch(/^trigger +firings +failures +misfires +late p50 +p99 +max$/m);
  },

  async 'run --config'() {
    expect((await plainRun()).stdout).toContain('DEFAULT/good');
    expect((await endlessRun('abandon.yaml', 'SIGTERM')).stdout).toContain('DEFAULT/endless');
  },

  async 'run --jobs'() {
    expect((await plainRun()).stdout).not.toContain('the other module');
    expect((await jsonRun()).stdout).toContain('the other module');
  },

  async 'run --for'() {
    expect((await plainRun()).stderr).not.toContain('letting running jobs finish'); // ended by itself
    const { child, seen, ended: end } = await started('run', '--config', 'good.yaml', ...JOBS);
    for (let second = 0; second < 2; second++) await seen('fired');
    child.kill('SIGTERM');
    expect((await end).stderr).toContain('SIGTERM: letting running jobs finish');
  },

  async 'run --http'() {
    const { child, seen, output, ended: end } = await started('run', '--config', 'good.yaml', ...JOBS, '--http', '0');
    await seen('shown only here');
    const [, url, token] = /Console .*: (http:\/\/127\.0\.0\.1:\d+\/)#token=(\w+)/.exec(output()) ?? [];
    const ask = (headers: Record<string, string>) => fetch(`${url}api/session`, { headers });
    expect((await ask({})).status).toBe(401);
    const session = await ask({ authorization: `Bearer ${token}` });
    expect(await session.json()).toMatchObject({ role: 'admin', schedulers: ['QuartzScheduler'] });
    child.kill('SIGTERM');
    expect((await end).code).toBe(0);
    expect((await plainRun()).stderr).not.toContain('Console');
  },

  async 'run --http-host'() {
    const args = ['run', '--config', 'good.yaml', ...JOBS, '--for', '300ms', '--http', '0', '--http-host'];
    expect((await ended(...args, '127.0.0.2')).stderr).toContain('http://127.0.0.2:');
    expect((await ended(...args, '0.0.0.0')).stderr).toContain('expected an address that only this machine reaches');
    expect((await ended('run', '--config', 'good.yaml', ...JOBS, '--http-host', '::1')).code).toBe(2);
  },

  async 'run --log'() {
    const [plain, logged] = [await plainRun(), await jsonRun()];
    expect(logged.stderr).toMatch(/^\{.*"code":"QTZ102".*\}$/m);
    expect(plain.stderr).not.toContain('QTZ102');
  },

  async 'run --json'() {
    const lines = (await jsonRun()).stdout
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const events = lines.map((line) => JSON.parse(line) as { readonly type: string });
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['schedulerStarted', 'triggerCompleted']));
    expect(events.at(-1)?.type).toBe('summary');
    expect(lines.join('')).not.toContain('secret');
    expect((await plainRun()).stdout).not.toContain('{"');
  },

  async NO_COLOR() {
    const { stdout } = await startCli(['cron', 'validate', '0 0 6 * * ?'], '/', { NO_COLOR: '1', FORCE_COLOR: '1' })
      .ended;
    expect(stdout).toBe('valid: 0 0 6 * * ?\n');
  },

  async FORCE_COLOR() {
    const { stdout } = await startCli(['cron', 'validate', '0 0 6 * * ?'], '/', { NO_COLOR: '', FORCE_COLOR: '1' })
      .ended;
    expect(stdout).toContain('\u001b[32mvalid:');
  },

  async 'exit code 0'() {
    expect((await plainRun()).code).toBe(0);
  },

  async 'exit code 1'() {
    const full = () => {
      throw new Error('ENOSPC: no space left on device');
    };
    const { code, stderr } = await command(['cron', 'next', '0 0 6 * * ?'], {}, full);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no space left on device')]);
  },

  async 'exit code 2'() {
    expect((await command(['vlidate'])).code).toBe(2);
  },

  async 'exit code 3'() {
    const { code, stderr } = await run('--config', 'missing.yaml', ...JOBS);
    expect([code, stderr]).toEqual([3, expect.stringContaining('missing.yaml')]);
  },

  async 'exit code 4'() {
    expect((await command(['cron', 'next', 'x'])).code).toBe(4);
  },

  async 'exit code 5'() {
    expect((await run('--config', 'good.yaml', '--jobs', './nothing.mjs')).code).toBe(5);
  },

  async 'exit code 6'() {
    expect((await endlessRun('abandon.yaml', 'SIGINT')).code).toBe(6);
  },

  async 'exit code 7'() {
    expect((await command(['migrate', '--apply', '--url', 'mysql://127.0.0.1:1/q'])).code).toBe(7);
  },

  async 'exit code 130'() {
    expect((await endlessRun('endless.yaml', 'SIGTERM', 'SIGINT')).code).toBe(130);
  },

  async 'exit code 137'() {
    const { child, seen, ended: end } = await started('run', '--config', 'fenced.yaml', ...JOBS);
    await seen('job started');
    child.kill('SIGSTOP');
    await new Promise((passed) => setTimeout(passed, 1_200)); // beyond the lease, which is real time
    child.kill('SIGCONT');
    await end;
    expect(child.signalCode).toBe('SIGKILL'); // a shell says 128 + 9
  },

  async 'exit code 143'() {
    expect((await endlessRun('endless.yaml', 'SIGINT', 'SIGTERM')).code).toBe(143);
  },
};
