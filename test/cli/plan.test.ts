import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program';
import { createScheduler } from '../../src/index';
import { memoryOutput } from '../support/memory-output';
import { proves } from '../support/proves';

const report = (cron: string, more = '') => `
jobs:
  - name: report
    data: { to: ops, password: secret-1 }
    triggers: [{ cron: '${cron}', timeZone: UTC${more} }]`;
const cleanup = `
  - name: cleanup
    triggers: [{ simple: { interval: PT1H } }]`;

describe('schedule plan', () => {
  let folder: string;
  let config: string;
  const file = (name = 'schedule.yaml') => join(folder, name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-plan-'));
    config = join(folder, 'quartz.yaml');
    const store = `jobStore: { class: sqlite, path: '${join(folder, 'quartz.db')}', storeThread: false }`;
    writeFileSync(config, `${store}\nplugin: { files: { class: scheduleFile, fileNames: [schedule.yaml] } }\n`);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a scheduler, which applies the file, and stops it before any trigger is due. */
  async function apply() {
    const warnings: string[] = [];
    const jobs = { report: async () => {}, cleanup: async () => {}, other: async () => {} };
    const scheduler = await createScheduler(config, { jobs });
    scheduler.subscribe((event) => event.type === 'configurationWarning' && warnings.push(event.message));
    await scheduler.start();
    const triggers = (await scheduler.listTriggers()).items.map(({ trigger }) => trigger.key.name).sort();
    await scheduler.shutdown();
    return { triggers, warnings };
  }

  async function plan(...args: readonly string[]) {
    const { output, stdout, stderr } = memoryOutput();
    const code = await runProgram(['schedule', 'plan', '--config', config, ...args], { output, env: {}, folder: '/' });
    return { code, stdout: stdout(), stderr: stderr() };
  }

  const planJson = async (...args: readonly string[]) => JSON.parse((await plan('--json', ...args)).stdout);
  const write = (text: string, name?: string) => writeFileSync(file(name), text);
  const tables = async () => {
    await runProgram(['migrate', '--apply', '--config', config], {
      output: memoryOutput().output,
      env: {},
      folder: '/',
    });
  };

  it('shows the definitions to create, and writes nothing', async () => {
    proves('command-line', 'schedule plan', 'schedule plan --config', 'exit code 8');
    await tables();
    write(report('0 0 6 * * ?') + cleanup);
    const before = readFileSync(join(folder, 'quartz.db'));
    const { code, stdout, stderr } = await plan(file());
    expect({ code, stderr }).toEqual({ code: 8, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'action  what     name             fields',
      'create  job      DEFAULT/report',
      'create  trigger  DEFAULT/report',
      'create  job      DEFAULT/cleanup',
      'create  trigger  DEFAULT/cleanup',
      '4 to create, 0 to replace, 0 unchanged, 0 to delete.',
      '',
    ]);
    expect(readFileSync(join(folder, 'quartz.db')).equals(before)).toBe(true);
    expect(await plan(file())).toEqual({ code, stdout, stderr });
  });

  it('ends with 0 if nothing would change, also for the files of the configuration', async () => {
    write(report('0 0 6 * * ?') + cleanup);
    await apply();
    expect(await plan(file())).toEqual({ code: 0, stdout: 'Nothing would change.\n', stderr: '' });
    expect(await plan()).toMatchObject({ code: 0 });
    expect(await planJson()).toMatchObject({ changed: false, undeclared: [] });
  });

  it('names the fields that differ, and only the keys of job data', async () => {
    proves('command-line', 'schedule plan --json');
    write(report('0 0 6 * * ?'));
    await apply();
    write(report('0 0 7 * * ?', ', priority: 7').replace('secret-1', 'secret-2'));
    const { code, stdout } = await plan();
    expect(code).toBe(8);
    expect(stdout).toMatch(/^replace {2}job {6}DEFAULT\/report {2}data\.password$/m);
    expect(stdout).toMatch(
      /^replace {2}trigger {2}DEFAULT\/report {2}.*cronExpression: 0 0 6 \* \* \? → 0 0 7 \* \* \?/m,
    );
    expect(stdout).toContain('priority: 5 → 7');
    expect(stdout).not.toContain('secret');
    const { changes } = await planJson();
    expect(changes[0]).toMatchObject({
      action: 'replace',
      what: 'job',
      fields: [{ field: 'data.password' }],
    });
    expect(changes[1].fields).toContainEqual({ field: 'priority', before: 5, after: 7 });
    const next = changes[1].fields.find(({ field }: { field: string }) => field === 'nextFireTime');
    expect(next.after).toMatch(/T07:00:00.000Z$/);
    expect(JSON.stringify(changes)).not.toContain('secret');
  });

  it.each(['group', 'all'])('deletes triggers removed from a file with prune: %s, as planned', async (prune) => {
    write(report('0 0 6 * * ?') + cleanup);
    await apply();
    write(`prune: ${prune}${report('0 0 6 * * ?')}`);
    const { code, stdout } = await plan();
    expect(code).toBe(8);
    expect(stdout).toMatch(/^delete {2}job {6}DEFAULT\/cleanup$/m);
    expect(stdout).toMatch(/^delete {2}trigger {2}DEFAULT\/cleanup$/m);
    expect(await apply()).toEqual({ triggers: ['report'], warnings: [] });
    expect(await plan()).toMatchObject({ code: 0, stdout: 'Nothing would change.\n' });
  });

  it('reports triggers removed from a file without prune, and does not delete them', async () => {
    write(report('0 0 6 * * ?') + cleanup);
    await apply();
    write(report('0 0 6 * * ?'));
    const { code, stderr } = await plan();
    expect(code).toBe(0);
    expect(stderr).toContain("no longer in the file, but kept: 'DEFAULT/cleanup'");
    expect((await planJson()).undeclared).toEqual([{ group: 'DEFAULT', name: 'cleanup' }]);
    const { triggers, warnings } = await apply();
    expect(triggers).toEqual(['cleanup', 'report']);
    expect(warnings).toEqual([
      expect.stringContaining("The declared set 'schedule.yaml' no longer contains 'DEFAULT/cleanup'"),
    ]);
  });

  it('deletes only definitions of the file, and with prune: group only those of its groups', async () => {
    const elsewhere = `
  - name: other
    group: reports
    triggers: [{ simple: { interval: PT1H } }]`;
    write(report('0 0 6 * * ?') + elsewhere);
    await apply();
    const jobs = { 'by-hand': async () => {} };
    const scheduler = await createScheduler(config, { jobs });
    await scheduler.schedule('by-hand', { every: '1h' });
    await scheduler.shutdown();
    write(`prune: group${report('0 0 6 * * ?')}`);
    expect(await plan()).toMatchObject({ code: 0 });
    write(`prune: all${report('0 0 6 * * ?')}`);
    const { changes } = await planJson();
    expect(changes.filter(({ action }: { action: string }) => action === 'delete')).toEqual([
      { action: 'delete', what: 'trigger', group: 'reports', name: 'other', fields: [], startsPaused: false },
      { action: 'delete', what: 'job', group: 'reports', name: 'other', fields: [], startsPaused: false },
    ]);
  });

  it('does not delete a trigger that has moved to another file', async () => {
    write(report('0 0 6 * * ?') + cleanup);
    await apply();
    write(`prune: all${report('0 0 6 * * ?')}`);
    write(`jobs:${cleanup}`, 'second.yaml');
    expect(await plan(file(), file('second.yaml'))).toMatchObject({ code: 0, stdout: 'Nothing would change.\n' });
  });

  it('prints no control characters in names', async () => {
    await tables();
    write('jobs: [{ name: "a\\e[31m\\nb", durable: true, description: "\\u009b1m" }]');
    const { stdout } = await plan(file());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(stdout.split('\n')).toHaveLength(4);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect((await plan('--json', file())).stdout.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('reports missing and invalid arguments', async () => {
    write('jobs: [{ name: a }]');
    expect(await plan(file())).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('expected a trigger or durable'),
    });
    write('prune: everything');
    expect(await plan(file())).toMatchObject({ code: 3, stderr: expect.stringContaining('group, all or false') });
    write(report('0 0 6 * * ?'));
    expect(await plan(file())).toMatchObject({ code: 7 });
    writeFileSync(config, 'jobStore: { class: memory }');
    expect(await plan(file())).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('expected a job store in a database'),
    });
    expect(await plan()).toMatchObject({ code: 3 });
  });
});
