import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program';
import { createScheduler } from '../../src/index';
import {
  createDatabase,
  describeOnOneServer,
  sharedServer,
  type TestDatabase,
} from '../support/database/test-database';
import { memoryOutput } from '../support/memory-output';

const reportAt = (cron: string) => `
jobs:
  - name: report
    triggers: [{ cron: '${cron}', timeZone: UTC }]`;
const CLEANUP = `
  - name: cleanup
    triggers: [{ simple: { interval: PT1H } }]`;

describeOnOneServer('schedule plan on a server', () => {
  let folder: string;
  let database: TestDatabase;
  let config: string;
  let file: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quartz-ts-plan-'));
    database = await createDatabase(await sharedServer());
    config = join(folder, 'quartz.yaml');
    file = join(folder, 'schedule.yaml');
    const store = `jobStore: { class: mysql, dataSource: d, storeThread: false }\ndataSource.d.URL: '${database.url}'`;
    writeFileSync(config, `${store}\nplugin: { files: { class: scheduleFile, fileNames: [schedule.yaml] } }\n`);
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  async function command(...args: readonly string[]) {
    const { output, stdout, stderr } = memoryOutput();
    const code = await runProgram([...args, '--config', config], { output, env: {}, folder: '/' });
    // This warning depends on the settings of the server.
    const errors = stderr().replace(/^warning: .*\binnodb_flush_log_at_trx_commit\b.*\n/gm, '');
    return { code, stdout: stdout(), stderr: errors };
  }

  /** Starts a scheduler, which applies the file, and stops it before any trigger is due. */
  async function apply() {
    const scheduler = await createScheduler(config, { jobs: { report: async () => {}, cleanup: async () => {} } });
    await scheduler.start();
    await scheduler.shutdown();
  }

  /** Checksums of all tables, computed by the server. */
  async function checksums() {
    const tables = await database.query<Record<string, string>>('SHOW TABLES');
    const names = tables.map((row) => Object.values(row)[0]);
    return database.query(`CHECKSUM TABLE ${names.join(', ')}`);
  }

  it('shows the definitions to create, ends with the exit code for changes, and writes nothing', async () => {
    writeFileSync(file, reportAt('0 0 6 * * ?') + CLEANUP);
    await command('migrate', '--apply');
    const before = await checksums();
    const { code, stdout, stderr } = await command('schedule', 'plan', file);
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
    expect(await checksums()).toEqual(before);
  });

  it('shows the stored definitions to replace and delete, and leaves them unchanged', async () => {
    writeFileSync(file, reportAt('0 0 6 * * ?') + CLEANUP);
    await command('migrate', '--apply');
    await apply();
    const before = await checksums();
    expect(await command('schedule', 'plan')).toEqual({ code: 0, stdout: 'Nothing would change.\n', stderr: '' });
    writeFileSync(file, `prune: all${reportAt('0 0 7 * * ?')}`);
    const { code, stdout } = await command('schedule', 'plan');
    expect(code).toBe(8);
    expect(stdout).toMatch(/^replace {2}trigger {2}DEFAULT\/report .*0 0 6 \* \* \? → 0 0 7 \* \* \?/m);
    expect(stdout).toMatch(/^delete {3}trigger {2}DEFAULT\/cleanup/m);
    expect(stdout).toMatch(/^delete {3}job {6}DEFAULT\/cleanup/m);
    expect(await checksums()).toEqual(before);
    await apply();
    expect(await checksums()).not.toEqual(before);
    expect(await command('schedule', 'plan')).toMatchObject({ code: 0 });
  });

  it('ends with the exit code for missing tables, and creates none', async () => {
    writeFileSync(file, reportAt('0 0 6 * * ?'));
    expect(await command('schedule', 'plan', file)).toMatchObject({ code: 7, stdout: '' });
    expect(await database.query('SHOW TABLES')).toEqual([]);
  });
});
